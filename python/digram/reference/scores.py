"""SentencePiece's way to merge: pieces with scores, whatever they are made of.

Symbols are texts here, not ids: a character that is no piece merges by its text all the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby, pairwise

from digram._model import Model, Scores
from digram.reference.classes import any_of
from digram.reference.words import pieces


def encode_pieces(model: Model, rule: Scores, word: str) -> tuple[int, ...]:
    """Encode a word by scores: user-defined pieces first, what lies between by merging.

    Neighbouring unknown characters are one unknown piece where the model fuses them, unless bytes
    stand for them.

    >>> tokens = {0: b"<unk>", 1: b"ab", 2: b"abc", 3: b"c", 4: b"#"}
    >>> rule = Scores({0: 0, 1: -2, 2: -1, 3: -3, 4: 0}, {0: "unknown", 4: "user-defined"})
    >>> model = Model(tokens, rule, "chars", unk_token="<unk>", fuse_unk=True)
    >>> encode_pieces(model, rule, "cab#abcxy")
    (3, 1, 4, 2, 0)
    """
    vocabulary = Pieces(model, rule)
    ids: list[int] = []
    for part, is_user_defined in pieces(word, any_of(vocabulary.user_defined)):
        if is_user_defined:
            ids.append(vocabulary.user_defined[part])
        else:
            ids.extend(vocabulary.encode(part))
    if not model.fuse_unk:
        return tuple(ids)
    fused = groupby(ids, key=lambda id_: id_ == vocabulary.unknown)
    return tuple(
        id_ for is_unknown, run in fused for id_ in ([next(run)] if is_unknown else list(run))
    )


class Pieces:
    """The pieces of a model, by their texts and by what they are."""

    def __init__(self, model: Model, rule: Scores) -> None:
        def of(*kinds: str) -> dict[str, int]:
            ids = (id_ for id_ in rule.values if rule.kinds.get(id_, "normal") in kinds)
            return {model.tokens[id_].decode(): id_ for id_ in ids}

        self.normal, self.unused = of("normal"), of("unused")
        self.user_defined, self.bytes = of("user-defined"), of("byte")
        (self.unknown,) = of("unknown").values()
        merged = self.normal | self.unused
        # 0.0 is better than -0.0, as SentencePiece has it since 0.2.3
        scores = {text: rule.values[id_] for text, id_ in merged.items()}
        self.scores = {text: (score, math.copysign(1, score)) for text, score in scores.items()}

    def encode(self, part: str) -> Iterable[int]:
        """Merge a part, and return the ids of what is left."""
        symbols, made_of = self.merge(part)
        for symbol in symbols:
            for text in self.given_back(symbol, made_of):
                yield from self.ids(text)

    def merge(self, part: str) -> tuple[list[str], dict[str, tuple[str, str]]]:
        """Merge the pair of the best score, the leftmost of equals, until no pair is a piece.

        Tells too of which two parts each piece was made.
        """
        symbols = list(part)
        made_of: dict[str, tuple[str, str]] = {}
        while True:
            joined = [left + right for left, right in pairwise(symbols)]
            places = [place for place, text in enumerate(joined) if text in self.scores]
            if not places:
                return symbols, made_of
            best = max(places, key=lambda place: (*self.scores[joined[place]], -place))
            made_of[joined[best]] = symbols[best], symbols[best + 1]
            symbols[best : best + 2] = [joined[best]]

    def given_back(self, text: str, made_of: dict[str, tuple[str, str]]) -> list[str]:
        """Take an unused piece apart into what it was made of, and those parts too."""
        if text not in self.unused or text not in made_of:
            return [text]
        return [each for part in made_of[text] for each in self.given_back(part, made_of)]

    def ids(self, text: str) -> list[int]:
        """Return the id of a piece, or those of the bytes of what is none, or the unknown one."""
        if text in self.normal:
            return [self.normal[text]]
        if self.bytes:
            return [self.bytes[f"<0x{byte:02X}>"] for byte in text.encode()]
        return [self.unknown]
