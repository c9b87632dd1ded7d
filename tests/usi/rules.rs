//! The rules of shogi, tested by the moves the engine chooses.

use crate::session::Session;

fn best(s: &mut Session, position: &str) -> String {
    s.go(position, "btime 0 wtime 0 byoyomi 500");
    s.bestmove()
}

#[test]
fn a_pawn_drop_does_not_mate() {
    let mut s = Session::ready();
    s.go("sfen 8k/9/7+R1/9/9/9/9/9/9 b P 1", "depth 5");
    let mv = s.bestmove();
    assert!(mv != "P*1b" && mv != "resign", "{mv}");
    // Here it would be the only move at all.
    let only = "sfen BRBRSSSGG/nPPPPPPPP/n8/n8/n8/ll7/kl7/9/K8 b 10P2gsl 1";
    assert_eq!(best(&mut s, only), "resign");
}

#[test]
fn check_is_answered() {
    let mut s = Session::ready();
    let mv = best(&mut s, "sfen 9/3+b1k3/1s1K3B1/3lr4/1n5R1/9/9/9/9 b S 1");
    assert!(mv == "6c5d" || mv == "6c6b", "{mv}");
}

#[test]
fn the_checking_side_does_not_complete_perpetual_check() {
    let mut s = Session::ready();
    let round = "5i4i 5b4b 4i5i 4b5b ".repeat(2);
    let start = "sfen 4k4/4r4/9/9/9/9/9/9/4K4 b - 1";
    let mv = best(&mut s, &format!("{start} moves {round}5i4i 5b4b 4i5i"));
    assert!(mv != "4b5b" && mv != "resign", "{mv}");
}

#[test]
fn the_checked_side_claims_perpetual_check() {
    let mut s = Session::ready();
    let round = "4b5b 5i4i 5b4b 4i5i ".repeat(2);
    let start = "sfen 4k4/5r3/9/9/9/9/9/9/4K4 w - 1";
    let mv = best(&mut s, &format!("{start} moves {round}4b5b 5i4i 5b4b"));
    assert_eq!(mv, "4i5i");
    assert!(s.last_score() >= 2000);
}

#[test]
fn the_stronger_side_avoids_repetition() {
    let mut s = Session::ready();
    let round = "5a5b 5i5h 5b5a 5h5i ".repeat(2);
    let start = "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let mv = best(&mut s, &format!("{start} moves {round}5a5b 5i5h 5b5a"));
    assert!(mv != "5h5i" && mv != "resign", "{mv}");
    // A second occurrence is no draw yet, and the fourth is for the GUI to end.
    s.go(&format!("{start} moves 5a5b 5i5h 5b5a 5h5i"), "depth 8");
    s.bestmove();
    assert!(s.last_score() <= -400);
    s.go(
        &format!("{start} moves {round}5a5b 5i5h 5b5a 5h5i"),
        "depth 8",
    );
    s.bestmove();
}

#[test]
fn a_declaration_needs_points_pieces_and_no_check() {
    let mut s = Session::ready();
    let wins = "sfen K+R+B+P+P+P+P+P+P/GGS6/9/9/9/9/9/9/4k4 b R4Pb2g3s4n4l8p 150";
    assert_eq!(best(&mut s, wins), "win");
    for sfen in [
        "K+R+B+P+P+P+P+P+P/G8/9/9/9/9/9/9/4k4 b RGS4Pb2g3s4n4l8p 150",
        "+R+B+P+P+P+P+P+P1/GGS6/9/K8/9/9/9/9/4k4 b R4Pb2g3s4n4l8p 150",
        "K+R+B+P+P+P+P+P+P/1GSG5/9/9/9/9/9/9/r3k4 b B4P2g3s4n4l8p 150",
    ] {
        assert_ne!(best(&mut s, &format!("sfen {sfen}")), "win");
    }
}

#[test]
fn the_entering_king_rule_decides_about_a_declaration() {
    let mut s = Session::ready_with(&["EnteringKingRule value CSARule24"]);
    let points = |pawns: u32| {
        let rest = 12 - pawns;
        format!("sfen K+R+B+P+P+P+P+P+P/GGS6/9/9/9/9/9/9/4k4 b R{pawns}Pb2g3s4n4l{rest}p 150")
    };
    assert_ne!(best(&mut s, &points(6)), "win");
    assert_eq!(best(&mut s, &points(7)), "win");
    s.send("setoption name EnteringKingRule value NoEnteringKing");
    assert_ne!(best(&mut s, &points(7)), "win");
}

#[test]
fn no_mate_is_promised_beyond_the_last_move() {
    let mut s = Session::ready_with(&["MaxMovesToDraw value 256"]);
    let sfen = "sfen 3g1k3/2+R2lp2/7N1/9/9/9/PPP6/1KG6/9 b Bs";
    s.go(&format!("{sfen} 255"), "depth 12");
    s.bestmove();
    assert!(s.last_score() < 90_000, "{}", s.last_info());
    s.go(&format!("{sfen} 257"), "depth 6");
    s.bestmove();
}

#[test]
fn white_moves_first_in_handicap_games() {
    let mut s = Session::ready();
    for top in [
        "lnsgkgsnl/9/ppppppppp",
        "1nsgkgsn1/9/ppppppppp",
        "2sgkgs2/9/ppppppppp",
        "4k4/9/ppppppppp",
    ] {
        let sfen = format!("sfen {top}/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
        s.go(&sfen, "nodes 5000");
        assert_ne!(s.bestmove(), "resign");
    }
}
