"""A tokenizer as a list of what it says, right or wrong: what most checks look at.

It is read from a file as it stands, where things may be listed twice or contradict one another, or
written out of a tokenizer that is already open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from digram._model import Merges, Model
from digram._parts import parts_of
from digram._tokenizer import Tokenizer
from digram.components import (
    AddedToken,
    ByteLevel,
    ByteLevelNormalizer,
    Component,
    Padding,
    PostProcessor,
    Truncation,
)

__all__ = ["ALPHABET", "Listing", "is_byte_level", "listed", "spelled"]

# How files spell bytes: the printable ones of Latin-1 as themselves, the other 68 as U+0100 and on.
PRINTABLE = (*range(33, 127), *range(161, 173), *range(174, 256))
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
ALPHABET = {byte: chr(byte) for byte in PRINTABLE} | {
    byte: chr(0x100 + index) for index, byte in enumerate(OTHERS)
}
# Each character of the alphabet → that of its byte; what is outside → no character of Latin-1.
UNSPELLED = {chr(byte): "\uffff" for byte in range(256)} | {
    char: chr(byte) for byte, char in ALPHABET.items()
}
UNSPELLING = str.maketrans(UNSPELLED)


@dataclass(frozen=True)
class Listing:
    """What a tokenizer says. Tokens are spelled as in `tokenizer.json`."""

    tokens: tuple[tuple[str, int], ...]
    # False: tokens and ids follow from the merges, and the file lists neither
    lists_ids: bool = True
    # None: merging goes by rank, or there is none
    merges: tuple[tuple[str, str], ...] | None = None
    byte_level: bool = False
    added: tuple[AddedToken, ...] = ()
    unk_token: str | None = None
    byte_fallback: bool = False
    dropout: float | None = None
    prefix: str | None = None
    suffix: str | None = None
    post_processor: PostProcessor | None = None
    truncation: Truncation | None = None
    padding: Padding | None = None

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The id of each token, the last where there are several; added tokens included."""
        return {**dict(self.tokens), **{token.content: token.id for token in self.added}}

    @cached_property
    def added_names(self) -> frozenset[str]:
        """The texts of the added tokens."""
        return frozenset(token.content for token in self.added)

    @cached_property
    def ordinary(self) -> tuple[tuple[str, int], ...]:
        """The tokens that are not added, as listed."""
        return tuple(entry for entry in self.tokens if entry[0] not in self.added_names)

    def product(self, left: str, right: str) -> str:
        """Return how what a merge makes is spelled."""
        prefix = self.prefix or ""
        return left + (right.removeprefix(prefix) if prefix else right)


def listed(tok: Tokenizer, model: Model, raw: Listing | None = None) -> Listing:
    """Write out what an open tokenizer, of this model, says.

    Where its file was read, tokens, merges, added tokens and template are as that lists them, and
    the rest as the engine understood it.
    """
    tokens, merges = _named(tok, model) if raw is None else (raw.tokens, raw.merges)
    lists_ids = raw is None or raw.lists_ids
    if not lists_ids:  # added tokens come first
        tokens = tuple((token, id_ + len(model.added_tokens)) for token, id_ in tokens)
    return Listing(
        tokens=tokens,
        lists_ids=lists_ids,
        merges=merges if isinstance(model.rule, Merges) else None,
        byte_level=model.units == "bytes" or model.spelled,
        added=(raw and raw.added) or model.added_tokens,
        unk_token=(raw and raw.unk_token) or model.unk_token,
        byte_fallback=model.byte_fallback,
        dropout=model.dropout,
        prefix=model.continuing_prefix,
        suffix=model.end_of_word,
        post_processor=(raw and raw.post_processor) or model.post_processor,
        truncation=model.truncation,
        padding=model.padding,
    )


def _named(
    tok: Tokenizer, model: Model
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, str], ...]]:
    """Return the tokens of a model and the pairs that merge, by their spelling."""
    ids = list(model.tokens)
    names = dict(zip(ids, tok._engine.spell(ids, marker=True), strict=True))
    names |= {token.id: token.content for token in model.added_tokens if token.id in names}
    pairs = model.rule.pairs if isinstance(model.rule, Merges) else ()
    merges = tuple((names[left], names[right]) for left, right, _ in pairs)
    return tuple((name, id_) for id_, name in names.items()), merges


def spelled(token: bytes) -> str:
    """Spell bytes in GPT-2's alphabet.

    >>> spelled(b" is")
    'Ġis'
    """
    return token.decode("latin-1").translate(ALPHABET)


def unspelled(token: str) -> bytes | None:
    """Return the bytes of a spelling; `None` where it is none."""
    try:
        return token.translate(UNSPELLING).encode("latin-1")
    except UnicodeEncodeError:
        return None


def is_byte_level(*components: Component | None) -> bool:
    """Say whether a component spells bytes as characters."""
    kinds = ByteLevel | ByteLevelNormalizer
    return any(isinstance(part, kinds) for whole in components for part in parts_of(whole))
