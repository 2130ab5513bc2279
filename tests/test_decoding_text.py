"""The `str` that ids become is the one that Python would make, whatever its width."""

from __future__ import annotations

import ast
import re
import sys

import numpy as np
import pytest

import digram

TOK = digram.train(
    ["the words of a text, and some more of them; wörter und mehr, слова и 漢字 "] * 3,
    vocab_size=300,
)
WIDE = {"ASCII": "x", "Latin": "é", "two bytes": "я漢\ufffd", "four bytes": "😀\U0010ffff"}
LENGTHS = (0, 1, 511, 512, 513, 1022, 1023, 1024, 9000)


@pytest.mark.parametrize("width", WIDE)
@pytest.mark.parametrize("length", LENGTHS)
def test_a_text_of_any_width_is_the_str_that_python_makes(width, length):
    for character in WIDE[width]:
        for before in {0, length // 2, max(length - 1, 0), length}:
            text = "a" * before + character + "of " * (length - before)
            ids = TOK.encode(text)
            for given in (ids, tuple(ids), np.array(ids, dtype=np.uint32)):
                for errors in ("replace", "strict"):
                    made = TOK.decode(given, errors=errors)
                    assert made == text
                    assert hash(made) == hash(text)
                    assert sys.getsizeof(made) == sys.getsizeof("".join(text))
                    assert {made: 1}[text] == 1


@pytest.mark.parametrize("place", [0, 70, 2000, 8191, 8192, 8193, -1])
@pytest.mark.parametrize("odd", [b"\xff", b"\xc3", b"\xe6\xbc", b"\x80", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_become_what_python_makes_of_them(place, odd):
    words = ("слова и " * 1500).encode()
    place = len(words) if place < 0 else place
    data = words[:place] + odd + words[place:]
    ids = [TOK.token_id(bytes([byte])) for byte in data]
    for errors in ("replace", "ignore", "backslashreplace"):
        assert TOK.decode(ids, errors=errors) == data.decode(errors=errors)
    with pytest.raises(UnicodeDecodeError):
        TOK.decode(ids, errors="strict")


def test_special_tokens_are_left_out_of_long_texts_too():
    tok = digram.train(["some words"], vocab_size=257, special_tokens=["<|end|>"])
    end = tok.token_id("<|end|>")
    words = tok.encode("words é " * 400)
    ids = [*words, end, *words]
    assert tok.decode(ids, skip_special_tokens=True) == "words é " * 800
    assert tok.decode(ids) == "words é " * 400 + "<|end|>" + "words é " * 400


def test_an_unknown_id_in_a_long_list_is_named():
    ids = TOK.encode("words " * 2000)
    for place in (0, 100, len(ids)):
        with pytest.raises(digram.UnknownTokenError, match="id 70000 "):
            TOK.decode([*ids[:place], 70_000, *ids[place:]])


def test_ids_and_spelled_tokens_lead_to_one_another():
    tok = digram.train(["the cat, the 漢"] * 2, num_merges=20, special_tokens=["<|end|>"])
    ids = list(tok.tokens)
    for id_, spelled in zip(ids, tok.spell(ids), strict=True):
        assert tok.token_id(tok.tokens[id_]) == id_
        if spelled.encode() == tok.tokens[id_]:
            continue
        with pytest.raises(digram.UnknownTokenError) as refused:
            tok.token_id(spelled)
        said = re.search(
            r"the spelling of one in files; call token_id\((.*)\), ", str(refused.value)
        )
        assert tok.token_id(ast.literal_eval(said[1])) == id_
    assert tok.spell(tok.encode("the cat")) == tok.tokenize("the cat")
    with pytest.raises(digram.UnknownTokenError, match=r"not a token of this vocabulary$"):
        tok.token_id("xyzzy")
