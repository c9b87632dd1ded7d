//! Lines on the terminal. Write errors are ignored: a closed pipe is no reason to stop a long run.
#![forbid(unsafe_code)]

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Writes a line to standard output.
pub fn print(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Writes a line to standard error.
pub fn eprint_line(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A duration as hours, minutes and seconds: `1:02:03`.
pub fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    format!("{hours}:{:02}:{:02}", minutes % 60, seconds % 60)
}

/// The progress of a long run on standard error: on a terminal one line that is rewritten every second,
/// elsewhere a new line at intervals.
pub struct ProgressLine {
    on_terminal: bool,
    interval: Duration,
    shown: Instant,
}

impl ProgressLine {
    /// A new line every `log_interval` where standard error is not a terminal.
    pub fn new(log_interval: Duration) -> ProgressLine {
        let on_terminal = io::stderr().is_terminal();
        ProgressLine {
            on_terminal,
            interval: if on_terminal {
                Duration::from_secs(1)
            } else {
                log_interval
            },
            shown: Instant::now(),
        }
    }

    /// Shows a line if it is time for one.
    pub fn update(&mut self, text: impl FnOnce() -> String) {
        if self.shown.elapsed() < self.interval {
            return;
        }
        self.shown = Instant::now();
        if self.on_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K{}", text());
        } else {
            eprint_line(text());
        }
    }

    /// Replaces the progress line by a line that stays.
    pub fn keep(&self, text: impl Display) {
        let clear = if self.on_terminal { "\r\x1b[K" } else { "" };
        eprint_line(format_args!("{clear}{text}"));
    }
}
