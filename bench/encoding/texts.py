"""The texts: families of them, cut into two halves that do not repeat one another, and pieces."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FAMILIES = {
    "English": ("english_prose.txt",),
    "code": (
        "code_python.txt",
        "code_rust.txt",
        "code_c.txt",
        "code_javascript_typescript.txt",
        "code_mixed.txt",
    ),
    "JSON and logs": ("json_twitter.json", "web_c4_sample.jsonl", "log_apache_access.txt"),
    "German": ("multi_de.txt",),
    "Russian": ("multi_ru.txt",),
    "Arabic": ("multi_ar.txt",),
    "Hindi": ("multi_hi.txt",),
    "Korean": ("multi_ko.txt",),
    "Chinese": ("multi_zh.txt",),
    "Japanese": ("multi_ja.txt",),
    "Thai": ("multi_th.txt",),
    "527 languages": ("udhr_all_languages.txt",),
}
# A line of the second half that is as long as this and stands in the first is left out.
LONG_LINE = 40
DOCUMENT = (1_000, 4_000)  # characters, at least and at most
MANY = ("documents", "lines")  # what is encoded as a batch
CALLS = {20: 2_000, 200: 2_000, 4096: 200}  # characters of a call: calls, at most
REQUEST = (20, 20_000)  # characters of a mixed request, at least and at most


@dataclass(frozen=True)
class Halves:
    """A text in two halves, as files; the second is new to who has seen the first."""

    name: str
    first: Path
    second: Path
    sizes: tuple[int, int]  # bytes
    left_out: float  # the share of the second half that the first had


def write_halves(corpus: Path, family: str, size: int, folder: Path) -> Halves:
    """Cut a family of at most `size` bytes into halves, each file of it in its middle."""
    each = size // len(FAMILIES[family])
    first, second = [], []
    for name in FAMILIES[family]:
        content = whole_lines((corpus / name).read_bytes(), each)
        middle = content.find(b"\n", len(content) // 2) + 1
        first.append(content[:middle])
        second.append(content[middle:])
    seen = {line for half in first for line in half.splitlines() if len(line) >= LONG_LINE}
    kept = [
        b"".join(x for x in half.splitlines(keepends=True) if x.rstrip(b"\r\n") not in seen)
        for half in second
    ]
    before, after = sum(map(len, second)), sum(map(len, kept))
    halves = (b"".join(first), b"".join(kept))
    stem = f"{family}-{size}".replace(" ", "-").replace(",", "")
    paths = [folder / f"{stem}-{which}.txt" for which in ("first", "second")]
    for path, half in zip(paths, halves, strict=True):
        path.write_bytes(half)
    sizes = (len(halves[0]), len(halves[1]))
    return Halves(family, paths[0], paths[1], sizes, 1 - after / before)


def whole_lines(content: bytes, most: int) -> bytes:
    """Cut content after a line, so that it is at most so long."""
    if len(content) <= most:
        return content
    end = content.rfind(b"\n", 0, most) + 1
    return content[:end] if end else content[:most].decode("utf-8", "ignore").encode()


def read_text(path: str) -> str:
    """Read a half as it is, line ends and all."""
    return Path(path).read_bytes().decode("utf-8")


def pieces(unit: str, text: str) -> list[str]:
    """Cut a text into what is asked for at a time; the same each time it is called."""
    if unit == "text":
        return [text]
    if unit == "documents":
        return cut(text, lambda rng: rng.randint(*DOCUMENT))
    if unit == "lines":
        return stripped(text.splitlines())
    if unit == "requests":
        least, most = REQUEST
        return cut(text, lambda rng: int(least * (most / least) ** rng.random()))
    length = int(unit)
    step = max(length, len(text) // CALLS[length])
    starts = range(0, len(text) - length + 1, step)
    return stripped([text[at : at + length] for at in starts][: CALLS[length]])


def cut(text: str, length: Callable[[random.Random], int]) -> list[str]:
    """Cut a text into pieces of drawn lengths."""
    rng, parts, at = random.Random(5), [], 0
    while at < len(text):
        size = length(rng)
        parts.append(text[at : at + size])
        at += size
    return stripped(parts)


def stripped(parts: list[str]) -> list[str]:
    """Take the blanks from the ends: old and new spellings of cl100k's pattern differ there."""
    return [part.rstrip() or "." for part in parts]
