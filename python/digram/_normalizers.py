"""Normalizers: what changes text before it is split."""

from __future__ import annotations

from dataclasses import dataclass

from digram._shared import Replace

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "BertNormalizer",
    "ByteLevelNormalizer",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "NormalizerSequence",
    "Precompiled",
    "Prepend",
    "Strip",
    "StripAccents",
]


@dataclass(frozen=True)
class NFC:
    """Unicode normal form C: canonical composition."""


@dataclass(frozen=True)
class NFD:
    """Unicode normal form D: canonical decomposition."""


@dataclass(frozen=True)
class NFKC:
    """Unicode normal form KC: compatibility decomposition, then composition."""


@dataclass(frozen=True)
class NFKD:
    """Unicode normal form KD: compatibility decomposition."""


@dataclass(frozen=True)
class Lowercase:
    """Lower case, character by character."""


@dataclass(frozen=True)
class Strip:
    """Remove white space at the ends."""

    strip_left: bool
    strip_right: bool


@dataclass(frozen=True)
class StripAccents:
    """Remove combining marks."""


@dataclass(frozen=True)
class Nmt:
    """Remove control characters, and make the various blanks spaces."""


@dataclass(frozen=True)
class ByteLevelNormalizer:
    """Write each byte as a character, by GPT-2's alphabet; `type` "ByteLevel" in a file."""


@dataclass(frozen=True)
class BertNormalizer:
    """What BERT does to text; accents go, unless told, where it is lowercased."""

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True


@dataclass(frozen=True)
class Prepend:
    """Put a text before, unless there is nothing."""

    prepend: str


@dataclass(frozen=True)
class Precompiled:
    """The table of a SentencePiece model, in base64."""

    precompiled_charsmap: str


@dataclass(frozen=True)
class NormalizerSequence:
    """Normalizers, one after the other."""

    normalizers: tuple[Normalizer, ...]


Normalizer = (
    NFC
    | NFD
    | NFKC
    | NFKD
    | Lowercase
    | Strip
    | StripAccents
    | Nmt
    | ByteLevelNormalizer
    | BertNormalizer
    | Replace
    | Prepend
    | Precompiled
    | NormalizerSequence
)
