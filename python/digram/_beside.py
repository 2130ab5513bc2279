"""Which tokens the files beside a tokenizer add to it.

The rules are those of transformers 5.23 for a `tokenizer.json` with `PreTrainedTokenizerFast`:

1. `added_tokens_decoder` of the settings, ascending by its ids, which serve for the order alone;
   without it `added_tokens.json`, and the tokens of `tokenizer.json` itself.
2. The tokens that the settings name (`eos_token`, `image_token`, …), and then those that they list
   (`extra_special_tokens`, of old `additional_special_tokens`), where they are no added tokens yet.

A token that has a name is special. A token that the vocabulary spells keeps its id there, and one
that was added before its id, with the flags of the settings; others are numbered on from the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from digram._directory import ADDED, CONFIG, NAMES, Directory, text_of
from digram.errors import FormatError

__all__ = ["Token", "additions", "numbered", "with_additions"]

Token = dict[str, Any]
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
# Where the settings list special tokens without a name.
LISTS = ("extra_special_tokens", "additional_special_tokens")


def additions(own: Iterable[Token], directory: Directory) -> list[Token]:
    """Return the tokens to add, or to change the flags of, to have what the directory says.

    `own` are the added tokens that the tokenizer has.

    >>> beside = Directory({"tokenizer_config.json": b'{"eos_token": "</s>"}'})
    >>> [token["content"] for token in additions([], beside)]
    ['</s>']
    """
    has = {token["content"]: token for token in own}
    added = list(_listed(has, directory))
    known = has.keys() | {token["content"] for token in added}
    named = dict(_named(directory))
    different: dict[tuple[Any, ...], Token] = {}  # of those that are alike with their flags, one
    for token in (*named.values(), *_unnamed(directory)):
        if token["content"] not in known:
            different.setdefault(tuple(token.values()), token)
    added += different.values()
    special = {token["content"] for token in named.values()}
    # of two that differ in their flags the last counts, at the place of the first
    final = {token["content"]: _complete(token, special) for token in added if token["content"]}
    return [token for token in final.values() if not _is_in(token, has)]


def with_additions(file: bytes, own: Iterable[Token], added: Iterable[Token]) -> bytes:
    """Return a `tokenizer.json` with tokens added, as tokenizers 0.23 numbers them.

    >>> file = b'{"added_tokens": [], "model": {"vocab": {"a": 0}}}'
    >>> added = additions([], Directory({"tokenizer_config.json": b'{"eos_token": "</s>"}'}))
    >>> json.loads(with_additions(file, [], added))["added_tokens"][0]["id"]
    1
    """
    content = json.loads(file)
    content["added_tokens"] = numbered(own, added, content["model"]["vocab"])
    return json.dumps(content, ensure_ascii=False).encode()


def numbered(
    own: Iterable[Token], added: Iterable[Token], vocabulary: Mapping[str, int]
) -> list[Token]:
    """Return the added tokens there are then, with their ids; `vocabulary` spells the others.

    >>> beside = Directory({"tokenizer_config.json": b'{"eos_token": "b", "x_token": "c"}'})
    >>> [(t["content"], t["id"]) for t in numbered([], additions([], beside), {"a": 0, "b": 1})]
    [('b', 1), ('c', 2)]
    """
    tokens = {token["content"]: token for token in own}
    last = max((token["id"] for token in tokens.values()), default=-1)
    for token in added:
        if token["content"] in tokens:
            id_ = tokens[token["content"]]["id"]
        else:
            id_ = vocabulary.get(token["content"], max(last + 1, len(vocabulary)))
        last = max(last, id_)
        tokens[token["content"]] = {"id": id_, **token}
    return sorted(tokens.values(), key=lambda token: int(token["id"]))


def _listed(has: Mapping[str, Token], directory: Directory) -> Iterator[Token]:
    """List the added tokens of the settings or, where these have none, of the other files."""
    decoder = directory.config.get("added_tokens_decoder")
    place = f"{CONFIG}: added_tokens_decoder"
    if decoder is None:
        place = ADDED
        decoder = _of_other_files(has, directory)
    if not isinstance(decoder, Mapping):
        raise FormatError(f"{place} is {str(decoder)[:80]!r}; it must be an object")
    by_id = [(_id(id_, place), value) for id_, value in decoder.items()]
    for _, value in sorted(by_id, key=lambda item: item[0]):
        yield _token(value, place)


def _of_other_files(has: Mapping[str, Token], directory: Directory) -> dict[object, Token]:
    """List the tokens of `added_tokens.json`, and over them those that the tokenizer has."""
    special = _plainly_special(directory)
    found: dict[object, Token] = {}
    for content, id_ in directory.added_tokens.items():
        flags = {"special": content in special, "normalized": content not in special}
        found[_id(id_, ADDED)] = {"content": content, **flags}
    return found | {token["id"]: token for token in has.values()}


def _plainly_special(directory: Directory) -> set[object]:
    """List what transformers knows here as special: nothing that the settings give with flags."""
    other = directory.overriding()
    found = [text_of(other[n]) if n in other else directory.config.get(n) for n in NAMES]
    of_config, of_other, *_ = [*_lists(directory), ()]
    found += [] if isinstance(of_config, Mapping) else of_config
    found += [] if isinstance(of_other, Mapping) else map(text_of, of_other)
    return {text for text in found if isinstance(text, str)}


def _named(directory: Directory) -> Iterator[tuple[str, Token]]:
    """List the tokens that the settings have a name for, those that all models know first."""
    settings = directory.settings()
    for name in NAMES:
        if settings.get(name) is not None:
            yield name, _special(settings[name], name)
    # a plain text of tokenizer_config.json goes above all, and last where only that names it
    texts = {name: value for name, value in directory.config.items() if isinstance(value, str)}
    flagged = [name for name in directory.config if name not in texts]
    for name in dict.fromkeys([*flagged, *directory.overriding(), *texts]):
        value = texts.get(name, settings[name])
        if name.endswith("_token") and name not in NAMES and text_of(value) is not None:
            yield name, _special(value, name)
    for found in _lists(directory):
        if isinstance(found, Mapping):
            for name, value in found.items():
                yield name, _special(value, name)


def _unnamed(directory: Directory) -> Iterator[Token]:
    """List the special tokens that the settings have no name for."""
    for found in _lists(directory):
        if not isinstance(found, Mapping):
            yield from (_token(value, LISTS[0]) for value in found)


def _lists(directory: Directory) -> Iterator[Mapping[str, Any] | tuple[Any, ...]]:
    """Find the lists of special tokens; an object instead of a list gives each a name."""
    config, other = directory.config, directory.overriding()
    given = [config[name] for name in LISTS if config.get(name) is not None]
    lists = [next(filter(None, given), given[0] if given else None)]
    lists.append(other.get(LISTS[0]))
    if not any(isinstance(found, tuple) for found in lists):
        lists.append(other.get(LISTS[1]))  # the old name counts where the new one is not used
    extra, old = (config.get(name) for name in LISTS)
    if isinstance(extra, Mapping) and extra and isinstance(old, tuple):
        lists.append(old)  # an object takes no list's place
    for found in lists:
        if not isinstance(found, Mapping | tuple | None):
            raise FormatError(f"{CONFIG}: {LISTS[0]} is {str(found)[:80]!r}; it must be a list")
        yield found or ()


def _token(value: object, place: str) -> Token:
    """Read a token: its text, or an object with its flags."""
    if isinstance(value, str):
        value = {"content": value, "special": True}
    text = text_of(value)
    if text is None or not isinstance(value, Mapping):
        raise FormatError(f"{place} holds {str(value)[:80]!r}; it must be a token")
    token: Token = {"content": text}
    for flag in FLAGS:
        token[flag] = value.get(flag)
        if not isinstance(token[flag], bool | None):
            said = str(token[flag])[:80]
            raise FormatError(f"{place}: {flag} is {said!r}; it must be true or false")
    return token


def _special(value: object, place: str) -> Token:
    return {**_token(value, place), "special": True}


def _complete(token: Token, special: set[str]) -> Token:
    """Set the flags that were not given."""
    is_special = bool(token["special"]) or token["content"] in special
    flags = {flag: bool(token[flag]) for flag in FLAGS} | {"special": is_special}
    if token["normalized"] is None:
        flags["normalized"] = not is_special
    return {"content": token["content"], **flags}


def _is_in(token: Token, has: Mapping[str, Token]) -> bool:
    mine = has.get(token["content"])
    return mine is not None and all(mine[flag] == token[flag] for flag in FLAGS)


def _id(value: object, place: str) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise FormatError(f"{place}: {str(value)[:80]!r} is no id") from None
