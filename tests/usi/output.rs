//! The contents of `info` lines. Their format is checked in every test (see `session`).

use crate::session::Session;

#[test]
fn a_trivial_position_gives_no_flood_of_lines() {
    let mut s = Session::ready();
    s.go("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "infinite");
    s.sleep(1000);
    s.send("stop");
    assert_eq!(s.bestmove(), "G*5b");
    assert!(s.since_last_go().len() < 500, "{}", s.since_last_go().len());
}

#[test]
fn mate_scores_are_signed_plies() {
    let mut s = Session::ready();
    s.go("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "byoyomi 300");
    assert_eq!(s.bestmove(), "G*5b");
    assert_eq!(s.last("mate"), "1");
    s.go("sfen 4k4/9/9/9/9/9/4p4/9/4K4 w g 1", "byoyomi 300");
    assert_eq!(s.bestmove(), "G*5h");
    assert_eq!(s.last("mate"), "1");
    s.go(
        "sfen 3g1k3/2+R2lp2/7N1/9/9/9/PPP6/1KG6/9 b Bs 1",
        "depth 10",
    );
    assert_eq!(s.bestmove(), "7b6a");
    assert_eq!(s.last("mate"), "3");
}

#[test]
fn a_mated_side_resigns_with_a_score() {
    let mut s = Session::ready();
    s.go("sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2", "byoyomi 300");
    assert_eq!(s.bestmove(), "resign");
    assert!(s.last("mate").starts_with('-'));
}

#[test]
fn the_line_before_bestmove_has_score_and_pv() {
    let mut s = Session::ready();
    s.go("startpos", "byoyomi 500");
    s.bestmove();
    let lines = s.since_last_go();
    let before = &lines[lines.len() - 2];
    assert!(
        before.contains(" score ") && before.contains(" pv "),
        "{before}"
    );
}

#[test]
fn nodes_are_counted_when_no_book_is_used() {
    let mut s = Session::ready();
    s.go("startpos", "byoyomi 300");
    s.bestmove();
    assert_ne!(s.last("nodes"), "0");
}
