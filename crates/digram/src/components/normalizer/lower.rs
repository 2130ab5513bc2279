//! Text in small letters.

use once_cell::race::OnceBox;
use std::ops::RangeInclusive;

use super::spots::{Points, Set};

/// Where characters beyond ASCII stand of which some have a small letter.
const CAPITALS: [RangeInclusive<char>; 4] = [
    '\u{80}'..='\u{2FFF}',
    '\u{A000}'..='\u{AFFF}',
    '\u{F000}'..='\u{FFFF}',
    '\u{1_0000}'..='\u{1_FFFF}',
];

/// Character by character: no final sigma, as Hugging Face has it. What lies between capitals beyond ASCII is
/// made so at once; `None` where nothing changes.
pub(super) fn lowercase(text: &str) -> Option<String> {
    let mut places = capitals().places(text);
    let (mut from, mut to) = (0, places.next(0));
    if to == text.len() && !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let mut lowered = String::with_capacity(text.len());
    loop {
        let begun = lowered.len();
        lowered.push_str(&text[from..to]);
        lowered[begun..].make_ascii_lowercase();
        let Some(capital) = text[to..].chars().next() else { return Some(lowered) };
        lowered.extend(capital.to_lowercase());
        from = to + capital.len_utf8();
        to = places.next(from);
    }
}

/// Those beyond ASCII, found once in a process.
fn capitals() -> &'static Set {
    static KNOWN: OnceBox<Set> = OnceBox::new();
    KNOWN.get_or_init(|| {
        let mut points = Points::none();
        let all = CAPITALS.into_iter().flatten();
        all.filter(|&one| !one.to_lowercase().eq([one])).for_each(|one| points.add(one));
        Box::new(Set::of(&points))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_small_letters_has_each_character_so() {
        let all: Vec<char> = ('\0'..=char::MAX).collect();
        let texts = all.chunks(100).map(|some| some.iter().collect::<String>());
        let mixed =
            all.chunks(7).map(|some| some.iter().flat_map(|&c| ['A', c, 'z', 'Z']).collect());
        let mut changed = 0;
        for text in texts.chain(mixed) {
            let expected: String = text.chars().flat_map(char::to_lowercase).collect();
            let found = lowercase(&text);
            assert_eq!(found.is_none(), expected == text, "{text:?}");
            changed += usize::from(found.is_some());
            assert_eq!(found.unwrap_or(text), expected);
        }
        assert!(changed > 1_000, "only {changed} changed");
    }
}
