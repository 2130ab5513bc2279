//! A heap whose order is told at each call, because it may need more than the entries know.

/// Children per entry: four share a cache line or two, and the heap is half as deep as with two.
const ARITY: usize = 4;

/// A heap: the entry that goes before all others is on top.
///
/// All calls on one heap must be given the same strict order.
pub(super) struct Heap<E> {
    entries: Vec<E>,
}

impl<E: Copy> Heap<E> {
    /// A heap of `entries`, in linear time.
    pub fn new(entries: Vec<E>, before: impl Fn(&E, &E) -> bool) -> Self {
        let mut heap = Self { entries };
        for place in (0..heap.entries.len().div_ceil(ARITY)).rev() {
            heap.sift_down(place, &before);
        }
        heap
    }

    /// The entry on top.
    pub fn top(&self) -> Option<E> {
        self.entries.first().copied()
    }

    /// Counts the entries that satisfy `first`, as do all that go before them, and then `then`.
    pub fn count(&self, first: impl Fn(&E) -> bool, then: impl Fn(&E) -> bool) -> usize {
        let mut places = vec![0];
        let mut count = 0;
        while let Some(place) = places.pop() {
            if let Some(entry) = self.entries.get(place).filter(|entry| first(entry)) {
                count += usize::from(then(entry));
                places.extend(place * ARITY + 1..=place * ARITY + ARITY);
            }
        }
        count
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: E, before: impl Fn(&E, &E) -> bool) {
        let mut place = self.entries.len();
        self.entries.push(entry);
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if !before(&entry, &self.entries[parent]) {
                break;
            }
            self.entries[place] = self.entries[parent];
            place = parent;
        }
        self.entries[place] = entry;
    }

    /// Takes the top away.
    pub fn pop(&mut self, before: impl Fn(&E, &E) -> bool) {
        if let Some(last) = self.entries.pop()
            && !self.entries.is_empty()
        {
            self.replace_top(last, before);
        }
    }

    /// Puts another entry in place of the top. Panics where the heap is empty.
    pub fn replace_top(&mut self, entry: E, before: impl Fn(&E, &E) -> bool) {
        self.entries[0] = entry;
        self.sift_down(0, &before);
    }

    fn sift_down(&mut self, mut place: usize, before: &impl Fn(&E, &E) -> bool) {
        let Some(&entry) = self.entries.get(place) else {
            return;
        };
        loop {
            let children = (place * ARITY + 1).min(self.entries.len());
            let end = (children + ARITY).min(self.entries.len());
            let Some(first) = self.first(children..end, before) else {
                break;
            };
            if !before(&self.entries[first], &entry) {
                break;
            }
            self.entries[place] = self.entries[first];
            place = first;
        }
        self.entries[place] = entry;
    }

    fn first(
        &self,
        places: std::ops::Range<usize>,
        before: &impl Fn(&E, &E) -> bool,
    ) -> Option<usize> {
        places.reduce(|a, b| if before(&self.entries[b], &self.entries[a]) { b } else { a })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_out_in_order_however_they_went_in() {
        let less = |a: &u32, b: &u32| a < b;
        let mixed = |n: u32| n.wrapping_mul(2_654_435_761) % 1000;
        let mut heap = Heap::new((0..300).map(mixed).collect(), less);
        (300..600).for_each(|n| heap.push(mixed(n), less));
        let mut expected: Vec<_> = (0..600).map(mixed).collect();
        expected.sort_unstable();
        // every third top comes back larger, as a stale entry does
        let mut out = Vec::new();
        while let Some(top) = heap.top() {
            if top % 3 == 0 && top < 1000 {
                heap.replace_top(top + 3001, less);
            } else {
                out.push(top);
                heap.pop(less);
            }
        }
        for late in &mut expected {
            *late += if *late % 3 == 0 { 3001 } else { 0 };
        }
        expected.sort_unstable();
        assert_eq!(out, expected);
    }
}
