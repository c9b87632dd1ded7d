//! The one way out: everything Komaoto prints goes through an [`Output`], a whole line at a time.
//!
//! GUIs differ in the encoding they expect and in the words they react to, so `info string` text is
//! made safe here: ASCII only, and no word that some client would take for a command.

use super::error::clip_to;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Characters of an `info string`; what quotes its input could be megabytes long.
const LONGEST_INFO: usize = 300;
/// A line that has not been written for so long at the end is not being read by anybody.
const LAST_PATIENCE: Duration = Duration::from_millis(150);

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

    /// Writes an `info string` line, clipped if very long; see [`harmless`].
    pub fn info_string(&self, text: &str) {
        let text = harmless(&clip_to(text, LONGEST_INFO));
        self.line(&format!("info string {text}"));
    }

    /// No line is begun from now on, unless one is stuck: the wait for it is short, so that the
    /// process can end when nobody reads.
    pub fn close(&self) {
        let deadline = Instant::now() + LAST_PATIENCE;
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

/// Words that some client looks for in every line, `info string` or not.
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
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Keeps what is written.
    struct Kept(Sender<Vec<u8>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Says that a write has begun, and is stuck in it until the other channel closes.
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
    fn long_info_strings_are_clipped_between_characters() {
        let (sender, written) = channel();
        let output = Output::to(Box::new(Kept(sender)));
        for letter in ["x", "\u{99d2}"] {
            output.info_string(&letter.repeat(1_000_000));
            let line = String::from_utf8(written.recv().unwrap()).unwrap();
            let expected = harmless(letter).repeat(LONGEST_INFO);
            assert_eq!(line, format!("info string {expected}...\n"));
        }
        output.info_string(&"y".repeat(LONGEST_INFO));
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
    fn info_strings_are_ascii_and_hold_no_command_words() {
        assert_eq!(harmless("no name option here"), "no name \"option\" here");
        assert_eq!(harmless("駒\t"), "\\u{99d2}\\u{9}");
        assert_eq!(harmless("xusiokx readyok"), "xusi-okx ready-ok");
        assert_eq!(harmless(r"C:\a b\c"), r"C:\a b\c");
        // What the system says stays as it is.
        assert_eq!(harmless("not found (os error 2)"), "not found (os error 2)");
    }

    #[test]
    fn a_closed_output_swallows_lines() {
        let output = Output::to(Box::new(io::sink()));
        output.line("one");
        output.close();
        output.line("two");
    }
}
