//! Standard input, read ahead on another thread, so that a `stop` can end a command that the main
//! thread is waiting for. Lines are bytes: paths arrive in whatever encoding the GUI uses.

use super::command::stops_everything;
use super::error::UsiError;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Longest line, in bytes; a game of thousands of moves takes a few kilobytes.
const MAX_LINE: u64 = 1 << 24;
/// Maximum number of lines read ahead of execution.
const LINES_AHEAD: usize = 16;

/// Starts reading standard input. The channel closes at the end of input. `pending_stops` is incremented
/// for each line that stops whatever is running; the receiver decrements it.
///
/// # Errors
/// When the thread cannot be spawned.
pub fn spawn_reader(
    pending_stops: Arc<AtomicUsize>,
) -> io::Result<Receiver<Result<Vec<u8>, UsiError>>> {
    let (sender, lines) = sync_channel(LINES_AHEAD);
    thread::Builder::new().spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(line) = read_line(&mut input) {
            if line.as_ref().is_ok_and(|line| stops_everything(line)) {
                pending_stops.fetch_add(1, Relaxed);
            }
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// Reads the next line, without its line end, which the last one may lack. `None` at the end of
/// input or after a read error.
fn read_line(input: &mut impl BufRead) -> Option<Result<Vec<u8>, UsiError>> {
    let mut line = Vec::new();
    let length = input.take(MAX_LINE).read_until(b'\n', &mut line).ok()?;
    if length == 0 {
        return None;
    }
    if length as u64 == MAX_LINE && line.last() != Some(&b'\n') {
        input.skip_until(b'\n').ok()?;
        return Some(Err(UsiError::LineTooLong));
    }
    while matches!(line.last(), Some(b'\n' | b'\r')) {
        line.pop();
    }
    Some(Ok(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor, repeat};

    #[test]
    fn both_line_ends_and_none_at_all_are_read() {
        let mut input = Cursor::new(b"usi\r\n\nquit".to_vec());
        assert_eq!(read_line(&mut input), Some(Ok(b"usi".to_vec())));
        assert_eq!(read_line(&mut input), Some(Ok(Vec::new())));
        assert_eq!(read_line(&mut input), Some(Ok(b"quit".to_vec())));
        assert_eq!(read_line(&mut input), None);
    }

    #[test]
    fn a_line_without_end_is_skipped_and_the_next_one_is_read() {
        let long = repeat(b'x').take(MAX_LINE + 10);
        let mut input = BufReader::new(long.chain(Cursor::new(b"\nusi\n".to_vec())));
        assert_eq!(read_line(&mut input), Some(Err(UsiError::LineTooLong)));
        assert_eq!(read_line(&mut input), Some(Ok(b"usi".to_vec())));
    }
}
