"""Decoders: what turns tokens back into text."""

from __future__ import annotations

from dataclasses import dataclass

from digram._shared import ByteLevel, Metaspace, Replace

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "Decoder",
    "DecoderSequence",
    "Fuse",
    "StripDecoder",
    "WordPiece",
]


@dataclass(frozen=True)
class BPEDecoder:
    """Tokens joined; the end-of-word marker becomes a space, except at the end."""

    suffix: str = "</w>"


@dataclass(frozen=True)
class Fuse:
    """Tokens joined with nothing between."""


@dataclass(frozen=True)
class WordPiece:
    """Tokens with a space between, unless they begin with the prefix of those that go on."""

    prefix: str
    cleanup: bool


@dataclass(frozen=True)
class CTC:
    """Repeated tokens once, those of silence not at all."""

    pad_token: str
    word_delimiter_token: str
    cleanup: bool


@dataclass(frozen=True)
class ByteFallback:
    """Tokens like `<0xE2>` become bytes; those that are no UTF-8 become U+FFFD, each."""


@dataclass(frozen=True)
class StripDecoder:
    """Remove a character at the ends of each token; `type` "Strip" in a file."""

    content: str
    start: int
    stop: int


@dataclass(frozen=True)
class DecoderSequence:
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
    | DecoderSequence
)
