"""The model: what training learned and what every file holds, as frozen values.

Three things that are easily confused are three things here. An *id* is the number that a user
sees; a *rank* is a merge's position, lower goes first; a *token* is bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal

from digram._kinds import of_kind
from digram.components import (
    AddedToken,
    BPEDecoder,
    Decoder,
    Normalizer,
    Padding,
    PostProcessor,
    PreTokenizer,
    Truncation,
)

__all__ = ["Greedy", "Kind", "Merges", "Model", "Ranks", "Rule", "Scores", "respell"]


@dataclass(frozen=True)
class Merges:
    """Only listed pairs merge: `(left id, right id, merged id)`, the earliest listed first."""

    pairs: tuple[tuple[int, int, int], ...]

    def __repr__(self) -> str:
        count = len(self.pairs)
        return f"Merges({count} {'pair' if count == 1 else 'pairs'})"


@dataclass(frozen=True)
class Ranks:
    """Any pair whose joined bytes are a token merges; the token with the lowest id goes first.

    This is how tiktoken's vocabularies work, where a token's id is its rank.
    """


Kind = Literal["normal", "unknown", "control", "user-defined", "unused", "byte"]


@dataclass(frozen=True)
class Scores:
    """Any pair whose joined text is a piece merges: the best score first, the leftmost of equals.

    This is how SentencePiece's vocabularies work. `values` maps the id of each piece to its
    score; `kinds` tells those that are not `"normal"`: unused pieces merge, and are then given
    back as the parts that they were made of; user-defined ones are matched before merging, the
    longest first; byte pieces stand for what no piece is, and so does the unknown one; control
    pieces are never made from text. `bos`, `eos` and `pad` are control pieces. `self_test`
    holds texts, each with the pieces that the trainer made of it, spaces between; no id depends on
    it, and `digram.check` tells where it differs.

    >>> Scores({0: 0.0, 1: -1.0}, {0: "unknown"})
    Scores(2 pieces, 1 unknown)
    """

    values: Mapping[int, float]
    kinds: Mapping[int, Kind]
    bos: int | None = None
    eos: int | None = None
    pad: int | None = None
    self_test: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        of_kind("values", self.values, Mapping, "a mapping of ids to scores")
        of_kind("kinds", self.kinds, Mapping, "a mapping of ids to kinds")

    def __repr__(self) -> str:
        counts = Counter(self.kinds.values())
        shown = "".join(f", {count} {kind}" for kind, count in counts.items() if kind != "normal")
        return f"Scores({len(self.values)} pieces{shown})"


@dataclass(frozen=True)
class Greedy:
    """No merging: the longest token is taken, anywhere in the word or from left to right.

    `longest-first` takes the longest token that occurs anywhere in the word (leftmost first),
    then goes on in what is left on both sides; a marker counts as one character.
    """

    order: Literal["longest-first", "left-to-right"]


Rule = Merges | Ranks | Scores | Greedy

# A repr is a line: more added tokens than these are only counted.
SHOWN_ADDED = 3


@dataclass(frozen=True)
class Model:
    """What training learned: tokens, the rule that chooses merges, and the components around it.

    `tokens` maps each id to its bytes; ids may have gaps. With an end-of-word marker, the bytes
    of a token that ends a word include the marker's text, and `word_ends` holds the ids of those
    tokens, so that the marker is never confused with the same characters in a text.

    >>> Model({0: b"a", 1: b"b", 2: b"ab"}, rule=Merges(((0, 1, 2),)))
    Model(3 tokens, rule=Merges(1 pair), units='bytes')
    """

    tokens: Mapping[int, bytes]
    rule: Rule
    units: Literal["bytes", "chars"] = "bytes"
    ignore_merges: bool = False
    unk_token: str | None = None
    fuse_unk: bool = False
    end_of_word: str | None = None
    marker: Literal["separate", "attached"] = "separate"
    word_ends: frozenset[int] = frozenset()
    added_tokens: tuple[AddedToken, ...] = ()
    normalizer: Normalizer | None = None
    pre_tokenizer: PreTokenizer | None = None
    post_processor: PostProcessor | None = None
    decoder: Decoder | None = None
    # ids of added tokens that are no part of the vocabulary proper: merging never meets them
    added_only: frozenset[int] = frozenset()
    # ids of further tokens that no text becomes: a byte-level file spells them as plain text
    literal: frozenset[int] = frozenset()
    # the version of Unicode of the normal forms; files of Hugging Face mean 9.0
    unicode: Literal["9.0", "16.0"] = "16.0"
    # without an unknown token: characters that no token holds are left out, as Hugging Face does,
    # or else they are an error
    drops_unknown: bool = False
    # units are characters of GPT-2's byte alphabet: where a byte level is not the last step
    spelled: bool = False
    byte_fallback: bool = False
    continuing_prefix: str | None = None
    # ids of tokens that merging makes and that are taken apart again, into the parts of the first
    # merge that makes them: what subword-nmt's vocabulary filter does
    unused: frozenset[int] = frozenset()
    # what is kept whole in words, as subword-nmt's glossaries name it: Python's patterns
    glossaries: tuple[str, ...] = ()
    # kept from a file; encoding refuses a dropout above 0, and cuts and fills up nothing
    dropout: float | None = None
    truncation: Truncation | None = None
    padding: Padding | None = None

    def __repr__(self) -> str:
        # The whole of it is a screen or a megabyte; what is not as usual is worth a word.
        usual = {field.name: field.default for field in fields(self)}
        shown = [f"rule={self.rule!r}", f"units={self.units!r}"]
        for name in [name for name in usual if name not in ("tokens", "rule", "units")]:
            value = getattr(self, name)
            if value != usual[name] and not isinstance(value, frozenset):
                shown.append(f"{name}={_short(value)}")
        return f"Model({len(self.tokens)} tokens, {', '.join(shown)})"


def respell(model: Model, marker: str) -> Model:
    """Spell the end-of-word marker anew in every token that has it.

    >>> model = Model({0: b"a", 1: b"a</w>"}, Merges(()), "chars", end_of_word="</w>",
    ...               marker="attached", word_ends=frozenset({1}))
    >>> respell(model, "$").tokens
    {0: b'a', 1: b'a$'}
    """
    old, new = (model.end_of_word or "").encode(), marker.encode()
    tokens = {
        id_: token[: len(token) - len(old)] + new if id_ in model.word_ends else token
        for id_, token in model.tokens.items()
    }
    decoder = BPEDecoder(marker) if isinstance(model.decoder, BPEDecoder) else model.decoder
    return replace(model, tokens=tokens, end_of_word=marker, decoder=decoder)


def _short(value: object) -> str:
    """Show a field on one line: of many added tokens, how many there are.

    >>> _short((1, 2, 3, 4)), _short("</w>")
    ('(4 of them)', "'</w>'")
    """
    if isinstance(value, tuple) and len(value) > SHOWN_ADDED:
        return f"({len(value)} of them)"
    return repr(value)
