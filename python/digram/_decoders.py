"""Decoders: what turns tokens back into text."""

from __future__ import annotations

from dataclasses import dataclass

from digram._declared import Declared
from digram._normalizers import SentencePieceNormalizer
from digram._shared import ByteLevel, Metaspace, Replace

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "Decoder",
    "DecoderSequence",
    "Fuse",
    "SentencePieceDecoder",
    "StripDecoder",
    "WordPiece",
]


@dataclass(frozen=True)
class BPEDecoder(Declared):
    """Tokens joined; the end-of-word marker becomes a space, except at the end."""

    suffix: str = "</w>"


@dataclass(frozen=True)
class Fuse(Declared):
    """Tokens joined with nothing between."""


@dataclass(frozen=True)
class WordPiece(Declared):
    """Tokens with a space between, unless they begin with the prefix of those that go on."""

    prefix: str
    cleanup: bool


@dataclass(frozen=True)
class CTC(Declared):
    """Repeated tokens once, those of silence not at all."""

    pad_token: str
    word_delimiter_token: str
    cleanup: bool


@dataclass(frozen=True)
class ByteFallback(Declared):
    """Tokens like `<0xE2>` become bytes; those that are no UTF-8 become U+FFFD, each."""


@dataclass(frozen=True)
class StripDecoder(Declared):
    """Remove a character at the ends of each token; `type` "Strip" in a file."""

    content: str
    start: int
    stop: int


@dataclass(frozen=True)
class SentencePieceDecoder(Declared):
    """All that a SentencePiece model does to pieces; `type` "SentencePiece" in a file.

    Control pieces become nothing, the unknown piece its surface, byte pieces their bytes, U+2581
    a space, but for the one that was put before the text. It goes with `Scores` only.
    """

    unk_surface: str = " \u2047 "
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    denormalizer: SentencePieceNormalizer | None = None


@dataclass(frozen=True)
class DecoderSequence(Declared):
    """Decoders, one after the other."""

    decoders: tuple[Decoder, ...]


Decoder = (
    ByteLevel
    | BPEDecoder
    | Fuse
    | WordPiece
    | CTC
    | ByteFallback
    | Replace
    | StripDecoder
    | Metaspace
    | SentencePieceDecoder
    | DecoderSequence
)
