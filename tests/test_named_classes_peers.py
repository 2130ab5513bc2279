"""Word characters and POSIX classes in patterns, read as Hugging Face's engine reads them."""

import itertools
import json

import characters
import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

ALL = "".join(f"{character}\n" for character in characters.ALL)
# a joiner, characters that are of words where `\w` stands alone, a letter, a mark, and others
TEXTS = ["".join(text) for text in itertools.product("a\u200c\u00b2\u0301½1 !_", repeat=3)]
POSIX = ("alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct")
POSIX += ("space", "upper", "word", "xdigit")


def tokenizers_of(pattern, behavior):
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": behavior,
        "invert": False,
    }
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    content = json.dumps({"version": "1.0", "model": model, "pre_tokenizer": split})
    theirs = tokenizers.Tokenizer.from_str(content).pre_tokenizer
    return digram.load(content.encode()), theirs


def check(text, ours, theirs, pattern):
    words = [word for word, _ in theirs.pre_tokenize_str(text)]
    assert [word for word, *_ in ours.words(text)] == words, pattern


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\w", r"\W", r"[\w]", r"[\W]", r"[^\w]", r"(?i:\w)", "[[:^alpha:]]", "[^[:punct:]]"),
        *(r"\w\b", r"\b\w", r"\d", r"\D", r"[^\d]"),
        *(f"[[:{name}:]]" for name in POSIX),
    ],
)
def test_a_class_is_theirs_for_every_character(pattern):
    ours, theirs = tokenizers_of(pattern, "Removed")
    check(ALL, ours, theirs, pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\w+", r"\w+|[^\w\s]+", r" ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+", r"[\w']+(?=\s)"),
        *(r"\w{2}|\W++", r"[[:alpha:][:digit:]]+|[[:punct:]]", r"(?<=\w)\W", r"[\W_]+"),
        *(r"\b", r"\B", r"\w+\b", r"\w\B", r"\b\w+", r"\B.|\b\s", r"(?:\b1|a)\b", r"(?i:\bA\B)"),
        *(r"\d{1,3}(?=(?:\d{3})*\b)", r"(?=\b).", r"[\b]|\\b|a\b"),
        "[:alpha:]+",
    ],
)
def test_words_are_theirs(pattern):
    ours, theirs = tokenizers_of(pattern, "Isolated")
    for text in TEXTS:
        check(text, ours, theirs, pattern)
