//! Ids in lists of bytes, of two bytes each where that is enough. (With three where it is not, lists are an eighth
//! smaller, and to read them takes longer: lines that come back a tenth.)

/// Whether ids are of two bytes in a list, or of four.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Two,
    Four,
}

impl Width {
    /// What the largest of some ids needs.
    pub fn of(ids: &[u32]) -> Self {
        let all = ids.iter().fold(0, |all, id| all | id);
        if all <= u16::MAX.into() { Self::Two } else { Self::Four }
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

/// Ids as they lie in a list.
pub struct Packed<'a>(pub &'a [u8], pub Width);

impl Packed<'_> {
    pub fn give_to(&self, ids: &mut Vec<u32>) {
        match self.1 {
            Width::Two => unpack(self.0, ids, |two| u16::from_le_bytes(two).into()),
            Width::Four => unpack(self.0, ids, u32::from_le_bytes),
        }
    }
}

fn unpack<const N: usize>(list: &[u8], ids: &mut Vec<u32>, id: impl Fn([u8; N]) -> u32) {
    ids.extend(list.as_chunks().0.iter().map(|&bytes| id(bytes)));
}

/// Puts ids behind what is in a list.
pub fn pack(ids: &[u32], width: Width, list: &mut Vec<u8>) {
    match width {
        Width::Two => pack_in(ids, list, |[a, b, ..]| [a, b]),
        Width::Four => pack_in(ids, list, |all| all),
    }
}

fn pack_in<const N: usize>(ids: &[u32], list: &mut Vec<u8>, low: impl Fn([u8; 4]) -> [u8; N]) {
    let start = list.len();
    list.resize(start + N * ids.len(), 0);
    for (place, id) in list[start..].as_chunks_mut().0.iter_mut().zip(ids) {
        *place = low(id.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_of_any_width() {
        let mut list = vec![9];
        for most in [0, 1, 0xFFFF, 0x1_0000, 0xFF_FFFF, u32::MAX] {
            let (ids, start) = ([0, most, most / 3, most - most / 2, 1], list.len());
            let width = Width::of(&ids);
            pack(&ids, width, &mut list);
            assert_eq!(list.len() - start, width.bytes() * ids.len());
            assert_eq!(width == Width::Two, most < 0x1_0000);
            let mut back = vec![7];
            Packed(&list[start..], width).give_to(&mut back);
            assert_eq!(back[1..], ids);
        }
    }
}
