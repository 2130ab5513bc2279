use super::*;

/// What the standard library makes of the bytes, in units that hold every character.
fn same(bytes: &[u8]) {
    let expected: Option<Vec<u32>> =
        str::from_utf8(bytes).ok().map(|text| text.chars().map(u32::from).collect());
    let (count, bound) = measure(bytes);
    if let Some(characters) = &expected {
        let largest = characters.iter().copied().max().unwrap_or(0);
        let bounds = [0x7F, 0xFF, 0xFFFF, 0x10_FFFF];
        assert_eq!(count, characters.len());
        assert_eq!(bounds.into_iter().find(|&bound| largest <= bound), Some(bound));
    }
    for kernel in Kernel::available().filter(|&kernel| is_fast_by(kernel)) {
        same_by(kernel, bytes, expected.as_ref(), (count, bound));
    }
}

fn same_by(
    kernel: Kernel,
    bytes: &[u8],
    expected: Option<&Vec<u32>>,
    (count, bound): (usize, u32),
) {
    let wide = decoded::<u32>(kernel, bytes, count);
    assert_eq!(wide.as_ref(), expected, "{kernel:?}: {bytes:02X?}");
    let two = decoded::<u16>(kernel, bytes, count);
    let one = decoded::<u8>(kernel, bytes, count);
    let Some(wide) = wide else {
        assert!(two.is_none() && one.is_none());
        return;
    };
    let [two, one] = [two.map(wider), one.map(wider)].map(|units| units.expect("it is text"));
    assert!(bound > 0xFFFF || two == wide);
    assert!(bound > 0xFF || one == wide);
}

/// What `write` makes of so many units, if it says that it has written all.
#[expect(unsafe_code, reason = "room is read that has been written")]
pub fn written<U: Unit>(
    count: usize,
    write: impl FnOnce(&mut [MaybeUninit<U>]) -> bool,
) -> Option<Vec<U>> {
    let mut units = vec![MaybeUninit::new(U::default()); count];
    // SAFETY: they are numbers from the beginning.
    write(&mut units).then(|| units.iter().map(|unit| unsafe { unit.assume_init() }).collect())
}

/// The code points of bytes, as many as were counted, if they are UTF-8.
fn decoded<U: Unit>(kernel: Kernel, bytes: &[u8], count: usize) -> Option<Vec<U>> {
    let found = written(count, |units| decode_by(kernel, bytes, units) == Some(count));
    let mut room = vec![MaybeUninit::<U>::uninit(); count + 70];
    for more in [1, 15, 70] {
        let some = decode_by(kernel, bytes, &mut room[..count + more]);
        assert_eq!(some, found.is_some().then_some(count), "there is more room than it takes");
    }
    if let Some(less) = count.checked_sub(1) {
        assert_eq!(decode_by(kernel, bytes, &mut room[..less]), None);
    }
    found
}

fn wider<U: Into<u32>>(units: Vec<U>) -> Vec<u32> {
    units.into_iter().map(Into::into).collect()
}

/// Numbers as a small generator makes them; each run the same.
fn numbers(seed: u64) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(seed), |x| Some(x.wrapping_mul(0x5851_F42D_4C95_7F2D) + 1))
        .map(|x| (x >> 33) as u32)
}

#[test]
fn every_character_is_read() {
    same((0..0x11_0000).filter_map(char::from_u32).collect::<String>().as_bytes());
}

#[test]
fn mixed_texts_of_every_length_are_read() {
    for length in 0..200 {
        for end in [0x7F, 0xFF, 0x7FF, 0xFFFF, 0x10_FFFF] {
            let below = |x: u32| if x.is_multiple_of(3) { x % 0x80 } else { x % (end + 1) };
            let text = numbers(length + u64::from(end)).map(below).filter_map(char::from_u32);
            same(text.take(length as usize).collect::<String>().as_bytes());
        }
    }
}

#[test]
fn every_beginning_of_four_bytes_is_told_from_utf8() {
    let edges = [0, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF];
    let edges = edges.into_iter().chain([0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xF8, 0xFF]);
    let edges: Vec<u8> = edges.collect();
    for &a in &edges {
        for &b in &edges {
            for &c in &edges {
                for &d in &edges {
                    same(&[a, b, c, d]);
                }
            }
        }
    }
}

#[test]
fn a_wrong_byte_is_found_wherever_it_stands() {
    for text in ["a".repeat(200), "é".repeat(100), "東".repeat(70), "😀".repeat(50)] {
        for place in 0..text.len() {
            for wrong in [0x41, 0x80, 0xC3, 0xE6, 0xF0, 0xFF] {
                let mut bytes = text.clone().into_bytes();
                bytes[place] = wrong;
                same(&bytes);
                same(&bytes[..=place]);
            }
        }
    }
}
