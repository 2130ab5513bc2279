"""A model turned around, for looking things up while encoding."""

from __future__ import annotations

from collections.abc import Sequence

from digram._model import Merges, Model, Ranks, Scores
from digram.components import AddedToken
from digram.errors import FormatError, UnknownTokenError
from digram.reference.check import in_learned_order
from digram.reference.spelling import (
    END,
    Pair,
    Symbols,
    Units,
    spell_units,
    split,
    token_units,
)


class Tables:
    """Token to id, pair to rank; made once for a model.

    >>> tables = Tables(Model({0: b"a", 1: b"b", 2: b"ab"}, Merges(((0, 1, 2),))))
    >>> tables.symbols("ab"), tables.merge_of((0, 1)), tables.merge_of((1, 0))
    ((0, 1), (0, 2), None)
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        for name in ("drops_unknown", "spelled", "byte_fallback", "continuing_prefix", "dropout"):
            by_scores = name == "byte_fallback" and isinstance(model.rule, Scores)
            if getattr(model, name) and not by_scores:
                raise FormatError(f"the reference does not execute {name}; digram.Tokenizer does")
        self.tokens = {i: token_units(model, i) for i in model.tokens.keys() - apart(model)}
        # Where two ids have one token, the lowest is the one found.
        self.ids = {token: i for i, token in sorted(self.tokens.items(), reverse=True)}
        merges = model.rule.pairs if isinstance(model.rule, Merges) else ()
        self.ranked = {(left, right): (rank, m) for rank, (left, right, m) in enumerate(merges)}
        # What unused tokens are taken apart into: the parts of the first merge to each.
        self.undone = {
            merged: (left, right)
            for left, right, merged in reversed(merges)
            if merged in model.unused
        }
        # All occurrences of a pair can be merged at once only if that opens no way for a merge
        # of lower rank, which would have to go before the next occurrence.
        self.ordered = isinstance(model.rule, Merges) and in_learned_order(merges)
        self.unknown = unknown_id(model)

    def units(self, word: str | bytes) -> Units:
        """Split a word into units, with the marker at its end if the model has one."""
        units = split(word, self.model.units)
        return units if self.model.end_of_word is None else (*units, END)

    def whole(self, word: str | bytes) -> int | None:
        """Return the token that is spelled as the word is, if the model takes such words whole.

        The text of the marker is text here: the word `ab</w>` is spelled as the token is.
        """
        if not self.model.ignore_merges:
            return None
        marker = split(self.model.end_of_word or "", self.model.units)
        units = split(word, self.model.units)
        marked = None
        if marker and units[-len(marker) :] == marker:
            marked = self.ids.get((*units[: -len(marker)], END))
        return self.ids.get(units) if marked is None else marked

    def symbols(self, word: str | bytes) -> Symbols:
        """Split a word into the symbols that merging starts from, unknown ones included."""
        units = self.units(word)
        base: list[Units] = [(unit,) for unit in units]
        if self.model.end_of_word is not None and self.model.marker == "attached":
            base[-2:] = [units[-2:]]
        symbols: list[int] = []
        before = None
        for place, symbol in enumerate(base):
            known = self.ids.get(symbol, self.twin(symbol))
            if known is not None:
                symbols.append(known)
            elif not (self.model.fuse_unk and before is None and place):
                symbols.append(self.unknown_or_error(symbol, place, word))
            before = known
        return tuple(symbols)

    def twin(self, symbol: Units) -> int | None:
        """Return the token of a unit and the marker's text, which stands for the unit's end too."""
        if symbol[1:] != (END,):
            return None
        return self.ids.get((symbol[0], *split(self.model.end_of_word or "", self.model.units)))

    def merge_of(self, pair: Pair) -> tuple[int, int] | None:
        """Return the rank and the product of a pair, None if it does not merge."""
        if not isinstance(self.model.rule, Ranks):
            return self.ranked.get(pair)
        if any(part not in self.tokens for part in pair):
            return None
        merged = self.ids.get(self.tokens[pair[0]] + self.tokens[pair[1]])
        return None if merged is None else (merged, merged)

    def parts(self, symbol: int) -> Symbols:
        """Return a token, or what it is taken apart into if it is unused."""
        if symbol not in self.undone:
            return (symbol,)
        left, right = self.undone[symbol]
        return (*self.parts(left), *self.parts(right))

    def is_marker(self, symbol: int) -> bool:
        """Say whether a symbol is the marker on its own, where words end with one."""
        return self.model.marker == "separate" and self.tokens.get(symbol) == (END,)

    def ended(self, stem: int, marker: int) -> Symbols:
        """Return what a token and the marker behind it are taken apart into, or both as they are.

        They count as one token, as if a merge had joined them.
        """
        whole = self.ids.get((*self.tokens.get(stem, ()), END))
        return self.parts(whole) if whole in self.undone else (stem, marker)

    def unknown_or_error(self, units: Sequence[bytes], place: int, word: str | bytes) -> int:
        """Return the id for unknown units; without one, raise an error that names them."""
        if self.unknown is not None:
            return self.unknown
        named = repr(b"".join(units).decode(errors="backslashreplace")) if any(units) else "the end"
        raise UnknownTokenError(
            f"{named} at position {place} of the word {word!r} is not in the vocabulary;"
            " give the model an unk_token, or train it on text that holds this"
        )


def unknown_id(model: Model) -> int | None:
    """Return the id of the model's unknown token, if it has one.

    >>> unknown_id(Model({3: b"[UNK]"}, rule=..., unk_token="[UNK]"))
    3
    """
    if model.unk_token is None:
        return None
    for token_id, token in sorted(model.tokens.items()):
        if token == model.unk_token.encode() and token_id not in model.word_ends:
            return token_id
    raise FormatError(f"unk_token {model.unk_token!r} is not in the vocabulary; add it there")


def apart(model: Model) -> frozenset[int]:
    """Return the ids of tokens that words never become: added ones, and plain text of files.

    An added token of the vocabulary proper is met all the same if it is one unit, if merges know
    it, or as a whole word.

    >>> added = (AddedToken(0, "a"), AddedToken(1, "ab"))
    >>> sorted(apart(Model({0: b"a", 1: b"ab"}, Merges(()), "chars", added_tokens=added)))
    [1]
    """
    merges = model.rule.pairs if isinstance(model.rule, Merges) else ()
    in_merges = {token_id for merge in merges for token_id in merge}
    listed = {t.id for t in model.added_tokens if not is_met(model, t, in_merges=t.id in in_merges)}
    return model.added_only | model.literal | listed


def is_met(model: Model, added: AddedToken, *, in_merges: bool) -> bool:
    """Say whether an added token is one that words may become, in the vocabulary proper."""
    if model.tokens.get(added.id) != added.content.encode():
        return True  # it is spelled otherwise in the vocabulary
    token = token_units(model, added.id)
    units = token[:-1] if token[-1:] == (END,) else token
    spelled = spell_units(token, model.units, model.end_of_word)
    is_word = model.ignore_merges and (added.single_word or not added.special)
    return spelled == added.content and (in_merges or is_word or len(units) <= 1)
