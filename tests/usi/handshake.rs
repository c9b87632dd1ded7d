//! From the start of the process to the first move.

use crate::session::Session;

#[test]
fn usiok_comes_at_once_and_quit_ends_the_process() {
    let mut s = Session::start();
    s.send("usi");
    s.expect_within("usiok", 1500);
    s.quit();
    assert_eq!(s.count("id name "), 1);
    assert_eq!(s.count("id author "), 1);
    assert_eq!(s.count("usiok"), 1);
    assert!(s.count("option name ") > 10);
}

#[test]
fn usi_may_come_twice_or_never() {
    let mut s = Session::start_small();
    s.send("isready");
    s.expect("readyok");
    s.go("startpos moves 7g7f", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
    s.send("usi");
    s.expect("usiok");
    s.send("usi");
    s.expect("usiok");
}

#[test]
fn go_needs_neither_isready_nor_position() {
    let mut s = Session::start();
    s.send("usi");
    for _ in 0..2 {
        s.send("go btime 0 wtime 0 byoyomi 300");
        let best = s.bestmove();
        assert!(best != "resign" && best != "win");
    }
}

#[test]
fn a_second_isready_is_quick_even_with_a_large_table() {
    let mut s = Session::ready_with(&["USI_Hash value 512"]);
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
    s.send("gameover win");
    s.send("isready");
    s.expect_within("readyok", 1000);
    s.send("usinewgame");
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let mut s = Session::start();
    s.send_bytes(b"\xef\xbb\xbfusi\r\n");
    s.expect("usiok");
    s.send_bytes(b"  isready\t\r\n");
    s.expect("readyok");
}

#[test]
fn several_commands_may_come_in_one_write() {
    let mut s = Session::ready();
    s.send_bytes(b"position startpos\ngo btime 0 wtime 0 byoyomi 300\n");
    s.bestmove();
}
