"""A long text that is made UTF-8 part by part, and by several threads, has the ids of the whole."""

import random

import pytest

import digram
from digram.errors import SpecialTokenError

TEXT = "the theme of the thesis, 東京 は 日本 の 首都, привет мир, 😀😁 naïve café\0\n" * 3
SPECIAL = ["<|a|>", "<|b|>"]
CHARACTERS = "\0a\x80éÿ\u0100\u07ff\u0800東\ud7ff\ue000\uffff\U00010000😀\U0010ffff"


# one thread goes by windows, or several have a share each if there are as many cores
@pytest.mark.parametrize("pieces", [60_000, 150_000])
@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", r"\w+|\W", None])
@pytest.mark.parametrize("largest", ["\xff", "\uffff", "\U0010ffff"], ids=ascii)
def test_a_long_text_that_is_made_by_windows_has_the_ids_of_the_whole(pattern, largest, pieces):
    tok = digram.train([TEXT], vocab_size=300, pattern=pattern, special_tokens=SPECIAL)
    some = [
        *(c for c in CHARACTERS if c <= largest),
        "the theme",
        " ",
        "\n",
        "  ",
        "12345",
        "'s",
        *SPECIAL,
    ]
    text = "".join(random.Random(3).choices(some, k=pieces)) + largest
    whole = tok.encode_batch([text])[0]
    assert tok.encode(text) == tok.encode_array(text).tolist() == whole
    assert tok.count(text) == len(whole)
    for special in ("token", {SPECIAL[0]}):
        assert tok.encode(text, special=special) == tok.encode_batch([text], special=special)[0]
    with pytest.raises(SpecialTokenError):
        tok.encode(text, special="error")
