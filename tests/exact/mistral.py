"""Mistral's tekken.json, saved, and opened with Mistral's own library where it is installed."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import digram
from tests.exact.shared import Shared
from tests.exact.tally import Tally

FILE = "tekken_240718.json.gz"


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    content = gzip.decompress(shared.vocab("mistral-tekken", FILE).read_bytes())
    ours = digram.load(content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tekken.json")
        ours.save(path)
        with tally.row("saved, tekken.json"):
            tally.same("loaded again", digram.load(path), ours)
        mistral_s_own(shared.sample(), tally, ours, path)


def mistral_s_own(shared: Shared, tally: Tally, ours: digram.Tokenizer, path: Path) -> None:
    """Open the file that was saved with Mistral's library."""
    try:
        from mistral_common.tokens.tokenizers import tekken
    except ImportError:
        print("mistral-common is not installed: nothing is compared with it")
        return
    theirs = tekken.Tekkenizer.from_file(path)
    with tally.row("encode and decode, tekken.json, mistral-common"):
        for places, texts in shared.batches():
            expected = [theirs.encode(text, bos=False, eos=False) for text in texts]
            tally.all_same(places, ours.encode_batch(texts), expected)
            decoded = [theirs.decode(ids) for ids in expected]
            tally.all_same(places, ours.decode_batch(expected), decoded)
    with tally.row("tokens, tekken.json, mistral-common"):
        keep = tekken.SpecialTokenPolicy.KEEP
        pieces = {id_: theirs.id_to_byte_piece(id_, keep) for id_ in range(theirs.n_words)}
        tally.same("all", dict(ours.tokens), pieces)
