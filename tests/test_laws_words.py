"""Words begin and end where the reference's regular expressions say."""

import itertools

import pytest
from drawn import TELLING, texts
from hypothesis import given, settings
from hypothesis import strategies as st

import digram
from digram import reference
from digram.patterns import NAMED, pre_tokenizer

CUSTOM = (r"\w+", r"\d+|\s", r"(?i:straße|k)|\p{Lu}\p{Ll}*", r"[a-z]+(?=\d)", r"(?<!a)b", r".")


def tokenizer_of(pattern):
    return digram.train({"a": 1}, units="chars", pattern=pattern, initial_alphabet="seen")


def agree(tokenizer, pattern, text):
    words = tokenizer.words(text)
    expected = reference.pre_tokenize(text, pre_tokenizer(pattern, "chars"))
    assert [word for word, _, _ in words] == expected
    assert all(text[start:end] == word for word, start, end in words)


@pytest.mark.parametrize("pattern", [*NAMED, *CUSTOM])
def test_words_are_those_of_the_references_regex(pattern):
    tokenizer = tokenizer_of(pattern)

    @settings(max_examples=250)
    @given(texts())
    def agreeing(text):
        agree(tokenizer, pattern, text)

    agreeing()


@pytest.mark.parametrize("pattern", list(NAMED))
def test_words_of_all_short_texts_of_telling_characters(pattern):
    """Every text of three from one of each kind: where blanks meet line ends, letters digits."""
    tokenizer = tokenizer_of(pattern)
    for chars in itertools.product(" \n\taA1'!é漢\u0301\u00a0s/", repeat=3):
        agree(tokenizer, pattern, "".join(chars))


@pytest.mark.parametrize("pattern", list(NAMED))
def test_words_of_every_telling_character_in_company(pattern):
    tokenizer = tokenizer_of(pattern)
    for char in "".join(TELLING):
        for text in (char, f"a{char}", f"{char}a", f" {char}", f"'{char}", f"1{char} {char}\n"):
            agree(tokenizer, pattern, text)


@given(texts(), st.sampled_from(["isolated", "named"]))
def test_words_joined_are_the_text_where_nothing_is_dropped(text, kind):
    pattern = r"\p{L}+" if kind == "isolated" else "o200k"
    assert "".join(word for word, _, _ in tokenizer_of(pattern).words(text)) == text
