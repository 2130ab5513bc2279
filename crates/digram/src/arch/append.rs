//! Ids behind ids, of which each word has up to four.
//!
//! Four are always written, and as many counted as there are: no branch on how many. They are
//! written where they stay, so that nothing is cleared before and copied after.

/// How many ids one word has at most.
pub(crate) const MOST: usize = 4;
/// Above the last id of four, how many of them are none.
pub(crate) const NONE_SHIFT: u32 = 30;

/// Four ids as one number, the first the lowest; above the last, how many of them are none.
pub(crate) type Four = u128;

/// How many ids there are: one to four.
#[inline]
pub(crate) fn count(four: Four) -> usize {
    MOST - (four >> (96 + NONE_SHIFT)) as usize
}

/// The ids; behind them, what is not to be looked at.
#[inline]
pub(crate) fn lanes(four: Four) -> [u32; MOST] {
    [four as u32, (four >> 32) as u32, (four >> 64) as u32, (four >> 96) as u32]
}

/// Appends the ids of each word to a list.
#[inline]
#[expect(unsafe_code, reason = "writes into room that is not part of the list yet")]
pub(crate) fn append(ids: &mut Vec<u32>, words: &[Four]) {
    ids.reserve(MOST * words.len());
    let mut length = ids.len();
    let room = ids.as_mut_ptr();
    for four in words {
        // one copy from memory to memory where the order of bytes is that of lanes
        let turned;
        let laid = if cfg!(target_endian = "little") {
            four
        } else {
            turned = reversed(*four);
            &turned
        };
        let from = std::ptr::from_ref(laid).cast::<u32>();
        // SAFETY: there is room for four more of each word, and no word counts for more.
        unsafe { room.add(length).copy_from_nonoverlapping(from, MOST) };
        length += count(*four);
    }
    // SAFETY: all before has been written, and there is room for it.
    unsafe { ids.set_len(length) };
}

/// The same number with its lanes the other way round.
fn reversed(four: Four) -> Four {
    lanes(four).iter().fold(0, |all, &lane| all << 32 | Four::from(lane))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append_plainly(ids: &mut Vec<u32>, words: &[Four]) {
        for &four in words {
            ids.extend_from_slice(&lanes(four)[..count(four)]);
        }
    }

    #[test]
    fn as_many_ids_are_added_as_each_word_has() {
        let mut words = Vec::new();
        let (mut ids, mut plain) = (vec![9], vec![9]);
        for number in 0..300 {
            let none = (number as u32).wrapping_mul(2_654_435_761) >> 30;
            let four = number * 0x0000_0001_0000_0003_0000_0007_0000_0009;
            words.push(four | Four::from(none) << (96 + NONE_SHIFT));
            append(&mut ids, &words);
            append_plainly(&mut plain, &words);
            assert_eq!(ids, plain, "{number} words");
        }
        assert_eq!(
            lanes(reversed(words[7])),
            [lanes(words[7])[3], lanes(words[7])[2], lanes(words[7])[1], lanes(words[7])[0]]
        );
    }
}
