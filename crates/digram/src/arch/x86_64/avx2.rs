//! Vectors of 32 bytes: two shuffles look up a half block's classes, by the halves of each byte.
//!
//! A class is a set of rows and columns in the table of ASCII: the digits are row 3, columns 0
//! to 9. A byte has the class if both of its halves do. The letters take two, rows 4 and 6 from
//! column 1 and rows 5 and 7 to column 10; capitals are letters without the bit for 32.

#![expect(unsafe_code, reason = "vectors are loaded through pointers")]

use std::arch::x86_64::{
    __m256i, _mm_loadl_epi64, _mm_loadu_si128, _mm256_add_epi32, _mm256_adds_epu8,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
    _mm256_cvtepu8_epi32, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_slli_epi16,
    _mm256_srli_epi16, _mm256_storeu_si256, _mm256_sub_epi8, _mm256_testz_si256, _mm256_xor_si256,
};

use super::super::generic::{self, Spread};
use super::MOST_STRETCHES;
use super::bits::PLACES;
use crate::arch::{BLOCK, Classes, Masks, Rare, Runs, Work, class};

/// Classes of ASCII as rows and columns: bits of the high half, then of the low half.
const RECTANGLES: [(u16, u16); 8] = [
    (1 << 4 | 1 << 6, 0xFFFE),   // letters to O
    (1 << 5 | 1 << 7, 0x07FF),   // letters from P
    (1 << 3, 0x03FF),            // numbers
    (1 << 0, 0x3E00),            // blanks but the space
    (1 << 0, 1 << 10 | 1 << 13), // newlines
    (1 << 2, 1 << 0),            // the space
    (1 << 2, 1 << 7),            // the quote
    (1 << 2, 1 << 15),           // the slash
];

/// For each value of a half, the classes that it allows.
const fn halves(high: bool) -> [u8; 16] {
    let mut table = [0; 16];
    let mut class = 0;
    while class < RECTANGLES.len() {
        let set = if high { RECTANGLES[class].0 } else { RECTANGLES[class].1 };
        let mut half = 0;
        while half < table.len() {
            table[half] |= ((set >> half & 1) as u8) << class;
            half += 1;
        }
        class += 1;
    }
    table
}

const HIGH: [u8; 16] = halves(true);
const LOW: [u8; 16] = halves(false);

/// Does some work, with these instructions for what is inlined.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn compiled<W: Work>(work: W) -> W::Done {
    work.work()
}

/// Adds the masks of each block of `bytes`.
///
/// It is not inlined, for what follows is algebra on words, and the compiler would do that on
/// the vectors' lanes.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn classify(classes: &Classes, bytes: &[u8], before: u8, masks: &mut [Masks]) {
    let mut before = before;
    for (block, masks) in masks.iter_mut().enumerate() {
        let bytes = generic::chunk(&bytes[block * BLOCK..]);
        let halves = load(bytes);
        *masks = ascii(halves);
        let multibyte = top_bits(halves);
        if multibyte != 0 {
            let leads = multibyte & bit::<1>(halves);
            masks.inner = multibyte & !leads;
            let behind = [load(&bytes[1..]), load(&bytes[2..])];
            // where all have two bytes, as in many scripts, less is to be looked for
            let long = leads & bit::<2>(halves);
            let no_class = |half| dashes_and_quotes(halves[half], behind[0][half], behind[1][half]);
            let leads = if long == 0 { leads } else { leads & !top_bits([0, 1].map(no_class)) };
            // else all of them are of no class, as what the block before ends with
            if leads != 0 || before != 0 {
                let of_leads = wide(classes, bytes, (halves, behind), [leads, long]);
                before = add_wide(masks, of_leads, before);
            }
        }
    }
}

