//! Every line reported can be played, and ends when the game does.

use super::*;

#[test]
fn every_line_reported_is_legal() {
    let mut searcher = small();
    for root in positions(BENCH) {
        let options = SearchOptions {
            multi_pv: 3,
            ..options(Mode::Full)
        };
        let outcome = go(&mut searcher, &root, to_depth(6), &options);
        assert_lines_are_legal(&root, &outcome);
    }
}

#[test]
fn lines_over_many_positions_are_legal_whatever_the_table_holds() {
    // The table is small and never cleared: lines go through what other positions left there.
    let mut searcher = Searcher::new();
    searcher.set_hash(1).unwrap();
    let options = options(Mode::Full);
    for root in positions(OPENINGS)
        .step_by(2)
        .chain(random_positions(1, 40))
    {
        let outcome = go(&mut searcher, &root, to_depth(5), &options);
        assert_lines_are_legal(&root, &outcome);
        let last = outcome.last();
        assert!(!last.pv.is_empty() && last.pv.len() <= last.seldepth.max(1));
    }
}

#[test]
fn several_threads_report_legal_lines_too() {
    let mut searcher = small();
    searcher.set_threads(3).unwrap();
    for root in positions(BENCH).step_by(5) {
        let outcome = go(&mut searcher, &root, to_depth(7), &options(Mode::Full));
        assert_lines_are_legal(&root, &outcome);
        assert!(outcome.last().depth <= 7, "helpers keep to the depth too");
    }
}
