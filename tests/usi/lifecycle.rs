//! One answer for each `go`, whatever the order of `go`, `stop`, `ponderhit`, `gameover`, `isready`
//! and the end of input.

use crate::session::Session;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

#[test]
fn the_end_of_input_ends_an_idle_engine() {
    let mut s = Session::start();
    s.send("usi");
    s.expect("usiok");
    s.close_input();
    s.expect_exit();
}

#[test]
fn a_script_gets_full_searches_after_the_end_of_input() {
    for limits in ["movetime 600", "depth 6", "nodes 20000"] {
        let mut s = Session::ready();
        s.go("startpos", limits);
        s.close_input();
        s.bestmove();
        match limits {
            "movetime 600" => s.took(400, 700),
            "depth 6" => assert_eq!(s.last("depth"), "6"),
            _ => assert_eq!(s.last("nodes"), "20000"),
        }
        s.expect_exit();
        assert_eq!(s.count("bestmove"), 1);
    }
}

#[test]
fn a_search_by_the_clock_is_finished_after_the_end_of_input() {
    for (limits, then) in [
        ("btime 0 wtime 0 byoyomi 600", ""),
        ("ponder", "ponderhit btime 0 wtime 0 byoyomi 600"),
    ] {
        let mut s = Session::ready();
        s.go("startpos", limits);
        s.send(then);
        s.close_input();
        s.bestmove();
        s.took(400, 700);
        s.expect_exit();
        assert_eq!(s.count("bestmove"), 1);
    }
}

#[test]
fn an_endless_search_ends_with_the_input() {
    for limits in ["infinite", "ponder btime 0 wtime 0 byoyomi 60000", "mate"] {
        let mut s = Session::ready();
        s.go("startpos", limits);
        s.sleep(100);
        s.close_input();
        s.expect_exit_within(500);
        assert_eq!(s.count("bestmove") + s.count("checkmate"), 1);
    }
}

#[test]
fn a_finished_search_reports_before_it_may_answer() {
    for limits in ["infinite", "ponder btime 0 wtime 0 byoyomi 60000"] {
        let mut s = Session::ready();
        s.go("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", limits);
        let line = s.expect("info depth ");
        assert!(line.contains(" score mate "), "{line}");
        assert_eq!(s.count("bestmove"), 0);
        s.send("stop");
        s.bestmove();
    }
}

#[test]
fn quit_during_a_search_ends_at_once() {
    for limits in ["infinite", "ponder", "movetime 60000", "mate infinite"] {
        for pause in [0, 200] {
            let mut s = Session::ready();
            s.go("startpos", limits);
            s.sleep(pause);
            s.send("quit");
            s.expect_exit_within(100);
            let mates = usize::from(limits.starts_with("mate"));
            assert_eq!(s.count("checkmate"), mates, "{limits}");
            assert_eq!(s.count("bestmove"), 1 - mates, "{limits}");
        }
    }
}

#[test]
fn search_commands_are_ignored_when_idle() {
    let mut s = Session::ready();
    let lines = s.output().len();
    for line in [
        "stop",
        "ponderhit",
        "gameover",
        "gameover win",
        "gameover draw",
    ] {
        s.send(line);
    }
    s.expect_none("", 400);
    assert_eq!(s.output().len(), lines);
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
}

#[test]
fn two_stops_give_one_answer() {
    let mut s = Session::ready();
    s.go("startpos", "infinite");
    s.sleep(200);
    s.send("stop");
    s.send("stop");
    s.bestmove();
    s.expect_none("bestmove", 300);
}

#[test]
fn stop_right_after_go_still_gives_a_move() {
    let mut s = Session::ready();
    for round in 0..20 {
        let position = ["startpos", "startpos moves 7g7f"][round % 2];
        s.go(position, "infinite");
        s.send("stop");
        assert_ne!(s.bestmove_within(1000), "resign");
        s.last_info();
    }
    assert_eq!(s.count("bestmove"), 20);
}

#[test]
fn an_owed_bestmove_comes_before_readyok() {
    for limits in [
        "btime 60000 wtime 60000 binc 5000 winc 5000",
        "ponder btime 60000 wtime 60000 binc 5000 winc 5000",
    ] {
        let mut s = Session::ready();
        s.go("startpos moves 7g7f 3c3d", limits);
        s.sleep(150);
        s.send("stop");
        s.send("gameover draw");
        s.send("isready");
        s.expect("readyok");
        assert_eq!(s.count("bestmove"), 1);
        s.send("usinewgame");
        s.go("startpos", "btime 0 wtime 0 byoyomi 300");
        s.bestmove();
        assert_eq!(s.count("bestmove"), 2);
    }
}

#[test]
fn gameover_without_stop_ends_a_ponder_search() {
    let mut s = Session::ready();
    s.go(
        "startpos moves 7g7f 3c3d",
        "ponder btime 0 wtime 0 byoyomi 500",
    );
    s.expect_none("bestmove", 700);
    s.send("gameover win");
    s.send("isready");
    s.expect("readyok");
    assert_eq!(s.count("bestmove"), 1);
}

