//! Going on from any moment gives what was never stopped; what was done elsewhere is refused.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::model::{EndOfWord, Units};
use crate::monitor::{Caller, Nobody};
use crate::train::options::Alphabet;
use crate::train::tests::{Random, limit_alphabet, random_options, random_words, run};
use crate::train::{Around, Learned, TrainingReport, build, extend_on, learn_on};

/// Keeps each moment.
#[derive(Default)]
struct Moments(RefCell<Vec<Done>>);

impl Keeper for Moments {
    fn is_due(&self) -> bool {
        true
    }

    fn keep(&self, done: &Done) -> Result<()> {
        self.0.borrow_mut().push(done.clone());
        Ok(())
    }
}

fn go_on(
    counts: &WordCounts,
    options: &LearnOptions,
    done: Done,
) -> Result<(Learned, TrainingReport)> {
    let course = Course { done, keeper: None };
    learn_on(counts, options, course, &Monitor::new(&Nobody))
}

/// Options, sometimes with parts of the words that must be tokens.
fn options_with_required(random: &mut Random, counts: &WordCounts) -> LearnOptions {
    let mut options = LearnOptions { max_token_length: None, ..random_options(random) };
    options.special_tokens.clear();
    options.num_merges = options.num_merges.map(|_| 1000);
    let marker = options.marker().to_owned();
    for (word, _) in counts.iter().take(random.below(4)) {
        let text = String::from_utf8_lossy(word).into_owned();
        if text == marker {
            continue;
        }
        let marker = if random.below(2) == 0 { &*marker } else { "" };
        options.required.push(random.pick(&[text.clone() + marker, text + "xy", "qqq".into()]));
    }
    options
}

#[test]
fn going_on_from_any_moment_gives_what_was_never_stopped() {
    let random = &mut Random::new(91);
    let mut moments_tried = 0;
    for case in 0..150 {
        let counts = random_words(random);
        let mut options = if case % 2 == 0 {
            random_options(random)
        } else {
            options_with_required(random, &counts)
        };
        limit_alphabet(random, &mut options);
        let moments = Moments::default();
        let course = Course { done: Done::default(), keeper: Some(&moments) };
        let at_once = learn_on(&counts, &options, course, &Monitor::new(&Nobody));
        let at_once = at_once.expect("the options are right");
        assert_eq!(at_once, run(&counts, &options));
        for done in moments.0.into_inner() {
            let read = Done::from_bytes(&done.to_bytes()).expect("they were just written");
            assert_eq!(read, done);
            assert_eq!(go_on(&counts, &options, done).expect("it is the same"), at_once);
            moments_tried += 1;
        }
    }
    assert!(moments_tried > 1_000, "{moments_tried}");
}

#[test]
fn long_words_are_spelled_as_they_were() {
    let word = "ab".repeat(100) + &"aab".repeat(60);
    let counts = WordCounts::from_pairs([(word, 3), ("abba".into(), 2)]).expect("small counts");
    let options = LearnOptions { units: Units::Chars, ..LearnOptions::default() };
    let moments = Moments::default();
    let course = Course { done: Done::default(), keeper: Some(&moments) };
    let at_once = learn_on(&counts, &options, course, &Monitor::new(&Nobody));
    let at_once = at_once.expect("the options are right");
    for done in moments.0.into_inner() {
        assert_eq!(go_on(&counts, &options, done).expect("it is the same"), at_once);
    }
}

