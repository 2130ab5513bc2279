"""Added tokens beside Hugging Face's: every flag, with normalizers and pre-tokenizers."""

import json
import random

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

SEED = 11
FILES = 12
TEXTS = 30
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
CONTENTS = [
    "<x>",
    "ab",
    "aB",
    "a",
    "b c",
    " b",
    "é",
    "É",
    "e\u0301",
    "▁a",
    "x>",
    "<x><y>",
    "_",
    "Ab ",
    "Ġa",
]
CONTENTS += ["ﬁ", "\u0301", "aba", "中", "\n", "b", "ba"]
NORMALIZERS = [
    None,
    *({"type": name} for name in ("NFC", "NFD", "NFKC", "Lowercase", "StripAccents", "ByteLevel")),
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": ""},
    {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ],
    },
]
PRE_TOKENIZERS = [
    None,
    {"type": "WhitespaceSplit"},
    *(
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
        for scheme in ("first", "always", "never")
        for split in (False, True)
    ),
    *(
        {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}
        for prefix in (False, True)
        for regex in (False, True)
    ),
]
LETTERS = "aabbAB  <x>yé\u0301ÉﬁĠ▁_中\n.1c"
ALPHABET = [chr(point) for point in (*range(33, 127), *range(161, 173), *range(174, 324))]
ALPHABET += ["▁", "\n", " ", "\u0301", "ﬁ", "中"]
WORDS = ["ab", "ba", "aba", "Ġa", "▁a", "ab▁"]
MERGES = [["a", "b"], ["b", "a"], ["ab", "a"], ["Ġ", "a"], ["▁", "a"], ["ab", "▁"]]


def both(drawn, normalizer, pre_tokenizer):
    """One made-up file with random added tokens, opened by both."""
    contents = drawn.sample(CONTENTS, drawn.randrange(1, 7))
    vocab = {token: id_ for id_, token in enumerate(dict.fromkeys(["?", *ALPHABET, *WORDS]))}
    added = [
        {"id": vocab.get(content, len(vocab) + place), "content": content}
        | {flag: drawn.random() < 0.4 for flag in FLAGS}
        for place, content in enumerate(contents)
    ]
    unknown = drawn.choice([None, "?"])
    model = {"type": "BPE", "unk_token": unknown, "vocab": vocab, "merges": MERGES}
    parts = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
    described = {"version": "1.0", "added_tokens": added, "model": model} | parts
    text = json.dumps(described)
    theirs = tokenizers.Tokenizer.from_str(text)
    # Hugging Face looks for a token of which normalization leaves nothing at every place, and
    # hangs; of two that it makes the same, the order of the file decides, which it does not keep.
    normalize = theirs.normalizer.normalize_str if normalizer else str
    searched = [normalize(token["content"]) for token in added if token["normalized"]]
    if "" in searched or len(set(searched)) < len(searched):
        return both(drawn, normalizer, pre_tokenizer)
    return digram.load(text.encode()), theirs, added


def their_ids(theirs, text):
    """Their ids, or None where they panic: at tokens that swallow the same white space."""
    try:
        return theirs.encode(text, add_special_tokens=False).ids
    except BaseException as panic:
        if type(panic).__name__ != "PanicException":
            raise
        return None


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=json.dumps)
@pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS, ids=json.dumps)
def test_added_tokens_are_those_of_hugging_face(normalizer, pre_tokenizer):
    drawn = random.Random(f"{SEED} {normalizer} {pre_tokenizer}")
    for _ in range(FILES):
        ours, theirs, added = both(drawn, normalizer, pre_tokenizer)
        pieces = [
            *LETTERS,
            *(token["content"] for token in added),
            *(token["content"] for token in added),
        ]
        texts = ["".join(drawn.choices(pieces, k=drawn.randrange(9))) for _ in range(TEXTS)]
        for text in texts:
            ids = ours.encode(text, special="token")
            expected = their_ids(theirs, text)
            if expected is None:
                continue
            assert ids == expected, (ascii(text), added)
            for skip in (False, True):
                decoded = ours.decode(ids, skip_special_tokens=skip)
                assert decoded == theirs.decode(ids, skip_special_tokens=skip), (ids, added)


# "é" and "Ġthe" are how the files spell other tokens, and Hugging Face takes them for those.
LATER = ["\n", " the", "…", "  ", "the", "a", "€", "日本", "the cat", "\t", "<x>", "th"]


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("number", range(1, 4))
def test_tokens_that_are_added_later_get_the_ids_of_hugging_face(number, special):
    drawn = random.Random(number)
    texts = ["the cat … the  dog\n€ 日本\t the cat"] * 3
    tok = digram.train(texts, num_merges=40, pattern="gpt2")
    for _ in range(20):
        contents = drawn.sample(LATER, number)
        theirs = tokenizers.Tokenizer.from_str(tok.to_bytes().decode())
        if special:
            theirs.add_special_tokens(contents)
            ours = tok.with_(special_tokens=contents)
        else:
            theirs.add_tokens(contents)
            ours = tok.with_(added_tokens=contents)
        assert digram.load(ours.to_bytes()) == ours
        for _ in range(20):
            text = "".join(drawn.choices([*LATER, *contents, "x", " "], k=6))
            ids = theirs.encode(text, add_special_tokens=False).ids
            assert ours.encode(text, special="token") == ids, (contents, text)
