"""The engine learns what the reference learns, from 510 corpora: every rule, unit and marker."""

import dataclasses

import pytest
from drawn import MARKERS, TIES, UNITS, counts, learn_options, texts
from hypothesis import given, note, settings
from hypothesis import strategies as st

import digram
from digram import reference

# 5 tie rules, 2 units and 3 markers, this often each.
CORPORA = 17


def outcome(learn, words, options):
    """What training gave, as plain values; or which kind of error it was."""
    try:
        model, report = learn(words, **options)
    except (ValueError, TypeError) as error:
        note(f"{learn.__name__}: {error}")
        return type(error).__name__
    told = {
        field.name: tuple(value)
        if isinstance(value := getattr(report, field.name), list)
        else value
        for field in dataclasses.fields(report)
    }
    return model, told


def by_engine(words, **options):
    tokenizer = digram.train(words, **options)
    return tokenizer.model, tokenizer.training


@pytest.mark.parametrize("marker", MARKERS, ids=["unmarked", "separate", "attached"])
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("ties", TIES)
def test_engine_and_reference_learn_the_same_from_any_words(ties, units, marker):
    @settings(max_examples=CORPORA)
    @given(counts(), learn_options(units))
    def agree(words, options):
        options = {"ties": ties, "units": units, **marker, **options}
        ours = outcome(by_engine, words, options)
        theirs = outcome(reference.learn, words, options)
        assert ours == theirs

    agree()


@st.composite
def required_tokens(draw, marker):
    """Letters that no pattern splits, with the marker behind some of them."""
    tokens = st.text(alphabet="abé漢x", min_size=1, max_size=6)
    ends = st.sampled_from(["", marker.get("end_of_word", "")])
    return [token + draw(ends) for token in draw(st.lists(tokens, max_size=4))]


@pytest.mark.parametrize("marker", MARKERS, ids=["unmarked", "separate", "attached"])
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("ties", TIES)
def test_engine_and_reference_make_the_same_required_tokens_first(ties, units, marker):
    @settings(max_examples=CORPORA)
    @given(counts(), learn_options(units), required_tokens(marker))
    def agree(words, options, required):
        options = {"ties": ties, "units": units, "required": required, **marker, **options}
        ours = outcome(by_engine, words, options)
        theirs = outcome(reference.learn, words, options)
        assert ours == theirs
        if isinstance(ours, str) or not required:
            return
        tok = digram.train(words, **options)
        tokens = {tok.tokens[i].decode(errors="replace") for i in tok.tokens}
        for token in required:
            assert tokens & {token, token.removesuffix(marker.get("end_of_word", ""))}
            if token.endswith(marker.get("end_of_word", "")):
                word = token.removesuffix(marker.get("end_of_word", ""))
                assert len(tok.encode(word)) == 1

    agree()


@pytest.mark.parametrize("units", UNITS)
@given(st.lists(texts(), min_size=1, max_size=4), st.sampled_from(["gpt2", "o200k", "whitespace"]))
def test_engine_and_reference_count_and_learn_the_same_from_any_texts(units, corpus, pattern):
    special = ["<s>", "the", " "]
    words = reference.count_words(corpus, pattern=pattern, special_tokens=special)
    counted = digram.count(corpus, pattern=pattern, special_tokens=special)
    assert list(counted.items()) == list(words.items())
    if not words:
        with pytest.raises(ValueError, match="the corpus is empty"):
            digram.train(corpus, pattern=pattern, special_tokens=special)
        return
    options = {"units": units, "pattern": pattern, "num_merges": 10, "special_tokens": special}
    options["initial_alphabet"] = "seen"
    ours = outcome(digram_train_of_texts(corpus), words, options)
    assert ours == outcome(reference.learn, words, options)


def digram_train_of_texts(corpus):
    def by_engine_from_texts(_words, **options):
        return by_engine(corpus, **options)

    return by_engine_from_texts


@given(counts(), counts(), st.sampled_from(TIES))
def test_counts_of_two_corpora_add_up(first, second, ties):
    """`count(A) + count(B)` teaches what `count(A + B)` teaches."""
    one, two = (
        [word for word, count in words.items() for _ in range(count)] for words in (first, second)
    )
    options = {"pattern": "whitespace", "threads": 1}
    both = digram.count(one, **options) + digram.count(two, **options)
    whole = digram.count(one + two, **options)
    assert list(both.items()) == list(whole.items())
    learned = [digram.train(counted, ties=ties, num_merges=8).model for counted in (both, whole)]
    assert learned[0] == learned[1]


