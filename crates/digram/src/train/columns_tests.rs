//! Columns against the texts that they were made of.

use proptest::prelude::*;

use super::*;
use crate::train::WordCounts;

impl Memory for Vec<u8> {
    fn size(&self) -> usize {
        self.len()
    }

    fn copy(&self, range: Range<usize>, room: &mut Vec<u8>) -> Result<()> {
        room.extend_from_slice(&self[range]);
        Ok(())
    }
}

/// A column of these rows from the one numbered `skipped` on.
fn column(rows: &[Option<&[u8]>], skipped: usize, is_large: bool) -> Column<Vec<u8>> {
    let (mut validity, mut offsets, mut data) = (Vec::new(), Vec::new(), Vec::new());
    let mut push = |place: usize| {
        let bytes = place.to_ne_bytes();
        let small = (place as u32).to_ne_bytes();
        offsets.extend_from_slice(if is_large { &bytes } else { &small });
    };
    push(0);
    for (nth, row) in rows.iter().enumerate() {
        if nth % 8 == 0 {
            validity.push(0);
        }
        validity[nth / 8] |= u8::from(row.is_some()) << (nth % 8);
        // a row without a value may have bytes all the same
        data.extend_from_slice(row.unwrap_or(b"\xff?"));
        push(data.len());
    }
    let validity = rows.contains(&None).then_some(validity);
    let (offsets, data) = (Some(offsets), Some(data));
    Column { validity, offsets, data, is_large, skipped, rows: rows.len() - skipped }
}

fn all_of_it() -> Part {
    Part::new(None, None)
}

fn counted(threads: usize, feed: impl FnOnce(&mut Counter)) -> WordCounts {
    let mut counter = Counter::new(None, None, &[], Some(threads)).expect("nothing to compile");
    feed(&mut counter);
    counter.finish(&Monitor::silent()).expect("counts")
}

fn listed(counts: &WordCounts) -> Vec<(&[u8], u64)> {
    counts.iter().collect()
}

proptest! {
    #[test]
    fn columns_count_what_their_texts_do(
        rows in prop::collection::vec(prop::option::of(prop_oneof![
            "[aé漢🙂]{0,3}".prop_map(String::into_bytes),
            prop::collection::vec(any::<u8>(), 0..4),
        ]), 0..40),
        skipped in 0..20_usize,
        is_large: bool,
        threads in 1..4_usize,
    ) {
        let rows: Vec<Option<&[u8]>> = rows.iter().map(Option::as_deref).collect();
        let skipped = skipped.min(rows.len());
        let two = [column(&rows, skipped, is_large), column(&rows, 0, !is_large)];
        let mut bad = Vec::new();
        let found = counted(threads, |counter| {
            bad = counter.add_columns(&two, &mut all_of_it(), &Monitor::silent()).expect("counts");
        });
        let (mut texts, mut expected) = (Vec::new(), Vec::new());
        for (column, from) in [(0, skipped), (1, 0)] {
            for (row, bytes) in rows[from..].iter().enumerate() {
                match bytes.map(utf8) {
                    Some(Ok(text)) => texts.push(text),
                    Some(Err(byte)) => expected.push(BadRow { column, row, byte: Some(byte) }),
                    None => expected.push(BadRow { column, row, byte: None }),
                }
            }
        }
        let all = counted(1, |counter| counter.add(&texts, &Monitor::silent()).expect("counts"));
        prop_assert_eq!(bad, expected);
        prop_assert_eq!(listed(&found), listed(&all));
    }

    #[test]
    fn damaged_columns_are_refused_and_never_read_beyond(
        offsets in prop::collection::vec(any::<u8>(), 0..40),
        validity in prop::option::of(prop::collection::vec(any::<u8>(), 0..3)),
        data in prop::option::of(prop::collection::vec(0..128_u8, 0..40)),
        skipped in prop_oneof![0..4_usize, any::<usize>()],
        rows in prop_oneof![0..6_usize, any::<usize>()],
        is_large: bool,
    ) {
        let enough = offsets.len();
        let offsets = Some(offsets);
        let column = Column { validity, offsets, data, is_large, skipped, rows };
        let mut counter = Counter::new(None, None, &[], Some(1)).expect("nothing to compile");
        let outcome = counter.add_columns(&[column], &mut all_of_it(), &Monitor::silent());
        prop_assert!(outcome.is_err() || rows <= enough);
    }
}

#[test]
fn windows_cannot_be_observed() {
    let lines: Vec<String> = (0..ROWS * 2 + 9).map(|n| format!("{} low", n % 97)).collect();
    let large = "est ".repeat(WINDOW / 4 + 3);
    let mut rows: Vec<Option<&[u8]>> = lines.iter().map(|line| Some(line.as_bytes())).collect();
    rows.extend([None, Some(large.as_bytes()), Some(b"end")]);
    let mut texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    texts.extend([large.as_str(), "end"]);
    let columns = [column(&rows, 0, false)];
    let mut bad = Vec::new();
    let found = counted(2, |counter| {
        bad = counter.add_columns(&columns, &mut all_of_it(), &Monitor::silent()).expect("counts");
    });
    let all = counted(1, |counter| counter.add(&texts, &Monitor::silent()).expect("counts"));
    assert_eq!(bad, [BadRow { column: 0, row: lines.len(), byte: None }]);
    assert_eq!(listed(&found), listed(&all));
}

#[test]
fn errors_name_the_row_and_what_its_offset_may_be() {
    let mut counter = Counter::new(None, None, &[], Some(1)).expect("nothing to compile");
    let mut message = |offsets: &[i32]| {
        let offsets: Vec<u8> = offsets.iter().flat_map(|place| place.to_ne_bytes()).collect();
        let (offsets, data) = (Some(offsets), Some(b"low".to_vec()));
        let column = Column { validity: None, offsets, data, is_large: false, skipped: 0, rows: 2 };
        let outcome = counter.add_columns(&[column], &mut all_of_it(), &Monitor::silent());
        outcome.expect_err("is damaged").to_string()
    };
    assert!(message(&[0, 2, 4]).contains("offset of row 2 is 4, and it must be from 2 to 3;"));
    assert!(message(&[-1, 2, 3]).contains("offset of row 1 is -1, and it must be from 0 to 3;"));
    assert!(message(&[0, 2, 1]).contains("offset of row 2 is 1, and it must be from 2 to 3;"));
    assert!(message(&[0, 2]).contains("its offsets end too early"));
}
