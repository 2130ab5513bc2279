//! Where new threads begin.
//!
//! Linux may put a new thread on the core of the thread that made it, where it waits for its turn until
//! that one has used up its own, some milliseconds, which is all that a call takes. So a call's own thread
//! gives way as often as it made one, and the new thread, if it finds itself there, has itself moved:
//! it rules that core out for a moment. Elsewhere, and where the system does not let it, nothing is done.

/// The core on which the threads of a call are made.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    #[cfg(target_os = "linux")]
    core: usize,
}

#[cfg(target_os = "linux")]
impl Home {
    /// The core that this thread is on.
    pub fn here() -> Self {
        Self { core: rustix::thread::sched_getcpu() }
    }

    /// Moves this thread to another core, if it is on this one and may be on others.
    pub fn leave(self) {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

        if Self::here().core != self.core || self.core >= CpuSet::MAX_CPU {
            return;
        }
        let Ok(all) = sched_getaffinity(None) else { return };
        let mut others = all;
        others.unset(self.core);
        if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
            // If this fails, the thread does without one core as long as it lives.
            let _ = sched_setaffinity(None, &all);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Home {
    /// Nothing is known here of cores.
    pub fn here() -> Self {
        Self {}
    }

    /// Nothing is done.
    pub fn leave(self) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_leaves_a_core_may_come_back_to_it() {
        let cores = |set: rustix::thread::CpuSet| set.count();
        let may = || rustix::thread::sched_getaffinity(None).map(cores).expect("it can be asked");
        let before = may();
        for _ in 0..100 {
            let home = Home::here();
            home.leave();
            assert_eq!(may(), before);
        }
    }
}
