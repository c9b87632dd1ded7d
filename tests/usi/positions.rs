//! `position` and `go searchmoves`, valid and not.

use crate::session::Session;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

#[test]
fn the_move_number_may_be_missing_or_absurd() {
    let mut s = Session::ready();
    for number in ["", "0", "99999999999", "-5"] {
        s.go(&format!("sfen {START} {number}"), "nodes 1000");
        s.bestmove();
    }
    s.go(&format!("sfen {START} moves 7g7f"), "nodes 1000");
    s.bestmove();
    assert_eq!(s.errors(), 0);
}

#[test]
fn hands_may_come_in_any_order() {
    let mut s = Session::ready();
    for hands in ["p2Pg2R", "R10Pb7p", "18p"] {
        s.go(
            &format!("sfen 4k4/9/9/9/9/9/9/9/4K4 b {hands} 1"),
            "depth 3",
        );
        s.bestmove();
    }
    assert_eq!(s.errors(), 0);
}

/// After a rejected `position`, nothing is answered for the position before.
fn expect_no_position(s: &mut Session) {
    for line in ["d", "moves", "side", "eval", "perft 1"] {
        s.send(line);
        s.expect(&format!(
            "info string {}: there is no position",
            line.split(' ').next().unwrap()
        ));
    }
    s.send("go nodes 1000");
    s.expect("info string go: there is no position");
    s.expect("bestmove resign");
    s.send("go mate 1000");
    s.expect("info string go mate: there is no position");
    s.expect("checkmate notimplemented");
}

#[test]
fn positions_that_cannot_be_searched_are_rejected_by_rule() {
    let mut s = Session::ready();
    for (sfen, rule) in [
        ("4k3k/9/9/9/9/9/9/9/4K4 b - 1", "second king of white"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 4R 1", "4 pieces of kind R"),
        (
            "4k4/9/9/9/9/9/9/9/4K4 b 7G7S7N7L11P 1",
            "39 pieces besides the kings",
        ),
        ("4k4/9/9/9/4R4/9/9/9/4K4 b - 1", "white is in check"),
        ("broken", "ranks"),
    ] {
        s.send("position startpos moves 7g7f");
        s.send(&format!("position sfen {sfen}"));
        let line = s.expect("info string position: ");
        assert!(line.contains(rule), "{line}");
        expect_no_position(&mut s);
    }
    s.go("startpos", "nodes 1000");
    s.bestmove();
}

#[test]
fn boards_from_an_editor_are_searched() {
    let mut s = Session::ready();
    for (sfen, irregularity) in [
        (
            "lnsg1gsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1",
            "no king on the board",
        ),
        (
            "lnsgkgsnl/1r5b1/pppp1pppp/9/4P4/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "nifu",
        ),
        ("4k3P/9/9/9/9/9/9/9/p3K4 b Pp 1", "rank a"),
        (
            "4k4/9/9/9/9/9/9/9/4K4 b 31P 1",
            "31 pieces of kind P, a set has 18",
        ),
        ("rrr1k1bbb/9/9/9/9/9/9/9/4K4 w 7G7S7N 1", "a set has"),
    ] {
        s.send(&format!("position sfen {sfen}"));
        let line = s.expect("info string position: ");
        assert!(line.contains(irregularity), "{line}");
        for limits in ["nodes 20000", "mate nodes 20000"] {
            s.send(&format!("go {limits}"));
            s.expect(if limits.starts_with("mate") {
                "checkmate "
            } else {
                "bestmove "
            });
        }
    }
}

#[test]
fn bad_moves_are_reported_with_their_number() {
    let mut s = Session::ready();
    for (moves, error) in [
        ("7g7f 7g7f", "move 2, 7g7f, is illegal at ply 2"),
        ("7g7f 0000", "move 2: `0000`"),
        ("7g7f pass", "move 2: `pass`"),
        ("P*5e", "move 1, P*5e, is illegal at ply 1"),
        ("7g7f hello 3c3d", "move 2: `hello`"),
        ("7g7f resign 3c3d", "move 2: `resign`"),
        ("0a0b", "move 1: `0a0b`"),
        ("7j7k", "move 1: `7j7k`"),
        ("7g", "move 1: `7g`"),
        (
            "7g7f 3c3d 8h2b+ 3a2b 8h2b",
            "move 5, 8h2b, is illegal at ply 5",
        ),
    ] {
        s.send("position startpos moves 7g7f");
        s.send(&format!("position startpos moves {moves}"));
        let line = s.expect("info string position: ");
        assert!(line.contains(error), "{line}");
        expect_no_position(&mut s);
    }
}

#[test]
fn a_word_for_the_end_of_the_game_is_dropped() {
    let mut s = Session::ready();
    for word in ["resign", "win", "sennichite", "timeup"] {
        s.send(&format!("position startpos moves 7g7f {word}"));
        s.expect(&format!("info string position: ignoring `{word}`"));
        s.send("side");
        s.expect("white");
    }
    s.send("position startpos moves resign");
    s.send("side");
    s.expect("black");
}

#[test]
fn mistyped_setups_are_reported_by_their_word() {
    let mut s = Session::ready();
    for (setup, word) in [
        ("startpos move 2g2f", "`move`"),
        ("startpos 2g2f", "`2g2f`"),
        ("startpos moves\x007g7f", "`moves\\u{0}7g7f`"),
        ("fen 4k4/9/9/9/9/9/9/9/4K4 b - 1", "`fen`"),
        ("sfen startpos", "`startpos`"),
        ("position startpos", "`position`"),
    ] {
        s.send("position startpos moves 7g7f");
        s.send(&format!("position {setup}"));
        let line = s.expect("info string position: ");
        assert!(line.contains(word), "{line}");
        expect_no_position(&mut s);
    }
}

#[test]
fn a_game_of_1600_plies_is_read() {
    let mut s = Session::ready();
    let game = "2h3h 8b7b 3h2h 7b8b ".repeat(400);
    s.go(&format!("startpos moves {game}"), "nodes 1000");
    s.bestmove();
    assert_eq!(s.errors(), 0);
}

#[test]
fn the_position_with_the_most_moves_is_searched() {
    let mut s = Session::ready();
    s.go(
        "sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "depth 1",
    );
    s.bestmove();
}

#[test]
fn searchmoves_keep_to_the_moves_given() {
    let mut s = Session::ready();
    s.go(
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1",
        "depth 4 searchmoves P*5e",
    );
    assert_eq!(s.bestmove(), "P*5e");
    s.go("startpos", "searchmoves 7g7g 3c3d 9g9f depth 3");
    s.expect("info string go");
    s.bestmove();
}

#[test]
fn searchmoves_are_searched_where_a_declaration_would_win() {
    let mut s = Session::ready();
    let sfen = "sfen K+R+B+P+P+P+P+P+P/GGS6/9/9/9/9/9/9/4k4 b R4Pb2g3s4n4l8p 150";
    s.go(sfen, "depth 3 searchmoves R*5e");
    assert_eq!(s.bestmove(), "R*5e");
    s.go(sfen, "depth 3");
    assert_eq!(s.bestmove(), "win");
}

#[test]
fn illegal_searchmoves_are_reported_in_one_line() {
    let mut s = Session::ready();
    let moves = "3c3d 7g7f 9c9d ".repeat(2000);
    s.go("startpos", &format!("depth 3 searchmoves {moves}"));
    assert_eq!(s.bestmove(), "7g7f");
    assert_eq!(s.errors(), 1);
    let line = "info string go searchmoves: ignoring illegal 3c3d 9c9d 3c3d ";
    assert_eq!(s.count(line), 1);
}
