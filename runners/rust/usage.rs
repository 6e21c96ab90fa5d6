//! What the process has used so far, and how fine its clock is.

use std::time::{Duration, Instant};

pub struct Usage {
    pub cpu: i64,         // nanoseconds, all threads
    pub preemptions: i64, // involuntary context switches
}

impl Usage {
    /// None where the system does not tell.
    pub fn read() -> Option<Usage> {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
        // SAFETY: getrusage fills all of it where it returns 0.
        let usage = unsafe {
            if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
                return None;
            }
            usage.assume_init()
        };
        let nanoseconds = |t: libc::timeval| t.tv_sec as i64 * 1_000_000_000 + t.tv_usec as i64 * 1000;
        Some(Usage { cpu: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime), preemptions: usage.ru_nivcsw as i64 })
    }
}

/// The smallest difference that two readings of the clock showed.
pub fn clock_step() -> Duration {
    let step = || {
        let start = Instant::now();
        loop {
            let step = start.elapsed();
            if !step.is_zero() {
                return step;
            }
        }
    };
    (0..2000).map(|_| step()).min().unwrap_or_default()
}
