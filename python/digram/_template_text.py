"""Templates as Hugging Face writes them in one text: `[CLS] $A [SEP] $B:1 [SEP]:1`."""

from __future__ import annotations

__all__ = ["Piece", "pieces"]

# What stands there: a text (A or B) or a token, its name, and its type.
Piece = tuple[bool, str, int]


def pieces(template: str) -> list[Piece]:
    """Return the pieces of a template, between which there are spaces.

    `$A` and `$B` are the texts, `$` is the first, and `$1` the first with the type 1; all else are
    tokens. A type may stand behind a colon.

    >>> pieces("[CLS] $A $B:1")
    [(False, '[CLS]', 0), (True, 'A', 0), (True, 'B', 1)]
    """
    return [_piece(piece, template) for piece in template.split(" ")]


def _piece(piece: str, template: str) -> Piece:
    name, colon, type_id = piece.partition(":")
    found = _named(name)
    if found is None or (colon and not _is_number(type_id)):
        raise ValueError(
            f"the template {template!r:.80} has {piece!r}; write $A, $B or a token, with its type"
            " behind a colon if it is not 0, and one space between each two"
        )
    is_text, name, own = found
    return is_text, name, int(type_id) if colon else own


def _named(name: str) -> Piece | None:
    if not name.startswith("$"):
        return (False, name, 0) if name else None
    text = name[1:].upper()
    if _is_number(text):
        return True, "A", int(text)
    return (True, text or "A", 0) if text in ("", "A", "B") else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()
