"""What the reference's training accepts, refuses and reports."""

import numpy as np
import pytest

import digram
from digram import reference
from digram._report import TrainingReport

LOW = {"low": 5, "lower": 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 0}, "vocab_size is 0"),
        ({"vocab_size": 255}, "vocab_size is 255, but the 0 special tokens and 256 base"),
        ({"num_merges": -1}, "num_merges is -1"),
        ({"min_frequency": -1}, "min_frequency is -1"),
        ({"max_token_length": 0}, "max_token_length is 0"),
        ({"units": "words"}, "units is 'words'; it is one of 'bytes', 'chars'"),
        ({"ties": "random"}, "ties is 'random'; it is one of 'smallest-ids'"),
        ({"marker": "before"}, "marker is 'before'"),
        ({"end_of_word": ""}, "end_of_word is empty"),
        ({"special_tokens": [""]}, "a special token is empty"),
        ({"pattern": ""}, "pattern is empty"),
    ],
)
def test_wrong_options_are_named_with_the_rule(options, message):
    with pytest.raises(ValueError, match=message):
        reference.learn(LOW, **options)


def test_a_lone_text_is_no_list_of_special_tokens():
    with pytest.raises(TypeError, match="special_tokens is the text '<s>'"):
        reference.learn(LOW, special_tokens="<s>")


@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ({}, ValueError, "no words to learn from"),
        ({"": 1}, ValueError, "a word is empty"),
        ({"a": 0}, ValueError, "the count of 'a' is 0"),
        ({"a": -4}, ValueError, "the count of 'a' is -4"),
        ({"a": 1.5}, TypeError, "the count of 'a' must be an int, not float: 1.5"),
        ({"a": True}, TypeError, "the count of 'a' must be an int, not bool: True"),
    ],
)
def test_wrong_counts_are_named_with_the_rule(counts, error, message):
    with pytest.raises(error, match=message):
        reference.learn(counts)


SIZES = ("vocab_size", "num_merges", "min_frequency", "max_token_length")
MARKED = {"end_of_word": "</w>"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        *(({name: value}, TypeError, f"{name} must be") for name in SIZES for value in (1.5, "5")),
        *(({name: True}, TypeError, f"{name} must be an int, not bool") for name in SIZES),
        *(({name: 2**63}, ValueError, f"{name} is 9223372036854775808") for name in SIZES),
        ({"required": ["low", "a b"]}, ValueError, "'a b' is never one word: .* 'a', ' b'"),
        ({"required": ["lo w</w>"], **MARKED}, ValueError, "'lo w</w>' is never one word"),
        ({"required": ["Low"], "normalizer": "Lowercase"}, ValueError, "is split into 'low'"),
        ({"required": [5]}, TypeError, "required holds str, not int: 5"),
        ({"initial_alphabet": [0, 255]}, TypeError, "initial_alphabet holds"),
        ({"initial_alphabet": b"ab"}, TypeError, "initial_alphabet must be"),
        ({"initial_alphabet": ["ab"]}, ValueError, "initial_alphabet holds 'ab'"),
        ({"special_tokens": {"<s>"}}, TypeError, "special_tokens is a set"),
        ({"special_tokens": [b"<s>"]}, TypeError, "special_tokens holds str, not bytes"),
        ({"special_tokens": {"<s>": 5}}, ValueError, "gives '<s>' the id 5"),
        ({"unk_token": b"x"}, TypeError, "unk_token must be a str, or None, not bytes"),
        ({"fuse_unk": True}, ValueError, "fuse_unk says how unk_token is meant"),
        ({"fuse_unk": "no", "unk_token": "?"}, TypeError, "fuse_unk must be True or False"),
        ({"marker": "attached"}, ValueError, "marker says how end_of_word is meant"),
        ({"ties": None}, TypeError, "ties must be"),
        ({"normalizer": "x"}, ValueError, "normalizer is 'x'"),
    ],
    ids=repr,
)
def test_both_engines_refuse_the_same_options(options, error, message):
    """The reference took some: a size of 262.5, which no vocabulary has, never stopped it."""
    for learn in (reference.learn, digram.train):
        with pytest.raises(error, match=message):
            learn(LOW, **options)


