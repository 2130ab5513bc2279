"""Normalizers: what changes text before it is split."""

from __future__ import annotations

from dataclasses import dataclass

from digram._declared import Declared
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
    "SentencePieceNormalizer",
    "Strip",
    "StripAccents",
]


@dataclass(frozen=True)
class NFC(Declared):
    """Unicode normal form C: canonical composition."""


@dataclass(frozen=True)
class NFD(Declared):
    """Unicode normal form D: canonical decomposition."""


@dataclass(frozen=True)
class NFKC(Declared):
    """Unicode normal form KC: compatibility decomposition, then composition."""


@dataclass(frozen=True)
class NFKD(Declared):
    """Unicode normal form KD: compatibility decomposition."""


@dataclass(frozen=True)
class Lowercase(Declared):
    """Lower case, character by character."""


@dataclass(frozen=True)
class Strip(Declared):
    """Remove white space at the ends."""

    strip_left: bool
    strip_right: bool


@dataclass(frozen=True)
class StripAccents(Declared):
    """Remove combining marks."""


@dataclass(frozen=True)
class Nmt(Declared):
    """Remove control characters, and make the various blanks spaces."""


@dataclass(frozen=True)
class ByteLevelNormalizer(Declared):
    """Write each byte as a character, by GPT-2's alphabet; `type` "ByteLevel" in a file."""


@dataclass(frozen=True)
class BertNormalizer(Declared):
    """What BERT does to text; accents go, unless told, where it is lowercased."""

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True


@dataclass(frozen=True)
class Prepend(Declared):
    """Put a text before, unless there is nothing."""

    prepend: str


@dataclass(frozen=True)
class Precompiled(Declared):
    """The table of a SentencePiece model, in base64."""

    precompiled_charsmap: str


@dataclass(frozen=True)
class SentencePieceNormalizer(Declared):
    """All that a SentencePiece model does to text; `type` "SentencePiece" in a file.

    The longest match of the table (in base64; empty for none) is replaced at each place, but in
    the texts that are `untouched`. A space is put before the text, or behind it as suffix; spaces
    at the ends and all but one of a run are removed; those that are left become U+2581.
    """

    precompiled_charsmap: str = ""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False
    untouched: tuple[str, ...] = ()

    def __repr__(self) -> str:
        # the table is a quarter of a megabyte
        table = self.precompiled_charsmap
        shown = f"{len(table)} characters" if table else "none"
        return (
            f"SentencePieceNormalizer(table: {shown}, add_dummy_prefix={self.add_dummy_prefix},"
            f" remove_extra_whitespaces={self.remove_extra_whitespaces},"
            f" escape_whitespaces={self.escape_whitespaces},"
            f" treat_whitespace_as_suffix={self.treat_whitespace_as_suffix},"
            f" untouched: {len(self.untouched)} texts)"
        )


@dataclass(frozen=True)
class NormalizerSequence(Declared):
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
    | SentencePieceNormalizer
    | NormalizerSequence
)
