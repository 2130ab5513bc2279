"""Every vocabulary on every corpus, whole and by line, beside the peer that owns its format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tests.exact.owners import Owned, Side, owned
from tests.exact.shared import BATCH, Shared
from tests.exact.tally import Tally


@dataclass
class Cell:
    """A vocabulary and a corpus: how many texts were compared, and how many differ."""

    vocabulary: str
    peer: str
    corpus: str
    texts: int = 0
    ids_differ: int = 0
    decoded_differ: int = 0


def compare(shared: Shared, tally: Tally) -> list[Cell]:
    """Compare all there is to compare; return the cells of the table."""
    cells, data = [], shared.brief()
    for each in owned():
        with tally.row(f"ids and decoded text, {each.peer}, {each.vocabulary}"):
            sides = each.open(data)
            cells += [compared(data, tally, each, name, sides) for name in data.names()]
    return cells


def compared(
    shared: Shared, tally: Tally, each: Owned, corpus: str, sides: tuple[Side, Side]
) -> Cell:
    """Compare a vocabulary on a corpus."""
    ours, theirs = sides
    cell = Cell(each.vocabulary, each.peer, corpus)
    before = tally.rows[-1].differences
    for texts in batches(shared.part(corpus)):
        places = [f"{corpus}, {text[:20]!r}" for text in texts]
        expected = list(theirs.encode(texts))
        tally.all_same(places, list(ours.encode(texts)), expected)
        between = tally.rows[-1].differences
        tally.all_same(places, list(ours.decode(expected)), list(theirs.decode(expected)))
        cell.texts += len(texts)
        cell.ids_differ += between - before
        before = tally.rows[-1].differences
        cell.decoded_differ += before - between
    return cell


def batches(text: str) -> Iterator[list[str]]:
    """The text whole, then every different line of it without its end."""
    yield [text]
    lines = iter(dict.fromkeys(text.split("\n")))
    # Peers keep much for each text.
    while batch := list(islice(lines, BATCH // 200)):
        yield batch
