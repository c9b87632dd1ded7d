//! What the parser accepts, and which errors it reports.

use super::*;

fn command(line: &str) -> Command {
    let (command, error) = parse(line.as_bytes());
    assert_eq!(error, None, "{line}");
    command.unwrap()
}

/// The error of a line that still gives a command.
fn warning(line: &str) -> String {
    let (command, error) = parse(line.as_bytes());
    assert!(command.is_some(), "{line}");
    error.unwrap().to_string()
}

/// The error of a line that gives no command.
fn error(line: &str) -> UsiError {
    let (command, error) = parse(line.as_bytes());
    assert_eq!(command, None, "{line}");
    error.unwrap()
}

fn limits(line: &str) -> Limits {
    match parse(line.as_bytes()).0 {
        Some(Command::Go(limits)) => limits,
        other => unreachable!("{line}: {other:?}"),
    }
}

fn clock(line: &str) -> Clock {
    limits(line).clock.unwrap()
}

fn mv(text: &str) -> Move {
    Move::from_usi(text).unwrap()
}

#[test]
fn blanks_byte_order_marks_and_empty_lines_do_not_matter() {
    assert_eq!(parse(b""), (None, None));
    assert_eq!(parse(b" \t "), (None, None));
    assert_eq!(command("\t usi  "), Command::Usi);
    assert_eq!(command("\u{feff}usi"), Command::Usi);
    assert_eq!(command("gameover win"), Command::GameOver);
    assert_eq!(command("gameover"), Command::GameOver);
}

#[test]
fn near_misses_name_the_command_meant() {
    for (line, message) in [
        (
            "Go infinite",
            "unknown command `Go`; commands are in lower case: `go`",
        ),
        (
            "USI",
            "unknown command `USI`; commands are in lower case: `usi`",
        ),
        ("foo", "unknown command `foo`; type help for a list"),
    ] {
        assert_eq!(error(line).to_string(), message);
    }
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    let (command, error) = parse(b"joho isready");
    assert_eq!(command, Some(Command::IsReady));
    assert_eq!(error, Some(UsiError::Skipped("joho".into())));
    let (command, error) = parse(b"joho debug on");
    assert_eq!(command, None);
    assert_eq!(error, Some(UsiError::Skipped("joho".into())));
    // Debug commands are not looked for in the middle of a line.
    for line in ["joho foo bar", "joho is d"] {
        let unknown = UsiError::UnknownCommand("joho".into());
        assert_eq!(parse(line.as_bytes()), (None, Some(unknown)));
    }
}

#[test]
fn bytes_of_any_encoding_are_read() {
    let (command, error) = parse(b"\x82\xb1\xff\x00");
    assert!(command.is_none() && error.is_some());
    let line = b"setoption name BookFile value D:\\\x8f\xab\x8a\xfb \x92\xe8\x90\xd5\x95\\.db ";
    let value = b"D:\\\x8f\xab\x8a\xfb \x92\xe8\x90\xd5\x95\\.db".to_vec();
    let name = "BookFile".into();
    let value = Some(value);
    assert_eq!(parse(line).0, Some(Command::SetOption { name, value }));
}

#[test]
fn options_need_no_word_name_and_no_value() {
    let set = |name: &str, value: Option<&str>| Command::SetOption {
        name: name.into(),
        value: value.map(Into::into),
    };
    assert_eq!(
        command("setoption name Threads value 1"),
        set("Threads", Some("1"))
    );
    assert_eq!(
        command("setoption Threads value 1"),
        set("Threads", Some("1"))
    );
    assert_eq!(
        command("setoption name Clear Hash"),
        set("Clear Hash", None)
    );
    assert_eq!(command("setoption name X value "), set("X", Some("")));
    assert_eq!(
        command("setoption name X value  a  \"b\" value c"),
        set("X", Some("a  \"b\" value c"))
    );
    for line in ["setoption", "setoption name", "setoption value 3"] {
        assert_eq!(error(line), UsiError::NoOptionName);
    }
}

#[test]
fn positions_come_in_four_forms() {
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
    let position = |sfen: Option<&str>, moves: &[&str]| Command::Position {
        sfen: sfen.map(Into::into),
        moves: moves.iter().map(|text| mv(text)).collect(),
    };
    assert_eq!(command("position startpos"), position(None, &[]));
    assert_eq!(command("position startpos moves"), position(None, &[]));
    assert_eq!(
        command("position startpos moves 7g7f 3c3d"),
        position(None, &["7g7f", "3c3d"])
    );
    assert_eq!(
        command(&format!("position sfen {sfen} moves ")),
        position(Some(sfen), &[])
    );
    assert_eq!(
        command(&format!("position {sfen} moves P*5e")),
        position(Some(sfen), &["P*5e"])
    );
    assert_eq!(error("position"), PositionError::Empty.into());
    let bad_move = error("position startpos moves 7g7f hello").to_string();
    assert!(bad_move.contains("move 2: `hello`"));
}

#[test]
fn mistyped_positions_are_rejected() {
    let after = |word: &str| UsiError::from(PositionError::AfterStartpos(word.into()));
    assert_eq!(error("position startpos move 2g2f"), after("move"));
    assert_eq!(error("position startpos 2g2f moves 7g7f"), after("2g2f"));
    assert_eq!(
        error("position startpos moves\x007g7f"),
        after("moves\x007g7f")
    );
    let no_board = |word: &str| UsiError::from(PositionError::NoBoard(word.into()));
    assert_eq!(error("position fen 4k4/9 b - 1"), no_board("fen"));
    assert_eq!(error("position sfen startpos"), no_board("startpos"));
    assert_eq!(error("position position startpos"), no_board("position"));
}

