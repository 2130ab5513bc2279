"""Changed copies of a model: new added tokens, and values by the names that people call them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from digram._arguments import byte_count, first_ids, normalizer_of, refuse_set
from digram._core import Engine
from digram._core import Tokenizer as OneText
from digram._directory import Directory
from digram._engine import engine_of, model_of
from digram._kinds import id_of, many, of_kind, shown, unbroken
from digram._lengths import refuse_long_padding, refuse_other_pad
from digram._model import Merges, Model, Scores, respell
from digram._post_processors import ids_around
from digram.components import AddedToken
from digram.errors import DigramError
from digram.patterns import pre_tokenizer

__all__ = ["NewTokens", "changed", "directory_in", "first_tokens", "without"]

NewTokens = Iterable[str | AddedToken] | Mapping[str, int]

# What `with_` takes beside the fields of a model.
FURTHER = ("pattern", "special_tokens", "table_bytes")
ADDED = ("special_tokens", "added_tokens")
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
HINTS = {
    "chat_template": "; a template is a file of the directory:"
    " directory=digram.Directory({'chat_template.jinja': …})",
}
# An id that is still to be given.
UNKNOWN = -1
# What files of byte-level tokenizers spell as it is.
IS_VISIBLE = re.compile(rb"[!-~]+")


def directory_in(changes: dict[str, Any], kept: Directory | None) -> Directory | None:
    """Take the directory out of changes; without one there the one that is kept stays."""
    rule = "a digram.Directory, or None for none"
    found: Directory | None = of_kind(
        "directory", changes.pop("directory", kept), Directory | None, rule
    )
    return found


def changed(engine: Engine, changes: Mapping[str, Any]) -> Engine:
    """Return a copy with other fields, with more added tokens, or with another pattern."""
    values = dict(changes)
    expansion, table_bytes = engine.bounds()
    asked = byte_count("table_bytes", values.pop("table_bytes", None))
    bounds = expansion, table_bytes if asked is None else asked
    model = _changed(model_of(engine), values)
    made = _remade(engine, model, bounds)
    if model.padding is not None and "padding" in values:
        refuse_long_padding(model.padding)
        refuse_other_pad(model.padding, {token.content: token.id for token in model.added_tokens})
    return made


def without(engine: Engine, contents: Iterable[str]) -> Engine:
    """Return a copy without some added tokens: text that spells one is text like any other.

    One that no merge makes goes, and its id with it; one that merges make stays a token.
    """
    return _remade(engine, _without(model_of(engine), contents), engine.bounds())


def _remade(engine: Engine, model: Model, bounds: tuple[int, int]) -> Engine:
    """Make a model that was changed ready to run.

    Of a self-test those samples are left that become what they did.
    """
    made = engine_of(model, bounds)
    if not isinstance(model.rule, Scores) or not model.rule.self_test:
        return made
    kept = tuple(each for each in model.rule.self_test if _is_alike(engine, made, each[0]))
    if kept == model.rule.self_test:
        return made
    return engine_of(replace(model, rule=replace(model.rule, self_test=kept)), bounds)


def _is_alike(engine: Engine, made: Engine, text: str) -> bool:
    try:
        before, after = (_tokens(each, text) for each in (engine, made))
    except DigramError:
        return False
    return before == after


def _tokens(engine: Engine, text: str) -> list[str]:
    calls = OneText()
    calls._engine = engine
    return engine.spell(calls.encode(text), marker=True)


def _changed(model: Model, changes: Mapping[str, Any]) -> Model:
    known = {*FURTHER, *(field.name for field in fields(Model))}
    for name in changes.keys() - known:
        raise TypeError(
            f"with_ got {name!r}; it takes directory, {', '.join(FURTHER)} and the fields of Model:"
            f" {', '.join(sorted(known.difference(FURTHER)))}{HINTS.get(name, '')}"
        )
    values = dict(changes)
    new = [(values.pop(name), name == "special_tokens") for name in ADDED if name in values]
    of_kind("end_of_word", values.get("end_of_word"), str | None, "a str, or None")
    if values.get("end_of_word") is not None and model.end_of_word is not None:
        model = respell(model, values["end_of_word"])
    if "pattern" in values:
        if "pre_tokenizer" in values:
            raise TypeError("with_ got both pattern and pre_tokenizer; a pattern is the short form")
        end_of_word = values.get("end_of_word", model.end_of_word)
        units = values.get("units", model.units)
        values["pre_tokenizer"] = pre_tokenizer(values.pop("pattern"), units, end_of_word)
    if "normalizer" in values:
        values["normalizer"] = normalizer_of(values["normalizer"])
    model = replace(model, **values)
    for tokens, special in new:
        model = _with_tokens(model, tokens, special=special)
    return model


def _without(model: Model, contents: Iterable[str]) -> Model:
    if isinstance(contents, str):
        raise TypeError(f"without got the text {contents!r}; give a list of tokens: [{contents!r}]")
    gone = set(many("added_tokens", contents, "an iterable of str"))
    removed = [token for token in model.added_tokens if token.content in gone]
    for content in gone.difference(token.content for token in removed):
        raise ValueError(
            f"without got {shown(content)}, which is no added token; tok.special_tokens and"
            " tok.added_tokens list those there are"
        )
    ids = {token.id for token in removed} - _made(model)
    for token in removed:
        if role := _role(model, token, gone=token.id in ids):
            raise ValueError(f"without got {token.content!r}, which is {role}")
    rule = model.rule
    if isinstance(rule, Scores):
        values = {id_: score for id_, score in rule.values.items() if id_ not in ids}
        kinds = {id_: kind for id_, kind in rule.kinds.items() if id_ not in ids}
        rule = replace(rule, values=values, kinds=kinds)
    less = replace(
        model,
        rule=rule,
        tokens={id_: token for id_, token in model.tokens.items() if id_ not in ids},
        added_only=model.added_only - ids,
        literal=model.literal - ids,
        added_tokens=tuple(token for token in model.added_tokens if token.content not in gone),
    )
    return _with_controls(less)


def _role(model: Model, token: AddedToken, *, gone: bool) -> str | None:
    """Tell what else names a token that shall be text; some of that only if its id goes too."""
    if token.content == model.unk_token:
        return "the unknown token; change that first, with tok.with_(unk_token=…)"
    if gone and token.id in ids_around(model.post_processor):
        return "put around texts; change that first, with tok.with_(post_processor=…)"
    if gone and model.padding is not None and token.id == model.padding.pad_id:
        return "what rows are filled up with; change that first, with tok.with_(padding=…)"
    return None


def _made(model: Model) -> set[int]:
    """Return the ids that ordinary text may become: units, and what is merged or looked up."""
    if isinstance(model.rule, Scores):
        return model.tokens.keys() - model.added_only - model.literal - _last_controls(model.rule)
    if not isinstance(model.rule, Merges) or model.ignore_merges:
        return model.tokens.keys() - model.added_only - model.literal
    encoding = "latin-1" if model.units == "bytes" else "utf-8"
    units = {id_ for id_, token in model.tokens.items() if len(token.decode(encoding)) == 1}
    in_merges = {id_ for merge in model.rule.pairs for id_ in merge}
    return (units | in_merges) - model.added_only


def _with_tokens(model: Model, tokens: NewTokens, *, special: bool) -> Model:
    """Return a copy with more added tokens; one that is there already gets the new flags."""
    wanted = _wanted(tokens, special=special)
    if not wanted:
        name = ADDED[0] if special else ADDED[1]
        raise ValueError(
            f"with_ got {name}={tokens!r}, and would add nothing; tok.without(tok.{name}) takes"
            " away those there are"
        )
    by_content = {token.content: token for token in model.added_tokens}
    ordinary = _ordinary(model, {content.encode() for content in wanted})
    ids = dict(model.tokens)
    following = max(ids, default=-1) + 1
    for content, token in wanted.items():
        known = by_content[content].id if content in by_content else ordinary.get(content.encode())
        given = token.id if token.id >= 0 else known
        id_ = following if given is None else given
        if known is not None and id_ != known:
            raise ValueError(f"added token {content!r} is given id {id_}, but it has id {known}")
        if known is None and id_ in ids:
            alike = (
                ", which byte-level files spell otherwise" if ids[id_] == content.encode() else ""
            )
            raise ValueError(
                f"added token {content!r} is given id {id_}, which is that of {ids[id_]!r}{alike};"
                f" the first free id after all others is {following}"
            )
        ids.setdefault(id_, content.encode())
        is_told = token.id != UNKNOWN and not isinstance(tokens, Mapping)
        kept = None if is_told else by_content.get(content)
        by_content[content] = _flagged(replace(token, id=id_), kept)
        following = max(following, id_ + 1)
    more = replace(
        model,
        tokens=ids,
        added_only=model.added_only | (ids.keys() - model.tokens.keys()),
        added_tokens=tuple(by_content.values()),
    )
    return _with_controls(more)


def _flagged(token: AddedToken, known: AddedToken | None) -> AddedToken:
    """Give a token its flags; one that is special stays so, unless a token of digram says no."""
    if known is None or token.special or not known.special:
        return token
    if not (token.single_word or token.lstrip or token.rstrip):
        return known
    return replace(token, special=True, normalized=known.normalized)


def _with_controls(model: Model) -> Model:
    """Have the special tokens next behind all pieces be control pieces, as `.model` holds them.

    Those behind a gap, or that are matched in a way of their own, are added tokens only.
    """
    if not isinstance(model.rule, Scores):
        return model
    last = _last_controls(model.rule)
    values = {id_: score for id_, score in model.rule.values.items() if id_ not in last}
    kinds = {id_: kind for id_, kind in model.rule.kinds.items() if id_ not in last}
    open_ = model.added_only | last
    following = max(values, default=-1) + 1
    for token in sorted(model.added_tokens, key=lambda token: token.id):
        is_plain = token == AddedToken(token.id, token.content, special=True)
        if is_plain and token.id == following and token.id in open_:
            values[following] = model.rule.values.get(following, 0.0)
            kinds[following] = "control"
            following += 1
    rule = replace(model.rule, values=values, kinds=kinds)
    return replace(model, rule=rule, added_only=open_ - values.keys())


def _last_controls(rule: Scores) -> set[int]:
    """Return the control pieces behind all other pieces, which are not those of a role."""
    controls = {id_ for id_, kind in rule.kinds.items() if kind == "control"}
    last = max(rule.values.keys() - controls, default=-1)
    return {id_ for id_ in controls if id_ > last} - {rule.bos, rule.eos, rule.pad}


def _wanted(tokens: NewTokens, *, special: bool) -> dict[str, AddedToken]:
    """Return the tokens that were asked for, by their contents."""
    if isinstance(tokens, str):
        raise TypeError(
            f"added tokens are the text {tokens!r}; give a list of tokens: [{tokens!r}]"
        )
    rule = "an iterable of str and AddedToken, or a mapping of str to ids"
    name = ADDED[0] if special else ADDED[1]
    refuse_set(name, tokens)
    many(name, tokens, rule)
    wanted: dict[str, AddedToken] = {}
    for given, id_ in _with_ids(tokens):
        if isinstance(given, str):
            # Hugging Face's default: tokens that are not special see the text as it is normalized
            token = AddedToken(id_, given, normalized=not special, special=special)
        elif not isinstance(given, AddedToken):
            token = _of_others(given, special=special)
        else:
            of_kind("the content of an added token", given.content, str, "a str")
            token = replace(given, id=id_of(given.content, given.id))
        if special and not token.special:
            raise ValueError(f"{token!r} is not special; list it in added_tokens")
        if not token.content:
            raise ValueError("an added token is empty; it would be found everywhere")
        unbroken("an added token", token.content)
        wanted[token.content] = token
    return wanted


def first_tokens(name: str, tokens: NewTokens) -> tuple[list[str], list[AddedToken]]:
    """Return the texts of special tokens that get the first ids, and those that have flags.

    >>> first_tokens("special_tokens", ["<s>", AddedToken(1, "<mask>", lstrip=True)])[0]
    ['<s>', '<mask>']
    """
    refuse_set(name, tokens)
    if isinstance(tokens, str | Mapping):
        return first_ids(name, tokens), []
    given = list(many(name, tokens, "an iterable of str, or of AddedToken"))
    flagged = _wanted([one for one in given if hasattr(one, "content")], special=True)
    contents = first_ids(name, [getattr(one, "content", one) for one in given])
    for place, content in enumerate(contents):
        if content in flagged:
            id_ = flagged[content].id
            if id_ not in (UNKNOWN, place):
                raise ValueError(
                    f"{name} gives {content!r} the id {id_}; training gives it {place}, in order"
                )
            flagged[content] = replace(flagged[content], id=place)
    return contents, list(flagged.values())


def _of_others(given: Any, *, special: bool) -> AddedToken:
    """Read an added token of Hugging Face's, which has no id, as its tokenizers take it."""
    try:
        flags = {name: bool(getattr(given, name)) for name in FLAGS}
        content = of_kind("the content of an added token", given.content, str, "a str")
    except AttributeError:
        kind = f"{type(given).__module__}.{type(given).__qualname__}"
        raise TypeError(
            "added tokens are str, digram.components.AddedToken or tokenizers.AddedToken, not"
            f" {kind}"
        ) from None
    # It does not tell whether it was asked to be normalized; special ones are not by default.
    flags["normalized"] &= flags["special"] or not special
    flags["special"] |= special
    return AddedToken(UNKNOWN, content, **flags)


def _with_ids(tokens: NewTokens) -> Iterator[tuple[str | AddedToken, int]]:
    """List tokens and the ids that they are given."""
    if isinstance(tokens, Mapping):
        return ((token, id_of(token, id_)) for token, id_ in tokens.items())
    return ((token, UNKNOWN) for token in tokens)


def _ordinary(model: Model, contents: set[bytes]) -> dict[bytes, int]:
    """Return those tokens of the vocabulary proper by their bytes; of two alike the lower id.

    Where units are bytes, files spell all but visible ASCII as other characters (`Ġthe`), so that
    no added text is one of those tokens: it gets an id of its own, as in Hugging Face.
    """
    if model.units != "chars":
        contents = {content for content in contents if IS_VISIBLE.fullmatch(content)}
    apart = model.added_only | model.literal | model.word_ends
    found: dict[bytes, int] = {}
    for id_, token in model.tokens.items():
        if token in contents and id_ not in apart:
            found[token] = min(id_, found.get(token, id_))
    return found
