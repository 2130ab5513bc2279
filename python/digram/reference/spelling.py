"""How tokens are written: as units for the algorithms, as text for people.

A token is a tuple of *units*: single bytes, or single characters in UTF-8. The end-of-word
marker is the unit `END`, which holds no byte at all, so that no text can be mistaken for it.
A word on its way is a tuple of *symbols*, which are ids of tokens.
"""

from __future__ import annotations

from typing import Literal

from digram._model import Model

Units = tuple[bytes, ...]
Symbols = tuple[int, ...]
Pair = tuple[int, int]
Kind = Literal["bytes", "chars"]

END = b""


def split(word: str | bytes, kind: Kind) -> Units:
    r"""Split a word into its bytes or its characters.

    >>> split("né", "chars"), split("né", "bytes")
    ((b'n', b'\xc3\xa9'), (b'n', b'\xc3', b'\xa9'))
    """
    if kind == "chars":
        text = word if isinstance(word, str) else word.decode()
        return tuple(char.encode() for char in text)
    encoded = word if isinstance(word, bytes) else word.encode()
    return tuple(bytes([byte]) for byte in encoded)


def join(token: Units, marker: str | None) -> bytes:
    """Write a token's bytes, with the marker's text where it ends a word.

    >>> join((b"s", b"t", END), "</w>")
    b'st</w>'
    """
    return b"".join(token) + ((marker or "").encode() if END in token else b"")


def byte_aliases() -> dict[int, str]:
    """Name every byte by a printable character, as GPT-2 does.

    Printable bytes of Latin-1 stand for themselves, the other 68 for the characters from 256 on.

    >>> byte_aliases()[ord("A")], byte_aliases()[ord(" ")]
    ('A', 'Ġ')
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    named = {byte: chr(byte) for byte in printable}
    return named | {byte: chr(256 + place) for place, byte in enumerate(others)}


ALIASES = byte_aliases()


def spell_units(token: Units, kind: Kind, marker: str | None) -> str:
    """Spell a token as `tokenizer.json` does: bytes by their aliases, characters as they are.

    >>> spell_units((b" ", b"i", b"s"), "bytes", None), spell_units((b"t", END), "chars", "</w>")
    ('Ġis', 't</w>')
    """
    text = b"".join(token)
    spelled = text.decode() if kind == "chars" else "".join(ALIASES[byte] for byte in text)
    return spelled + (marker or "" if END in token else "")


def token_units(model: Model, token_id: int) -> Units:
    """Split a token of a model into its units.

    >>> token_units(Model({7: b"st</w>"}, ..., "chars", end_of_word="</w>",
    ...                   word_ends=frozenset({7})), 7)
    (b's', b't', b'')
    """
    token = model.tokens[token_id]
    if token_id in model.word_ends:
        return (*split(token.removesuffix((model.end_of_word or "").encode()), model.units), END)
    return split(token, model.units)


def spell(model: Model, token_id: int) -> str:
    """Spell a token of a model as `tokenizer.json` does; added tokens as they stand in text.

    >>> spell(Model({7: b" is"}, rule=...), 7)
    'Ġis'
    """
    for added in model.added_tokens:
        if added.id == token_id:
            return added.content
    return spell_units(token_units(model, token_id), model.units, model.end_of_word)