#[test]
fn clocks_are_read_in_any_order_and_clamped() {
    let read = clock("go byoyomi 5 wtime 400 btime -3000 winc 7 binc 8");
    let expected = Clock {
        time: [-3000, 400],
        increment: [8, 7],
        byoyomi: 5,
    };
    assert_eq!(read, expected);
    let long = "9".repeat(31);
    let read = clock(&format!(
        "go btime {long} wtime -{long} byoyomi -{long} binc -5"
    ));
    assert_eq!(read.time, [MAX_TIME, -MAX_TIME]);
    assert_eq!((read.byoyomi, read.increment[0]), (0, 0));
}

#[test]
fn limits_are_at_least_one() {
    let read = limits("go depth 0 nodes -5 movetime 0.9");
    assert_eq!(
        (read.depth, read.nodes, read.movetime),
        (Some(1), Some(1), Some(1))
    );
    assert_eq!(limits("go depth 9999").depth, Some(MAX_PLY as Depth));
    assert!(limits("go infinite").infinite);
    assert!(limits("go ponder").ponder);
    assert_eq!(limits("go"), Limits::default());
}

#[test]
fn words_without_their_number_are_reported_and_the_rest_is_used() {
    let line = "go btime wtime 1000 foo";
    assert_eq!(warning(line), "go: `btime` needs a number, found `wtime`");
    assert_eq!(clock(line).time, [0, 1000]);
    assert!(warning("go foo").contains("`foo`"));
    assert!(warning("go nodes").contains("`nodes`"));
}

#[test]
fn searchmoves_keep_their_capitals_and_end_at_the_next_word() {
    let read = limits("go searchmoves P*5e 7g7f depth 3");
    assert_eq!(read.searchmoves, [mv("P*5e"), mv("7g7f")]);
    assert_eq!(read.depth, Some(3));
}

#[test]
fn mate_searches_are_distinguished() {
    let mate = |movetime, nodes| {
        Command::GoMate(Limits {
            movetime,
            nodes,
            ..Limits::default()
        })
    };
    assert_eq!(command("go mate"), mate(None, None));
    assert_eq!(command("go mate 5000"), mate(Some(5000), None));
    assert_eq!(
        command("go mate 5000 movetime 9000"),
        mate(Some(5000), None)
    );
    assert_eq!(command("go movetime 900 mate"), mate(Some(900), None));
    assert_eq!(command("go mate nodes 100"), mate(None, Some(100)));
    assert_eq!(
        command("go nodes 100 mate 5000"),
        mate(Some(5000), Some(100))
    );
    assert_eq!(command("go mate -1"), mate(Some(1), None));
    let endless = Limits {
        infinite: true,
        ..Limits::default()
    };
    assert_eq!(command("go mate infinite"), Command::GoMate(endless));
}

#[test]
fn ponderhit_may_bring_the_clock() {
    assert_eq!(command("ponderhit"), Command::PonderHit(None));
    let clock = Clock {
        byoyomi: 1500,
        ..Clock::default()
    };
    assert_eq!(
        command("ponderhit btime 0 byoyomi 1500"),
        Command::PonderHit(Some(clock))
    );
}

#[test]
fn debug_commands_take_their_numbers() {
    assert_eq!(command("perft 5"), Command::Perft(5));
    assert_eq!(command("go perft 5"), Command::Perft(5));
    assert!(error("perft").to_string().contains("needs a number"));
    let bench = |depth, threads, hash| Command::Bench {
        depth,
        threads,
        hash,
    };
    assert_eq!(command("bench"), bench(None, None, None));
    assert_eq!(command("bench 5"), bench(Some(5), None, None));
    assert_eq!(command("bench 5 2 64"), bench(Some(5), Some(2), Some(64)));
    for bad in [
        "bench x",
        "bench 5 x",
        "bench 5 2 x",
        "bench 5 2 64 x",
        "perft 2 x",
    ] {
        assert!(error(bad).to_string().contains("`x`"), "{bad}");
    }
    for bad in ["bench 0", "bench -1", "bench 5 0", "bench 5 1 0", "perft 0"] {
        assert!(error(bad).to_string().contains("must be 1 to"), "{bad}");
    }
    assert_eq!(
        command("getoption name MultiPV"),
        Command::GetOption(Some("MultiPV".into()))
    );
    assert_eq!(command("getoption"), Command::GetOption(None));
}

#[test]
fn numbers_of_any_size_are_parsed() {
    assert_eq!(parse_number("0"), Some(0));
    assert_eq!(parse_number("+12"), Some(12));
    assert_eq!(parse_number("-3000"), Some(-3000));
    assert_eq!(parse_number("0.9"), Some(0));
    let long = "9".repeat(31);
    assert_eq!(parse_number(&long), Some(i64::MAX));
    assert_eq!(parse_number(&format!("-{long}")), Some(-i64::MAX));
    for text in ["", "-", "+", ".5", "1e30", "12x", "1.x", "--1", "９"] {
        assert_eq!(parse_number(text), None, "{text}");
    }
}
