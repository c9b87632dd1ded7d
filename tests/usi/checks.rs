//! The format of the lines that the engine prints.

use std::iter::Peekable;
use std::str::Split;

/// The word after a word.
pub fn value_of<'a>(line: &'a str, field: &str) -> Option<&'a str> {
    let mut words = line.split(' ');
    words.find(|&word| word == field)?;
    words.next()
}

/// What must hold for every line.
pub fn check_line(line: &str) {
    assert!(!line.contains(char::is_control), "{line}");
    assert!(!line.to_lowercase().starts_with("error"), "{line}");
    if line != "usiok" && line != "readyok" {
        assert!(
            !line.contains("usiok") && !line.contains("readyok"),
            "{line}"
        );
    }
    if let Some(text) = line.strip_prefix("info string ") {
        let reserved = [
            "id",
            "option",
            "bestmove",
            "checkmate",
            "depth",
            "score",
            "pv",
        ];
        assert!(
            !text.split(' ').any(|word| reserved.contains(&word)),
            "{line}"
        );
    } else if let Some(fields) = line.strip_prefix("info ") {
        check_info(line, fields);
    }
}

/// The fields of an `info` line, in their order.
fn check_info(line: &str, fields: &str) {
    let fields = fields.split(" pv ").next().unwrap_or_default();
    let mut words = fields.split(' ').peekable();
    let number = |words: &mut Peekable<Split<char>>, name: &str| {
        assert_eq!(words.next(), Some(name), "{line}");
        let value = words.next().and_then(|word| word.parse::<i64>().ok());
        value.unwrap_or_else(|| panic!("{name} needs a number: {line}"))
    };
    // A line without a PV tells the progress alone.
    if words.peek() != Some(&"nodes") {
        number(&mut words, "depth");
        number(&mut words, "seldepth");
        if words.peek() == Some(&"multipv") {
            number(&mut words, "multipv");
        }
        assert_eq!(words.next(), Some("score"), "{line}");
        if words.peek() == Some(&"mate") {
            assert_ne!(number(&mut words, "mate"), 0, "{line}");
        } else {
            assert!(number(&mut words, "cp").abs() <= 20_000, "{line}");
        }
        words.next_if(|&word| word == "lowerbound" || word == "upperbound");
    }
    for name in ["nodes", "nps", "hashfull", "time"] {
        number(&mut words, name);
    }
    assert_eq!(words.next(), None, "{line}");
}
