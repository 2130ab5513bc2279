"""Mistral's tekken.json, beside tiktoken's engine and, where it is installed, Mistral's own."""

from __future__ import annotations

import base64
import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import tiktoken

import digram
from tests.exact.shared import Shared
from tests.exact.tally import Tally

FILE = "tekken_240718.json.gz"


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    content = gzip.decompress(shared.vocab("mistral-tekken", FILE).read_bytes())
    ours = digram.load(content)
    theirs, first = tiktokens(json.loads(content))
    with tally.row("encode and decode, tekken.json, tiktoken's engine"):
        for places, texts in shared.batches():
            ids = ours.encode_batch(texts)
            expected = theirs.encode_ordinary_batch(texts)
            tally.all_same(places, [[id_ - first for id_ in each] for each in ids], expected)
            tally.all_same(places, ours.decode_batch(ids), texts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tekken.json")
        ours.save(path)
        with tally.row("saved, tekken.json"):
            tally.same("loaded again", digram.load(path), ours)
        mistral_s_own(shared.sample(), tally, ours, path)


def tiktokens(file: dict[str, Any]) -> tuple[tiktoken.Encoding, int]:
    """Make tiktoken's encoding of the file's ranks; the first id of an ordinary token."""
    config = file["config"]
    first = config["default_num_special_tokens"]
    used = file["vocab"][: config["default_vocab_size"] - first]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in used}
    encoding = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    return encoding, first


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
