//! How often it is asked whether a call on many texts is to stop.

use crate::monitor::Monitor;

/// Text, of short ones many together, after which it is asked: some 0.1 ms of work. To look at the clock
/// for each short text would be a fifth of the time.
pub(super) const HEARD_EVERY: usize = 8 << 10;
/// What a text costs besides, in bytes: there may be millions of empty ones.
pub(super) const EACH: usize = 64;

/// The monitor of a call on many texts, which is asked now and then.
pub(super) struct Heard<'a> {
    monitor: &'a Monitor<'a>,
    silent: Monitor<'static>,
    unheard: usize,
}

impl<'a> Heard<'a> {
    pub fn of(monitor: &'a Monitor<'a>) -> Self {
        Self { monitor, silent: Monitor::silent(), unheard: 0 }
    }

    /// The one to ask while a text of so many bytes is encoded: the call's if it is time, or one that is silent.
    pub fn after(&mut self, bytes: usize) -> &Monitor<'_> {
        self.unheard = self.unheard.saturating_add(bytes).saturating_add(EACH);
        if self.unheard < HEARD_EVERY {
            return &self.silent;
        }
        self.unheard = 0;
        self.monitor
    }
}
