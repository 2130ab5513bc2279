"""The self-test of a SentencePiece model: texts, and the pieces that its trainer made of them.

`self_test_data`, field 4 of the file, holds samples: a text, and its pieces with spaces between.
SentencePiece wrote them when asked to (`--self_test_sample_size`), and refused to load a model that
fails them; newer versions do neither.
"""

from __future__ import annotations

from collections.abc import Iterator

from digram._check.findings import Findings, finding
from digram._model import Model, Scores
from digram._tokenizer import Tokenizer

__all__ = ["check_self_test"]

PIECE, SELF_TEST = 1, 4
SAMPLE = 1
TEXT, PIECES = 1, 2
# How protocol buffers write a value: as a varint, in 8 bytes, with its length before, in 4 bytes.
VARINT, EIGHT, SIZED, FOUR = 0, 1, 2, 5
# A model begins with its first piece.
FIRST = bytes([PIECE << 3 | SIZED])


def check_self_test(tok: Tokenizer, model: Model, content: bytes) -> Findings:
    """Compare what a tokenizer makes of each sample in its file with what stands there."""
    if not content.startswith(FIRST) or not isinstance(model.rule, Scores):
        return
    spelled = tok._engine.spell(list(model.tokens), marker=True)
    ids = dict(zip(spelled, model.tokens, strict=True))
    unknown = ids.get(model.unk_token or "")
    for place, (text, expected) in enumerate(samples(content)):
        # a piece that is none stands for the unknown one, and is told as the text that it was
        wanted = [ids.get(piece, unknown) for piece in expected.split(" ") if piece]
        if tok.encode(text) != wanted:
            pieces = " ".join(tok.tokenize(text))
            message = f"{text!r} becomes {pieces!r}, and was {expected!r}"
            where = f"self_test_data.samples[{place}]"
            yield finding("self-test-failed", message, place=where)


def samples(content: bytes) -> Iterator[tuple[str, str]]:
    r"""Read the texts of a model's self-test, each with its pieces.

    >>> list(samples(b'\x0a\x00\x22\x0f\x0a\x0d\x0a\x04a ab\x12\x05a a b'))
    [('a ab', 'a a b')]
    """
    for number, test in fields(content):
        for kind, sample in fields(test) if number == SELF_TEST else ():
            if kind == SAMPLE:
                told = dict(fields(sample))
                text, pieces = (told.get(each, b"") for each in (TEXT, PIECES))
                yield text.decode("utf-8", "replace"), pieces.decode("utf-8", "replace")


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Read the fields of a message that are sized: texts and messages; others are passed over.

    What a message that digram has opened breaks off with is passed over too.
    """
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        size = {EIGHT: 8, FOUR: 4}.get(tag & 7, 0)
        if tag & 7 in (VARINT, SIZED):
            value, at = _varint(message, at)
            size = value if tag & 7 == SIZED else 0
        if tag & 7 == SIZED:
            yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Read a number in groups of seven bits, the low ones first; return where it ends."""
    value = shift = 0
    while at < len(message):
        value |= (message[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if message[at - 1] < 0x80:  # noqa: PLR2004  the high bit says that more follows
            break
    return value, at
