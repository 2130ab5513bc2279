"""Tokens as text with a joiner behind those that do not end a word, as subword-nmt writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from digram._core import Engine
from digram._kinds import of_kind

__all__ = ["joined"]


def joined(
    engine: Engine, settings: Mapping[str, Any], text: str, special: Any, joiner: str
) -> list[str]:
    """Return the tokens of a text so spelled; what is unknown is spelled as the text has it.

    A token ends a word if it has the marker, or if white space follows, or nothing.
    """
    of_kind("joiner", joiner, str, "a str, or None")
    if settings["end_of_word"] is None or settings["units"] != "chars" or settings["spelled"]:
        raise ValueError(
            f"joiner is {joiner!r}, and the tokens of this tokenizer do not say where words end; a"
            " joiner is for codes, and others that have an end-of-word marker and units of"
            " characters"
        )
    unknown = settings["unk_token"]
    ids, spans = engine.encode_with_pairs(text, special)
    pieces: list[str] = []
    ends: list[bool] = []
    last = 0
    marked, bare = engine.spell(ids, marker=True), engine.spell(ids, marker=False)
    for token, piece, (start, end) in zip(marked, bare, spans, strict=True):
        if pieces and any(map(str.isspace, text[last:start])):
            ends[-1] = True
        last = end
        if piece:
            pieces.append(text[start:end] if token == unknown else piece)
            ends.append(token != piece)
        elif pieces:
            ends[-1] = True
    if ends:
        ends[-1] = True
    return [p if is_end else p + joiner for p, is_end in zip(pieces, ends, strict=True)]
