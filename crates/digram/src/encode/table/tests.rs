use super::*;

#[test]
fn keys_are_equal_where_words_are() {
    let text = b"\0\0\0aab a aaaaaaaaaaaaaaaa 0123456789abcde";
    let mut seen: Vec<(Key, &[u8])> = Vec::new();
    for start in 0..text.len() {
        for end in start + 1..=text.len().min(start + MAX_WORD) {
            let found = key(text, start as u32, end as u32);
            let copied = key(&text[start..end], 0, (end - start) as u32);
            assert_eq!(found, copied, "padding from outside the word");
            assert!(!is_without_ascii(found, (end - start) as u32));
            seen.push((found, &text[start..end]));
        }
        if start + MAX_WORD < text.len() {
            assert_eq!(key(text, start as u32, text.len() as u32), TOO_LONG);
        }
    }
    let with = |text: &str| {
        is_without_ascii(key(text.as_bytes(), 0, text.len() as u32), text.len() as u32)
    };
    assert!(["é", " é", "日本語の単", "1é", "。。", " привет"].iter().all(|word| with(word)));
    let others = ["", "a", " ", "12", "!?", "abcé", "éa", "Zé", "aaaaaaaaaaaaaé", "単a", " né"];
    assert!(others.iter().all(|word| !with(word)));
    for (a, word) in &seen {
        assert!(*a != 0 && *a != TOO_LONG && of_part(*a, true) != *a);
        assert!(seen.iter().all(|(b, other)| (a == b) == (word == other)));
    }
}

#[test]
fn a_table_of_any_size_answers_right_or_not_at_all() {
    for (near, far) in [
        ([1, 1, 1], [2, 2, 2]),
        ([4, 4, 4], [8, 8, 8]),
        ([1, 4, 4], [8, 8, 8]),
        ([1, 1, 4], [8, 8, 8]),
        ([1, 2, 4], [2, 1 << 5, 1 << 5]),
        ([1 << 10, 1 << 10, 1 << 10], [1 << 4, 1 << 8, 1 << 12]),
        ([1 << 3, 1 << 10, 1 << 10], [1 << 4, 1 << 4, 1 << 12]),
        ([1 << 3, 1 << 7, 1 << 10], [1 << 4, 1 << 12, 1 << 12]),
        ([1 << 10, 1 << 10, 1 << 10], [1 << 12, 1 << 12, 1 << 12]),
    ] {
        let mut table = Table::with_slots(near, far);
        let mut spare = Spare::of(1 << 17);
        let mut found = 0;
        for number in 0..20_000_u32 {
            let word = (number % 3_000).to_string();
            let word_key = key(word.as_bytes(), 0, word.len() as u32);
            let value = Packed::from(number % 3_000);
            let near = table.slots()[table.home(word_key)];
            if near[0] == word_key {
                assert_eq!(near[1], value);
                found += 1;
            } else if let Some(far) = table.find_far(word_key) {
                assert_eq!(far, value);
                found += 1;
                table.promote(word_key, far);
            } else {
                table.insert_far(word_key, value, &mut spare);
            }
        }
        assert!(near[2] < 1 << 10 || found > 10_000, "only {found} found");
    }
}

#[test]
fn larger_tables_hold_what_the_small_ones_held() {
    let mut table = Table::with_slots([1 << 3, 1 << 10, 1 << 10], [1 << 6, 1 << 12, 1 << 12]);
    let mut spare = Spare::of(0);
    let words: Vec<(Key, Packed)> = (0..40_u32)
        .map(|number| {
            let word = number.to_string();
            let value = Packed::from(number);
            (key(word.as_bytes(), 0, word.len() as u32), value)
        })
        .collect();
    for (round, &(key, value)) in words.iter().chain(&words[..10]).enumerate() {
        if round < words.len() {
            table.insert_far(key, value, &mut spare);
        }
        table.promote(key, value);
    }
    assert!(table.near() == 1 << 10, "32 of 40 words were driven out of 8 places");
    for &(key, value) in &words {
        assert_eq!(table.find_far(key), Some(value));
        let near = table.slots()[table.home(key)];
        assert!(near[0] != key || near[1] == value);
    }
    let mut one = Table::with_slots([1 << 3, 1 << 10, 1 << 10], [1 << 6, 1 << 12, 1 << 12]);
    (0..100).for_each(|_| one.promote(words[0].0, words[0].1));
    assert_eq!(one.near(), 1 << 3, "a word does not drive itself out");
}

#[test]
fn tables_stay_where_there_is_no_memory_for_larger_ones() {
    let mut table =
        Table::with_slots([1 << 3, 1 << 10, 1 << 10], [1 << 6, 1 << 12, usize::MAX >> 8]);
    let mut spare = Spare::of(usize::MAX);
    for number in 0..2_000_u32 {
        let word = number.to_string();
        let key = key(word.as_bytes(), 0, word.len() as u32);
        table.insert_far(key, Packed::from(number), &mut spare);
        assert_eq!(table.find_far(key), Some(Packed::from(number)));
        table.promote(key, Packed::from(number));
        assert_eq!(table.slots()[table.home(key)], [key, Packed::from(number)]);
    }
    assert_eq!([table.near(), table.far().len()], [1 << 3, 1 << 6]);
    let mut table = Table::with_slots([1 << 3, 1 << 3, usize::MAX >> 8], [1 << 6; 3]);
    table.near_bits = 52;
    table.driven_out = usize::MAX;
    table.widen();
    assert!(table.wide.is_none() && !table.is_to_widen(), "so much is nowhere");
}