#[test]
fn extending_goes_on_from_any_moment_too() {
    let random = &mut Random::new(17);
    for _ in 0..60 {
        let counts = random_words(random);
        let options = LearnOptions {
            special_tokens: Vec::new(),
            unk_token: None,
            initial_alphabet: Alphabet::Default,
            ..random_options(random)
        };
        let begun = LearnOptions { num_merges: Some(2), ..options.clone() };
        let model = build(run(&counts, &begun).0, &begun, Around::default()).expect("a model");
        let options = LearnOptions { num_merges: Some(9), ..options };
        let moments = Moments::default();
        let from = |done, keeper| {
            let monitor = Monitor::new(&Nobody);
            extend_on(&counts, &options, &model, Course { done, keeper }, &monitor)
        };
        let (at_once, report) = from(Done::default(), Some(&moments)).expect("it can be extended");
        for done in moments.0.take() {
            let (model, told) = from(done, None).expect("it is the same");
            assert_eq!((&model.rule, &told), (&at_once.rule, &report));
        }
    }
}

/// Stops learning when it is asked for the third time.
struct Stopper(AtomicUsize);

impl Caller for Stopper {
    fn should_stop(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) > 1
    }
}

#[test]
fn what_was_learned_is_kept_when_learning_is_stopped() {
    let random = &mut Random::new(5);
    let mut word = || (0..8).map(|_| random.pick(&["a", "b", "c", "d"])).collect::<String>();
    let counts = WordCounts::from_pairs((0..20_000).map(|_| (word(), 1))).expect("small counts");
    let options = LearnOptions { units: Units::Chars, min_frequency: 1, ..Default::default() };
    let asked = Stopper(AtomicUsize::new(0));
    let moments = Moments::default();
    let course = Course { done: Done::default(), keeper: Some(&moments) };
    let stopped = learn_on(&counts, &options, course, &Monitor::new(&asked));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let done = moments.0.into_inner().pop().expect("it is kept whatever ends it");
    let outcome = go_on(&counts, &options, done).expect("it is the same");
    assert_eq!(outcome, run(&counts, &options));
}

#[test]
fn bytes_cut_off_or_changed_are_refused_or_read_as_other_numbers() {
    let counts = WordCounts::from_pairs([("hug", 10), ("pug", 5), ("hugs", 5)]).expect("small");
    let moments = Moments::default();
    let course = Course { done: Done::default(), keeper: Some(&moments) };
    let options = LearnOptions { units: Units::Chars, ..LearnOptions::default() };
    learn_on(&counts, &options, course, &Monitor::new(&Nobody)).expect("the options are right");
    let bytes = moments.0.into_inner().pop().expect("there is a last one").to_bytes();
    for end in 0..bytes.len() {
        assert!(matches!(Done::from_bytes(&bytes[..end]), Err(Error::Format(_))));
    }
    for place in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0xA5;
        // whatever they are read as, learning ends
        if let Ok(done) = Done::from_bytes(&bytes) {
            drop(go_on(&counts, &options, done));
        }
    }
}

#[test]
fn what_was_done_to_other_words_or_more_than_is_wanted_is_refused() {
    let counts = |words: [(&str, u64); 2]| WordCounts::from_pairs(words).expect("small counts");
    let (one, other) = (counts([("hug", 3), ("pug", 2)]), counts([("hat", 3), ("pug", 2)]));
    let options = LearnOptions { num_merges: Some(2), ..LearnOptions::default() };
    let moments = Moments::default();
    let course = Course { done: Done::default(), keeper: Some(&moments) };
    learn_on(&one, &options, course, &Monitor::new(&Nobody)).expect("the options are right");
    let done = moments.0.into_inner().pop().expect("there is a last one");
    assert!(matches!(go_on(&other, &options, done.clone()), Err(Error::Value(_))));
    let fewer = LearnOptions { num_merges: Some(1), ..LearnOptions::default() };
    let error = go_on(&one, &fewer, done.clone()).expect_err("there are two");
    assert!(error.to_string().contains("num_merges is 1, but 2 merges"), "{error}");
    let end_of_word = Some(EndOfWord { marker: "</w>".into(), attached: false });
    let marked = LearnOptions { end_of_word, ..LearnOptions::default() };
    assert!(matches!(go_on(&one, &marked, done), Err(Error::Value(_))));
}
