//! Things that threads borrow and give back.
//!
//! Nobody waits: where the shelf is locked, a fresh thing is made. So a child forked while
//! another thread held the lock goes on, though that thread does not exist in it.

use std::sync::Mutex;

/// A shelf of reusable things.
pub struct Pool<T> {
    shelf: Mutex<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { shelf: Mutex::new(Vec::new()) }
    }
}

/// More than this many are not kept: each holds a table of words.
const MAX_KEPT: usize = 16;

impl<T: Default> Pool<T> {
    /// A used thing, or a fresh one.
    pub fn take(&self) -> T {
        let used = self.shelf.try_lock().ok().and_then(|mut shelf| shelf.pop());
        used.unwrap_or_default()
    }

    /// Puts a thing back for the next.
    pub fn give_back(&self, thing: T) {
        if let Ok(mut shelf) = self.shelf.try_lock()
            && shelf.len() < MAX_KEPT
        {
            shelf.push(thing);
        }
    }
}
