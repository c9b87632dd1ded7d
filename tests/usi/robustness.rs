//! Arbitrary input.

use crate::session::Session;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngCore, SeedableRng};
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Checks that the engine has executed its input, still answers and still plays.
fn check_sound(s: &mut Session) {
    s.send("");
    s.send("stop");
    s.send("end-of-noise");
    s.expect("info string unknown command `end-of-noise`");
    s.send("isready");
    s.expect("readyok");
    s.go("startpos", "nodes 1000");
    s.expect("bestmove");
    s.quit();
}

#[test]
fn random_bytes_do_no_harm() {
    let mut random = StdRng::seed_from_u64(21);
    let mut s = Session::start_small();
    for _ in 0..300 {
        let mut bytes = vec![0; random.random_range(0..300)];
        random.fill_bytes(&mut bytes);
        s.send_bytes(&bytes);
    }
    check_sound(&mut s);
}

#[test]
fn random_words_of_the_protocol_do_no_harm() {
    let words = [
        "usi",
        "isready",
        "usinewgame",
        "position",
        "startpos",
        "sfen",
        "moves",
        "go",
        "ponder",
        "infinite",
        "btime",
        "wtime",
        "byoyomi",
        "binc",
        "movetime",
        "nodes",
        "depth",
        "mate",
        "searchmoves",
        "stop",
        "ponderhit",
        "gameover",
        "win",
        "setoption",
        "name",
        "value",
        "MultiPV",
        "USI_Hash",
        "DepthLimit",
        "EnteringKingRule",
        "7g7f",
        "3c3d",
        "8h2b+",
        "P*5e",
        "0",
        "1",
        "-1",
        "3",
        "999999999999999999999999999999",
        "0.5",
        "b",
        "w",
        "-",
        "d",
        "moves",
        "side",
        "eval",
        "getoption",
        "4k4/9/9/9/9/9/9/9/4K4",
        "9/9/9/9/9/9/9/9/9",
        "\u{99d2}",
        "\0",
    ];
    let mut random = StdRng::seed_from_u64(22);
    let mut s = Session::start_small();
    s.send("setoption name USI_Hash value 1");
    for _ in 0..1500 {
        let length = random.random_range(0..9);
        let line: Vec<&str> = (0..length)
            .map(|_| *words.choose(&mut random).unwrap())
            .collect();
        s.send_bytes(line.join(" ").as_bytes());
        s.send_bytes(b"\n");
    }
    s.send("stop");
    check_sound(&mut s);
}

#[test]
fn damaged_lines_do_no_harm() {
    let lines = [
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f",
        "position sfen 8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
        "go nodes 100 btime 1000 wtime 1000 byoyomi 100",
        "setoption name MultiPV value 2",
    ];
    let mut random = StdRng::seed_from_u64(23);
    let mut s = Session::start_small();
    for _ in 0..2000 {
        let mut line = lines.choose(&mut random).unwrap().as_bytes().to_vec();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..line.len());
            line[at] = random.random_range(b' '..=b'~');
        }
        line.push(b'\n');
        s.send_bytes(&line);
    }
    check_sound(&mut s);
}

#[test]
fn paths_of_any_encoding_are_shown() {
    let mut s = Session::start_small();
    s.send_bytes(b"setoption name BookFile value D:\\\x8f\xab\x8a\xfb \x92\xe8\x90\xd5\x95\\.db\n");
    s.send_bytes(b"setoption name EvalFile value C:\\Us \"e\"\\\x91\xbe\x98Y\\nn.bin\n");
    s.send("isready");
    let line = s.expect("info string failed to load C:\\Us \"e\"\\");
    assert!(line.contains("nn.bin"), "{line}");
    s.expect("readyok");
    s.send("setoption name EvalFile value <empty>");
    s.send("setoption name EvalDir value /nonexistent");
    s.send("isready");
    s.expect("info string failed to load /nonexistent");
    s.expect("readyok");
    s.send("setoption name EvalDir value ");
    s.send("isready");
    s.expect("readyok");
    assert_eq!(s.errors(), 2);
    s.go("startpos", "btime 0 wtime 0 byoyomi 300");
    s.bestmove();
}

#[test]
fn an_overlong_line_is_ignored() {
    let mut s = Session::start_small();
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..20 {
        s.send_bytes(&chunk);
    }
    s.send_bytes(b"\n");
    s.expect("info string ignoring a line longer than");
    s.send("side");
    s.expect("black");
}

#[test]
fn an_enormous_value_is_reported_briefly() {
    let mut s = Session::start_small();
    s.send(&format!(
        "setoption name EvalFile value {}",
        "x".repeat(5 << 20)
    ));
    s.send("isready");
    let line = s.expect("info string failed to load ...xxx");
    assert!(
        line.len() < 400 && line.contains("; keeping Komaoto "),
        "{line}"
    );
    s.expect("readyok");
}

#[test]
fn quit_is_obeyed_when_nobody_reads() {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_komaoto"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = engine.stdin.take().unwrap();
    // Hundreds of lines for each depth soon fill the pipe.
    input
        .write_all(
            b"setoption name USI_Hash value 16\nsetoption name MultiPV value 800\n\
              setoption name PvInterval value 0\n\
              position sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1\ngo infinite\n",
        )
        .unwrap();
    thread::sleep(Duration::from_secs(3));
    input.write_all(b"quit\n").unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while engine.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            engine.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(engine.wait().unwrap().code(), Some(0));
}

#[test]
fn nobody_listening_is_no_reason_to_crash() {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_komaoto"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(engine.stdout.take());
    let mut input = engine.stdin.take().unwrap();
    input
        .write_all(b"usi\nsetoption name USI_Hash value 16\nisready\ngo depth 3\nd\nperft 2\n")
        .unwrap();
    drop(input);
    assert_eq!(engine.wait().unwrap().code(), Some(0));
}
