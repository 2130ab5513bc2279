//! Which words of a batch are chosen.

/// Words of a batch, chosen without a branch on whether each is.
#[derive(Default)]
pub struct Chosen {
    room: Vec<u32>,
    count: usize,
}

impl Chosen {
    /// Adds a word if it is chosen.
    #[inline]
    pub fn push_if(&mut self, is_chosen: bool, index: u32) {
        if self.count == self.room.len() {
            self.room.push(index);
        }
        self.room[self.count] = index;
        self.count += usize::from(is_chosen);
    }

    /// Those that were chosen.
    pub fn all(&self) -> &[u32] {
        &self.room[..self.count]
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.count = 0;
    }
}
