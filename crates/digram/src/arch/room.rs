//! Whether there is room for more memory: by the limits of the process, where it has some.

use super::mapped::release;

/// So many bytes are left for what is small, and for tables that grow meanwhile.
const LEFT: usize = 24 << 20;

/// Whether there is room for so many bytes, and for what is small: if need be, where tables wait for another
/// owner.
#[cold]
pub(crate) fn is_room(bytes: usize) -> bool {
    has_room(bytes) || (release() && has_room(bytes))
}

/// Where the process has a limit, nothing is taken to find out: another thread could then find none for
/// what is small.
fn has_room(bytes: usize) -> bool {
    let all = bytes.saturating_add(LEFT);
    if let Some(left) = bytes_left() {
        return all <= left;
    }
    let mut room: Vec<u8> = Vec::new();
    let found = room.try_reserve_exact(all);
    // or else the compiler may leave out what is not used
    std::hint::black_box(&room);
    found.is_ok()
}

/// How many more bytes of addresses the limits of the process leave it (`RLIMIT_AS`, `RLIMIT_DATA`);
/// `None` where there are none, or nobody knows.
#[cfg(target_os = "linux")]
fn bytes_left() -> Option<usize> {
    let most = [false, true].map(limit);
    if most == [None, None] {
        return None;
    }
    let taken = taken()?;
    let left =
        most.into_iter().zip(taken).filter_map(|(most, taken)| Some(most? - taken.min(most?)));
    left.min()
}

#[cfg(not(target_os = "linux"))]
fn bytes_left() -> Option<usize> {
    None
}

/// The limit on addresses, or on those of data, if there is one.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the system call is")]
fn limit(of_data: bool) -> Option<usize> {
    let of = if of_data { libc::RLIMIT_DATA } else { libc::RLIMIT_AS };
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: it writes one such value, and nothing else.
    let is_told = unsafe { libc::getrlimit(of, &raw mut limit) } == 0;
    let is_limited = is_told && limit.rlim_cur != libc::RLIM_INFINITY;
    is_limited.then(|| usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX))
}

/// How many bytes of addresses are taken, and of them by data. No memory is taken to find out.
#[cfg(target_os = "linux")]
fn taken() -> Option<[usize; 2]> {
    use std::io::Read;
    let mut told = [0; 256];
    let length = std::fs::File::open("/proc/self/statm").ok()?.read(&mut told).ok()?;
    let pages = |nth: usize| {
        let mut numbers = std::str::from_utf8(&told[..length]).ok()?.split_ascii_whitespace();
        numbers.nth(nth)?.parse::<usize>().ok()
    };
    let page = page_bytes();
    Some([pages(0)?.saturating_mul(page), pages(5)?.saturating_mul(page)])
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the system call is")]
fn page_bytes() -> usize {
    // SAFETY: it reads a number that does not change.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(4096)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_told() {
        let [all, data] = taken().expect("Linux tells");
        assert!(data > 0 && data < all && all > 1 << 20, "{data} of {all}");
        let more = vec![1_u8; 64 << 20];
        let [grown, _] = taken().expect("Linux tells");
        // other tests give memory back meanwhile
        assert!(std::hint::black_box(&more)[0] == 1 && grown > 64 << 20);
        assert_eq!([false, true].map(limit) == [None, None], bytes_left().is_none());
    }
}
