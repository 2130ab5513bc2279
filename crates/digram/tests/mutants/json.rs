//! Files of JSON: their values are replaced, removed, repeated, moved and nested.

use serde_json::{Map, Value, json};

use super::lines;
use super::random::{Random, SPITE};

/// A file with one to three changes.
pub fn mutate(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(file).expect("samples are sound");
    for _ in 0..=random.below(3) {
        let donor = at(&value, random).clone();
        change(at_mut(&mut value, random), donor, random);
    }
    let mut text = value.to_string();
    if random.below(20) == 0 {
        // a key twice, or a value that JSON does not have
        let places: Vec<usize> = text.match_indices(',').map(|(place, _)| place).collect();
        if !places.is_empty() {
            let extra =
                *random.pick(&[",\"model\":null", ",\"type\":\"BPE\"", ",NaN", ",\"\\ud800\":1"]);
            text.insert_str(*random.pick(&places), extra);
        }
    }
    text.into_bytes()
}

/// `vocab.json` and `merges.txt`, one or the other changed.
pub fn mutate_pair(file: &[u8], random: &mut Random) -> Vec<u8> {
    let between = file.iter().position(|&byte| byte == 0x1E).expect("two files");
    let (vocab, merges) = (&file[..between], &file[between + 1..]);
    let vocab = if random.below(2) == 0 { mutate(vocab, random) } else { vocab.to_vec() };
    let merges = if random.below(2) == 0 { lines::mutate(merges, random) } else { merges.to_vec() };
    [vocab, vec![0x1E], merges].concat()
}

/// How many values there are, containers included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

fn at<'a>(value: &'a Value, random: &mut Random) -> &'a Value {
    let mut place = random.below(count(value));
    let mut found = value;
    while place > 0 {
        place -= 1;
        let mut inner: Box<dyn Iterator<Item = &Value>> = match found {
            Value::Array(items) => Box::new(items.iter()),
            Value::Object(fields) => Box::new(fields.values()),
            _ => unreachable!("it holds as many values as were counted"),
        };
        found = inner.find(|inner| skips(inner, &mut place)).expect("counted");
    }
    found
}

fn at_mut<'a>(value: &'a mut Value, random: &mut Random) -> &'a mut Value {
    let mut place = random.below(count(value));
    let mut found = value;
    while place > 0 {
        place -= 1;
        let mut inner: Box<dyn Iterator<Item = &mut Value>> = match found {
            Value::Array(items) => Box::new(items.iter_mut()),
            Value::Object(fields) => Box::new(fields.values_mut()),
            _ => unreachable!("it holds as many values as were counted"),
        };
        found = inner.find(|inner| skips(inner, &mut place)).expect("counted");
    }
    found
}

/// Whether the value at `place` is in this one; if not, it is passed by.
fn skips(inner: &Value, place: &mut usize) -> bool {
    let values = count(inner);
    let is_here = *place < values;
    *place -= if is_here { 0 } else { values };
    is_here
}

fn change(value: &mut Value, donor: Value, random: &mut Random) {
    match random.below(8) {
        0 => *value = donor,
        1 => *value = any(random),
        2 => *value = Value::Array(vec![donor; 1 + random.below(40)]),
        3 => {
            for _ in 0..=random.below(90) {
                *value = json!({"type": "Sequence", "normalizers": [value.take()]});
            }
        }
        _ => match value {
            Value::Array(items) => change_items(items, random),
            Value::Object(fields) => change_fields(fields, donor, random),
            Value::Number(number) => {
                let near = number.as_i64().unwrap_or(0).saturating_add(*random.pick(&[-1, 0, 1]));
                *value = if random.below(2) == 0 { json!(near) } else { any(random) };
            }
            Value::String(text) => match random.below(4) {
                0 => *text = text.repeat(random.below(300)),
                1 => text.push_str(random.pick::<&str>(SPITE)),
                2 => *text = text.chars().skip(1).collect(),
                _ => (*random.pick(SPITE)).clone_into(text),
            },
            _ => *value = any(random),
        },
    }
}

fn change_items(items: &mut Vec<Value>, random: &mut Random) {
    if items.is_empty() {
        items.push(any(random));
        return;
    }
    let place = random.below(items.len());
    match random.below(4) {
        0 => drop(items.remove(place)),
        1 => items.insert(place, items[place].clone()),
        2 => items.reverse(),
        _ => items[place] = any(random),
    }
}

fn change_fields(fields: &mut Map<String, Value>, donor: Value, random: &mut Random) {
    let Some(key) = fields.keys().nth(random.below(fields.len().max(1))).cloned() else { return };
    match random.below(4) {
        0 => drop(fields.remove(&key)),
        1 => drop(fields.insert(key, any(random))),
        2 => drop(fields.insert((*random.pick(SPITE)).to_owned(), donor)),
        _ => drop(fields.insert(key, donor)),
    }
}

/// Any value that a file may have.
fn any(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::from((*random.pick(SPITE)).to_owned()),
        1 => random
            .pick(&[json!(0), json!(1), json!(7), json!(-1), json!(1e9), json!(0.5), json!(2.5)])
            .clone(),
        2 => random
            .pick(&[
                json!(u32::MAX),
                json!(1_u64 << 31),
                json!(u64::MAX),
                json!(i64::MIN),
                json!(1 << 26),
                json!(1e300),
            ])
            .clone(),
        3 => random.pick(&[Value::Null, json!(true), json!(false), json!([]), json!({})]).clone(),
        _ => random.pick(&components()).clone(),
    }
}

/// Components, in sound and unsound states.
fn components() -> Vec<Value> {
    vec![
        json!({"type": "NFKD"}),
        json!({"type": "Replace", "pattern": {"String": ""}, "content": "abab"}),
        json!({"type": "Replace", "pattern": {"Regex": "x*"}, "content": "ab"}),
        json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaaaaaaaa"}),
        json!({"type": "Prepend", "prepend": ""}),
        json!({"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8="}),
        json!({"type": "FixedLength", "length": u64::MAX}),
        json!({"type": "FixedLength", "length": 1}),
        json!({"type": "Metaspace", "replacement": " ", "prepend_scheme": "always", "split": true}),
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        json!({"type": "Split", "pattern": {"Regex": "(?=a)|b"}, "behavior": "Removed", "invert": true}),
        json!({"type": "Split", "pattern": {"String": ""}, "behavior": "Contiguous", "invert": true}),
        json!({"type": "Strip", "content": "a", "start": u64::MAX, "stop": u64::MAX}),
        json!({"type": "CTC", "pad_token": "", "word_delimiter_token": "", "cleanup": true}),
        json!({"type": "BPEDecoder", "suffix": ""}),
        json!({"type": "WordPiece", "prefix": "", "cleanup": true}),
        json!({"type": "ByteFallback"}),
        json!({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}], "pair": [], "special_tokens": {}}),
        json!({"rule": "ranks"}),
        json!({"marker": "separate", "units": "bytes"}),
        json!({"Fixed": 1_u64 << 31}),
    ]
}
