"""Tokenizers made in memory, from a vocabulary and merges or from a list of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from digram._arguments import distinct, normalizer_of
from digram._kinds import id_of, many, of_kind, shown
from digram._model import Greedy, Merges, Model, Rule
from digram._smaller import is_unit
from digram._tokenizer import Tokenizer
from digram.components import AddedToken, Normalizer, PreTokenizer
from digram.errors import FormatError
from digram.patterns import decoder, pre_tokenizer

__all__ = ["from_merges"]

Token = str | bytes


def from_merges(
    vocab: Mapping[Token, int] | Sequence[Token],
    merges: Iterable[tuple[Token, Token]] = (),
    *,
    units: Literal["bytes", "chars"] = "bytes",
    pattern: str | PreTokenizer | None = None,
    normalizer: str | Normalizer | None = None,
    special_tokens: Iterable[str] = (),
    unk_token: str | None = None,
    fuse_unk: bool = False,
    end_of_word: str | None = None,
    marker: Literal["separate", "attached"] = "separate",
    ignore_merges: bool = False,
    greedy: Literal["longest-first", "left-to-right"] | None = None,
) -> Tokenizer:
    """Make a tokenizer of a vocabulary and merges, best first; or of tokens alone, with `greedy`.

    `vocab` maps tokens to ids, or lists tokens in the order of their ids; tokens are text or
    bytes, as they are (not in GPT-2's spelling). With `end_of_word`, a token that ends with the
    marker's text ends a word. Special tokens that are not in `vocab` get the next ids. The other
    keywords are what they are for `train`; `ignore_merges` looks whole words up before merging.

    Raises `FormatError` for two tokens with one id, `ValueError` for a merge whose parts or product
    are not in `vocab`, and for tokens that nothing could make, as there is neither a merge nor
    `greedy`. Ranks as tiktoken has them are for `from_ranks`.

    >>> tok = from_merges(["h", "u", "g", "ug", "hug"], [("u", "g"), ("h", "ug")], units="chars")
    >>> tok.tokenize("hugug")
    ['hug', 'ug']
    >>> greedy = from_merges(["bcd", "ab", "a", "c", "d"], greedy="longest-first", units="chars")
    >>> greedy.tokenize("abcd")
    ['a', 'bcd']
    """
    for name, text in (("end_of_word", end_of_word), ("unk_token", unk_token)):
        of_kind(name, text, str | None, "a str, or None")
    by_bytes = _ids_by_bytes(vocab)
    specials = distinct("special_tokens", special_tokens)
    if unk_token is not None and unk_token not in specials:
        specials.insert(0, unk_token)
    added = _added(specials, by_bytes)
    proper = {id_: token for token, id_ in by_bytes.items()}
    new = {token.id: token.content.encode() for token in added if token.id not in proper}
    ends = end_of_word.encode() if end_of_word else None
    special_ids = {token.id for token in added}
    split, normal = pre_tokenizer(pattern, units, end_of_word), normalizer_of(normalizer)
    model = Model(
        tokens=proper | new,
        rule=_rule(merges, by_bytes, greedy),
        units=units,
        ignore_merges=ignore_merges,
        unk_token=unk_token,
        fuse_unk=fuse_unk,
        end_of_word=end_of_word,
        marker=marker,
        word_ends=frozenset(
            id_ for id_, t in proper.items() if ends and t.endswith(ends) and id_ not in special_ids
        ),
        added_only=frozenset(new),
        added_tokens=added,
        normalizer=normal,
        pre_tokenizer=split,
        decoder=decoder(units, end_of_word, split, normal),
    )
    _refuse_idle(model)
    return Tokenizer(model)


def _refuse_idle(model: Model) -> None:
    """Refuse tokens of several units where nothing makes them."""
    if model.rule != Merges(()) or model.ignore_merges:
        return
    added = {token.id for token in model.added_tokens}
    for id_, token in model.tokens.items():
        if id_ not in added and not is_unit(model, id_, token):
            raise ValueError(
                f"vocab holds {_shown(token)}, and there are no merges that could make it; give"
                " merges, or greedy='longest-first' or 'left-to-right', or, for ranks as tiktoken"
                " has them, call digram.from_ranks"
            )


def _ids_by_bytes(vocab: Mapping[Token, int] | Sequence[Token]) -> dict[bytes, int]:
    """Return the id of each token. Each has one, and no two the same."""
    many("vocab", vocab, "a mapping of tokens to ids, or a sequence of tokens")
    ids = vocab.items() if isinstance(vocab, Mapping) else ((t, i) for i, t in enumerate(vocab))
    by_bytes = {_bytes(token): id_of(token, id_) for token, id_ in ids}
    if len(by_bytes) < len(vocab):
        raise ValueError("vocab lists a token twice; each token has one id")
    by_id: dict[int, bytes] = {}
    for token, id_ in by_bytes.items():
        other = by_id.setdefault(id_, token)
        if other is not token:
            both = " and ".join(f'"{_text(each)}"' for each in (other, token))
            raise FormatError(f"vocab: id {id_} is given to {both}; give each token its own")
    return by_bytes


def _added(specials: list[str], by_bytes: Mapping[bytes, int]) -> tuple[AddedToken, ...]:
    unused = max(by_bytes.values(), default=-1) + 1
    added = []
    for special in specials:
        id_ = by_bytes.get(special.encode())
        if id_ is None:
            id_, unused = unused, unused + 1
        added.append(AddedToken(id_, special))
    return tuple(added)


def _rule(
    merges: Iterable[tuple[Token, Token]], by_bytes: Mapping[bytes, int], greedy: str | None
) -> Rule:
    many("merges", merges, "an iterable of pairs of tokens")
    pairs = tuple(_merge(rank, pair, by_bytes) for rank, pair in enumerate(merges))
    if greedy is None:
        return Merges(pairs)
    if greedy not in ("longest-first", "left-to-right"):
        raise ValueError(f"greedy is {shown(greedy)}; it is 'longest-first' or 'left-to-right'")
    if pairs:
        raise ValueError("merges are given, and greedy encoding uses none; leave one of them out")
    return Greedy("longest-first" if greedy == "longest-first" else "left-to-right")


def _merge(
    rank: int, pair: tuple[Token, Token], by_bytes: Mapping[bytes, int]
) -> tuple[int, int, int]:
    if not isinstance(pair, tuple | list):  # a set has no order, and a str is one token
        raise TypeError(f"merge {rank} is {shown(pair)}; a merge is an ordered pair of tokens")
    try:
        left, right = map(_bytes, pair)
    except ValueError:
        raise ValueError(f"merge {rank} is {shown(pair)}; a merge is a pair of tokens") from None
    for token in (left, right, left + right):
        if token not in by_bytes:
            raise ValueError(
                f"merge {rank} is {shown(pair)}, but {_shown(token)} is not in the vocabulary"
            )
    return by_bytes[left], by_bytes[right], by_bytes[left + right]


def _bytes(token: Token) -> bytes:
    if not isinstance(token, str | bytes):
        raise TypeError(f"a token is str or bytes, not {type(token).__name__}: {shown(token)}")
    return token.encode() if isinstance(token, str) else token


def _shown(token: bytes) -> str:
    return repr(_text(token))


def _text(token: bytes) -> str:
    return token.decode("utf-8", "backslashreplace")
