//! `setoption`, as specified and as GUIs really send it.

use crate::checks::value_of;
use crate::session::Session;
use std::collections::BTreeMap;

/// The first moves of the last PVs, by rank.
fn lines(s: &Session) -> BTreeMap<usize, String> {
    let mut lines = BTreeMap::new();
    for line in s.since_last_go() {
        if let (Some(rank), Some(first)) = (value_of(line, "multipv"), value_of(line, "pv")) {
            lines.insert(rank.parse().unwrap(), first.to_string());
        }
    }
    lines
}

/// Checks that there are this many PVs with different first moves, the best one first.
fn check_multi_pv(s: &mut Session, count: usize) {
    let best = s.bestmove();
    let lines = lines(s);
    assert!(lines.keys().copied().eq(1..=count), "{lines:?}");
    assert_eq!(lines[&1], best);
    let mut moves: Vec<&String> = lines.values().collect();
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), count);
}

#[test]
fn options_that_every_gui_sends_are_accepted_silently() {
    let mut s = Session::start();
    s.send("usi");
    s.expect("usiok");
    s.send("setoption name USI_Hash value 32");
    s.send("setoption name USI_Ponder value true");
    s.send("setoption name USI_OwnBook value true");
    s.send("setoption name Hash value 32\nsetoption name Ponder value true");
    s.send("isready");
    s.expect("readyok");
    assert_eq!(s.errors(), 0);
}

#[test]
fn malformed_options_and_unknown_commands_are_reported() {
    let mut s = Session::ready();
    let bad = [
        "setoption name NoSuchOption value 1",
        "setoption",
        "setoption name",
        "setoption value 3",
        "joho foo bar",
        "usi_tunables",
    ];
    for line in bad {
        s.send(line);
        s.expect("info string ");
    }
    assert_eq!(s.errors(), bad.len());
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
}

#[test]
fn options_of_any_case_apply_at_the_next_go() {
    let mut s = Session::ready_with(&["multipv value 3"]);
    s.go("startpos", "depth 3");
    check_multi_pv(&mut s, 3);
    s.send("setoption name USI_MultiPV value 4");
    s.go("startpos", "depth 4");
    check_multi_pv(&mut s, 4);
}

#[test]
fn the_word_name_may_be_missing() {
    let mut s = Session::start();
    s.send("setoption Threads value 1");
    s.send("setoption USI_Hash value 16");
    s.send("setoption MultiPV value 2");
    s.send("isready");
    s.expect("readyok");
    s.go("startpos", "depth 4");
    check_multi_pv(&mut s, 2);
}

#[test]
fn buttons_and_checks_survive_an_empty_value() {
    let mut s = Session::ready();
    s.send("setoption name Clear_Hash value ");
    s.send("setoption name Clear_Hash");
    s.send("setoption name USI_Ponder value ");
    s.send_bytes(b"position startpos\ngo btime 0 wtime 0 byoyomi 300\n");
    s.bestmove();
    assert!(s.is_alive());
}

#[test]
fn a_hash_table_beyond_memory_is_rejected() {
    let mut s = Session::ready();
    s.send("setoption name USI_Hash value 33554432");
    s.send("isready");
    let error = "failed to allocate 33554432 MB hash; keeping 16 MB";
    s.expect(&format!("info string USI_Hash: {error}"));
    s.expect("readyok");
    s.send("getoption USI_Hash");
    s.expect("Options[USI_Hash] == 16");
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
}

#[test]
fn the_hash_table_can_be_resized_again_and_again() {
    let mut s = Session::ready();
    for megabytes in [16, 256, 16, 512, 16] {
        s.send(&format!("setoption name USI_Hash value {megabytes}"));
        s.send("isready");
        s.expect("readyok");
    }
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
}

#[test]
fn options_during_pondering_neither_hang_nor_end_it() {
    let mut s = Session::ready();
    s.go("startpos", "ponder btime 0 wtime 0 byoyomi 500");
    s.sleep(100);
    s.send("setoption name MultiPV value 3");
    s.send("setoption name USI_Hash value 32");
    s.expect_none("bestmove", 300);
    s.send("ponderhit");
    s.bestmove();
    assert_eq!(s.count("bestmove"), 1);
}

#[test]
fn more_threads_than_cores_keep_the_time() {
    let mut s = Session::ready_with(&["Threads value 16"]);
    s.go("startpos", "btime 0 wtime 0 byoyomi 1000");
    s.bestmove();
    s.took(300, 1000);
    s.send("setoption name Threads value 1");
    s.send("isready");
    s.expect("readyok");
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
}

#[test]
fn limits_set_as_options_end_a_bare_go() {
    let mut s = Session::ready_with(&["NodesLimit value 20000"]);
    s.go("startpos", "");
    s.bestmove();
    let nodes: u64 = s.last("nodes").parse().unwrap();
    assert!((1000..40_000).contains(&nodes), "{nodes}");
    s.send("setoption name NodesLimit value 0");
    s.send("setoption name DepthLimit value 4");
    s.go("startpos moves 7g7f", "");
    s.bestmove();
    assert_eq!(s.last("depth"), "4");
}

#[test]
fn more_lines_than_moves_gives_all_moves() {
    let mut s = Session::ready_with(&["MultiPV value 5"]);
    s.go("sfen 9/3+b1k3/1s1K3B1/3lr4/1n5R1/9/9/9/9 b S 1", "depth 6");
    check_multi_pv(&mut s, 2);
}

#[test]
fn lines_beside_a_mate_keep_sane_scores() {
    let mut s = Session::ready_with(&["MultiPV value 3"]);
    s.go("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "depth 8");
    check_multi_pv(&mut s, 3);
    let first = s
        .since_last_go()
        .iter()
        .rfind(|line| line.contains(" multipv 1 "))
        .unwrap();
    assert_eq!(value_of(first, "mate"), Some("1"));
    assert_eq!(value_of(first, "pv"), Some("G*5b"));
}

#[test]
fn as_many_lines_as_moves_show_every_legal_move() {
    let mut s = Session::ready_with(&["MultiPV value 600", "GenerateAllLegalMoves value true"]);
    let sfen = "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124";
    s.go(&format!("sfen {sfen}"), "depth 1");
    s.bestmove();
    let position = komaoto::position::Position::from_sfen(sfen).unwrap();
    let mut legal: Vec<String> = position
        .legal_moves()
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut shown: Vec<String> = lines(&s).into_values().collect();
    legal.sort();
    shown.sort();
    assert_eq!(shown, legal);
    assert_eq!(shown.len(), 178);
}

#[test]
fn the_resign_value_is_respected() {
    let mut s = Session::ready_with(&["ResignValue value 300"]);
    let sfen = "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    s.go(sfen, "nodes 5000");
    assert_eq!(s.bestmove(), "resign");
    assert!(s.last_score() <= -300);
    s.send("setoption name ResignValue value 99999");
    s.go(sfen, "nodes 5000");
    assert_ne!(s.bestmove(), "resign");
}
