//! Commands for people, at the prompt and as arguments.

use crate::session::Session;
use std::process::Command;

#[test]
fn moves_and_side_are_answered_in_one_line() {
    let mut s = Session::ready();
    s.send("position startpos moves 7g7f");
    let said = s.said().len();
    s.send("moves");
    s.send("side");
    s.expect("white", 1000);
    let lines = &s.said()[said..];
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
    s.expect("sfen: 4k4/4r4/9/9/9/9/9/9/4K4 b - 13", 1000);
    s.expect("checkers: 5b", 1000);
    s.expect("repetition: white loses", 1000);
    s.expect("declaration: no", 1000);
    s.send("position sfen K+R+B+P+P+P+P+P+P/GGS6/9/9/9/9/9/9/4k4 b R4Pb2g3s4n4l8p 150");
    s.send("d");
    s.expect("repetition: none", 1000);
    s.expect("declaration: yes", 1000);
}

#[test]
fn perft_counts_each_move_and_the_sum() {
    let mut s = Session::start();
    s.send("perft 3");
    s.expect("perft depth 3 nodes 25470 time ", 3000);
    assert!(s.said().contains(&"7g7f: 869".to_string()) || s.count("7g7f: ") == 1);
    s.send("go perft 2");
    s.expect("perft depth 2 nodes 900 time ", 3000);
}

#[test]
fn perft_waits_its_turn_and_can_be_stopped() {
    let mut s = Session::ready();
    s.go("startpos", "infinite");
    s.send("perft 3");
    s.expect("info string perft: a search is running", 1000);
    s.send("stop");
    s.bestmove(1000);
    s.send("perft 20");
    s.sleep(100);
    s.send("stop");
    s.expect("info string perft: stopped", 2000);
    s.send("isready");
    s.expect("readyok", 2000);
}

#[test]
fn what_waits_for_perft_can_be_reached() {
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
        s.expect("info string perft: stopped", 2000);
        match waiting {
            "quit" => s.expect_exit(2000),
            _ => {
                s.send("side");
                s.expect("black", 5000);
            }
        }
    }
}

#[test]
fn commands_of_the_protocol_end_perft_and_bench() {
    let mut s = Session::ready();
    for typed in ["perft", "bench"] {
        for (command, answer) in [
            ("stop", ""),
            ("gameover win", ""),
            ("usinewgame", ""),
            ("isready", "readyok"),
            ("go depth 2", "bestmove"),
            ("go mate 1000", "checkmate"),
        ] {
            s.send(&format!("{typed} 20"));
            s.sleep(30);
            s.send("position startpos");
            s.send(command);
            s.expect(&format!("info string {typed}: stopped"), 2000);
            if !answer.is_empty() {
                s.expect(answer, 3000);
            }
        }
    }
    s.quit();
}

#[test]
fn a_script_gets_all_its_answers_before_quit() {
    let mut s = Session::start();
    s.send_bytes(b"position startpos\nperft 3\nperft 4\nquit\n");
    s.expect("perft depth 4 nodes 719731 ", 5000);
    s.expect_exit(1000);
    assert_eq!(s.count("perft depth 3 nodes 25470 "), 1);
}

#[test]
fn help_and_values_of_options_are_printed() {
    let mut s = Session::start();
    s.send("help");
    s.expect("  perft N", 1000);
    s.send("getoption MultiPV");
    s.expect("Options[MultiPV] == 1", 1000);
    s.send("getoption");
    s.expect("Options[NodesLimit] == 0", 1000);
    s.send("getoption nothing");
    s.expect("info string", 1000);
}

#[test]
fn eval_says_something() {
    let mut s = Session::start();
    s.send("eval");
    s.send("side");
    s.expect("black", 1000);
    assert!(s.said().len() > 1);
}

#[test]
fn a_command_given_as_arguments_is_run_alone() {
    let mut s = Session::start_with(&["perft", "3"]);
    s.expect("perft depth 3 nodes 25470 ", 10_000);
    s.expect_exit(1000);
    let mut s = Session::start_with(&["go", "depth", "3"]);
    s.expect("bestmove ", 10_000);
    s.expect_exit(1000);
}

#[test]
fn the_exit_status_tells_whether_the_command_was_understood() {
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
        let (status, said) = output(wrong);
        assert!(
            status == Some(1) && said.starts_with("info string "),
            "{said}"
        );
    }
    let help = output(&["help"]);
    assert_eq!((help.0, &help), (Some(0), &output(&["--help"])));
    let version = format!("Komaoto {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(output(&["--version"]), (Some(0), version));
}

#[test]
fn commands_with_commas_come_before_the_input() {
    let mut s = Session::start_with(&["usi", ",", "isready", ",", "go", "depth", "3"]);
    s.expect("usiok", 3000);
    s.expect("readyok", 3000);
    s.expect("bestmove ", 3000);
    s.send("side");
    s.expect("black", 1000);
    s.quit();
}

#[test]
fn bench_ends_with_its_node_count() {
    let mut s = Session::start_with(&["bench", "2"]);
    s.expect("Bench: ", 20_000);
    s.expect_exit(1000);
}
