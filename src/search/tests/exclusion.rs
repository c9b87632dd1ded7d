//! A search without one of the moves of a node, as singular extension asks for it, is no search of
//! the node: it must leave no trace there.

use super::tt::{Bound, TtEntry};
use super::*;

#[test]
fn a_search_without_a_move_writes_nothing_about_its_node() {
    for root in positions(BENCH).step_by(3) {
        let mut worker = worker(&root, Mode::Full);
        let moves = root.legal_moves();
        let known = TtEntry {
            mv: moves[0],
            value: 17,
            eval: 5,
            depth: 1,
            bound: Bound::LOWER,
        };
        let (key, side) = (root.key(), root.side_to_move());
        worker.tt.store(key, side, 2, known);
        worker.root_depth = 8;
        worker.stack.at_mut(2).excluded = moves[0];
        worker.stack.at_mut(2).tt_pv = true;
        let value = worker.pvs::<pvs::NonPv>(2, -41, -40, 5, true);
        assert!(value.abs() <= value::MATE);
        assert_eq!(worker.tt.probe(key, side, 2), Some(known), "{root:?}");
        assert!(worker.stack.at(2).tt_pv, "the node's own search goes on");
        assert_eq!(worker.stack.at(2).excluded, moves[0]);
        assert!(worker.position == root);
    }
}

#[test]
fn the_only_move_left_out_is_no_mate() {
    // Nothing is left, which says that the other moves stay below the window, not that the side
    // to move is mated.
    let mut forced = random_positions(7, 600).filter(|root| root.legal_moves().len() == 1);
    let root = forced.next().unwrap();
    let moves = root.legal_moves();
    let mut worker = worker(&root, Mode::Full);
    worker.root_depth = 8;
    worker.stack.at_mut(1).excluded = moves[0];
    assert_eq!(worker.pvs::<pvs::NonPv>(1, 99, 100, 4, true), 99);
}
