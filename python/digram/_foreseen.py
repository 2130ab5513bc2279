"""A `tokenizer.json` with the tokens that its settings add, before it is read.

To know what is added takes the added tokens that the file has, and these stand at its beginning:
most files need not be read twice. Where that cannot be told beforehand, nothing is foreseen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from digram._beside import FLAGS, Token, additions
from digram._directory import Directory

__all__ = ["foreseen", "is_foreseen"]

KEY = "added_tokens"
FIELDS = {"id", "content", *FLAGS}
# The file is searched for each new token: for more of them, to read it twice takes less time.
SOUGHT = 16
BLANK = re.compile(r"[ \t\r\n]*")


def foreseen(file: bytes, beside: Directory) -> tuple[bytes, list[Token]] | None:
    """Return the file with tokens added, and its added tokens then; new ones have no id yet.

    None where nothing is to be added, or where only reading the whole file can tell what.

    >>> settings = Directory({"tokenizer_config.json": b'{"eos_token": "</s>"}'})
    >>> file, added = foreseen(b'{"added_tokens": [], "model": {"vocab": {"a": 0}}}', settings)
    >>> [token["content"] for token in added], file.endswith(b'}], "model": {"vocab": {"a": 0}}}')
    (['</s>'], True)
    """
    found = _value(file)
    if found is None:
        return None
    start, end, own = found
    tokens = {token["content"]: token for token in own}
    added = additions(own, beside)
    new = {token["content"] for token in added if token["content"] not in tokens}
    if not added or len(tokens) < len(own) or len(new) > SOUGHT:
        return None
    # what the vocabulary spells keeps its id there, and so may stand anywhere among the others
    if any(_may_spell(file, text) for text in new):
        return None
    for token in added:
        id_ = tokens[token["content"]]["id"] if token["content"] in tokens else 0
        tokens[token["content"]] = {"id": id_, **token}
    listed = json.dumps(list(tokens.values()), ensure_ascii=False).encode()
    marked = [
        token | ({"id": None} if token["content"] in new else {}) for token in tokens.values()
    ]
    return file[:start] + listed + file[end:], marked


def is_foreseen(found: Iterable[Token], expected: Iterable[Token]) -> bool:
    """Tell whether a tokenizer has the added tokens that were foreseen.

    >>> is_foreseen([{"id": 3, "content": "a"}], [{"id": None, "content": "a"}])
    True
    """
    as_expected = [
        token | ({"id": None} if other["id"] is None else {})
        for token, other in zip(found, expected, strict=False)
    ]
    return as_expected == list(expected)


def _may_spell(file: bytes, text: str) -> bool:
    return any(json.dumps(text, ensure_ascii=escaped).encode() in file for escaped in (True, False))


def _value(file: bytes) -> tuple[int, int, list[Token]] | None:
    """Find where the added tokens stand, before the model, and what they are."""
    text = file.decode("latin-1")  # so places are those of bytes
    decode = json.JSONDecoder().raw_decode
    place = _behind(text, 0, "{")
    while place is not None:
        key, place = decode(text, place)
        start = _behind(text, place, ":")
        if start is None or key == "model":
            return None
        _, end = decode(text, start)
        if key == KEY:
            own = json.loads(file[start:end])
            return (start, end, own) if _are_tokens(own) else None
        place = _behind(text, end, ",")
    return None


def _behind(text: str, place: int, mark: str) -> int | None:
    """Skip blanks, a mark that must stand there, and the blanks behind it."""
    match = BLANK.match(text, place)
    at = match.end() if match else place
    if not text.startswith(mark, at):
        return None
    match = BLANK.match(text, at + 1)
    return match.end() if match else at + 1


def _are_tokens(own: Any) -> bool:
    return isinstance(own, list) and all(
        isinstance(token, dict)
        and token.keys() == FIELDS
        and type(token["id"]) is int
        and isinstance(token["content"], str)
        and all(isinstance(token[flag], bool) for flag in FLAGS)
        for token in own
    )
