"""Patterns that look ahead to the end of a number: as Hugging Face reads them, in linear time."""

import json
import random
import re

import pytest

import digram

PATTERNS = (
    r"(?=(\d{3})+(?!\d))",
    r"\d{1,3}(?=(?:\d{3})*\b)",
    r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
    r"(?=(?:\d{2}a?)+(?:[^\d]|\z))",
    r"[\da]{2}(?=(\d\d)*$)",
)
BEHAVIORS = ("Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous", "Removed")
ALPHABETS = ("01", "01a", "01a .\n", "0123456789٣५½ a b.\n")


def content_of(pattern, behavior, before=(), *, invert=False):
    stages = [
        {"type": "Split", "pattern": {"Regex": regex}, "behavior": how, "invert": inverted}
        for regex, how, inverted in [*before, (pattern, behavior, invert)]
    ]
    pre_tokenizer = {"type": "Sequence", "pretokenizers": stages}
    model = {"type": "BPE", "vocab": {"1": 0, "2": 1}, "merges": []}
    return json.dumps({"version": "1.0", "model": model, "pre_tokenizer": pre_tokenizer})


@pytest.mark.parametrize("behavior", BEHAVIORS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_words_are_theirs(pattern, behavior):
    tokenizers = pytest.importorskip("tokenizers")
    drawn = random.Random(pattern + behavior)
    for invert in (False, True):
        for before in ((), [(r"\p{N}+", "Isolated", False)]):
            content = content_of(pattern, behavior, before, invert=invert)
            ours = digram.load(content.encode())
            theirs = tokenizers.Tokenizer.from_str(content).pre_tokenizer
            for _ in range(50):
                alphabet = drawn.choice(ALPHABETS)
                text = "".join(drawn.choices(alphabet, k=drawn.choice((3, 8, 20, 200))))
                words = [word for word, _ in theirs.pre_tokenize_str(text)]
                assert [word for word, *_ in ours.words(text)] == words, text


def test_word_borders_are_looked_ahead_to_in_a_pattern_of_ones_own():
    pattern = r"\d{1,3}(?=(?:\d{3})*\b)"
    tok = digram.train(["1"], num_merges=0, pattern=pattern)
    number = "1" * 100_000
    assert [len(word) for word, *_ in tok.words(number)] == [1] + [3] * 33_333
    drawn = random.Random(pattern)
    for _ in range(200):
        text = "".join(drawn.choices("01a_ é.", k=40))
        found = [word for word, *_ in tok.words(text) if word.isdigit()]
        assert [word for word in found if len(word) <= 3] == re.findall(pattern, text)


@pytest.mark.parametrize("pattern", PATTERNS[:3])
def test_a_million_digits_are_grouped_from_the_right(pattern):
    """At each digit they look to the end: one by one, that would take hours."""
    tok = digram.load(content_of(pattern, "Isolated").encode())
    for length in (1_000_000, 1_000_001, 1_000_002):
        number = "1" * length
        groups = [len(word) for word, *_ in tok.words(number)]
        assert sum(groups) == length
        assert groups[0] == (length % 3 or 3)
        assert set(groups[1:]) == {3}
        assert tok.count(number) == length
