"""Flags in patterns, read as Hugging Face's engine reads them."""

import itertools
import json

import characters
import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

ALL = characters.ALL
TEXTS = [
    "".join(text) for length in range(5) for text in itertools.product("aAbB\n", repeat=length)
]


def load(pattern):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    given = {"version": "1.0", "model": model, "pre_tokenizer": {**split, "invert": False}}
    return digram.load(json.dumps(given).encode())


def words_of(tok, text):
    return [word for word, *_ in tok.words(text)]


def theirs(pattern, text):
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    return [word for word, _ in split.pre_tokenize_str(text)]


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "a(?i)b|a",
            "(?i)a|b",
            "a(?-i)b",
            "(?i)a(?-i)b",
            "((?i)a|b)a",
            "(a(?i)b|a)b|B",
            "(?i:a)b",
        ),
        *("(?m)a.", "(?m:a.)b?", "(?m)a.(?-m).", "(?im)B.", "(?mi-i)a.|B", "(?i)b(?m).b"),
        *("(?mx) a . # both\n | B", "(?x: a b )+|(?m-x:. )", "(?x)a b | [a b]", "(?xi) A +\\n"),
        *(r"(?i)\p{Lu}a|b", r"(?i:\p{Ll}+)", r"(?i:[\p{Lu}]{2})", r"(?i:\P{Lu}b)"),
    ],
)
def test_flags_go_as_far_as_theirs(pattern, tmp_path):
    tok = load(pattern)
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    saved = digram.load(path)
    regex = json.loads(path.read_text())["pre_tokenizer"]["pattern"]["Regex"]
    for text in TEXTS:
        expected = theirs(pattern, text)
        assert words_of(tok, text) == expected, text
        assert words_of(saved, text) == expected, text
        assert theirs(regex, text) == expected, text


@pytest.mark.parametrize("pattern", [r"(?i)\p{Lu}", r"(?i:\p{Ll})", r"(?i)\p{L}\n", r"(?i:[a-zé])"])
def test_a_class_is_theirs_for_every_character(pattern):
    tok, text = load(pattern), "\n".join(ALL)
    assert words_of(tok, text) == theirs(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?m)ab$|[\s\S]",
        r"(?m)^ab|[\s\S]",
        r"(?m)\s+$|\s|\S+",
        r"(?m:ab$)|b$|[\s\S]",
        r"\s+(?m)$|\s|\S",
        r"(?m)b(?=$)|[\s\S]",
        r"(?m)(?-m:b$)|a$|[\s\S]",
        r"(?s)b$|.",
    ],
)
def test_a_dollar_ends_lines_where_tiktoken_has_it_so(pattern):
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"\n\n": 257, b" \n": 258}
    theirs = tiktoken.Encoding("t", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    ours = digram.from_ranks(ranks, pattern=pattern)
    for size in range(7):
        for text in map("".join, itertools.product("ab\n ", repeat=size)):
            assert ours.encode(text) == theirs.encode_ordinary(text), (pattern, text)
