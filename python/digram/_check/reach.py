"""Tokens that merging never makes, each proven by what its own bytes become.

If some text held a word in which merging makes a token, then the same merges, in the same order,
make it of its bytes alone: inside its span nothing beside it can come first. So a token that its
own bytes do not become is made of no text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from digram._check.codes import Severity
from digram._check.findings import Findings, finding
from digram._check.listing import spelled
from digram._model import Merges, Model, Ranks
from digram._tokenizer import Tokenizer

__all__ = ["check_reach"]

BYTE_TOKEN = re.compile(rb"<0x[0-9A-F]{2}>")
# Of what a token becomes, so many parts are shown.
SHOWN = 6
# One in so many is a note: files made from scores or ranks have some.
RARE = 10_000


@dataclass(frozen=True)
class Token:
    """A token that merging should make: its id, and the word that should become it."""

    id: int
    word: str


def check_reach(tok: Tokenizer, model: Model) -> Findings:
    """Look for tokens that no text becomes."""
    if not isinstance(model.rule, Merges | Ranks):
        return  # without merging, each token is found in itself
    spelling = {id_: _spelled(model, token) for id_, token in model.tokens.items()}
    plain = _merging_only(model, spelling)
    suffix = model.end_of_word or ""
    ordinary = _ordinary(model)
    ending = [_word(id_, spelling, suffix) for id_ in sorted(ordinary & model.word_ends)]
    inner = [_word(id_, spelling, "") for id_ in sorted(ordinary - model.word_ends)]
    unmade = _unmade(Tokenizer(replace(plain, end_of_word=None, word_ends=frozenset())), inner)
    if ending:
        unmade += _unmade(Tokenizer(plain), ending)
    made = Made.of(model)
    if model.ignore_merges:
        unmade = [(t, i) for t, i in unmade if not _is_whole_word(tok, model.tokens[t.id], t.id)]
    is_rare = len(unmade) * RARE < len(model.tokens)
    for token, instead in unmade:
        parts = " + ".join(repr(model.tokens[part])[1:] for part in instead[:SHOWN])
        more = " …" if len(instead) > SHOWN else ""
        message = f"{model.tokens[token.id]!r} by itself becomes {parts or 'nothing'}{more}"
        severity: Severity | None = "note" if is_rare else None
        yield finding(made.code(token.id), message, ids=(token.id,), severity=severity)


def _ordinary(model: Model) -> set[int]:
    """Return the ids of the tokens that merging is for."""
    aside = {token.id for token in model.added_tokens} | model.added_only | model.literal
    prefix = (model.continuing_prefix or "").encode()
    never = {b"", (model.unk_token or "").encode()}
    if model.marker == "separate":
        never.add((model.end_of_word or "").encode())
    return {
        id_
        for id_, token in model.tokens.items()
        if id_ not in aside
        and token not in never
        and not (model.byte_fallback and BYTE_TOKEN.fullmatch(token))
        and not (prefix and token.startswith(prefix))
    }


def _merging_only(model: Model, spelling: dict[int, bytes]) -> Model:
    """Return a model of the same merges over characters that stand for the symbols."""
    return Model(
        tokens=spelling,
        rule=model.rule,
        units="chars",
        end_of_word=model.end_of_word,
        marker=model.marker,
        word_ends=model.word_ends,
        continuing_prefix=model.continuing_prefix,
        drops_unknown=True,
    )


def _spelled(model: Model, token: bytes) -> bytes:
    return spelled(token).encode() if model.units == "bytes" else token


def _word(id_: int, spelling: dict[int, bytes], suffix: str) -> Token:
    word = spelling[id_].decode("utf-8", "replace")
    return Token(id_, word.removesuffix(suffix) if suffix else word)


def _unmade(plain: Tokenizer, tokens: Sequence[Token]) -> list[tuple[Token, list[int]]]:
    encoded = plain.encode_batch([token.word for token in tokens])
    pairs = zip(tokens, encoded, strict=True)
    return [(token, ids) for token, ids in pairs if ids != [token.id]]


def _is_whole_word(tok: Tokenizer, token: bytes, id_: int) -> bool:
    try:
        return tok.encode(token.decode("utf-8")) == [id_]
    except UnicodeDecodeError:
        return False


@dataclass(frozen=True)
class Made:
    """The ids that merges make; by rank, any."""

    ids: frozenset[int] | None

    @classmethod
    def of(cls, model: Model) -> Made:
        if not isinstance(model.rule, Merges):
            return cls(None)
        return cls(frozenset(merged for _, _, merged in model.rule.pairs))

    def code(self, id_: int) -> str:
        """Name what it is that merging does not make the token."""
        if self.ids is None or id_ in self.ids:
            return "unreachable-token"
        among = self.ids and min(self.ids) < id_ < max(self.ids)
        return "token-without-merge" if among else "placeholder"
