//! Binary files of tagged values: their tags, lengths and numbers are changed, and their values
//! removed, repeated and moved.

use super::random::{Random, SPITE};

/// Numbers that sizes and ids may be changed to.
const NUMBERS: [u64; 10] = [0, 1, 2, 8, 9, 255, 1 << 31, u32::MAX as u64, 1 << 62, u64::MAX];

/// A GGUF file with one to three changes of its numbers or texts.
///
/// Where its numbers stand follows from its layout: eight bytes of a length go before each text.
pub fn mutate_gguf(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutant = file.to_vec();
    for _ in 0..=random.below(3) {
        let lengths = lengths(&mutant);
        if lengths.is_empty() {
            break;
        }
        let at = *random.pick(&lengths);
        let size = mutant[at] as usize;
        match random.below(6) {
            // the length itself, or the number of a type that stands behind the text
            0 => overwrite(&mut mutant, at, &random.pick(&NUMBERS).to_le_bytes()),
            1 => {
                let kind = random.below(14) as u32;
                overwrite(&mut mutant, at + 8 + size, &kind.to_le_bytes());
            }
            2 => {
                let number = *random.pick(&NUMBERS);
                let place = 8 * random.below(3);
                overwrite(&mut mutant, place, &number.to_le_bytes());
            }
            3 => {
                let text = random.pick(SPITE).as_bytes();
                let new = [&(text.len() as u64).to_le_bytes(), text].concat();
                let end = (at + 8 + size).min(mutant.len());
                mutant.splice(at..end, new);
            }
            4 => {
                let from = *random.pick(&lengths);
                let end = (from + 8 + mutant[from] as usize).min(mutant.len());
                let part = mutant[from..end].to_vec();
                mutant.splice(at..at, part);
            }
            _ => mutant.truncate(at + random.below(12)),
        }
    }
    mutant
}

/// Where lengths of texts stand: a small number in eight bytes, and ASCII behind it.
fn lengths(file: &[u8]) -> Vec<usize> {
    let is_length = |&at: &usize| {
        let Some(bytes) = file.get(at..at + 9) else { return false };
        bytes[0] > 0 && bytes[0] < 60 && bytes[1..8].iter().all(|&b| b == 0) && bytes[8] >= b' '
    };
    (24..file.len()).filter(is_length).collect()
}

fn overwrite(file: &mut [u8], at: usize, bytes: &[u8]) {
    for (place, byte) in (at..).zip(bytes) {
        if let Some(old) = file.get_mut(place) {
            *old = *byte;
        }
    }
}

/// A field of a protobuf message: its number, and what kind of value follows.
#[derive(Clone)]
struct Field {
    tag: u64,
    value: Wire,
}

#[derive(Clone)]
enum Wire {
    Number(u64),
    Bytes(Vec<u8>),
    Fixed(Vec<u8>),
}

/// A protobuf message with one to three changes of its fields, or of those of the messages in it.
pub fn mutate_protobuf(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut fields = fields(file).expect("samples are sound");
    for _ in 0..=random.below(3) {
        change(&mut fields, random);
    }
    let mut mutant = bytes(&fields);
    if random.below(10) == 0 {
        mutant.truncate(random.below(mutant.len() + 1));
    }
    mutant
}

fn change(fields: &mut Vec<Field>, random: &mut Random) {
    if fields.is_empty() {
        return;
    }
    let place = random.below(fields.len());
    let other = fields[random.below(fields.len())].clone();
    match random.below(7) {
        0 => drop(fields.remove(place)),
        1 => fields.insert(place, other),
        2 => fields[place].tag = random.below(1 << 8) as u64,
        3 => fields[place].value = other.value,
        _ => match &mut fields[place].value {
            Wire::Number(number) => *number = *random.pick(&NUMBERS),
            Wire::Fixed(bytes) => {
                let number = random.pick(&[f32::NAN, f32::INFINITY, -0.0, f32::MAX, -1.0]);
                overwrite(bytes, 0, &number.to_le_bytes());
            }
            Wire::Bytes(inner) => match self::fields(inner).filter(|fields| !fields.is_empty()) {
                Some(mut message) if random.below(4) > 0 => {
                    change(&mut message, random);
                    *inner = bytes(&message);
                }
                _ => *inner = random.pick(SPITE).as_bytes().repeat(1 + random.below(50)),
            },
        },
    }
}

/// The fields of a message; `None` where it is none.
fn fields(mut rest: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let tag = number(&mut rest)?;
        let value = match tag & 7 {
            0 => Wire::Number(number(&mut rest)?),
            1 => Wire::Fixed(take(&mut rest, 8)?),
            2 => {
                let length = number(&mut rest)?;
                Wire::Bytes(take(&mut rest, usize::try_from(length).ok()?)?)
            }
            5 => Wire::Fixed(take(&mut rest, 4)?),
            _ => return None,
        };
        fields.push(Field { tag, value });
    }
    Some(fields)
}

fn take(rest: &mut &[u8], count: usize) -> Option<Vec<u8>> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken.to_vec())
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, left) = rest.split_first()?;
        *rest = left;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn bytes(fields: &[Field]) -> Vec<u8> {
    let mut all = Vec::new();
    for field in fields {
        push(field.tag, &mut all);
        match &field.value {
            Wire::Number(number) => push(*number, &mut all),
            Wire::Fixed(bytes) => all.extend_from_slice(bytes),
            Wire::Bytes(bytes) => {
                push(bytes.len() as u64, &mut all);
                all.extend_from_slice(bytes);
            }
        }
    }
    all
}

fn push(mut number: u64, all: &mut Vec<u8>) {
    while number >= 0x80 {
        all.push(number as u8 | 0x80);
        number >>= 7;
    }
    all.push(number as u8);
}
