"""Every format but `tokenizer.json`, read as it stands."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from digram._check.findings import finding
from digram._check.listing import ALPHABET, Listing, spelled
from digram._check.reading import Json, Shapes, duplicate_keys, pairs_of, read_json
from digram._check.tokenizer_json import Read, list_tokenizer_json

__all__ = ["read_files"]

RANK = re.compile(rb"(\S*) (\S+)")
# Base64 of an empty token: padding alone, as in the last line of Whisper's files.
EMPTY = b"="
# What tokens of GPT-1 and CLIP end with; over bytes are those that have all of the alphabet.
MARKER = "</w>"
# How codes of OpenNMT begin.
HEADED = re.compile(rb"#version|v3;")


def read_files(contents: list[bytes]) -> Read | None:
    """Read what the files of a tokenizer list; `None` where nothing but opening them tells."""
    if len(contents) != 1:
        return _json_or_told(contents[0], lambda value: _pair(value, contents[1]))
    (content,) = contents
    if content.lstrip()[:1] == b"{":
        return _json_or_told(content, _of_json)
    first = content[:4096].partition(b"\n")[0].rstrip(b"\r")
    ranked = RANK.fullmatch(first)
    if HEADED.match(first) is not None:
        return _codes(content)
    if ranked is not None and _of_base64(ranked[1]) is not None and ranked[2].isdigit():
        return _ranks(content)
    return None


def _json_or_told(content: bytes, read: Callable[[Json], Read]) -> Read:
    try:
        value = read_json(content)
    except ValueError as error:
        return Read(Listing(()), (finding("not-json", str(error)),))
    if not isinstance(value, dict):
        return Read(Listing(()), (finding("malformed", "the file is not an object"),))
    return read(value)


def _of_json(value: Json) -> Read:
    if "model" not in value and isinstance(value.get("vocab"), list):
        return _tekken(value)
    return list_tokenizer_json(value)


def _pair(vocab: Json, merges: bytes) -> Read:
    shapes = Shapes(list(duplicate_keys(vocab, "model.vocab")))
    lines = merges.decode("utf-8", "replace").splitlines()
    listed = [line for line in lines if line and not line.startswith("#version")]
    pairs = tuple(shapes.merges(listed, "merges"))
    is_marked = any(right != MARKER and right.endswith(MARKER) for _, right in pairs)
    listing = Listing(
        tokens=tuple(shapes.ids(pairs_of(vocab), "vocab")),
        merges=pairs,
        byte_level=not is_marked or all(alias in vocab for alias in ALPHABET.values()),
        suffix=MARKER if is_marked else None,
    )
    return Read(listing, tuple(shapes.found))


def _ranks(content: bytes) -> Read:
    """Read lines of a token in base64 and its rank."""
    shapes, tokens = Shapes(), []
    for number, line in enumerate(content.splitlines(), 1):
        found = RANK.fullmatch(line)
        token = None if found is None else _of_base64(found[1])
        if found is not None and token is not None and found[2].isdigit():
            tokens.append((spelled(token), int(found[2])))
        elif line:
            shapes.wrong(f"line {number}", line, "a token in base64, a space and its rank")
    return Read(Listing(tuple(tokens), byte_level=True), tuple(shapes.found))


def _codes(content: bytes) -> Read:
    """Read lines of two parts, best first; the tokens are not listed, but follow from them."""
    shapes = Shapes()
    lines = content.decode("utf-8", "replace").splitlines()[1:]
    merges = tuple(shapes.merges([line.strip("\r\n ") for line in lines if line], "codes"))
    tokens = dict.fromkeys(part for merge in merges for part in (*merge, "".join(merge)))
    numbered = tuple((token, id_) for id_, token in enumerate(tokens))
    listing = Listing(numbered, lists_ids=False, merges=merges)
    return Read(listing, tuple(shapes.found))


def _tekken(value: Json) -> Read:
    shapes, tokens = Shapes(list(duplicate_keys(value))), []
    config = shapes.take(value, "config", dict, "", {})
    most = shapes.take(config, "default_vocab_size", int, "config.", len(value["vocab"]))
    specials = shapes.take(config, "default_num_special_tokens", int, "config.", 0)
    for place, entry in enumerate(value["vocab"][: most - specials]):
        match entry:
            case {"rank": int(rank), "token_bytes": str(encoded)} if token := _of_base64(
                encoded.encode(errors="replace")
            ):
                tokens.append((spelled(token), rank + specials))
                told = entry.get("token_str")
                if isinstance(told, str) and told != token.decode("utf-8", "replace"):
                    message = f"{told!r} is told, and the bytes are {token!r}"
                    where = f"vocab[{place}]"
                    shapes.found.append(
                        finding("token-text-mismatch", message, ids=(rank,), place=where)
                    )
            case _:
                shapes.wrong(f"vocab[{place}]", entry, "an object with rank and token_bytes")
    return Read(Listing(tuple(tokens), byte_level=True), tuple(shapes.found))


def _of_base64(text: bytes) -> bytes | None:
    """Return the bytes of a token, as the reader does; `None` where it is none."""
    if text == EMPTY:
        return b""
    try:
        return base64.b64decode(text, validate=True) or None
    except binascii.Error:
        return None
