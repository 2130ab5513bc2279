//! Every kernel against the plain one.

use super::*;
use crate::pretokenize::classes;

/// Characters of all lengths, and of many stretches of code points.
const CHARACTERS: &str = "aZ0 \n\r\t'/!\u{7F}\u{80}\u{85}é߿ࠀ\u{200A}\u{200F}‐—’”…\u{2027}\u{2028}\u{202F}\u{2090}क\u{93F}ไ\u{E31}かヾ。，\u{3000}㐀䶿䷀䷿一龥鿿ꀀ\u{ABFF}가힣\u{D7A4}\u{D7FF}\u{FEFF}\u{FFFD}😀🯹🄀🏽𐐀𠀀\u{10FFFF}Яяیא";

/// Text of random characters, with runs of some.
fn text(length: usize, mut state: u64) -> String {
    let characters: Vec<char> = CHARACTERS.chars().collect();
    let mut text = String::new();
    while text.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let random = (state >> 33) as usize;
        let character = characters[random % characters.len()];
        text.extend(std::iter::repeat_n(character, 1 + (random >> 8) % 30 / 9));
    }
    text
}

#[test]
fn kernels_classify_alike() {
    let classes = classes::classes();
    for seed in 0..200 {
        let text = text(64 * 9, seed);
        for start in 0..32 {
            let bytes = &text.as_bytes()[start..];
            let blocks = [[Masks::default(); 8]; 2];
            let [mut plain, mut own] = blocks;
            for before in [0, class::LETTER | class::UPPER, class::BLANK, class::CASELESS] {
                generic::classify(classes, bytes, before, &mut plain);
                for kernel in Kernel::available() {
                    classify(kernel, classes, bytes, before, &mut own);
                    assert_eq!(own, plain, "{kernel:?} on {:?} from {start}", &text);
                }
            }
        }
    }
}

#[test]
fn kernels_classify_all_characters_of_four_bytes_alike() {
    let classes = classes::classes();
    let all: Vec<char> = ('\u{1F000}'..='\u{20040}').chain('\u{1D400}'..='\u{1D800}').collect();
    for some in all.chunks(16) {
        let text: String = some.iter().chain(&['a'; 2 * BLOCK]).collect();
        let [mut plain, mut own] = [[Masks::default(); 1]; 2];
        generic::classify(classes, text.as_bytes(), 0, &mut plain);
        for kernel in Kernel::available() {
            classify(kernel, classes, text.as_bytes(), 0, &mut own);
            assert_eq!(own, plain, "{kernel:?} on {text:?}");
        }
    }
}

#[test]
fn kernels_tell_the_same_positions() {
    let (mut plain, mut own) = ([0; 5 * BLOCK], [0; 5 * BLOCK]);
    let (mut bits, mut state) = ([0_u64; 5], 1_u64);
    for round in 0..2000_u32 {
        for block in &mut bits {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *block =
                state.rotate_left(round) & u64::MAX.rotate_left(round).wrapping_shl(round % 65);
            if round % 7 == 0 {
                *block = [0, !0, 1, 1 << 63][(state >> 62) as usize];
            }
        }
        let count = bits.iter().map(|block| block.count_ones() as usize).sum::<usize>();
        assert_eq!(generic::flatten(&bits, 64 * round, &mut plain), count);
        let set =
            |position: u32| bits[(position / 64 - round) as usize] >> (position % 64) & 1 == 1;
        assert!(plain[..count].iter().all(|&position| set(position)));
        assert!(plain[..count].is_sorted_by(|one, next| one < next));
        for kernel in Kernel::available() {
            assert_eq!(flatten(kernel, &bits, 64 * round, &mut own), count);
            assert_eq!(own[..count], plain[..count]);
        }
    }
}

#[test]
fn kernels_find_the_same_runs() {
    let characters: Vec<char> = "az`{AZ  ▁▁▁\u{2580}\u{2582}\u{25C1}\0é中😀".chars().collect();
    let mut state = 3_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        while text.len() < 2 * BLOCK {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push(characters[(state >> 33) as usize % characters.len()]);
        }
        // from within a character, too
        let block = text.as_bytes()[(state >> 50) as usize % 4..].first_chunk().expect("is longer");
        let bits = |is: &dyn Fn(usize) -> bool| {
            (0..BLOCK).fold(0, |bits, at| bits | u64::from(is(at)) << at)
        };
        let told = Runs {
            small: bits(&|at| block[at].is_ascii_lowercase()),
            high: bits(&|at| !block[at].is_ascii()),
            spaces: bits(&|at| block[at..].starts_with("▁".as_bytes())),
        };
        for kernel in Kernel::available() {
            assert_eq!(runs(kernel, block), told, "{kernel:?} on {block:?}");
        }
    }
}
