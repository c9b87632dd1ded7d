//! Debug commands, and commands given as arguments.

use crate::session::Session;
use std::process::Command;

#[test]
fn moves_and_side_are_answered_in_one_line() {
    let mut s = Session::ready();
    s.send("position startpos moves 7g7f");
    let before = s.output().len();
    s.send("moves");
    s.send("side");
    s.expect("white");
    let lines = &s.output()[before..];
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0].split(' ').count(), 30);
    assert!(lines[0].contains("3c3d"));
}

#[test]
fn d_shows_the_position_and_how_the_game_stands() {
    let mut s = Session::ready();
    let round = "5i4i 5b4b 4i5i 4b5b ".repeat(3);
    s.send(&format!(
        "position sfen 4k4/4r4/9/9/9/9/9/9/4K4 b - 1 moves {round}"
    ));
    s.send("d");
    s.expect("sfen: 4k4/4r4/9/9/9/9/9/9/4K4 b - 13");
    s.expect("checkers: 5b");
    s.expect("repetition: white loses");
    s.expect("declaration: no");
    s.send("position sfen K+R+B+P+P+P+P+P+P/GGS6/9/9/9/9/9/9/4k4 b R4Pb2g3s4n4l8p 150");
    s.send("d");
    s.expect("repetition: none");
    s.expect("declaration: yes");
}

#[test]
fn perft_prints_a_divide_and_the_sum() {
    let mut s = Session::start();
    s.send("perft 3");
    s.expect("perft depth 3 nodes 25470 time ");
    let divide = s.output().iter().filter_map(|line| line.split_once(": "));
    let counts: Vec<u64> = divide.map(|(_, nodes)| nodes.parse().unwrap()).collect();
    assert_eq!((counts.len(), counts.iter().sum()), (30, 25470));
    s.send("go perft 2");
    s.expect("perft depth 2 nodes 900 time ");
}

#[test]
fn perft_waits_its_turn_and_can_be_stopped() {
    let mut s = Session::ready();
    s.go("startpos", "infinite");
    s.send("perft 3");
    s.expect("info string perft: a search is running");
    s.send("stop");
    s.bestmove();
    s.send("perft 20");
    s.sleep(100);
    s.send("stop");
    s.expect("info string perft: stopped");
    s.send("isready");
    s.expect("readyok");
}

#[test]
fn perft_can_be_stopped_while_a_command_waits_for_it() {
    for (waiting, end) in [
        ("perft 1", "stop"),
        ("bench 1", "isready"),
        ("quit", "stop"),
    ] {
        let mut s = Session::ready();
        s.send("perft 20");
        s.sleep(30);
        s.send(waiting);
        s.sleep(30);
        s.send(end);
        s.expect("info string perft: stopped");
        match waiting {
            "quit" => s.expect_exit(),
            _ => {
                s.send("side");
                s.expect("black");
            }
        }
    }
}

#[test]
fn usi_commands_stop_perft_and_bench() {
    let mut s = Session::ready();
    for debug in ["perft", "bench"] {
        for (command, answer) in [
            ("stop", ""),
            ("gameover win", ""),
            ("usinewgame", ""),
            ("go depth 2", "bestmove"),
            ("go mate 1000", "checkmate"),
        ] {
            s.send(&format!("{debug} 20"));
            s.sleep(30);
            s.send("position startpos");
            s.send(command);
            s.expect(&format!("info string {debug}: stopped"));
            if !answer.is_empty() {
                s.expect(answer);
            }
        }
    }
    s.quit();
}

#[test]
fn quit_ends_perft_and_bench() {
    for debug in ["perft 20", "bench 50"] {
        let mut s = Session::ready();
        s.send(debug);
        s.sleep(400);
        s.send("quit");
        s.expect_exit_within(100);
    }
}

#[test]
fn isready_during_perft_is_answered_at_once() {
    let mut s = Session::ready();
    s.send("perft 20");
    s.sleep(30);
    s.send("isready");
    s.expect_within("readyok", 100);
    assert_eq!(s.count("info string perft: stopped"), 0);
    s.send("stop");
    s.expect("info string perft: stopped");
}

#[test]
fn a_script_gets_all_its_answers_before_quit() {
    let mut s = Session::start();
    s.send_bytes(b"position startpos\nperft 3\nperft 4\nquit\n");
    s.expect("perft depth 4 nodes 719731 ");
    s.expect_exit();
    assert_eq!(s.count("perft depth 3 nodes 25470 "), 1);
}

#[test]
fn help_and_values_of_options_are_printed() {
    let mut s = Session::start();
    s.send("help");
    s.expect("  perft N");
    s.send("getoption MultiPV");
    s.expect("Options[MultiPV] == 1");
    s.send("getoption");
    s.expect("Options[NodesLimit] == 0");
    s.send("getoption nothing");
    s.expect("info string");
}

#[test]
fn eval_explains_the_evaluation() {
    let mut s = Session::start();
    s.send("eval");
    s.expect("value for the side to move ");
}

#[test]
fn a_command_given_as_arguments_is_run_alone() {
    let mut s = Session::start_with(&["perft", "3"]);
    s.expect("perft depth 3 nodes 25470 ");
    s.expect_exit();
    let mut s = Session::start_with(&["go", "depth", "3"]);
    s.expect("bestmove ");
    s.expect_exit();
}

#[test]
fn the_exit_status_is_1_after_an_error() {
    let output = |arguments: &[&str]| {
        let engine = Command::new(env!("CARGO_BIN_EXE_komaoto"))
            .args(arguments)
            .output()
            .unwrap();
        (
            engine.status.code(),
            String::from_utf8(engine.stdout).unwrap(),
        )
    };
    for wrong in [&["foo"][..], &["position", "sfen", "x"], &["--bench"]] {
        let (status, text) = output(wrong);
        assert_eq!(status, Some(1));
        assert!(text.starts_with("info string "), "{text}");
    }
    let help = output(&["help"]);
    assert_eq!((help.0, &help), (Some(0), &output(&["--help"])));
    let version = format!("Komaoto {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(output(&["--version"]), (Some(0), version));
}

#[test]
fn commands_with_commas_come_before_the_input() {
    let mut s = Session::start_with(&["usi", ",", "isready", ",", "go", "depth", "3"]);
    s.expect("usiok");
    s.expect("readyok");
    s.expect("bestmove ");
    s.send("side");
    s.expect("black");
    s.quit();
}

#[test]
fn bench_ends_with_its_node_count() {
    let mut s = Session::start_with(&["bench", "2"]);
    s.expect("Bench: ");
    s.expect_exit();
}
