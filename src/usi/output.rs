//! The one way out: everything Komaoto prints goes through an [`Output`], a whole line at a time.
//!
//! GUIs differ in the encoding they expect and in the words they react to, so `info string` text is
//! made safe here: ASCII only, and no word that some client would take for a command.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A line writer shared by all threads. Clones write to the same place.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Option<Box<dyn Write + Send>>>>);

impl Output {
    /// Writes to standard output.
    pub fn stdout() -> Output {
        Output::to(Box::new(io::stdout()))
    }

    /// Writes to anything.
    pub fn to(writer: Box<dyn Write + Send>) -> Output {
        Output(Arc::new(Mutex::new(Some(writer))))
    }

    /// Writes the text and a line end, and flushes. A closed pipe is no error: whoever listened
    /// has gone, and the end of input will follow.
    pub fn line(&self, text: &str) {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = guard.as_mut() {
            // One write per line, so that a reader never sees half of it.
            let mut bytes = Vec::with_capacity(text.len() + 1);
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(b'\n');
            let _ = writer.write_all(&bytes).and_then(|()| writer.flush());
        }
    }

    /// Writes an `info string` line; see [`harmless`].
    pub fn info_string(&self, text: &str) {
        self.line(&format!("info string {}", harmless(text)));
    }

    /// Nothing is written from now on.
    pub fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Words that some client looks for in every line, `info string` or not.
const RESERVED: [&str; 11] = [
    "id",
    "option",
    "bestmove",
    "checkmate",
    "depth",
    "nodes",
    "score",
    "time",
    "pv",
    "multipv",
    "error",
];

/// Makes text safe for an `info string` line: other than ASCII is escaped, reserved words are put
/// in quotes.
pub fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            safe.push(' ');
        }
        // Bridges match these two anywhere in a line, inside a word too.
        let word = escape(word)
            .replace("usiok", "usi-ok")
            .replace("readyok", "ready-ok");
        if RESERVED.contains(&word.to_ascii_lowercase().as_str()) {
            safe.push_str(&format!("\"{word}\""));
        } else {
            safe.push_str(&word);
        }
    }
    safe
}

/// Text with everything but printable ASCII escaped, as `\u{99d2}`.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, ' '..='~') {
            escaped.push(letter);
        } else {
            escaped.extend(letter.escape_unicode());
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_strings_are_ascii_and_hold_no_command_words() {
        assert_eq!(harmless("no name option here"), "no name \"option\" here");
        assert_eq!(harmless("駒\t"), "\\u{99d2}\\u{9}");
        assert_eq!(harmless("xusiokx readyok"), "xusi-okx ready-ok");
        assert_eq!(harmless(r"C:\a b\c"), r"C:\a b\c");
    }

    #[test]
    fn a_closed_output_swallows_lines() {
        let output = Output::to(Box::new(io::sink()));
        output.line("one");
        output.close();
        output.line("two");
    }
}
