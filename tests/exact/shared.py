"""The shared data: real vocabularies and corpora, and how much of them a tier takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
# Of each corpus, the quick tier takes the lines that begin within so many characters.
QUICK = 60_000
# In some of its lines alone do tables of other Unicode versions show.
NORMAL_FORMS = "unicode/NormalizationTest.txt"
# So many are enough where one comparison is made again for each kind of tokenizer.
ENOUGH = 500_000
# In the quick tier, where it is made for every vocabulary.
BRIEF = 20_000
# Texts are handed over in batches of so many characters: peers keep much for each of them.
BATCH = 4_000_000


@dataclass(frozen=True)
class Shared:
    """A folder of vocabularies and corpora, read wholly or in part."""

    folder: Path
    quick: bool
    most: int | None = None

    def sample(self) -> Shared:
        """The same with no more of each corpus than is enough."""
        return self if self.quick else replace(self, most=ENOUGH)

    def brief(self) -> Shared:
        """The same with less of each corpus in the quick tier, for what is made many times."""
        return replace(self, most=BRIEF) if self.quick else self

    def vocab(self, *parts: str) -> Path:
        """The path of a vocabulary."""
        return self.folder.joinpath("vocab", *parts)

    def corpus(self, name: str) -> str:
        """The whole of a corpus, whatever the tier."""
        return read(self.folder / "corpus" / name)

    def part(self, name: str) -> str:
        """As much of a corpus as the tier takes; of the one about normal forms, all."""
        text = self.corpus(name)
        most = self.most
        if most is None and self.quick and name != NORMAL_FORMS:
            most = QUICK
        return text if most is None else text[: text.find("\n", most) + 1 or len(text)]

    def names(self) -> list[str]:
        """All corpora, below the folder of them."""
        root = self.folder / "corpus"
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every corpus whole, then every different line of it without its end."""
        for name in self.names():
            text = self.part(name)
            yield name, text
            for line in dict.fromkeys(text.split("\n")):
                yield f"{name}, line {line[:20]!r}", line

    def batches(self) -> Iterator[tuple[list[str], list[str]]]:
        """The texts, in batches: their places, and themselves."""
        places: list[str] = []
        texts: list[str] = []
        size = 0
        for place, text in self.texts():
            places.append(place)
            texts.append(text)
            size += len(text)
            if size >= BATCH:
                yield places, texts
                places, texts, size = [], [], 0
        yield places, texts


def read(path: Path) -> str:
    """Read a text, its line ends as they are; what is no UTF-8 becomes U+FFFD."""
    return path.read_bytes().decode("utf-8", "replace")


def find() -> Path | None:
    """Find the shared data, beside the checkout unless `DIGRAM_SHARED` says where."""
    folder = Path(os.environ.get("DIGRAM_SHARED", CHECKOUT.parent / "shared")) / "data"
    return folder if folder.is_dir() else None
