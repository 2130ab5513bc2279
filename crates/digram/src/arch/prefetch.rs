//! Asks for a line of the cache before it is needed.

/// Begins to load what `place` refers to; changes nothing.
#[inline]
pub(crate) fn prefetch<T>(place: &T) {
    prefetch_at(place);
}

/// The same of a place that may not be there.
#[inline]
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the intrinsic is"))]
pub(crate) fn prefetch_at<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction reads nothing and faults nowhere; every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