@pytest.mark.parametrize("marker", MARKERS, ids=["unmarked", "separate", "attached"])
@pytest.mark.parametrize("ties", TIES)
def test_learning_in_two_steps_is_learning_in_one(ties, marker):
    """`train(n + m) == train(m, extend=train(n))`, and the report of the second step goes on."""

    @settings(max_examples=CORPORA)
    @given(counts(), st.sampled_from(UNITS), st.integers(0, 12), st.integers(1, 12))
    def agree(words, units, first, second):
        made = {"units": units, "special_tokens": ["ab", "<s>"], **marker}
        limits = {"ties": ties, "min_frequency": 2}
        whole = digram.train(words, num_merges=first + second, **made, **limits)
        begun = digram.train(words, num_merges=first, **made, **limits)
        later = digram.train(words, num_merges=second, extend=begun, **limits)
        assert (later.model, later.fingerprint) == (whole.model, whole.fingerprint)
        assert later.training.stopped == whole.training.stopped
        assert later.training.live_frequencies == whole.training.live_frequencies
        assert later.training.tokens == whole.training.tokens
        learned = len(begun.merges)
        assert list(later.training.pairs) == list(whole.training.pairs)[learned:]
        assert later.training.text_bytes == whole.training.text_bytes
        again = later.at(learned)
        assert (again.model, list(again.training.pairs)) == (begun.model, [])

    agree()


@given(
    st.lists(texts(), min_size=1, max_size=4), st.integers(0, 8), st.sampled_from(["gpt2", None])
)
def test_texts_are_split_as_the_tokenizer_to_extend_splits_them(corpus, first, pattern):
    made = {"pattern": pattern, "normalizer": "NFC", "special_tokens": ["<s>", "the"]}
    try:
        whole = digram.train(corpus, num_merges=first + 5, **made)
    except ValueError:
        return
    begun = digram.train(corpus, num_merges=first, **made)
    counted = digram.count(corpus, **made)
    for source in (corpus, counted, dict(counted)):
        assert digram.train(source, num_merges=5, extend=begun).model == whole.model


def test_what_does_not_go_with_extend_is_refused():
    begun = digram.train(["low lower"], num_merges=1, pattern="gpt2")
    with pytest.raises(ValueError, match=r"special_tokens is given, .* is extended keeps its own"):
        digram.train(["low"], extend=begun, special_tokens=["<s>"])
    with pytest.raises(
        ValueError, match=r"the words were counted with .*; count them with pattern=tok"
    ):
        digram.train(digram.count(["low"], pattern="whitespace"), extend=begun)
    with pytest.raises(
        ValueError, match="vocab_size is 100, but the tokens to be extended are 257 already"
    ):
        digram.train(["low"], extend=begun, vocab_size=100)
    with pytest.raises(ValueError, match="the corpus is empty"):
        digram.train([""], extend=begun)


@given(st.lists(texts(120), min_size=1, max_size=12), st.sampled_from(TIES))
def test_threads_cannot_be_observed_in_training(corpus, ties):
    saved = {outcome_of_threads(corpus, ties, threads) for threads in (1, 2, 3, 7, 10**9)}
    assert len(saved) == 1


def outcome_of_threads(corpus, ties, threads):
    try:
        tokenizer = digram.train(corpus, ties=ties, num_merges=12, threads=threads)
    except ValueError as error:
        return str(error)
    return tokenizer.fingerprint, tuple(tokenizer.training.frequencies)


@given(st.lists(texts(120), min_size=1, max_size=6), st.integers(1, 60))
def test_the_size_of_parts_cannot_be_observed_in_counting(corpus, part):
    """Long texts are cut for many threads, where no word can cross the cut."""
    split = digram.count([], pattern="o200k")._split
    whole, cut = (digram._core.Counter(split, None, ["<s>"], 2, size) for size in (None, part))
    for counter in (whole, cut):
        counter.add(corpus, 0, None)
    assert cut.finish().items() == whole.finish().items()
