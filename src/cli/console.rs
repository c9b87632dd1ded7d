//! Lines for whoever looks at the terminal. Nobody may be: a closed pipe or a full disk there is no
//! reason to stop.
#![forbid(unsafe_code)]

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line to standard output.
pub fn print(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Writes a line to standard error.
pub fn tell(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