#[test]
fn a_search_goes_on_when_it_is_asked_whether_the_engine_is_ready() {
    let mut s = Session::ready();
    for limits in ["infinite", "ponder", "btime 0 wtime 0 byoyomi 1000"] {
        let answers = s.count("readyok") + 1;
        s.go("startpos", limits);
        s.send("setoption name USI_Hash value 32");
        s.send("setoption name Threads value 2");
        for line in ["isready", "usi", "getoption Threads"] {
            s.send(line);
        }
        s.expect_count("readyok", answers);
        s.expect("Options[Threads] == 2");
        s.expect_none("bestmove", 300);
        s.send("stop");
        s.bestmove();
        s.send("setoption name Threads value 1");
    }
    assert_eq!(s.count("bestmove"), 3);
}

#[test]
fn a_new_game_or_position_stops_a_search_with_its_answer() {
    let mut s = Session::ready();
    for command in [
        "usinewgame",
        "position startpos moves 7g7f",
        "position nonsense",
    ] {
        for search in ["infinite", "ponder", "mate infinite"] {
            s.go("startpos", search);
            s.send(command);
            s.expect(if search.starts_with("mate") {
                "checkmate"
            } else {
                "bestmove"
            });
        }
    }
}

#[test]
fn a_second_go_stops_the_first() {
    let mut s = Session::ready();
    s.go("startpos", "infinite");
    s.sleep(200);
    s.go("startpos moves 7g7f", "btime 0 wtime 0 byoyomi 300");
    s.expect("bestmove");
    s.expect("bestmove");
    s.send("isready");
    s.expect("readyok");
    assert_eq!(s.count("bestmove"), 2);
}

#[test]
fn a_new_game_forgets_the_old_one() {
    let first_search = |s: &mut Session| {
        s.go("startpos", "nodes 5000");
        (s.bestmove(), s.last_score(), s.last("depth"))
    };
    let mut s = Session::ready();
    let fresh = first_search(&mut s);
    for command in ["isready", "usinewgame"] {
        s.go("startpos moves 7g7f 3c3d 2g2f 8c8d", "nodes 5000");
        s.bestmove();
        s.send("gameover lose");
        s.send(command);
        assert_eq!(first_search(&mut s), fresh, "{command}");
    }
}

#[test]
fn a_ponder_miss_is_one_answer_and_the_next_go_another() {
    let mut s = Session::ready();
    s.go(
        "startpos moves 7g7f 3c3d",
        "ponder btime 60000 wtime 60000 byoyomi 1000",
    );
    s.sleep(150);
    s.send("stop");
    s.bestmove();
    s.go("startpos moves 7g7f 8c8d", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
    s.expect_none("bestmove", 300);
}

#[test]
fn the_pipe_of_a_bridge_may_close_while_pondering() {
    let mut s = Session::ready();
    s.go(
        "startpos moves 7g7f 8c8d",
        "ponder btime 0 wtime 0 byoyomi 300",
    );
    s.expect_none("bestmove", 500);
    s.send("gameover win");
    s.close_input();
    s.expect_exit();
}

#[test]
fn an_infinite_search_answers_after_stop_only() {
    // Mated, mate in one, declaration, bare kings searched to the greatest depth.
    let positions = [
        "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2",
        "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "K+R+B+P+P+P+P+P+P/GGS6/9/9/9/9/9/9/4k4 b R4Pb2g3s4n4l8p 150",
        "4k4/9/9/9/9/9/9/9/4K4 b - 1",
    ];
    for sfen in positions {
        let mut s = Session::ready();
        s.go(&format!("sfen {sfen}"), "infinite");
        s.expect_none("bestmove", 700);
        s.send("stop");
        let best = s.bestmove();
        assert_eq!(best == "resign", sfen.contains(" w "));
    }
}

#[test]
fn a_ponder_search_answers_after_ponderhit_only() {
    let mut s = Session::ready();
    let mate = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let clock = "ponder btime 10000 wtime 10000 byoyomi 1000";
    s.go(&format!("{mate} moves G*5b"), clock);
    s.expect_none("bestmove", 600);
    s.send("ponderhit");
    assert_eq!(s.bestmove(), "resign");
    s.go(mate, clock);
    s.expect_none("bestmove", 600);
    s.send("stop");
    s.bestmove();
    s.go(
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "ponder btime 0 wtime 0 byoyomi 300",
    );
    s.expect_none("bestmove", 800);
    s.send("ponderhit");
    s.bestmove();
    assert_eq!(s.count("bestmove"), 3);
}

#[test]
fn every_go_is_answered_once_in_any_race() {
    let mut random = StdRng::seed_from_u64(20);
    let mut s = Session::ready();
    let searches = [
        "infinite",
        "ponder",
        "nodes 300",
        "movetime 3",
        "depth 4",
        "mate",
        "mate 3",
    ];
    let others = [
        "stop",
        "stop",
        "ponderhit",
        "gameover win",
        "isready",
        "usinewgame",
        "stop",
    ];
    let (mut goes, mut mates, mut pings) = (0, 0, 1);
    for _ in 0..400 {
        if random.random_bool(0.4) {
            let search = searches.choose(&mut random).unwrap();
            mates += usize::from(search.starts_with("mate"));
            goes += usize::from(!search.starts_with("mate"));
            s.send(&format!("go {search}"));
        } else {
            let other = others.choose(&mut random).unwrap();
            pings += usize::from(*other == "isready");
            s.send(other);
        }
        if random.random_bool(0.5) {
            s.sleep(random.random_range(0..8));
        }
    }
    s.send("stop");
    s.send("isready");
    pings += 1;
    s.expect_count("readyok", pings);
    assert_eq!(s.count("bestmove"), goes);
    assert_eq!(s.count("checkmate"), mates);
    s.quit();
}
