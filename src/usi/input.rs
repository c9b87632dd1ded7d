//! Standard input, line by line, as bytes: paths arrive in whatever encoding the GUI uses.

use std::io::{self, BufRead, Read};

/// Longest line that is read; a game of thousands of moves is a few kilobytes.
const MAX_LINE: u64 = 1 << 24;

/// One line of input.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// The bytes, without the line end.
    Text(Vec<u8>),
    /// A line too long to be kept.
    TooLong,
    /// The end of input; a read error counts as such.
    End,
}

/// Reads the next line. The last one may lack its line end.
pub fn read_line(input: &mut impl BufRead) -> Line {
    match read_limited(input) {
        Ok(line) => line,
        Err(_) => Line::End,
    }
}

fn read_limited(input: &mut impl BufRead) -> io::Result<Line> {
    let mut bytes = Vec::new();
    if input.take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(Line::End);
    }
    if bytes.len() as u64 == MAX_LINE && bytes.last() != Some(&b'\n') {
        skip_line(input)?;
        return Ok(Line::TooLong);
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Line::Text(bytes))
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (length, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(length);
        if done {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, repeat};

    #[test]
    fn both_line_ends_and_none_at_all_are_read() {
        let mut input = Cursor::new(b"usi\r\n\nquit".to_vec());
        assert_eq!(read_line(&mut input), Line::Text(b"usi".to_vec()));
        assert_eq!(read_line(&mut input), Line::Text(Vec::new()));
        assert_eq!(read_line(&mut input), Line::Text(b"quit".to_vec()));
        assert_eq!(read_line(&mut input), Line::End);
    }

    #[test]
    fn a_line_without_end_is_dropped_and_the_next_one_is_read() {
        let long = repeat(b'x').take(MAX_LINE + 10);
        let mut input = io::BufReader::new(long.chain(Cursor::new(b"\nusi\n".to_vec())));
        assert_eq!(read_line(&mut input), Line::TooLong);
        assert_eq!(read_line(&mut input), Line::Text(b"usi".to_vec()));
    }
}