/// Adds what multi-byte characters are, given at the bytes that they begin with, and returns the
/// class of one that ends the block.
#[inline]
#[target_feature(enable = "avx2")]
fn add_wide(masks: &mut Masks, of_leads: [__m256i; 2], before: u8) -> u8 {
    let inner = masks.inner;
    let carried = inner & !inner.wrapping_add(1);
    let mut last = 0;
    let mut add = |mask: &mut u64, leads: u64, class: u8| {
        let mut all = leads | if before & class == 0 { 0 } else { carried };
        for _ in 0..3 {
            all |= all << 1 & inner;
        }
        *mask |= all;
        last |= if all >> 63 == 0 { 0 } else { class };
    };
    add(&mut masks.letter, bit::<7>(of_leads), class::LETTER);
    let seldom = class::NUMBER | class::BLANK;
    let any = _mm256_or_si256(of_leads[0], of_leads[1]);
    if _mm256_testz_si256(any, byte(seldom)) == 0 || before & seldom != 0 {
        add(&mut masks.number, bit::<6>(of_leads), class::NUMBER);
        add(&mut masks.blank, bit::<5>(of_leads), class::BLANK);
    }
    add(&mut masks.upper, bit::<1>(of_leads), class::UPPER);
    add(&mut masks.caseless, top_bits(of_leads), class::CASELESS);
    last
}

/// The classes of multi-byte characters, at the bytes that they begin with; 0 elsewhere. Those of three
/// bytes or four begin at `long`.
#[inline]
#[target_feature(enable = "avx2")]
fn wide(
    classes: &Classes,
    bytes: &Spread,
    (own, [second, third]): ([__m256i; 2], [[__m256i; 2]; 2]),
    [leads, long]: [u64; 2],
) -> [__m256i; 2] {
    let (mut found, mut four, mut left) = ([byte(0); 2], 0, leads);
    if long != 0 {
        let letters = [0, 1].map(|half| ideographs_and_syllables(own[half], second[half]));
        found =
            letters.map(|letters| _mm256_and_si256(letters, byte(class::LETTER | class::CASELESS)));
        four = long & leads & bit::<3>(own);
        left = leads & !top_bits(letters) & !four;
        if four != 0 {
            four &= !pictures(bytes);
        }
    }
    left = four | by_stretches(classes, bytes, (own, [second, third]), left, &mut found);
    if left != 0 {
        let rest = load(&generic::classes_of(classes, bytes, left));
        found = [_mm256_or_si256(found[0], rest[0]), _mm256_or_si256(found[1], rest[1])];
    }
    found
}

/// Adds the classes of characters of two or three bytes at the bytes that they begin with, of which some are
/// `left`, by stretches of 128 code points. Returns those that are left then.
#[inline]
#[target_feature(enable = "avx2")]
fn by_stretches(
    classes: &Classes,
    bytes: &Spread,
    (own, [second, third]): ([__m256i; 2], [[__m256i; 2]; 2]),
    left: u64,
    found: &mut [__m256i; 2],
) -> u64 {
    let mut left = left;
    for _ in 0..MOST_STRETCHES {
        if left == 0 {
            break;
        }
        let at = left.trailing_zeros() as usize;
        let (first, next) = (bytes[at], bytes[at + 1]);
        let pages = &classes.pages[generic::first_page(first, next)..][..2];
        let leaves =
            [&classes.leaves[usize::from(pages[0])], &classes.leaves[usize::from(pages[1])]];
        let mut same = [byte(0); 2];
        for half in 0..2 {
            let places = if first < 0xE0 {
                same[half] = _mm256_cmpeq_epi8(even(own[half]), byte(first & 0xFE));
                within(own[half], second[half])
            } else {
                let next = _mm256_cmpeq_epi8(even(second[half]), byte(next & 0xFE));
                same[half] = _mm256_and_si256(_mm256_cmpeq_epi8(own[half], byte(first)), next);
                within(second[half], third[half])
            };
            let classes = _mm256_and_si256(same[half], looked_up(leaves, places));
            found[half] = _mm256_or_si256(found[half], classes);
        }
        left &= !top_bits(same);
    }
    left
}

/// A bit for each byte of a block that begins a rare character.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn find_rare(rare: &Rare, bytes: &Spread) -> u64 {
    let own = load(bytes);
    let leads = top_bits(own) & bit::<1>(own);
    if leads == 0 {
        return 0;
    }
    let (nibbles, mut found) = (byte(0x0F), [byte(0); 2]);
    let absent = own.map(|own| {
        let three = _mm256_cmpeq_epi8(_mm256_andnot_si256(nibbles, own), byte(0xE0));
        let absent = _mm256_shuffle_epi8(table(&rare.absent), _mm256_and_si256(own, nibbles));
        _mm256_and_si256(three, absent)
    });
    let four = leads & bit::<2>(own) & bit::<3>(own);
    let left = leads & !four & !top_bits(absent);
    let vectors = (own, [load(&bytes[1..]), load(&bytes[2..])]);
    let left = by_stretches(&rare.classes, bytes, vectors, left, &mut found);
    let none = top_bits(found.map(|found| _mm256_cmpeq_epi8(found, byte(0))));
    !none | generic::rare_of(rare, bytes, left | four)
}

