//! Every technique can be left out: the search stays right, and it changes.

use super::*;

/// Nodes of searches of some positions without a technique, and of the legal lines they find.
fn nodes(left_out: Technique) -> u64 {
    let techniques = Techniques::without(left_out);
    let mut searcher = small();
    let mut nodes = 0;
    let mates = positions(MATE_PROBLEMS).skip(26).step_by(4).take(3);
    for root in positions(BENCH).skip(1).step_by(13).chain(mates) {
        searcher.clear();
        let limits = Limits {
            nodes: Some(60_000),
            ..to_depth(12)
        };
        let outcome = go(&mut searcher, &root, limits, &options(techniques));
        assert_lines_are_legal(&root, &outcome);
        // The sum as it is would be the same whenever all searches reach the limit.
        let last = outcome.last();
        nodes = nodes * 31 + last.nodes * 3 + last.score.unsigned_abs() as u64;
    }
    nodes
}

#[test]
fn every_switch_changes_the_search_and_leaves_it_sound() {
    let full = nodes(Technique::empty());
    for (name, technique) in Technique::all().iter_names() {
        assert_ne!(nodes(technique), full, "{name} makes no difference");
    }
}