def test_numbers_of_numpy_are_numbers():
    options = {"vocab_size": np.int64(260), "min_frequency": np.uint8(2)}
    _, report = reference.learn({"low": np.int64(5), "lower": 2}, **options)
    assert report == digram.train(LOW, vocab_size=260).training


def test_the_limit_wins_when_pairs_run_out_at_the_same_time():
    assert reference.learn({"ab": 2}, units="chars", num_merges=1)[1].stopped == "num_merges"
    assert reference.learn({"ab": 2}, units="chars", vocab_size=3)[1].stopped == "vocab_size"
    assert reference.learn({"ab": 2}, units="chars", num_merges=2)[1].stopped == "no-pairs"


def test_the_marker_counts_as_one_unit_of_a_tokens_length():
    options = {"units": "chars", "end_of_word": "</w>", "ties": "first-seen"}
    _, report = reference.learn({"abc": 4}, **options, max_token_length=2)
    assert [m.merged_token for m in report.merges] == ["ab", "c</w>"]
    assert report.stopped == "no-pairs"
    _, report = reference.learn({"é": 4}, units="bytes", max_token_length=1)
    assert not report.merges


def test_bytes_have_256_base_symbols_in_gpt2s_order_after_the_special_tokens():
    _, report = reference.learn(LOW, special_tokens=["<s>"])
    assert report.tokens[:3] == ("<s>", "!", '"')
    assert report.tokens[1:257] == tuple(sorted(reference.byte_aliases().values()))
    _, seen = reference.learn(LOW, initial_alphabet="seen", num_merges=0)
    assert seen.tokens == ("e", "l", "o", "r", "w")
    _, more = reference.learn(LOW, initial_alphabet="ab", num_merges=0)
    assert more.tokens == ("a", "b", "e", "l", "o", "r", "w")


def test_an_attached_marker_makes_two_forms_of_each_byte():
    options = {"end_of_word": "</w>", "marker": "attached"}
    assert len(reference.learn(LOW, **options, num_merges=0)[1].tokens) == 512
    _, seen = reference.learn(LOW, **options, initial_alphabet="seen", num_merges=0)
    assert seen.tokens == ("e", "l", "o", "r", "w", "r</w>", "w</w>")
    _, more = reference.learn(LOW, **options, initial_alphabet=["x"], num_merges=0)
    assert [t for t in more.tokens if t.startswith("x")] == ["x", "x</w>"]


def test_strings_are_compared_with_the_markers_text():
    # "b" is larger than "a", yet "a~" is larger than "a}b": the marker's text takes part.
    options = {"units": "chars", "marker": "attached", "num_merges": 1, "end_of_word": "~"}
    counts = {"xa": 3, "xab": 3}
    _, report = reference.learn(counts, **options, ties="largest-strings")
    assert report.merges[0].merged_token == "xa~"
    _, report = reference.learn(counts, **options, ties="smallest-strings")
    assert report.merges[0].merged_token == "ab~"


def test_a_report_of_many_merges_prints_as_one_screen():
    count = 100
    report = TrainingReport(
        tokens=["a"] * (count + 1),
        pairs=[(0, 0, 1)] * count,
        frequencies=[1] * (count + 1),
        live_frequencies=[1] * (count + 1),
        live_symbols=[1] * (count + 1),
        places=[1] * count,
        tied=[1] * count,
        stopped="no-pairs",
        words=1,
        occurrences=1,
        text_bytes=1,
    )
    lines = str(report).splitlines()
    assert len(lines) == 28
    assert lines[22].strip() == "...  75 more"
    assert len(repr(report)) < 100
