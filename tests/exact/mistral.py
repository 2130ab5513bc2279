"""Mistral's tekken.json, as it is and saved, beside Mistral's own library where it is installed."""

from __future__ import annotations

import gzip
import importlib.util
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import digram
from tests.exact.shared import Shared
from tests.exact.tally import Tally

if TYPE_CHECKING:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

FILE = "tekken_240718.json.gz"


def is_there() -> bool:
    """Whether Mistral's library is installed."""
    return importlib.util.find_spec("mistral_common") is not None


def content(shared: Shared) -> bytes:
    """Unpack the file."""
    return gzip.decompress(shared.vocab("mistral-tekken", FILE).read_bytes())


def opened(file: bytes) -> Tekkenizer:
    """Open the content of a file with Mistral's library."""
    from mistral_common.tokens.tokenizers import tekken

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tekken.json")
        path.write_bytes(file)
        return tekken.Tekkenizer.from_file(path)


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    ours = digram.load(content(shared))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tekken.json")
        ours.save(path)
        with tally.row("saved, tekken.json"):
            tally.same("loaded again", digram.load(path), ours)
        saved = path.read_bytes()
    if is_there():
        mistral_s_own(shared.sample(), tally, ours, opened(saved))
    else:
        print("mistral-common is not installed: nothing is compared with it")


def mistral_s_own(shared: Shared, tally: Tally, ours: digram.Tokenizer, theirs: Tekkenizer) -> None:
    """Compare with Mistral's library, which opened the file that was saved."""
    from mistral_common.tokens.tokenizers.tekken import SpecialTokenPolicy

    with tally.row("encode and decode, saved tekken.json, mistral-common"):
        for places, texts in shared.batches():
            expected = [theirs.encode(text, bos=False, eos=False) for text in texts]
            tally.all_same(places, ours.encode_batch(texts), expected)
            decoded = [theirs.decode(ids) for ids in expected]
            tally.all_same(places, ours.decode_batch(expected), decoded)
    with tally.row("tokens, saved tekken.json, mistral-common"):
        keep = SpecialTokenPolicy.KEEP
        pieces = {id_: theirs.id_to_byte_piece(id_, keep) for id_ in range(theirs.n_words)}
        tally.same("all", dict(ours.tokens), pieces)
