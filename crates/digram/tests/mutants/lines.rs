//! Files of lines: lines and their fields are replaced, removed, repeated and moved.

use super::random::{Random, SPITE};

/// A file with one to three changes.
pub fn mutate(file: &[u8], random: &mut Random) -> Vec<u8> {
    let text = std::str::from_utf8(file).expect("samples are sound");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        change(&mut lines, random);
    }
    let mut mutant = lines.join(*random.pick(&["\n", "\n", "\n", "\r\n", "\n\n"])).into_bytes();
    if random.below(10) == 0 && !mutant.is_empty() {
        let place = random.below(mutant.len());
        mutant[place] = random.below(256) as u8;
    }
    if random.below(20) == 0 {
        mutant.truncate(random.below(mutant.len() + 1));
    }
    mutant
}

fn change(lines: &mut Vec<String>, random: &mut Random) {
    if lines.is_empty() {
        return;
    }
    // the beginning, where headers are, more often than others
    let place = if random.below(4) == 0 { 0 } else { random.below(lines.len()) };
    let other = random.below(lines.len());
    match random.below(8) {
        0 => drop(lines.remove(place)),
        1 => lines.insert(place, lines[other].clone()),
        2 => lines.swap(place, other),
        3 => (*random.pick(SPITE)).clone_into(&mut lines[place]),
        4 => lines[place] = joined(&lines[place], &lines[other], random),
        5 => lines[place] = lines[place].repeat(random.below(200)),
        _ => change_field(&mut lines[place], random),
    }
}

/// The left part of a line and the right part of another.
fn joined(left: &str, right: &str, random: &mut Random) -> String {
    let cut = |text: &str, place: usize| text.char_indices().nth(place).map_or(text.len(), |c| c.0);
    let left = &left[..cut(left, random.below(8))];
    format!("{left} {}", &right[cut(right, random.below(8))..])
}

fn change_field(line: &mut String, random: &mut Random) {
    let separator = if line.contains(';') { ";" } else { " " };
    let mut fields: Vec<String> = line.split(separator).map(str::to_owned).collect();
    let place = random.below(fields.len());
    match random.below(4) {
        0 => drop(fields.remove(place)),
        1 => fields.push((*random.pick(SPITE)).to_owned()),
        2 => fields.reverse(),
        _ => (*random.pick(SPITE)).clone_into(&mut fields[place]),
    }
    *line = fields.join(separator);
}
