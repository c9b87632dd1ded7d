//! What the controlling thread and the search threads of one `go` tell each other.
#![forbid(unsafe_code)]

use super::limits::Clock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What one thread tells the others, on a cache line of its own, so that threads do not slow each
/// other down.
#[repr(align(128))]
#[derive(Default)]
struct Told {
    nodes: AtomicU64,
    /// The bits of a floating-point number; those of 0 before anything was told.
    patience: AtomicU64,
}

/// When the expected move was played, and the clock sent with it.
#[derive(Clone, Copy, Debug)]
pub struct PonderHit {
    /// The moment.
    pub at: Instant,
    /// The clock, if one was sent.
    pub clock: Option<Clock>,
}

/// Flags and counters of one search.
pub struct Control {
    /// Search threads have to end.
    stop: AtomicBool,
    /// The answer is asked for.
    released: AtomicBool,
    pondering: AtomicBool,
    finished: AtomicBool,
    ponder_hit: Mutex<Option<PonderHit>>,
    changed: Condvar,
    threads: Box<[Told]>,
}

impl Control {
    /// The controls of a search with this many threads.
    pub fn new(threads: usize, pondering: bool) -> Control {
        Control {
            stop: AtomicBool::new(false),
            released: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            finished: AtomicBool::new(false),
            ponder_hit: Mutex::new(None),
            changed: Condvar::new(),
            threads: (0..threads).map(|_| Told::default()).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<PonderHit>> {
        // The data is a plain value: a panic elsewhere cannot leave it half written.
        self.ponder_hit
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells every thread to stop, and the first to answer.
    pub fn stop(&self) {
        let _guard = self.lock();
        self.stop.store(true, Relaxed);
        self.released.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Tells every thread to stop because a limit is reached. The answer may have to wait.
    pub fn halt(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether threads have to stop.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends pondering; later calls change nothing.
    pub fn ponder_hit(&self, clock: Option<Clock>) {
        let mut hit = self.lock();
        if self.pondering.swap(false, Relaxed) {
            *hit = Some(PonderHit {
                at: Instant::now(),
                clock,
            });
            self.changed.notify_all();
        }
    }

    /// Whether the opponent is still to move.
    #[inline(always)]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// The ponder hit, once there was one.
    pub fn hit(&self) -> Option<PonderHit> {
        *self.lock()
    }

    /// Waits until the answer is asked for or, unless the search is infinite, pondering ends.
    pub fn wait_for_release(&self, infinite: bool) {
        let mut guard = self.lock();
        while !self.released.load(Relaxed) && (infinite || self.is_pondering()) {
            guard = self
                .changed
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Publishes a thread's node count.
    #[inline(always)]
    pub fn count_nodes(&self, thread: usize, nodes: u64) {
        self.threads[thread].nodes.store(nodes, Relaxed);
    }

    /// Nodes of all threads.
    pub fn nodes(&self) -> u64 {
        self.threads
            .iter()
            .map(|thread| thread.nodes.load(Relaxed))
            .sum()
    }

    /// Publishes how much of its optimum of time a thread would have the search take, as a factor.
    pub fn ask_patience(&self, thread: usize, factor: f64) {
        self.threads[thread]
            .patience
            .store(factor.to_bits(), Relaxed);
    }

    /// The mean of what the threads asked for: 1 before any did.
    pub fn patience(&self) -> f64 {
        let asked = self
            .threads
            .iter()
            .map(|thread| f64::from_bits(thread.patience.load(Relaxed)))
            .filter(|&factor| factor > 0.0);
        let (sum, count) = asked.fold((0.0, 0), |(sum, count), factor| (sum + factor, count + 1));
        if count == 0 {
            1.0
        } else {
            sum / f64::from(count)
        }
    }

    /// Marks the search as answered.
    pub fn finish(&self) {
        self.finished.store(true, Relaxed);
    }

    /// Whether the search has answered.
    pub fn is_finished(&self) -> bool {
        self.finished.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_the_mean_of_what_was_asked_for() {
        let control = Control::new(3, false);
        assert_eq!(control.patience(), 1.0);
        control.ask_patience(1, 0.5);
        assert_eq!(control.patience(), 0.5);
        control.ask_patience(0, 2.0);
        control.ask_patience(2, 3.5);
        assert_eq!(control.patience(), 2.0);
    }
}
