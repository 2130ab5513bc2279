"""Normal forms, of every character alone and in company, by the tables of both versions of Unicode.

Files of Hugging Face say only `NFC`; the tables behind that name are its own, and ids follow from
them. What is trained anew follows the version that the classes of patterns follow.
"""

import functools
import unicodedata

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


def normalizer(form, unicode):
    """A normal form of ours, from text to text."""
    model = digram.Model(
        {0: b"a"},
        digram.Merges(()),
        "chars",
        normalizer=getattr(components, form)(),
        unicode=unicode,
    )
    tokenizer = digram.Tokenizer(model)
    return lambda text: "".join(word for word, _, _ in tokenizer.words(text))


def normalizers(form):
    """Ours and Hugging Face's."""
    tokenizers = pytest.importorskip("tokenizers")
    return normalizer(form, "9.0"), getattr(tokenizers.normalizers, form)().normalize_str


@pytest.mark.parametrize("form", FORMS)
def test_every_character_is_normalized_as_hugging_face_does(form):
    assert differing(*normalizers(form), POINTS) == []


@pytest.mark.parametrize("form", FORMS[:4])
def test_every_character_is_normalized_as_python_does_by_the_current_tables(form):
    # Python may know fewer characters, but what it knows is never to change.
    if int(unicodedata.unidata_version.split(".")[0]) > 16:
        pytest.skip("this Python knows characters that came after Unicode 16")
    known = [point for point in POINTS if unicodedata.category(chr(point)) != "Cn"]
    theirs = functools.partial(unicodedata.normalize, form)
    assert differing(normalizer(form, "16.0"), theirs, known) == []


def differing(ours, theirs, points):
    """The characters that two functions normalize differently, alone or in company."""
    texts = {f"U+{p:04X}": [where.format(chr(p)) for where in COMPANY] for p in points}
    return [
        name for name, each in texts.items() if list(map(ours, each)) != list(map(theirs, each))
    ]


@settings(max_examples=300)
@given(texts(), st.sampled_from(FORMS))
def test_any_text_is_normalized_as_hugging_face_does(text, form):
    ours, theirs = normalizers(form)
    assert ours(text) == theirs(text)


@given(texts(), st.sampled_from(FORMS[:4]), st.sampled_from(["9.0", "16.0"]))
def test_normalizing_twice_is_normalizing_once(text, form, unicode):
    ours = normalizer(form, unicode)
    assert ours(ours(text)) == ours(text)
