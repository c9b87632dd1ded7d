//! The time and the limits of a search. Upper bounds on time are generous (see `session`): they only
//! detect the use of a wrong clock.

use crate::session::Session;

#[test]
fn byoyomi_is_used_and_not_exceeded() {
    let mut s = Session::ready();
    s.go("startpos", "btime 0 wtime 0 byoyomi 1000");
    s.bestmove();
    s.took(300, 1000);
}

#[test]
fn an_increment_counts_even_without_main_time() {
    let mut s = Session::ready();
    s.go("startpos", "btime 0 wtime 0 binc 3000 winc 3000");
    s.bestmove();
    s.took(600, 3000);
}

#[test]
fn a_negative_time_is_subtracted_from_the_increment() {
    let mut s = Session::ready();
    s.go("startpos", "btime -1000 wtime 3000 binc 3000 winc 3000");
    s.bestmove();
    s.took(200, 2000);
}

#[test]
fn sudden_death_spends_a_part_of_the_time() {
    let mut s = Session::ready_with(&["MinimumThinkingTime value 1"]);
    s.go("startpos", "btime 10000 wtime 10000");
    s.bestmove();
    s.took(50, 2000);
}

#[test]
fn the_clock_of_the_side_to_move_counts() {
    let mut s = Session::ready();
    s.go("startpos moves 7g7f", "byoyomi 0 wtime 400 btime 600000");
    s.bestmove();
    s.took(0, 400);
}

#[test]
fn movetime_is_spent_in_full() {
    let mut s = Session::ready();
    s.go("startpos", "movetime 600");
    s.bestmove();
    s.took(400, 700);
}

#[test]
fn a_fraction_of_a_millisecond_does_no_harm() {
    let mut s = Session::ready();
    s.go(
        "startpos moves 7g7f",
        "movetime 0.9 btime 5000 wtime 5000 binc 0 winc 0 byoyomi 0",
    );
    s.bestmove();
}

#[test]
fn go_without_limits_thinks_for_about_a_second() {
    let mut s = Session::ready();
    s.go("startpos", "");
    s.bestmove();
    s.took(500, 1100);
}

#[test]
fn absurd_times_do_not_overflow() {
    let mut s = Session::ready();
    let ages = "9".repeat(30);
    for limits in [
        "btime 9999999999999 wtime 9999999999999 byoyomi 0".to_string(),
        "btime 0 wtime 0 byoyomi 99999999999".to_string(),
        format!("btime {ages} wtime {ages} binc {ages} winc {ages} byoyomi {ages}"),
    ] {
        s.go("startpos", &limits);
        s.expect_none("bestmove", 500);
        s.send("stop");
        s.bestmove();
    }
    s.go(
        "startpos",
        &format!("btime -{ages} wtime -{ages} byoyomi -{ages}"),
    );
    s.bestmove();
    s.took(0, 1000);
}

#[test]
fn node_and_depth_limits_are_kept() {
    let mut s = Session::ready();
    s.go("startpos", "nodes 20000");
    s.bestmove();
    let nodes: u64 = s.last("nodes").parse().unwrap();
    assert!((10_000..40_000).contains(&nodes), "{nodes}");
    s.go("startpos", "depth 5");
    s.bestmove();
    assert_eq!(s.last("depth"), "5");
    s.go("startpos", "nodes 1");
    assert_ne!(s.bestmove(), "resign");
    s.last_info();
}

#[test]
fn searches_deeper_than_the_game_end() {
    let mut s = Session::ready();
    s.go("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "depth 100");
    s.bestmove();
    s.go("sfen 9/6gk1/6pp1/9/9/9/9/P1Lr5/KN+r6 b g 1", "depth 60");
    s.bestmove();
}

#[test]
fn the_clock_may_come_with_ponderhit() {
    let mut s = Session::ready();
    s.go("startpos moves 7g7f 3c3d", "ponder");
    s.expect_none("bestmove", 400);
    s.send("ponderhit btime 0 wtime 0 byoyomi 1000");
    s.bestmove();
    s.took(200, 1000);
    s.go("startpos moves 7g7f 3c3d", "ponder");
    s.send("ponderhit");
    s.bestmove();
    s.took(0, 1000);
}

#[test]
fn two_single_threaded_searches_are_the_same() {
    let run = || {
        let mut s = Session::ready();
        s.go("startpos", "nodes 20000");
        let best = s.bestmove();
        let line = s.last_info().split(" pv ").nth(1).map(String::from);
        (best, s.last("nodes"), s.last_score(), line)
    };
    assert_eq!(run(), run());
}

#[test]
fn threads_beyond_the_cores_are_warned_of_once_and_keep_to_the_clock() {
    let threads = std::thread::available_parallelism().unwrap().get() * 8;
    let mut s = Session::ready_with(&[&format!("Threads value {threads}")]);
    s.send("isready");
    s.expect_count("readyok", 2);
    assert_eq!(s.count(&format!("info string Threads {threads}: only ")), 1);
    s.send("setoption name NetworkDelay2 value 60");
    for _ in 0..5 {
        s.go("startpos", "btime 0 wtime 0 byoyomi 500");
        s.bestmove();
        s.took(0, 500);
    }
}
