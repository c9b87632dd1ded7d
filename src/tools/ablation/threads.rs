//! Work that falls into equal pieces, on several threads.
#![forbid(unsafe_code)]

use super::AblationError;
use crate::tools::interrupt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// Stack of a thread that searches, in bytes, as that of the search threads.
const STACK_SIZE: usize = 16 << 20;

/// Does so many pieces of work, each thread with a state of its own, and returns what came of them
/// in order. The work may give up a piece when the user has had enough; then the rest is missing
/// too.
pub fn share_out<S, T: Send>(
    threads: usize,
    pieces: usize,
    state: impl Fn() -> Result<S, AblationError> + Sync,
    work: impl Fn(&mut S, usize) -> Option<T> + Sync,
) -> Result<Vec<T>, AblationError> {
    let next = AtomicUsize::new(0);
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..threads.min(pieces) {
            let (next, state, work, sender) = (&next, &state, &work, sender.clone());
            let run = move || {
                let mut state = match state() {
                    Ok(state) => state,
                    Err(error) => {
                        // The receiver outlives all threads.
                        let _ = sender.send(Err(error));
                        return;
                    }
                };
                while !interrupt::is_interrupted() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= pieces {
                        return;
                    }
                    let Some(result) = work(&mut state, number) else {
                        return;
                    };
                    let _ = sender.send(Ok((number, result)));
                }
            };
            thread::Builder::new()
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, run)
                .map_err(AblationError::Thread)?;
        }
        Ok::<(), AblationError>(())
    })?;
    drop(sender);
    let mut done: Vec<(usize, T)> = results.into_iter().collect::<Result<_, AblationError>>()?;
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