/// Small letters, bytes beyond ASCII and visible spaces.
#[target_feature(enable = "avx2")]
pub(super) fn runs(block: &[u8; BLOCK]) -> Runs {
    let own = load(block);
    let from_a = own.map(|own| _mm256_sub_epi8(own, byte(b'a')));
    let small = from_a.map(|place| _mm256_cmpeq_epi8(_mm256_min_epu8(place, byte(25)), place));
    let is = |value| top_bits(own.map(|own| _mm256_cmpeq_epi8(own, byte(value))));
    let spaces = is(0xE2) & is(0x96) >> 1 & is(0x81) >> 2;
    Runs { small: top_bits(small), high: top_bits(own), spaces }
}

/// The bytes of two leaves at some places.
#[inline]
#[target_feature(enable = "avx2")]
fn looked_up(leaves: [&[u8; 64]; 2], places: __m256i) -> __m256i {
    let mut found = byte(0);
    for row in 0..8_u8 {
        let own = leaves[usize::from(row / 4)][usize::from(row % 4) * 16..].first_chunk();
        // A shuffle gives 0 where the top bit is set, as it is then in all rows but the own.
        let here = _mm256_xor_si256(places, byte(row << 4));
        let here = _mm256_adds_epu8(here, byte(0x70));
        let table = table(own.expect("a leaf has four rows"));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(table, here));
    }
    found
}

/// Where characters begin that are U+2010 to U+2027: dashes, quotes and dots, of no class. In many languages
/// most blocks with a character of several bytes have none but these.
#[inline]
#[target_feature(enable = "avx2")]
fn dashes_and_quotes(own: __m256i, second: __m256i, third: __m256i) -> __m256i {
    let from_first = _mm256_sub_epi8(third, byte(0x90));
    let range = _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, byte(0xA7 - 0x90)), from_first);
    let page = _mm256_cmpeq_epi8(second, byte(0x80));
    _mm256_and_si256(_mm256_and_si256(_mm256_cmpeq_epi8(own, byte(0xE2)), page), range)
}

/// Where characters begin that are U+1F000 to U+1FFFF, pictures mostly, of no class: all but the blocks of 64
/// that have numbers, from U+1F100 and U+1FBC0 on. (Not inlined: it is seldom asked, and would take registers.)
#[inline(never)]
#[target_feature(enable = "avx2")]
fn pictures(bytes: &Spread) -> u64 {
    let [first, second, third] = [0, 1, 2].map(|from| load(&bytes[from..]));
    let is = |bytes, value| _mm256_cmpeq_epi8(bytes, byte(value));
    let of = |half: usize| {
        let numbers = _mm256_or_si256(is(third[half], 0x84), is(third[half], 0xAF));
        let all = _mm256_and_si256(is(first[half], 0xF0), is(second[half], 0x9F));
        _mm256_andnot_si256(numbers, all)
    };
    top_bits([of(0), of(1)])
}

/// Where characters begin that are letters without case, one like the other: U+4000 to U+9FFF
/// without the hexagrams, and U+AC00 to U+D77F.
#[inline]
#[target_feature(enable = "avx2")]
fn ideographs_and_syllables(own: __m256i, second: __m256i) -> __m256i {
    let from_first = _mm256_sub_epi8(own, byte(0xE4));
    let range = _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, byte(0xED - 0xE4)), from_first);
    let is = |first: u8| _mm256_cmpeq_epi8(own, byte(first));
    let hexagrams = _mm256_and_si256(is(0xE4), _mm256_cmpeq_epi8(second, byte(0xB7)));
    let to = |last: u8| _mm256_cmpeq_epi8(_mm256_min_epu8(second, byte(last)), second);
    let before = _mm256_and_si256(is(0xEA), to(0xAF));
    let behind = _mm256_andnot_si256(to(0x9D), is(0xED));
    let others = _mm256_or_si256(hexagrams, _mm256_or_si256(before, behind));
    _mm256_andnot_si256(others, range)
}

