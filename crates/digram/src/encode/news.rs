//! What threads that share work tell each other: words that one of them met first, and their ids.
//!
//! Each thread has tables of its own, so that none waits for another. A thread that has made the
//! ids of new words writes them down; some together go to a board, from where the others take them
//! into their tables. Nobody waits for the board either: who finds it taken goes on, and comes back
//! later. A word that is told late is made again. So all that can be observed is the time that a
//! text takes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::table::Slot;
use super::wide;

/// So many words at least are told together, but for the last.
const LEAST: usize = 64;
/// Where more than one word in so many is new, they are told to nobody: they seldom come back, and
/// to take them in would take longer than that saves.
const RARE: usize = 8;
/// So many words stay on the board, and with who cannot get there: 2 MiB at most.
const MOST: usize = 1 << 15;

/// Words and their ids, as they stand in tables.
#[derive(Default)]
pub struct Message {
    pub short: Vec<Slot>,
    pub wide: Vec<wide::Slot>,
}

impl Message {
    fn len(&self) -> usize {
        self.short.len() + self.wide.len()
    }
}

/// What was told lately.
#[derive(Default)]
pub struct Board {
    /// How many messages there have been.
    count: AtomicUsize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    messages: VecDeque<Arc<Message>>,
    /// How many messages came before those.
    gone: usize,
    words: usize,
}

/// What one of the threads has read, and what it has to tell.
#[derive(Default)]
pub struct News {
    /// Whether it shares its work now.
    pub shares: bool,
    /// How many words it has met since it told some.
    pub met: usize,
    read: usize,
    own: Message,
}

impl News {
    /// Notes a word that has its place in the table of short ones.
    #[inline]
    pub fn tell_short(&mut self, slot: Slot) {
        if self.shares && self.own.len() < MOST {
            self.own.short.push(slot);
        }
    }

    /// Notes a word that has its place in the table of wide ones.
    #[inline]
    pub fn tell_wide(&mut self, slot: wide::Slot) {
        if self.shares && self.own.len() < MOST {
            self.own.wide.push(slot);
        }
    }

    /// Whether there is something to tell; forgets words that seldom come back.
    fn tells(&mut self, is_last: bool) -> bool {
        let new = self.own.len();
        if new < if is_last { 1 } else { LEAST } {
            return false;
        }
        let come_back = new * RARE <= self.met;
        if !come_back {
            self.take();
        }
        come_back
    }

    /// What was noted; from here on, words are noted and counted anew.
    fn take(&mut self) -> Message {
        self.met = 0;
        std::mem::take(&mut self.own)
    }
}

impl Board {
    /// Tells what there is to tell, few words only if they are the last; returns what others have
    /// told since.
    pub fn exchange(&self, news: &mut News, is_last: bool) -> Vec<Arc<Message>> {
        let tells = news.tells(is_last);
        if !tells && self.count.load(Ordering::Relaxed) == news.read {
            return Vec::new();
        }
        let Ok(mut kept) = self.kept.try_lock() else { return Vec::new() };
        let read = news.read.saturating_sub(kept.gone);
        let others = kept.messages.iter().skip(read).cloned().collect();
        if tells {
            kept.add(news.take());
        }
        news.read = kept.gone + kept.messages.len();
        self.count.store(news.read, Ordering::Relaxed);
        others
    }
}

impl Kept {
    fn add(&mut self, message: Message) {
        self.words += message.len();
        self.messages.push_back(Arc::new(message));
        while self.words > MOST {
            let Some(oldest) = self.messages.pop_front() else { return };
            self.words -= oldest.len();
            self.gone += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(news: &mut News, numbers: std::ops::Range<u128>) {
        numbers.for_each(|number| news.tell_short([number, number]));
    }

    fn sharing() -> News {
        News { shares: true, met: usize::MAX, ..News::default() }
    }

    #[test]
    fn each_hears_once_what_the_others_tell() {
        let (board, [mut a, mut b]) = (Board::default(), [sharing(), sharing()]);
        tell(&mut a, 0..LEAST as u128);
        assert!(board.exchange(&mut b, true).is_empty(), "nothing is told yet");
        assert!(board.exchange(&mut a, false).is_empty(), "its own words");
        (b.met, a.met) = (24, 24);
        tell(&mut b, 100..103);
        let heard = board.exchange(&mut b, false);
        assert_eq!(heard.iter().map(|message| message.len()).sum::<usize>(), LEAST);
        assert!(board.exchange(&mut a, false).is_empty(), "too few to be told");
        assert!(board.exchange(&mut b, true).is_empty());
        let heard = board.exchange(&mut a, false);
        assert_eq!(heard.iter().flat_map(|message| &message.short).count(), 3);
        assert!(board.exchange(&mut a, true).is_empty());
    }

    #[test]
    fn who_finds_the_board_taken_tells_later() {
        let (board, mut a) = (Board::default(), sharing());
        tell(&mut a, 0..LEAST as u128);
        let taken = board.kept.lock();
        assert!(board.exchange(&mut a, false).is_empty());
        drop(taken);
        board.exchange(&mut a, false);
        assert_eq!(board.exchange(&mut sharing(), false).len(), 1);
    }

    #[test]
    fn what_is_old_is_forgotten_and_who_does_not_share_tells_nothing() {
        let (board, mut a) = (Board::default(), sharing());
        for round in 0..5 {
            a.met = RARE * MOST;
            tell(&mut a, round * MOST as u128..(round + 1) * MOST as u128 + 9);
            board.exchange(&mut a, false);
        }
        let heard = board.exchange(&mut sharing(), false);
        assert_eq!(heard.len(), 1, "the last one");
        assert_eq!(heard[0].len(), MOST);
        let (mut alone, mut rare) = (News::default(), sharing());
        tell(&mut alone, 0..1000);
        rare.met = 1001;
        tell(&mut rare, 0..1000);
        board.exchange(&mut alone, true);
        board.exchange(&mut rare, true);
        assert!(board.exchange(&mut a, true).is_empty());
    }
}
