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
    # that call makes all of the text UTF-8 first
    whole = tok.encode_with_offsets(text)[0].tolist()
    assert tok.encode(text) == tok.encode_array(text).tolist() == whole
    assert tok.count(text) == len(whole)
    for threads in (1, 2, 5):
        assert tok.encode_batch([text], threads=threads) == [whole]
        several = tok.encode_ragged([largest, text, text[:100], text], threads=threads)
        assert several[1].tolist() == several[3].tolist() == whole
        assert several[0].tolist() == tok.encode(largest)
    for special in ("token", {SPECIAL[0]}):
        whole = tok.encode_with_offsets(text, special=special)[0].tolist()
        assert tok.encode(text, special=special) == whole
        assert tok.encode_batch([text], special=special, threads=2) == [whole]
    for call in (tok.encode, lambda text, special: tok.encode_batch([text], special=special)):
        with pytest.raises(SpecialTokenError):
            call(text, special="error")


def test_a_lone_surrogate_in_a_long_text_of_a_batch_is_told_as_python_tells_it():
    tok = digram.train([TEXT], vocab_size=300)
    text = "привет мир " * 40_000
    for batch in ([text + "\ud800"], ["é", text, text + "\ud800" + text, text]):
        for threads in (1, 2, 5):
            with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
                tok.encode_ragged(batch, threads=threads)
