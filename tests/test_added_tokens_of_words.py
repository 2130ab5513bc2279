"""Added tokens that the vocabulary holds as it holds text, beside Hugging Face, and pickled."""

import copy
import itertools
import json
import pickle
import random

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

TEXTS = 40
ALPHABET = [chr(point) for point in (*range(33, 127), *range(161, 173), *range(174, 324))]
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
PARTS = list(
    itertools.product(
        (None, {"type": "Lowercase"}, {"type": "NFC"}),
        (None, BYTE_LEVEL, {"type": "Whitespace"}),
        (None, "##"),
        (None, "</w>"),
        (False, True),
    )
)


def made(drawn, parts):
    """A file whose added tokens are units, words and what merges make, as they are spelled."""
    normalizer, pre_tokenizer, prefix, suffix, ignore_merges = parts
    marks = [(before, after) for before in {"", prefix or ""} for after in {"", suffix or ""}]
    words = ["ab", "ba", "Ġa", "Ġab", "zz", "a b", "<s>"]
    units = [before + unit + after for before, after in marks for unit in ALPHABET]
    vocab = {token: id_ for id_, token in enumerate(dict.fromkeys(["?", *units, *words]))}
    merges = [] if prefix else [["a", "b"], ["Ġ", "a"]]
    contents = drawn.sample([*units[-300:], "b", "Ġ", "Ċ", "é", *words], 6)
    contents += [mark[0] + "b" + mark[1] for mark in marks]
    added = [
        {"id": vocab[content], "content": content, "special": "<" in content and ">" in content}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), drawn.random() < 0.3)
        for content in dict.fromkeys(contents)
    ]
    model = {
        "type": "BPE",
        "unk_token": drawn.choice([None, "?"]),
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
        "ignore_merges": ignore_merges,
        "vocab": vocab,
        "merges": merges,
    }
    parts = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
    return {"version": "1.0", "added_tokens": added, "model": model} | parts


def pickled(tok):
    """The tokenizer that another process gets."""
    return pickle.loads(pickle.dumps(tok))  # noqa: S301  it was made here


@pytest.mark.parametrize("parts", PARTS, ids=json.dumps)
def test_text_becomes_added_tokens_that_words_are_made_of(parts):
    drawn = random.Random(json.dumps(parts))
    *_, suffix, ignore_merges = parts
    file = made(drawn, parts)
    text = json.dumps(file)
    theirs = tokenizers.Tokenizer.from_str(text)
    ours = digram.load(text.encode())
    others = [copy.deepcopy(ours), pickled(ours), ours.with_(dropout=None)]
    pieces = ["a", "b", "ab", "AB", " ", " ab", "zz", "é", "ノ", "\n", ".", "c"]
    pieces += [token["content"] for token in file["added_tokens"]]
    for _ in range(TEXTS):
        text = "".join(drawn.choices(pieces, k=drawn.randrange(7)))
        expected = ours.encode(text, special="token")
        if not (suffix and ignore_merges):  # read otherwise: docs/huggingface.md
            assert theirs.encode(text, add_special_tokens=False).ids == expected, ascii(text)
        for other in others:
            assert other == ours
            assert other.encode(text, special="token") == expected, ascii(text)
