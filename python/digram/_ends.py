"""Which tokens begin and end texts: what a model says itself, and what stands beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from digram._directory import Directory
from digram._model import Model, Scores
from digram.components import TemplateProcessing, TemplateSpecial, TemplateText, TemplateToken

__all__ = ["asked", "ends_of", "with_ends"]


def ends_of(model: Model) -> dict[str, str]:
    """Return the tokens that a file of SentencePiece names, as settings call them; no other does.

    >>> tokens = {0: b"<unk>", 1: b"<s>"}
    >>> ends_of(Model(tokens, Scores({0: 0.0, 1: 0.0}, {0: "unknown", 1: "control"}, bos=1)))
    {'bos_token': '<s>'}
    """
    if not isinstance(model.rule, Scores):
        return {}
    found = {name: getattr(model.rule, name) for name in ("bos", "eos", "pad")}
    return {
        f"{name}_token": model.tokens[id_].decode()
        for name, id_ in found.items()
        if id_ is not None
    }


def asked(beside: Directory) -> list[str]:
    """Return which tokens the settings want around texts.

    >>> asked(Directory({"tokenizer_config.json": b'{"add_bos_token": true}'}))
    ['bos']
    """
    return [name for name in ("bos", "eos") if beside.config.get(f"add_{name}_token") is True]


def with_ends(model: Model, beside: Directory) -> Model:
    """Put around texts what the settings ask for, as transformers 5.24 does for all its classes.

    >>> tokens = {0: b"a", 1: b"<s>"}
    >>> model = Model(tokens, Scores({0: 0.0, 1: 0.0}, {1: "control"}, bos=1))
    >>> beside = Directory({"tokenizer_config.json": b'{"add_bos_token": true}'})
    >>> with_ends(model, beside) == model  # the token is no added one
    True
    """
    names = ends_of(model) | dict(beside.special_tokens)
    ids = {token.content: token.id for token in model.added_tokens}
    around = {name: names.get(f"{name}_token") for name in asked(beside)}
    before, behind = (
        [text] if (text := around.get(name)) in ids else [] for name in ("bos", "eos")
    )
    if not before + behind:
        return model
    template = TemplateProcessing(
        single=(*_framed("A", 0, before, behind),),
        pair=(*_framed("A", 0, before, behind), *_framed("B", 1, before, behind)),
        special_tokens=tuple(
            TemplateSpecial(token, (ids[token],), (token,))
            for token in dict.fromkeys(before + behind)
        ),
    )
    return replace(model, post_processor=template)


def _framed(
    text: Literal["A", "B"], kind: int, before: list[str], behind: list[str]
) -> list[TemplateText | TemplateToken]:
    first, last = ([TemplateToken(token, kind) for token in end] for end in (before, behind))
    return [*first, TemplateText(text, kind), *last]
