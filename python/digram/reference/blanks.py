"""What SentencePiece does to a text before it is merged, and to pieces afterwards."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable

from digram._model import Model, Scores
from digram.components import SentencePieceDecoder, SentencePieceNormalizer
from digram.errors import FormatError, UnknownTokenError

SPACE = "\u2581"


def normalize_blanks(text: str, spec: SentencePieceNormalizer) -> str:
    """Replace what the table says, then add, remove and show spaces.

    >>> normalize_blanks("  so  it  goes ", SentencePieceNormalizer())
    '▁so▁it▁goes'
    """
    parts = list(replaced(text, spec))
    if spec.remove_extra_whitespaces:
        while parts and parts[0] == " ":
            del parts[0]
    if not parts:
        return ""
    normalized, after_space = "", spec.remove_extra_whitespaces
    for part in parts:
        kept = part.lstrip(" ") if after_space else part
        normalized += kept
        if kept:
            after_space = spec.remove_extra_whitespaces and kept.endswith(" ")
    space = SPACE if spec.escape_whitespaces else " "
    normalized = normalized.replace(" ", space)
    before = not spec.treat_whitespace_as_suffix
    if spec.add_dummy_prefix and before:
        normalized = space + normalized
    while spec.remove_extra_whitespaces and normalized.endswith(space):
        normalized = normalized.removesuffix(space)
    return normalized if before or not spec.add_dummy_prefix else normalized + space


def replaced(text: str, spec: SentencePieceNormalizer) -> Iterable[str]:
    """Cut a text into what is left untouched, what the table replaces, and single characters."""
    table = Table(spec.precompiled_charsmap)
    while text:
        untouched = [each for each in spec.untouched if text.startswith(each)]
        length, part = table.longest(text) or (1, text[0])
        if untouched:
            part = max(untouched, key=len)
            length = len(part)
        yield part
        text = text[length:]


class Table:
    """A precompiled charsmap: a double array of 32-bit units, then texts that end with NUL."""

    def __init__(self, encoded: str) -> None:
        content = base64.b64decode(encoded)
        size = struct.unpack_from("<I", content)[0] if content else 0
        self.units = struct.unpack_from(f"<{size // 4}I", content, 4) if size else ()
        self.texts = content[4 + size :]

    def longest(self, text: str) -> tuple[int, str] | None:
        """Return how many characters the longest match has, and what stands for it."""
        if not self.units:
            return None
        place, found = offset(self.units[0]), None
        key = text.encode()
        for at, byte in enumerate(key):
            place ^= byte
            unit = self.units[place]
            if unit & 0x8000_00FF != byte:
                break
            place ^= offset(unit)
            if unit >> 8 & 1:  # a match ends here
                start = self.units[place] & 0x7FFF_FFFF
                found = at + 1, self.texts[start : self.texts.index(0, start)].decode()
        return None if found is None else (len(key[: found[0]].decode()), found[1])


def offset(unit: int) -> int:
    """Return where a unit's children stand, as the unit packs it."""
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def decode_pieces(model: Model, ids: Iterable[int], *, replaces: bool) -> bytes:
    """Turn pieces back into text; with `replaces`, bytes that are no UTF-8 are U+FFFD each."""
    if not isinstance(model.rule, Scores) or not isinstance(model.decoder, SentencePieceDecoder):
        raise FormatError("the decoder SentencePiece goes with the rule by scores only")
    spec, kinds = model.decoder, model.rule.kinds
    if spec.denormalizer is not None:
        raise FormatError("the reference does not execute a denormalizer; digram.Tokenizer does")
    text, run = b"", b""
    at_beginning, began_with_space = True, False
    for id_ in ids:
        if id_ not in model.tokens:
            raise UnknownTokenError(f"id {id_} is not in the vocabulary")
        piece, kind = model.tokens[id_].decode(), kinds.get(id_, "normal")
        if kind == "byte":
            run += bytes([int(piece[3:5], 16)])
            continue
        text, run = text + mended(run, replaces=replaces), b""
        at_beginning = at_beginning and not began_with_space and not text
        loses = at_beginning and (spec.add_dummy_prefix or spec.remove_extra_whitespaces)
        is_text = kind not in ("control", "unknown")
        began_with_space = False
        if is_text and loses and piece.startswith(SPACE):
            piece = piece.removeprefix(SPACE)
            began_with_space = not spec.remove_extra_whitespaces
        shown = {"control": "", "unknown": spec.unk_surface}.get(kind, piece.replace(SPACE, " "))
        text += shown.encode()
    return text + mended(run, replaces=replaces)


def mended(run: bytes, *, replaces: bool) -> bytes:
    r"""Put U+FFFD where each byte is that is no UTF-8.

    >>> mended(b"a\xe6\xbcb", replaces=True).decode()
    'a\ufffd\ufffdb'
    """
    try:
        run.decode()
    except UnicodeDecodeError as error:
        if replaces:
            each = "\ufffd".encode() * (error.end - error.start)
            return run[: error.start] + each + mended(run[error.end :], replaces=True)
    return run
