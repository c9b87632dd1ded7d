//! Everything the engine prints goes through an [`Output`], whole lines at a time.
//!
//! Output is UTF-8. Clients differ in the words they react to, so `info string` text is sanitized: no
//! control characters, and no word that some client would take for a command.

use super::error::truncate_to;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest `info string`, in characters: quoted input could be megabytes long.
const MAX_INFO_STRING: usize = 300;
/// How long [`Output::close`] waits for a write that is stuck because nobody reads.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(150);

/// A line writer shared by all threads. Clones write to the same place.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Option<Box<dyn Write + Send>>>>);

impl Output {
    /// Writes to standard output.
    pub fn stdout() -> Output {
        Output::to(Box::new(io::stdout()))
    }

    /// Writes to any writer.
    pub fn to(writer: Box<dyn Write + Send>) -> Output {
        Output(Arc::new(Mutex::new(Some(writer))))
    }

    /// Writes the text and a line end, and flushes. A closed pipe is not an error: the end of
    /// input will follow.
    pub fn line(&self, text: &str) {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = guard.as_mut() {
            // A single write, so that a reader never sees half a line.
            let mut bytes = Vec::with_capacity(text.len() + 1);
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(b'\n');
            let _ = writer.write_all(&bytes).and_then(|()| writer.flush());
        }
    }

    /// Writes an `info string` line, sanitized, and truncated if very long.
    pub fn info_string(&self, text: &str) {
        let text = sanitize(&truncate_to(text, MAX_INFO_STRING));
        self.line(&format!("info string {text}"));
    }

    /// Drops all further output. Waits for a line that is being written, but not for long, so that
    /// the process can end when nobody reads.
    pub fn close(&self) {
        let deadline = Instant::now() + CLOSE_TIMEOUT;
        loop {
            match self.0.try_lock() {
                Ok(mut writer) => return *writer = None,
                Err(TryLockError::Poisoned(error)) => return *error.into_inner() = None,
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => return,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

/// Words that some client matches in every line, `info string` or not.
const RESERVED: [&str; 10] = [
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
];

/// Escapes control characters and puts reserved words in quotes.
fn sanitize(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            safe.push(' ');
        }
        // Some bridges match `usiok` and `readyok` anywhere in a line, even inside a word.
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

/// Escapes control characters, as `\u{9}`.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            _ if letter.is_control() => escaped.extend(letter.escape_unicode()),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Records what is written.
    struct Recorded(Sender<Vec<u8>>);

    impl Write for Recorded {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Signals that a write has begun, and blocks until the other channel closes.
    struct Stuck(Sender<()>, Receiver<()>);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(()).unwrap();
            let _ = self.1.recv();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn long_info_strings_are_truncated_between_characters() {
        let (sender, written) = channel();
        let output = Output::to(Box::new(Recorded(sender)));
        for letter in ["x", "\u{99d2}"] {
            output.info_string(&letter.repeat(1_000_000));
            let line = String::from_utf8(written.recv().unwrap()).unwrap();
            let expected = sanitize(letter).repeat(MAX_INFO_STRING);
            assert_eq!(line, format!("info string {expected}...\n"));
        }
        output.info_string(&"y".repeat(MAX_INFO_STRING));
        let line = written.recv().unwrap();
        assert!(line.ends_with(b"yyy\n"));
    }

    #[test]
    fn an_output_that_nobody_reads_can_be_closed() {
        let (begun, is_begun) = channel();
        let (release, is_released) = channel();
        let output = Output::to(Box::new(Stuck(begun, is_released)));
        let writing = thread::spawn({
            let output = output.clone();
            move || output.line("one")
        });
        is_begun.recv().unwrap();
        output.close();
        assert!(!writing.is_finished());
        drop(release);
        writing.join().unwrap();
    }

    #[test]
    fn info_strings_hold_no_control_characters_and_no_command_words() {
        assert_eq!(sanitize("no name option here"), "no name \"option\" here");
        assert_eq!(sanitize("駒\t"), "駒\\u{9}");
        assert_eq!(sanitize("xusiokx readyok"), "xusi-okx ready-ok");
        assert_eq!(sanitize(r"C:\a b\c"), r"C:\a b\c");
        // Error messages of the system are kept.
        assert_eq!(sanitize("not found (os error 2)"), "not found (os error 2)");
    }

    #[test]
    fn a_closed_output_swallows_lines() {
        let output = Output::to(Box::new(io::sink()));
        output.line("one");
        output.close();
        output.line("two");
    }
}