#[inline]
#[target_feature(enable = "avx2")]
fn byte(value: u8) -> __m256i {
    _mm256_set1_epi8(value.cast_signed())
}

/// The bytes without their lowest bits.
#[inline]
#[target_feature(enable = "avx2")]
fn even(bytes: __m256i) -> __m256i {
    _mm256_and_si256(bytes, byte(0xFE))
}

/// Places in a stretch: the lowest bit of the last byte but one, and six of the last.
#[inline]
#[target_feature(enable = "avx2")]
fn within(bytes: __m256i, last: __m256i) -> __m256i {
    let high = _mm256_and_si256(_mm256_slli_epi16::<6>(bytes), byte(0x40));
    _mm256_or_si256(high, _mm256_and_si256(last, byte(0x3F)))
}

/// The masks of those of 64 bytes that are characters.
#[inline]
#[target_feature(enable = "avx2")]
fn ascii(halves: [__m256i; 2]) -> Masks {
    let of_bytes = [rectangles(halves[0]), rectangles(halves[1])];
    let letter = bit::<7>(of_bytes) | bit::<6>(of_bytes);
    let space = bit::<2>(of_bytes);
    Masks {
        letter,
        number: bit::<5>(of_bytes),
        blank: bit::<4>(of_bytes) | space,
        newline: bit::<3>(of_bytes),
        space,
        quote: bit::<1>(of_bytes),
        upper: (letter & !bit::<2>(halves)) | top_bits(of_bytes),
        caseless: 0,
        inner: 0,
    }
}

/// Which rectangles each byte is in.
#[inline]
#[target_feature(enable = "avx2")]
fn rectangles(bytes: __m256i) -> __m256i {
    let nibbles = _mm256_set1_epi8(0x0F);
    let low = _mm256_and_si256(bytes, nibbles);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibbles);
    let low = _mm256_shuffle_epi8(table(&LOW), low);
    _mm256_and_si256(low, _mm256_shuffle_epi8(table(&HIGH), high))
}

/// One bit of each byte: the one that moving by `LEFT` brings to the top.
#[inline]
#[target_feature(enable = "avx2")]
fn bit<const LEFT: i32>([low, high]: [__m256i; 2]) -> u64 {
    top_bits([_mm256_slli_epi16::<LEFT>(low), _mm256_slli_epi16::<LEFT>(high)])
}

#[inline]
#[target_feature(enable = "avx2")]
fn top_bits([low, high]: [__m256i; 2]) -> u64 {
    let low = _mm256_movemask_epi8(low).cast_unsigned();
    let high = _mm256_movemask_epi8(high).cast_unsigned();
    u64::from(low) | u64::from(high) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn table(table: &[u8; 16]) -> __m256i {
    // SAFETY: the array has 16 bytes, which is what is loaded.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8]) -> [__m256i; 2] {
    let block: &[u8; BLOCK] = bytes.first_chunk().expect("there is a whole block");
    let (low, high) = block.split_at(BLOCK / 2);
    // SAFETY: both parts have 32 bytes, which is what is loaded.
    unsafe { [_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())] }
}

/// Writes the positions of the bits that are set: eight for each byte of them, of which those stay that
/// it has.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn flatten(bits: &[u64], base: u32, positions: &mut [u32]) -> usize {
    let (mut count, mut base) = (0, _mm256_set1_epi32(base.cast_signed()));
    let eight = _mm256_set1_epi32(8);
    for &block in bits {
        let room: &mut [u32; BLOCK] =
            positions[count..].first_chunk_mut().expect("there is room for every bit");
        let (mut left, mut own) = (block, 0);
        for eighth in 0..8 {
            let byte = left & 0xFF;
            // SAFETY: the array has eight bytes.
            let places = unsafe { _mm_loadl_epi64(PLACES[byte as usize].as_ptr().cast()) };
            let wide = _mm256_add_epi32(_mm256_cvtepu8_epi32(places), base);
            debug_assert!(own <= 8 * eighth);
            // SAFETY: no more are written before than eight for each byte, and there is room for 64.
            unsafe { _mm256_storeu_si256(room.as_mut_ptr().add(own).cast(), wide) };
            own += byte.count_ones() as usize;
            base = _mm256_add_epi32(base, eight);
            left >>= 8;
        }
        count += own;
    }
    count
}
