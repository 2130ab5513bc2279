"""Encoding: from text to ids, by the merges of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from digram._model import Greedy, Merges, Model, Scores
from digram.reference.glossaries import encode_segments
from digram.reference.greedy import left_to_right, longest_first
from digram.reference.learn import merge_pair
from digram.reference.scores import encode_pieces
from digram.reference.special import Policy, cut_added_tokens
from digram.reference.spelling import Pair, Symbols, spell
from digram.reference.tables import Tables
from digram.reference.words import pre_tokenize

By = Literal["rank", "order"]
Cache = MutableMapping[str, Symbols]


@dataclass(frozen=True)
class Round:
    """One round of merging: the pairs present, the one merged if any, the symbols after."""

    pairs: tuple[Pair, ...]
    candidate: Pair | None
    symbols: Symbols


def encode(
    model: Model,
    text: str,
    *,
    by: By = "rank",
    special: Policy = "text",
    cache: Cache | None = None,
) -> list[int]:
    """Encode a text.

    `by` says how merges are applied: the lowest rank present first, or all merges in the order
    learned. `cache` keeps the ids of words met before; it belongs to one model and one `by`.

    >>> tokens = {0: b"[UNK]", 1: b"b", 2: b"g", 3: b"u", 4: b"ug"}
    >>> model = Model(tokens, Merges(((3, 2, 4),)), "chars", unk_token="[UNK]")
    >>> encode(model, "bug"), encode(model, "mug")
    ([1, 4], [0, 4])
    """
    (ids,) = encode_batch(model, [text], by=by, special=special, cache=cache)
    return ids


def encode_batch(
    model: Model,
    texts: Iterable[str],
    *,
    by: By = "rank",
    special: Policy = "text",
    cache: Cache | None = None,
) -> list[list[int]]:
    """Encode several texts, each as `encode` does.

    >>> encode_batch(Model({97: b"a"}, Merges(())), ["a", "", "aa"])
    [[97], [], [97, 97]]
    """
    tables = Tables(model)
    check_order(tables, by)
    known: Cache = {} if cache is None else cache
    return [list(encode_text(tables, text, by, special, known)) for text in texts]


def encode_text(tables: Tables, text: str, by: By, special: Policy, cache: Cache) -> Iterator[int]:
    """Encode a text piece by piece: added tokens give their ids, and words theirs."""

    def known(word: str) -> Symbols:
        if word not in cache:
            cache[word] = encode_word(tables, word, by)
        return cache[word]

    for piece in cut_added_tokens(tables.model, text, special):
        if isinstance(piece, int):
            yield piece
        else:
            for word in pre_tokenize(piece, tables.model.pre_tokenizer):
                yield from encode_segments(tables, word, known)


def encode_word(tables: Tables, word: str, by: By) -> Symbols:
    """Encode a word, which merging never looks beyond."""
    model = tables.model
    if isinstance(model.rule, Scores):
        return encode_pieces(model, model.rule, word)
    if isinstance(model.rule, Greedy):
        take = longest_first if model.rule.order == "longest-first" else left_to_right
        units = tables.units(word)

        def unknown(place: int) -> int:
            return tables.unknown_or_error(units[place : place + 1], place, word)

        return tuple(take(units, tables, unknown))
    whole = tables.whole(word)
    if whole is not None:
        return (whole,)
    symbols = tables.symbols(word)
    for each in rounds(tables, symbols, by):
        symbols = each.symbols
    return taken_apart(tables, symbols)


def rounds(tables: Tables, symbols: Symbols, by: By) -> Iterator[Round]:
    """Merge round by round; a last round without candidate says that none of its pairs merges."""
    return by_order(tables, symbols) if by == "order" else by_rank(tables, symbols)


def by_rank(tables: Tables, symbols: Symbols) -> Iterator[Round]:
    """Merge the pair of the lowest rank, the leftmost of equals, until no pair merges.

    All its occurrences are merged in one round if the merges stand in learned order. Otherwise
    one at a time: then a merge may make way for another one of lower rank, and in a model of
    `Ranks` two pairs may have one product, so that one occurrence can change what comes next.
    """
    while len(symbols) > 1:
        pairs = tuple(dict.fromkeys(pairwise(symbols)))
        merges = {pair: found for pair in pairs if (found := tables.merge_of(pair)) is not None}
        if not merges:
            yield Round(pairs, None, symbols)
            return
        best = min(merges, key=lambda pair: merges[pair][0])
        merge = merge_pair if tables.ordered else merge_leftmost
        symbols = merge(symbols, best, merges[best][1])
        yield Round(pairs, best, symbols)


def by_order(tables: Tables, symbols: Symbols) -> Iterator[Round]:
    """Apply every merge once, in the order learned."""
    for pair, (_, merged) in tables.ranked.items():
        pairs = tuple(dict.fromkeys(pairwise(symbols)))
        if pair in pairs:
            symbols = merge_pair(symbols, pair, merged)
            yield Round(pairs, pair, symbols)


def taken_apart(tables: Tables, symbols: Symbols) -> Symbols:
    """Undo the merges to unused tokens, down to tokens that are used or that no merge makes.

    A token and a separate marker behind it are one here, though no merge has joined them.

    >>> model = Model({0: b"a", 1: b"b", 2: b"ab", 3: b"aba"}, Merges(((0, 1, 2), (2, 0, 3))),
    ...               unused=frozenset({2, 3}))
    >>> taken_apart(Tables(model), (3, 2, 1))
    (0, 1, 0, 0, 1, 1)
    """
    if not tables.undone:
        return symbols
    last: Symbols = ()
    if len(symbols) > 1 and tables.is_marker(symbols[-1]):
        symbols, last = symbols[:-2], tables.ended(*symbols[-2:])
    return (*(id_ for symbol in symbols for id_ in tables.parts(symbol)), *last)


def merge_leftmost(symbols: Symbols, pair: Pair, merged: int) -> Symbols:
    """Replace the first occurrence of `pair` by `merged`.

    >>> merge_leftmost((1, 2, 1, 2), (1, 2), 9)
    (9, 1, 2)
    """
    place = list(pairwise(symbols)).index(pair)
    return (*symbols[:place], merged, *symbols[place + 2 :])


def check_order(tables: Tables, by: By) -> None:
    """Refuse to walk merges in learned order where that would differ from the lowest rank.

    >>> model = Model({0: b"a", 1: b"aa", 2: b"aaa"}, Merges(((1, 0, 2), (0, 0, 1))))
    >>> encode(model, "aaa", by="order")
    Traceback (most recent call last):
    ValueError: by is 'order', but the merges do not all stand behind those that make their parts...
    """
    if by not in ("rank", "order"):
        raise ValueError(f"by is {by!r}; give 'rank' or 'order'")
    if by == "order" and not isinstance(tables.model.rule, Merges):
        raise ValueError("by is 'order', but this model has no list of merges; give by='rank'")
    if by == "order" and not tables.ordered:
        raise ValueError(
            "by is 'order', but the merges do not all stand behind those that make their parts;"
            " give by='rank'"
        )


def tokenize(
    model: Model, text: str, *, by: By = "rank", special: Policy = "text", marker: bool = True
) -> list[str]:
    """Encode a text and spell the tokens; without `marker`, the marker's text is left out.

    >>> tokens = {0: b"</w>", 1: b"s", 2: b"t", 3: b"t</w>"}
    >>> model = Model(tokens, Merges(((2, 0, 3),)), "chars", end_of_word="</w>",
    ...               word_ends=frozenset({0, 3}))
    >>> tokenize(model, "st"), tokenize(model, "st", marker=False)
    (['s', 't</w>'], ['s', 't'])
    """
    ids = encode(model, text, by=by, special=special)
    if marker or model.end_of_word is None:
        return [spell(model, token_id) for token_id in ids]
    spelled = (
        spell(model, i).removesuffix(model.end_of_word if i in model.word_ends else "") for i in ids
    )
    return [token for token in spelled if token]
