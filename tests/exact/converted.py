"""Conversions: there and back keeps every id on every corpus; and sound files have no findings."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import digram
from tests.exact.shared import Shared
from tests.exact.tally import Tally

# The encodings of tiktoken, with what their files do not hold.
RANKED = {
    "r50k_base": ("gpt2", {"<|endoftext|>": 50256}),
    "p50k_base": ("gpt2", {"<|endoftext|>": 50256}),
    "cl100k_base": ("cl100k", {"<|endoftext|>": 100257}),
    "o200k_base": ("o200k", {"<|endoftext|>": 199999}),
}
CODES = ("subword-nmt/bpe.ref", "subword-nmt/tinyshakespeare_5k.codes")
TEKKEN = "mistral-tekken/tekken_240718.json.gz"


def compare(shared: Shared, tally: Tally) -> None:
    """Convert there and back, and compare on all texts; check every vocabulary."""
    sample = shared.sample()
    with tempfile.TemporaryDirectory() as folder:
        for name, first, back in journeys(shared, Path(folder)):
            with tally.row(f"converted there and back, {name}"):
                for places, texts in sample.batches():
                    expected = first.encode_batch(texts, special="token")
                    tally.all_same(places, back.encode_batch(texts, special="token"), expected)
    with tally.row("checked: no findings in sound files"):
        for path in vocabularies(shared):
            found = digram.check(content(path), **known(path))
            tally.same(str(path), [str(each) for each in found], [])


def journeys(
    shared: Shared, folder: Path
) -> Iterator[tuple[str, digram.Tokenizer, digram.Tokenizer]]:
    """Convert each vocabulary to another format and back: its name, and what it was and became."""
    for name, (pattern, specials) in RANKED.items():
        path = shared.vocab("tiktoken", f"{name}.tiktoken")
        first = digram.load(path, pattern=pattern, special_tokens=specials)
        yield f"{name}, by tokenizer.json", first, there_and_back(first, folder, "tiktoken")
    for path in sorted(shared.vocab().glob("*/tokenizer.json")):
        first = digram.load(path)
        name = f"{path.parent.name}/tokenizer.json, read and written twice"
        yield name, first, there_and_back(first, folder, "tokenizer.json")
    gpt2 = digram.load(shared.vocab("gpt2", "tokenizer.json"))
    for form in ("gpt2", "tiktoken"):
        yield f"gpt2/tokenizer.json, by {form}", gpt2, there_and_back(gpt2, folder, form)
    for name in CODES:
        # characters that the codes do not show are in every corpus
        first = digram.load(shared.vocab(*name.split("/")), unk_token="<unk>")
        yield f"{name}, by tokenizer.json", first, there_and_back(first, folder, "subword-nmt")
    first = digram.load(gzip.decompress(shared.vocab(*TEKKEN.split("/")).read_bytes()))
    yield f"{TEKKEN}, by tokenizer.json", first, there_and_back(first, folder, "tekken")


def there_and_back(first: digram.Tokenizer, folder: Path, form: str) -> digram.Tokenizer:
    """Convert to tokenizer.json, from there to a format, and read that."""
    digram.convert(first, folder / "there.json")
    place = folder / f"back-{form}"
    proof = digram.convert(folder / "there.json", place, format=form)
    return digram.load(place, **proof.options)


def vocabularies(shared: Shared) -> list[Path]:
    """List the vocabularies that are sound and can be opened."""
    root = shared.vocab()
    return [
        *sorted(root.glob("*/tokenizer.json")),
        *(shared.vocab("tiktoken", f"{name}.tiktoken") for name in RANKED),
        shared.vocab("qwen", "qwen.tiktoken"),
        *sorted(root.glob("llama[34]/tokenizer.model")),
        *(shared.vocab(*name.split("/")) for name in CODES),
        shared.vocab("gpt2", "encoder.json"),
        shared.vocab("roberta-base", "vocab.json"),
        shared.vocab(*TEKKEN.split("/")),
    ]


def content(path: Path) -> Path | bytes:
    """Return a file, or what is in a compressed one."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path


def known(path: Path) -> dict[str, Any]:
    """Return what a file of ranks does not hold: no finding depends on which pattern it is."""
    return {"pattern": "cl100k"} if path.suffix in (".tiktoken", ".model") else {}
