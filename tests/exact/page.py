"""The table of what was compared, kept in `docs/`: a page to read and a file of every cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from digram._atomic import replace_files
from tests.exact.vocabularies import Cell

DOCS = Path(__file__).resolve().parents[2] / "docs"
HEAD = """# Exactness

Every vocabulary beside the peer that owns its format, on every corpus: as one text, and each
different line of it alone. Compared are the ids, and the text that the peer's ids decode to; the
tokens, where the format has no ids. OpenNMT's tokenizer (pyonmttok) gets words without combining
marks, controls and signs of its own, which it reads in its own ways. `make exact` writes this page
when it has compared everything; [exactness.csv](exactness.csv) has every vocabulary and corpus.

"""


def write(cells: Sequence[Cell], versions: str, took: str) -> None:
    """Write the page and the file beside it; `took` says how much of each corpus was taken."""
    texts = [
        HEAD,
        f"Compared: {versions}. Of the corpora: {took}.\n\n",
        table("vocabulary", cells, lambda cell: f"{cell.peer}: {cell.vocabulary}"),
        "\n",
        table("corpus", cells, lambda cell: cell.corpus),
    ]
    page, every = "".join(texts).encode(), rows(cells).encode()
    replace_files({DOCS / "exactness.md": page, DOCS / "exactness.csv": every})


def table(name: str, cells: Sequence[Cell], key: Callable[[Cell], str]) -> str:
    """Write the sums of the cells that have a key in common."""
    lines = [
        f"| {name} | texts | ids differ | decoded text differs |",
        "| --- | ---: | ---: | ---: |",
    ]
    for value in dict.fromkeys(map(key, cells)):
        alike = [cell for cell in cells if key(cell) == value]
        lines.append(line(value, alike))
    lines.append(line("**all**", cells))
    return "\n".join(lines) + "\n"


def line(name: str, cells: Iterable[Cell]) -> str:
    """Write a line of a table."""
    numbers = [(cell.texts, cell.ids_differ, cell.decoded_differ) for cell in cells]
    sums = " | ".join(f"{sum(column):,}" for column in zip(*numbers, strict=True))
    return f"| {name} | {sums} |"


def rows(cells: Iterable[Cell]) -> str:
    """Write every cell as a line of comma-separated values."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["vocabulary", "peer", "corpus", "texts", "ids differ", "decoded text differs"])
    for cell in cells:
        numbers = (cell.texts, cell.ids_differ, cell.decoded_differ)
        writer.writerow([cell.vocabulary, cell.peer, cell.corpus, *numbers])
    return out.getvalue()
