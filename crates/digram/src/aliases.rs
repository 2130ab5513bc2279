//! GPT-2's byte alphabet: each byte spelled as one printable character.
//!
//! Printable bytes stand for themselves; the other 68 are spelled, in ascending order, by the
//! characters from U+0100 on. So the byte 0x20, a space, is spelled `Ġ`.

/// Whether `byte` is its own alias: printable Latin-1, soft hyphen excluded.
const fn is_own_alias(byte: u8) -> bool {
    matches!(byte, 33..=126 | 161..=172 | 174..=255)
}

const fn aliases() -> [char; 256] {
    let mut table = ['\0'; 256];
    let (mut byte, mut others) = (0, 0);
    while byte < 256 {
        table[byte] = if is_own_alias(byte as u8) {
            byte as u8 as char
        } else {
            others += 1;
            match char::from_u32(0xFF + others) {
                Some(alias) => alias,
                None => unreachable!(),
            }
        };
        byte += 1;
    }
    table
}

/// The alias of each byte.
pub const ALIASES: [char; 256] = aliases();

/// The bytes in the order of their aliases: the order that decides ids, and so ties, in training.
pub fn bytes_in_alias_order() -> [u8; 256] {
    let mut bytes: [u8; 256] = std::array::from_fn(|byte| byte as u8);
    bytes.sort_by_key(|&byte| ALIASES[usize::from(byte)]);
    bytes
}

/// The byte that `alias` spells, if any.
pub fn byte_of(alias: char) -> Option<u8> {
    match alias as u32 {
        code @ 0..=0xFF if is_own_alias(code as u8) => Some(code as u8),
        code @ 0x100..=0x143 => Some(OTHERS[code as usize - 0x100]),
        _ => None,
    }
}

const OTHERS: [u8; 68] = {
    let (mut table, mut count, mut byte) = ([0; 68], 0, 0_usize);
    while byte < 256 {
        if !is_own_alias(byte as u8) {
            table[count] = byte as u8;
            count += 1;
        }
        byte += 1;
    }
    table
};

/// Spells bytes: `" is"` becomes `Ġis`.
pub fn spell(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| ALIASES[usize::from(byte)]).collect()
}

/// Writes the spelling of a text behind another.
pub(crate) fn spell_to(text: &str, spelled: &mut String) {
    let mut rest = text;
    loop {
        // what is spelled as it is
        let own = rest.bytes().position(|byte| !byte.is_ascii_graphic()).unwrap_or(rest.len());
        spelled.push_str(&rest[..own]);
        let Some(next) = rest[own..].chars().next() else { return };
        let (bytes, behind) = rest[own..].split_at(next.len_utf8());
        spelled.extend(bytes.bytes().map(|byte| ALIASES[usize::from(byte)]));
        rest = behind;
    }
}

/// The bytes that a spelling means, or `None` where a character is no alias.
pub fn unspell(spelling: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(spelling.len());
    unspell_to(spelling, &mut bytes).then_some(bytes)
}

/// Writes those bytes behind others; false where a character is no alias, and some may be written.
pub(crate) fn unspell_to(spelling: &str, bytes: &mut Vec<u8>) -> bool {
    spelling.chars().all(|character| {
        let byte = byte_of(character);
        bytes.extend(byte);
        byte.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_spelled_as_its_bytes_are() {
        let text: String = ('\0'..='\u{100}').chain("中 é  \u{10FFFF}ab c".chars()).collect();
        let mut spelled = String::from("é");
        spell_to(&text, &mut spelled);
        assert_eq!(spelled, format!("é{}", spell(text.as_bytes())));
    }

    #[test]
    fn every_byte_has_an_alias_and_comes_back() {
        for byte in 0..=255 {
            assert_eq!(unspell(&spell(&[byte])), Some(vec![byte]));
        }
        assert_eq!(spell(b" is\n"), "ĠisĊ");
        assert_eq!(unspell("漢"), None);
    }

    #[test]
    fn alias_order_begins_with_the_printable_bytes() {
        let order = bytes_in_alias_order();
        assert_eq!((order[0], order[187], order[188], order[255]), (b'!', 255, 0, 173));
    }
}
