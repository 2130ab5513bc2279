//! Where bits stand, as tables that are made when this is compiled.

/// The places of the bits that are set in each byte, the lowest first; what stands behind them does not
/// count.
pub(in crate::arch) static PLACES: [[u8; 8]; 256] = {
    let (mut all, mut byte) = ([[0; 8]; 256], 0);
    while byte < all.len() {
        all[byte] = places(byte);
        byte += 1;
    }
    all
};

/// The same of one number, of which so many bits are set at most.
pub(in crate::arch) const fn places<const COUNT: usize>(bits: usize) -> [u8; COUNT] {
    let (mut places, mut left, mut at) = ([0; COUNT], bits, 0);
    while left != 0 {
        places[at] = left.trailing_zeros() as u8;
        left &= left - 1;
        at += 1;
    }
    places
}
