//! `go mate`: one `checkmate`, never a `bestmove`.

use crate::session::Session;
use komaoto::position::Position;
use komaoto::types::Move;

/// Runs `go mate` and checks that the answer is a mate: every move of the attacker gives check and the
/// last one leaves no reply.
fn mate(s: &mut Session, sfen: &str, limits: &str) -> Vec<String> {
    s.go(&format!("sfen {sfen}"), limits);
    let answer = s.expect("checkmate ");
    let moves: Vec<String> = answer.split(' ').skip(1).map(String::from).collect();
    let mut position = Position::from_sfen(sfen).unwrap();
    for (ply, text) in moves.iter().enumerate() {
        let mv = Move::from_usi(text).unwrap_or_else(|_| panic!("{answer}"));
        assert!(position.is_legal(mv), "{answer}");
        position.do_move(mv);
        assert!(ply % 2 == 1 || position.in_check(), "{answer}");
    }
    assert!(!position.has_legal_move(), "{answer}");
    moves
}

#[test]
fn every_form_of_go_mate_finds_a_mate() {
    let mut s = Session::ready();
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    for limits in ["mate infinite", "mate", "mate 3000", "mate nodes 200000"] {
        assert_eq!(mate(&mut s, sfen, limits), ["G*5b"]);
    }
    s.expect_none("", 300);
    assert_eq!(s.count("checkmate"), 4);
    assert_eq!(s.count("bestmove"), 0);
}

#[test]
fn limits_of_every_kind_end_a_mate_search() {
    let mut s = Session::ready();
    let hopeless = "sfen 7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1";
    for limits in [
        "mate 300",
        "mate movetime 300",
        "movetime 300 mate",
        "mate byoyomi 300",
        "mate btime 0 wtime 0 binc 300 winc 300",
    ] {
        s.go(hopeless, limits);
        s.expect("checkmate ");
        s.took(0, 400);
    }
    let eleven = "sfen 9/9/kBr6/1L7/9/G8/9/9/9 b GP 1";
    for (limits, answer) in [
        ("mate depth 9", "checkmate timeout"),
        ("mate depth 11", "checkmate "),
        ("mate nodes 50", "checkmate timeout"),
    ] {
        s.go(eleven, limits);
        let line = s.expect(answer);
        let is_mate = line.split(' ').count() == 12;
        assert_eq!(is_mate, limits == "mate depth 11", "{line}");
    }
    s.send("setoption name DepthLimit value 9");
    s.go(eleven, "mate infinite");
    s.expect("checkmate timeout");
    assert_eq!(s.count("bestmove"), 0);
}

#[test]
fn a_mate_search_reports_every_second_and_at_the_end() {
    let mut s = Session::ready();
    s.go(
        "sfen 7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1",
        "mate infinite",
    );
    for _ in 0..2 {
        let line = s.expect_within("info nodes ", 1100);
        assert!(line.contains(" nps ") && line.contains(" hashfull ") && line.contains(" time "));
    }
    s.send("stop");
    s.expect("checkmate timeout");
    s.go("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "mate infinite");
    let line = s.expect("info depth 1 seldepth 1 score mate 1 nodes ");
    assert!(line.ends_with(" pv G*5b"), "{line}");
    s.expect("checkmate G*5b");
}

#[test]
fn longer_mates_are_found() {
    let mut s = Session::ready();
    let three = "3g1k3/2+R2lp2/7N1/9/9/9/PPP6/1KG6/9 b Bs 1";
    assert_eq!(mate(&mut s, three, "mate nodes 200000")[0], "7b6a");
    let rook_on_first_file = "4+Pgk2/7p1/7Gs/9/4+R4/9/PPP6/1KG5r/9 b Bb 1";
    assert_eq!(mate(&mut s, rook_on_first_file, "mate 5000")[0], "5a4a");
}

#[test]
fn pieces_stay_unpromoted_where_a_pawn_drop_would_mate_otherwise() {
    let mut s = Session::ready();
    let rook = "4R1n1k/5Gn2/7p1/9/7N1/5L3/9/9/9 b 2P 1";
    assert_eq!(mate(&mut s, rook, "mate 10000")[0], "5a3a");
    let bishop = "7l1/8k/4G1P1n/6SRB/9/9/9/9/9 b P 1";
    assert_eq!(mate(&mut s, bishop, "mate 10000")[0], "1d2c");
}

#[test]
fn an_attacker_in_check_answers_it() {
    let mut s = Session::ready();
    let sfen = "4nk3/3+R2N2/2+P2K+B2/9/8p/9/9/9/9 b NS 1";
    assert_eq!(mate(&mut s, sfen, "mate 5000")[0], "6b5a");
}

#[test]
fn endless_checks_are_not_a_mate() {
    let mut s = Session::ready();
    s.go("sfen 4k4/9/9/9/9/9/9/9/R3K4 b - 1", "mate 2000");
    let answer = s.expect("checkmate ");
    assert!(
        ["checkmate nomate", "checkmate timeout"].contains(&answer.as_str()),
        "{answer}"
    );
    s.took(0, 2500);
}

#[test]
fn a_stopped_mate_search_is_answered_before_readyok() {
    let mut s = Session::ready();
    s.go(
        "sfen 7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1",
        "mate infinite",
    );
    s.sleep(200);
    s.send("stop");
    s.send("gameover draw");
    s.send("isready");
    s.expect("readyok");
    assert_eq!(s.count("checkmate"), 1);
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
    assert_eq!(s.count("bestmove"), 1);
}
