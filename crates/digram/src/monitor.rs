//! How a long call hears that it should stop, and tells how far it is.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::Instant;

use crate::error::{Error, Result};

/// How often the caller is asked, at most: well under the 250 ms that Ctrl-C may take, and rare
/// enough that asking costs nothing.
const POLL_NANOS: u64 = 20_000_000;

/// What the caller of a long call offers.
pub trait Caller: Sync {
    /// Asks whether to stop; called on the thread that made the call, every 20 ms or so.
    fn should_stop(&self) -> bool;
    /// Told how far a stage is; called on the same thread.
    fn progress(&self, _stage: &'static str, _done: u64, _total: u64) {}
    /// Told what the caller may want to change; called on the same thread.
    fn warn(&self, _message: &str) {}
}

/// A caller that never stops and hears nothing.
pub struct Nobody;

impl Caller for Nobody {
    fn should_stop(&self) -> bool {
        false
    }
}

/// The stop flag that all threads of one call share.
///
/// Worker threads see only the flag; the thread that made the call also asks the [`Caller`].
pub struct Monitor<'a> {
    caller: &'a dyn Caller,
    /// The thread that made the call, and when; `None` where the caller is never asked.
    made: Option<(ThreadId, Instant)>,
    last_poll: AtomicU64,
    /// When the caller was last told how far it is: checks in between must not put that off.
    last_report: AtomicU64,
    stop: AtomicBool,
}

impl<'a> Monitor<'a> {
    /// A monitor owned by the current thread.
    pub fn new(caller: &'a dyn Caller) -> Self {
        Self {
            caller,
            made: Some((thread::current().id(), Instant::now())),
            last_poll: AtomicU64::new(0),
            last_report: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        }
    }

    /// A monitor of a short call, which asks nobody and looks at no clock.
    pub fn silent() -> Monitor<'static> {
        Monitor {
            caller: &Nobody,
            made: None,
            last_poll: AtomicU64::new(0),
            last_report: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        }
    }

    /// Another for the same caller, which nobody has stopped.
    #[must_use]
    pub fn again(&self) -> Monitor<'a> {
        Monitor {
            caller: self.caller,
            made: self.made,
            last_poll: AtomicU64::new(0),
            last_report: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        }
    }

    /// Fails with [`Error::Interrupted`] once the caller wants to stop. Call it every few hundred
    /// microseconds of work: it costs some 30 ns.
    #[inline]
    pub fn check(&self) -> Result<()> {
        self.poll(None)
    }

    /// [`check`](Self::check), telling the caller how far `stage` is.
    pub fn report(&self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        self.poll(Some((stage, done, total)))
    }

    /// Tells that `stage` is at `done`, whenever the last word was.
    pub fn finish(&self, stage: &'static str, done: u64, total: u64) -> Result<()> {
        self.caller.progress(stage, done, total);
        self.last_poll.store(0, Ordering::Relaxed);
        self.check()
    }

    /// Warns the caller; for the thread that made the call.
    pub fn warn(&self, message: &str) -> Result<()> {
        self.caller.warn(message);
        self.last_poll.store(0, Ordering::Relaxed);
        self.check()
    }

    /// Makes every thread of the call stop at its next check.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    #[inline]
    fn poll(&self, progress: Option<(&'static str, u64, u64)>) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        match self.made {
            None => Ok(()),
            Some(made) => self.ask(made, progress),
        }
    }

    /// Asks the caller, where it is time and this thread made the call.
    fn ask(
        &self,
        (owner, started): (ThreadId, Instant),
        progress: Option<(&'static str, u64, u64)>,
    ) -> Result<()> {
        let now = started.elapsed().as_nanos() as u64;
        let is_due =
            |last: &AtomicU64| now.saturating_sub(last.load(Ordering::Relaxed)) >= POLL_NANOS;
        let progress = progress.filter(|_| is_due(&self.last_report));
        if !(progress.is_some() || is_due(&self.last_poll)) || thread::current().id() != owner {
            return Ok(());
        }
        self.last_poll.store(now, Ordering::Relaxed);
        if let Some((stage, done, total)) = progress {
            self.last_report.store(now, Ordering::Relaxed);
            self.caller.progress(stage, done, total);
        }
        if self.caller.should_stop() {
            self.stop();
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}
