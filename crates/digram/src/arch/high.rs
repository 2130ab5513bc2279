//! Which of a few numbers have their highest bit set.

/// Numbers looked at together.
pub(crate) const NUMBERS: usize = 8;

/// One bit for each number: its highest one.
#[inline]
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the intrinsics are"))]
pub(crate) fn high_bits(numbers: &[u32; NUMBERS]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_castsi128_ps, _mm_movemask_ps, _mm_set_epi32};
        let n = numbers.map(u32::cast_signed);
        // SAFETY: every x86-64 processor has SSE2.
        let [low, high] = unsafe {
            [_mm_set_epi32(n[3], n[2], n[1], n[0]), _mm_set_epi32(n[7], n[6], n[5], n[4])]
                .map(|four| _mm_movemask_ps(_mm_castsi128_ps(four)))
        };
        (low | high << 4).cast_unsigned()
    }
    #[cfg(not(target_arch = "x86_64"))]
    plain(numbers)
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn plain(numbers: &[u32; NUMBERS]) -> u32 {
    (0..NUMBERS).fold(0, |bits, at| bits | (numbers[at] >> 31) << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_plain_form() {
        for set in 0..1_u32 << NUMBERS {
            for rest in [0, 1, 0x7FFF_FFFF, 0x4000_0001] {
                let number = |at: usize| rest | (set >> at & 1) << 31;
                let numbers = std::array::from_fn(number);
                assert_eq!((high_bits(&numbers), plain(&numbers)), (set, set));
            }
        }
    }
}
