"""tiktoken's encodings by name, beside tiktoken."""

from __future__ import annotations

import digram
from tests.exact.peers import TIKTOKEN, tiktoken_encoding
from tests.exact.shared import Shared
from tests.exact.tally import Tally


def compare(shared: Shared, tally: Tally) -> None:
    """Compare every encoding whose published file is there."""
    folder = shared.vocab("tiktoken")
    with tally.row("get_encoding, tiktoken"):
        for name in TIKTOKEN:
            ours = digram.get_encoding(name, directory=folder)
            theirs = tiktoken_encoding(folder, name)
            tally.same(f"{name}, special tokens", ours.special_tokens, theirs._special_tokens)
            for places, texts in shared.sample().batches():
                expected = theirs.encode_ordinary_batch(texts)
                tally.all_same(places, ours.encode_batch(texts), expected)
