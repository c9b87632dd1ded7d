//! Ctrl-C: asks the program to finish; pressed three times, it ends the program at once.

use std::sync::atomic::{AtomicU32, Ordering};

/// Signals received.
static REQUESTS: AtomicU32 = AtomicU32::new(0);

/// Whether the program has been asked to finish.
pub fn is_interrupted() -> bool {
    REQUESTS.load(Ordering::Relaxed) > 0
}

/// After this many signals the program exits at once. Not two, as some shells send a signal twice.
#[cfg(unix)]
const FORCE_QUIT_SIGNALS: u32 = 3;

#[cfg(unix)]
extern "C" fn interrupt(_: libc::c_int) {
    if REQUESTS.fetch_add(1, Ordering::Relaxed) + 1 >= FORCE_QUIT_SIGNALS {
        // SAFETY: `_exit` is one of the few functions that a signal handler may call.
        unsafe { libc::_exit(1) }
    }
}

/// Installs the handler of SIGINT and SIGTERM. On other systems than Unix the first Ctrl-C kills the
/// program, which is safe: files are always left readable.
pub fn watch() {
    #[cfg(unix)]
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the structure is plain data for which zero bytes are valid, every field that
        // matters is set, and the handler may be called at any time. Nothing breaks if it
        // fails: the signal keeps its default action.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = interrupt as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}
