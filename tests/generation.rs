//! Legal moves against an independent implementation (rsshogi).

mod common;

use common::{effort, rollouts, sorted};
use komaoto::position::Position;
use rsshogi::board::{self, MoveList};
use rsshogi::movegen::generate_legal_all;

/// Legal and checking moves by the other crate, as sorted USI text.
fn independent(sfen: &str) -> [Vec<String>; 2] {
    let mut position = board::position_from_sfen(sfen).unwrap();
    position.init_stack();
    let mut list = MoveList::new();
    generate_legal_all(&position, &mut list);
    let texts = |wanted: &dyn Fn(rsshogi::types::Move) -> bool| {
        let moves = list.as_slice().iter().filter(|&&mv| wanted(mv));
        let mut texts: Vec<String> = moves.map(|mv| mv.to_usi()).collect();
        texts.sort();
        texts
    };
    [texts(&|_| true), texts(&|mv| position.gives_check_move(mv))]
}

fn compare(position: &Position) {
    let [legal, checks] = independent(&position.to_sfen());
    assert_eq!(sorted(&position.legal_moves()), legal, "{position:?}");
    let mut found = Vec::new();
    position.generate_checks::<true>(&position.check_info(), &mut found);
    assert_eq!(sorted(&found), checks, "{position:?}");
}

#[test]
fn random_play_agrees_with_another_crate() {
    let mut positions = 0;
    rollouts(12, effort(400, 48), 200, |position, _| {
        compare(position);
        positions += 1;
    });
    assert!(positions > effort(20_000, 3_000), "{positions}");
}
