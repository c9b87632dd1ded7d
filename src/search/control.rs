//! Flags and counters of one search, shared by its threads and the thread that controls them.
#![forbid(unsafe_code)]

use super::limits::Clock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What a thread publishes, on a cache line of its own, so that threads do not slow each other
/// down.
#[repr(align(128))]
#[derive(Default)]
struct ThreadStats {
    nodes: AtomicU64,
    /// The bits of an `f64`; 0 until it is set.
    time_factor: AtomicU64,
}

/// When the expected move was played, and the clock sent with `ponderhit`.
#[derive(Clone, Copy, Debug)]
pub struct PonderHit {
    /// The moment.
    pub at: Instant,
    /// The clock, if one was sent.
    pub clock: Option<Clock>,
}

/// Flags and counters of one search.
pub struct Control {
    /// The threads have to stop searching.
    stop: AtomicBool,
    /// The best move is due, even if the search is infinite or pondering.
    answer_now: AtomicBool,
    pondering: AtomicBool,
    finished: AtomicBool,
    ponder_hit: Mutex<Option<PonderHit>>,
    changed: Condvar,
    threads: Box<[ThreadStats]>,
    /// Milliseconds by which the answer came after the hard limit.
    lateness: AtomicU64,
}

impl Control {
    /// The control of a search with this many threads.
    pub fn new(threads: usize, pondering: bool) -> Control {
        Control {
            stop: AtomicBool::new(false),
            answer_now: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            finished: AtomicBool::new(false),
            ponder_hit: Mutex::new(None),
            changed: Condvar::new(),
            threads: (0..threads).map(|_| ThreadStats::default()).collect(),
            lateness: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<PonderHit>> {
        // The data is a plain value: a panic elsewhere cannot leave it half written.
        self.ponder_hit
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all threads and asks for the best move.
    pub fn stop(&self) {
        let _guard = self.lock();
        self.stop.store(true, Relaxed);
        self.answer_now.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Whether the best move was asked for.
    pub fn is_answer_due(&self) -> bool {
        self.answer_now.load(Relaxed)
    }

    /// Stops all threads because a limit is reached. The best move may have to wait.
    pub fn halt(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the threads have to stop.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends pondering; further calls change nothing.
    pub fn ponderhit(&self, clock: Option<Clock>) {
        let mut ponder_hit = self.lock();
        if self.pondering.swap(false, Relaxed) {
            let at = Instant::now();
            *ponder_hit = Some(PonderHit { at, clock });
            self.changed.notify_all();
        }
    }

    /// Whether the search is on the opponent's time.
    #[inline(always)]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// The ponder hit, once there was one.
    pub fn ponder_hit(&self) -> Option<PonderHit> {
        *self.lock()
    }

    /// Waits until the best move may be printed: after `stop` in an infinite search, after `stop`
    /// or `ponderhit` when pondering.
    pub fn wait_until_answer_due(&self, infinite: bool) {
        let mut guard = self.lock();
        while !self.answer_now.load(Relaxed) && (infinite || self.is_pondering()) {
            guard = self
                .changed
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Publishes a thread's node count.
    #[inline(always)]
    pub fn set_nodes(&self, thread: usize, nodes: u64) {
        self.threads[thread].nodes.store(nodes, Relaxed);
    }

    /// Nodes of all threads.
    pub fn nodes(&self) -> u64 {
        let nodes = self.threads.iter().map(|stats| stats.nodes.load(Relaxed));
        nodes.sum()
    }

    /// Publishes the factor by which a thread would multiply the optimum time.
    pub fn set_time_factor(&self, thread: usize, factor: f64) {
        let stats = &self.threads[thread];
        stats.time_factor.store(factor.to_bits(), Relaxed);
    }

    /// The mean of the factors that threads have set; 1 if there are none.
    pub fn time_factor(&self) -> f64 {
        let factors = self.threads.iter().filter_map(|stats| {
            let factor = f64::from_bits(stats.time_factor.load(Relaxed));
            (factor > 0.0).then_some(factor)
        });
        let (sum, count) = factors.fold((0.0, 0.0), |(sum, count), factor| {
            (sum + factor, count + 1.0)
        });
        if count == 0.0 { 1.0 } else { sum / count }
    }

    /// Marks the search as answered, so many milliseconds after the hard limit.
    pub fn finish(&self, lateness: u64) {
        self.lateness.store(lateness, Relaxed);
        self.finished.store(true, Relaxed);
    }

    /// Milliseconds by which the answer came after the hard limit.
    pub fn lateness(&self) -> u64 {
        self.lateness.load(Relaxed)
    }

    /// Whether the search has been answered.
    pub fn is_finished(&self) -> bool {
        self.finished.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_factor_is_the_mean_of_those_set() {
        let control = Control::new(3, false);
        assert_eq!(control.time_factor(), 1.0);
        control.set_time_factor(1, 0.5);
        assert_eq!(control.time_factor(), 0.5);
        control.set_time_factor(0, 2.0);
        control.set_time_factor(2, 3.5);
        assert_eq!(control.time_factor(), 2.0);
    }
}