#[test]
fn the_near_table_doubles_where_words_drive_each_other_out() {
    let mut table = Table::with_slots([1 << 3, 1 << 5, 1 << 8], [1 << 10, 1 << 11, 1 << 12]);
    let mut spare = Spare::of(1 << 16);
    let words: Vec<(Key, Packed)> = (0..200_u32)
        .map(|number| {
            let word = number.to_string();
            (key(word.as_bytes(), 0, word.len() as u32), Packed::from(number))
        })
        .collect();
    let (mut sizes, mut driven_out) = (Vec::new(), 0);
    for &(key, value) in &words {
        table.insert_far(key, value, &mut spare);
        driven_out += usize::from(!table.is_free(key));
        table.promote(key, value);
        if sizes.last() != Some(&table.near()) {
            sizes.push(table.near());
            // what fills a small table is driven out again where it moves
            let before = table.near() / 2;
            let crowded = CROWDED[1 + usize::from(before > 1 << 5)];
            assert!(sizes.len() < 3 || driven_out > before / crowded, "{driven_out}");
            driven_out = 0;
        }
        assert_eq!(table.slots()[table.home(key)], [key, value]);
        assert_eq!(table.slots().len(), table.near());
    }
    assert_eq!(sizes, [1 << 3, 1 << 5, 1 << 6, 1 << 7, 1 << 8], "and no larger than that");
    let near = words.iter().filter(|word| table.slots()[table.home(word.0)][0] == word.0).count();
    assert!(near > 100, "{near} of 200 words in 256 places");
    assert!(words.iter().all(|&(key, value)| table.find_far(key) == Some(value)));
    for slot in table.slots().iter().filter(|slot| slot[0] != 0) {
        assert!(words.contains(&(slot[0], slot[1])), "what is there is what was");
    }
    for number in 1000..3000_u32 {
        let word = number.to_string();
        table.insert_far(
            key(word.as_bytes(), 0, word.len() as u32),
            Packed::from(number),
            &mut spare,
        );
    }
    let taken = table.far().iter().filter(|slot| slot[0] != 0).count();
    assert_eq!((table.far().len(), table.taken), (1 << 12, taken), "the far one still grows");
    assert!(taken > 2000, "{taken} of 2,200 words");
}

#[test]
fn the_last_step_of_the_far_table_waits_until_words_were_driven_out() {
    let mut table = Table::with_slots(NEAR, FAR);
    let mut spare = Spare::of(6 << 20);
    let words =
        (1..400_000_u128).map(|number| (number.wrapping_mul(0x9E37_79B9_7F4A_7C15), number));
    let (mut gone, mut sizes) = (0, Vec::new());
    for (key, value) in words.clone() {
        let (before, taken) = (table.far_mask + 1, table.taken);
        table.insert_far(key, value, &mut spare);
        gone += usize::from(table.taken == taken);
        if table.far_mask + 1 != before {
            sizes.push((table.far_mask + 1, gone));
        }
    }
    let (last, so_far) = *sizes.last().expect("it grew");
    assert!(last == FAR[2] && so_far > AMPLE / 2, "{sizes:?}");
    assert!(sizes[sizes.len() - 2].1 < AMPLE / 4, "{sizes:?}");
    let found = words.filter(|&(key, value)| match table.find_far(key) {
        Some(told) => told == value,
        None => false,
    });
    assert_eq!(found.count(), table.taken);
}

#[test]
fn the_far_table_takes_no_more_than_is_its_own_or_left() {
    for (left, slots) in
        [(0, 1 << 8), (32 << 8, 1 << 9), ((32 << 9) - 1, 1 << 9), (1 << 20, 1 << 12)]
    {
        let mut table = Table::with_slots([1 << 4; 3], [1 << 4, 1 << 8, 1 << 12]);
        let mut spare = Spare::of(left);
        for number in 1..10_000_u128 {
            table.insert_far(number.wrapping_mul(0x9E37_79B9_7F4A_7C15), number, &mut spare);
        }
        assert_eq!(table.far().len(), slots, "{left} bytes");
        assert!(left < 1 << 20 || spare.take(left - (32 << 12) + (32 << 8)));
    }
}

/// The far table alone, full of words of which each was met again.
fn full() -> Table {
    let (mut table, mut spare) = (Table::with_slots([1; 3], [1 << 10; 3]), Spare::of(0));
    for number in (0..10_000_u32).flat_map(|number| [number, number]) {
        meet(&mut table, "old", number, &mut spare);
    }
    table
}

/// Whether a word is known; it is then.
fn meet(table: &mut Table, kind: &str, number: u32, spare: &mut Spare) -> bool {
    let word = format!("{kind} {number}");
    let key = key(word.as_bytes(), 0, word.len() as u32);
    let is_known = table.find_far(key).is_some();
    if !is_known {
        table.insert_far(key, number.into(), spare);
    }
    is_known
}

#[test]
fn words_that_come_again_find_their_way_into_a_full_table() {
    let (mut table, mut spare) = (full(), Spare::of(0));
    let mut pass =
        || (0..256).filter(|&number| meet(&mut table, "new", number, &mut spare)).count();
    let found: Vec<usize> = (0..4).map(|_| pass()).collect();
    // of those that share a bucket, one or two to each on average, half of its places are for
    assert!(found[0] == 0 && found[3] > 160, "{found:?}");
}

#[test]
fn words_that_never_come_again_leave_half_of_a_full_table() {
    let (mut table, mut spare) = (full(), Spare::of(0));
    for number in 0..50_000 {
        meet(&mut table, "once", number, &mut spare);
    }
    let left = (0..10_000).filter(|&number| {
        let word = format!("old {number}");
        table.find_far(key(word.as_bytes(), 0, word.len() as u32)).is_some()
    });
    assert_eq!(left.count(), 1 << 9);
}
