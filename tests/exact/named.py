"""tiktoken's encodings by name, beside tiktoken."""

from __future__ import annotations

import digram
from tests.exact.peers import TIKTOKEN, tiktoken_encoding
from tests.exact.shared import Shared
from tests.exact.tally import Tally


def compare(shared: Shared, tally: Tally) -> None:
    """Compare the special tokens of every encoding; `vocabularies` compares the ids."""
    folder = shared.vocab("tiktoken")
    with tally.row("get_encoding, tiktoken"):
        for name in TIKTOKEN:
            ours = digram.get_encoding(name, directory=folder)
            theirs = tiktoken_encoding(folder, name)
            tally.same(f"{name}, special tokens", ours.special_tokens, theirs._special_tokens)
