//! Ctrl-C: the first asks the program to come to an end, which takes it no longer than a search.

use std::sync::atomic::{AtomicU32, Ordering};

/// How often the user or the system asked for an end.
static REQUESTS: AtomicU32 = AtomicU32::new(0);

/// Whether the user or the system has asked the program to end.
pub fn is_interrupted() -> bool {
    REQUESTS.load(Ordering::Relaxed) > 0
}

/// So many requests end the program wherever it is. Some programs send a signal twice.
#[cfg(unix)]
const INSISTENCE: u32 = 3;

#[cfg(unix)]
extern "C" fn interrupt(_: libc::c_int) {
    if REQUESTS.fetch_add(1, Ordering::Relaxed) + 1 >= INSISTENCE {
        // SAFETY: `_exit` is one of the few functions that a signal handler may call.
        unsafe { libc::_exit(1) }
    }
}

/// Takes over SIGINT and SIGTERM. Where there are no such signals, the first Ctrl-C ends the
/// program at once, as does killing it: what is lost are the games being played.
pub fn watch() {
    #[cfg(unix)]
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the structure is plain data for which zero bytes are valid, every field that
        // matters is set, and the handler is sound to call at any time. Nothing breaks if it
        // fails: the signal then does what it did before.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = interrupt as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}
