"""Pre-tokenizers: what splits text into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from digram._declared import Declared
from digram._shared import ByteLevel, Metaspace, Regex

__all__ = [
    "Behavior",
    "BertPreTokenizer",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "PreTokenizer",
    "PreTokenizerSequence",
    "Punctuation",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
]

Behavior = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


@dataclass(frozen=True)
class Split(Declared):
    """Split by a pattern: `Isolated` keeps matches and what lies between, `Removed` the latter.

    With the other behaviors a match goes with one of its neighbours, or matches that touch are
    one word. `invert` swaps the two roles.
    """

    pattern: Regex | str
    behavior: Behavior
    invert: bool = False


@dataclass(frozen=True)
class Whitespace(Declared):
    r"""Words by the pattern `\\w+|[^\\w\\s]+`; blanks are dropped."""


@dataclass(frozen=True)
class WhitespaceSplit(Declared):
    """Words are what lies between blanks; blanks are dropped."""


@dataclass(frozen=True)
class BertPreTokenizer(Declared):
    """Words are what lies between blanks, and each punctuation character."""


@dataclass(frozen=True)
class Digits(Declared):
    """Digits are words, each or as many as touch."""

    individual_digits: bool


@dataclass(frozen=True)
class Punctuation(Declared):
    """Split at punctuation characters, as `Split` does at matches."""

    behavior: Behavior = "Isolated"


@dataclass(frozen=True)
class CharDelimiterSplit(Declared):
    """Words are what lies between occurrences of a character."""

    delimiter: str


@dataclass(frozen=True)
class FixedLength(Declared):
    """Words have so many characters; what is left is a word too."""

    length: int = 5


@dataclass(frozen=True)
class UnicodeScripts(Declared):
    """Words are of one script, and of spaces behind it; kana go with Han characters.

    Scripts are those of Unicode 9, as Hugging Face tells them; what stands before any script is
    dropped.
    """


@dataclass(frozen=True)
class PreTokenizerSequence(Declared):
    """Pre-tokenizers, each splitting the words of the one before."""

    pretokenizers: tuple[PreTokenizer, ...]


PreTokenizer = (
    ByteLevel
    | Split
    | Whitespace
    | WhitespaceSplit
    | BertPreTokenizer
    | Digits
    | Punctuation
    | CharDelimiterSplit
    | FixedLength
    | UnicodeScripts
    | Metaspace
    | PreTokenizerSequence
)
