"""Anchors in patterns, read as Hugging Face's engine reads them."""

import itertools
import json

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

TEXTS = ["".join(text) for size in range(7) for text in itertools.product("a \n", repeat=size)]
PATTERNS = [
    *(r"\s+$", r"\s++$", r"\s*+$", r"\s+?$", "a+$", "^a+", r"^\s", r"^\n?", "$", "^", r"a+\Z"),
    *(r"(?:a|$) ", "a(?!$)", r" +$\n*", r"\s*$\n*", r"^a*$\n?", r"[^$]\n$|a", r"\Aa|\n\z"),
    r"[^\r\n\p{L}\p{N}]?+\p{L}++|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
]
LINES = {
    "type": "Split",
    "pattern": {"Regex": r"[\r\n]"},
    "behavior": "Isolated",
    "invert": False,
}


@pytest.mark.parametrize("behavior", ["Isolated", "Removed"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("before", [[], [LINES], [{**LINES, "behavior": "MergedWithNext"}]])
def test_anchors_are_the_ends_of_lines(pattern, before, behavior, tmp_path):
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": behavior,
        "invert": False,
    }
    model = {"type": "BPE", "vocab": {"a": 0, " ": 1, "\n": 2}, "merges": []}
    stages = {"type": "Sequence", "pretokenizers": [*before, split]}
    content = json.dumps({"version": "1.0", "model": model, "pre_tokenizer": stages})
    theirs = tokenizers.Tokenizer.from_str(content)
    ours = digram.load(content.encode())
    ours.save(tmp_path / "tokenizer.json")
    saved = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in TEXTS:
        words = [word for word, _ in theirs.pre_tokenizer.pre_tokenize_str(text)]
        assert [word for word, *_ in ours.words(text)] == words, (pattern, text)
        assert saved.encode(text).ids == ours.encode(text)
    assert digram.load(tmp_path / "tokenizer.json") == ours
