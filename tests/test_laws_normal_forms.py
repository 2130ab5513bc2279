"""Normalizers change every character, alone and in company, as Hugging Face's do.

Files say only `NFC`; the tables behind that name are the reader's own, and ids follow from them.
"""

import pytest
from drawn import texts
from hypothesis import given, settings
from hypothesis import strategies as st

import digram
from digram import components

FORMS = ("NFC", "NFD", "NFKC", "NFKD", "Lowercase")
# All that Unicode has assigned, private use apart.
POINTS = (*range(0xD800), *range(0xE000, 0x33480), *range(0xE0000, 0xE0200))
# Marks of several combining classes on both sides show where a character's own class puts it.
COMPANY = ("{}", "a\u0301{}\u0323", "\u0334{}\u05b0a")


def normalizers(form):
    """Ours and theirs, each from text to text."""
    tokenizers = pytest.importorskip("tokenizers")
    model = digram.Model(
        {0: b"a"}, digram.Merges(()), "chars", normalizer=getattr(components, form)()
    )
    tokenizer = digram.Tokenizer(model)

    def ours(text):
        return "".join(word for word, _, _ in tokenizer.words(text))

    return ours, getattr(tokenizers.normalizers, form)().normalize_str


@pytest.mark.parametrize("form", FORMS)
def test_every_character_is_normalized_as_hugging_face_does(form):
    ours, theirs = normalizers(form)
    different = [
        f"U+{point:04X}"
        for point in POINTS
        if any(
            ours(text) != theirs(text) for text in (where.format(chr(point)) for where in COMPANY)
        )
    ]
    assert different == []


@settings(max_examples=300)
@given(texts(), st.sampled_from(FORMS))
def test_any_text_is_normalized_as_hugging_face_does(text, form):
    ours, theirs = normalizers(form)
    assert ours(text) == theirs(text)


@given(texts(), st.sampled_from(FORMS[:4]))
def test_normalizing_twice_is_normalizing_once(text, form):
    ours, _ = normalizers(form)
    assert ours(ours(text)) == ours(text)
