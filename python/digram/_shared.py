"""Components, and what they search for, that stand in more than one slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from digram._declared import Declared

__all__ = ["ByteLevel", "Metaspace", "Regex", "Replace"]


@dataclass(frozen=True)
class Regex(Declared):
    """A regular expression, where a plain `str` would be searched for literally."""

    regex: str


@dataclass(frozen=True)
class ByteLevel(Declared):
    """Work on bytes, each spelled as a printable character (as GPT-2 does).

    As a pre-tokenizer it also splits with GPT-2's pattern unless `use_regex` is False; as a
    decoder it turns the spelling back into bytes; as a post-processor it changes no id.
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True


@dataclass(frozen=True)
class Replace(Declared):
    """Replace what is found; as a decoder, in each token."""

    pattern: Regex | str
    content: str


@dataclass(frozen=True)
class Metaspace(Declared):
    """Spaces become a visible character, one is put before, and words begin at each.

    As a decoder it makes them spaces again, and leaves out those of the first token.
    """

    replacement: str
    prepend_scheme: Literal["first", "never", "always"] = "always"
    split: bool = True
