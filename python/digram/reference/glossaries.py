"""Glossaries: what of a word is kept whole, as subword-nmt's `--glossaries` has it.

A word is cut at what each glossary finds in it, one glossary after the other. The segments are
encoded as words of their own; those that a glossary matches from end to end are not taken apart.
What comes to stand within a word loses the mark of a word's end again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from digram.reference.spelling import END, Symbols
from digram.reference.tables import Tables


def segments(glossaries: tuple[str, ...], word: str) -> list[tuple[str, bool]]:
    """Cut a word at what glossaries find; tell of each segment whether it is kept whole.

    >>> segments(("USA",), "1934USABUSA")
    [('1934', False), ('USA', True), ('B', False), ('USA', True)]
    """
    parts = [word]
    for glossary in glossaries:
        parts = [piece for part in parts for piece in cut(glossary, part)]
    whole = re.compile(f"^({'|'.join(glossaries)})$")
    return [(part, whole.match(part) is not None) for part in parts]


def cut(glossary: str, part: str) -> list[str]:
    """Cut at what a glossary finds, unless it is all of it, or seems to be: `^` is of `ax` alone.

    >>> cut("x", "axb"), cut("ax|b", "axb")
    (['a', 'x', 'b'], ['axb'])
    """
    if re.match(f"^{glossary}$", part):
        return [part]
    return [piece for piece in re.split(f"({glossary})", part) if piece]


def encode_segments(
    tables: Tables, word: str, encode_word: Callable[[str], Symbols]
) -> Iterator[int]:
    """Encode a word segment by segment; without glossaries, as it is."""
    glossaries = tables.model.glossaries
    parts = segments(glossaries, word) if glossaries else [(word, False)]
    for place, (part, is_kept) in enumerate(parts, start=1):
        is_last = place == len(parts)
        ids = kept(tables, part, is_last=is_last) if is_kept else encode_word(part)
        yield from ids if is_last else left_open(tables, part, ids)


def kept(tables: Tables, part: str, *, is_last: bool) -> Symbols:
    """Return the token that a segment is as a whole, with a separate marker behind the last."""
    units = tables.units(part)[:-1]
    ended = tables.ids.get((*units, END))
    if is_last and ended is not None:
        return (ended,)
    separate = tables.model.marker == "separate"
    inner = tables.ids.get(units) if separate or not is_last else None
    marker = [i for i in [tables.ids.get((END,))] if is_last and separate and i is not None]
    return (tables.unknown_or_error(units, 0, part) if inner is None else inner, *marker)


def left_open(tables: Tables, part: str, ids: Symbols) -> Symbols:
    """Take the end of a word away from the last token."""
    *others, last = ids
    token = tables.tokens.get(last, ())
    if token[-1:] != (END,):
        return ids
    if token == (END,):
        return tuple(others)
    inner = tables.ids.get(token[:-1])
    return (*others, tables.unknown_or_error(token[:-1], 0, part) if inner is None else inner)
