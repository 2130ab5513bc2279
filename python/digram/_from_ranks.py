"""Tokenizers made in memory of ranks, as tiktoken has them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping

from digram._kinds import id_of, of_kind
from digram._load import load
from digram._tokenizer import Tokenizer
from digram.components import PreTokenizer

__all__ = ["from_ranks"]


def from_ranks(
    ranks: Mapping[bytes, int],
    *,
    pattern: str | PreTokenizer,
    special_tokens: Iterable[str] | Mapping[str, int] = (),
) -> Tokenizer:
    """Make a tokenizer of tokens and ranks, which are their ids: tiktoken's `mergeable_ranks`.

    Any two neighbours whose joined bytes are a token merge, that of the lowest rank first.
    `pattern` splits text into words; special tokens without ids get the next ones. The tokenizer
    is that which `load` makes of the same ranks in a `.tiktoken` file.

    Raises `FormatError` for ranks that are none, such as two tokens with one rank.

    >>> bytes_ = {bytes([byte]): byte for byte in range(256)}
    >>> tok = from_ranks({**bytes_, b"lo": 256, b"low": 257}, pattern="cl100k",
    ...                  special_tokens={"<|end|>": 300})
    >>> tok.encode("low<|end|>", special="token")
    [257, 300]
    """
    of_kind("ranks", ranks, Mapping, "a mapping of bytes to ranks")
    of_kind("pattern", pattern, str | PreTokenizer, "a str, or a pre-tokenizer")
    lines = []
    for token, rank in ranks.items():
        of_kind("each token of ranks", token, bytes, "bytes")
        lines.append((id_of(token, rank), b64encode(token)))
    content = b"".join(b"%b %d\n" % (token, rank) for rank, token in sorted(lines))
    return load(content, format="tiktoken", pattern=pattern, special_tokens=special_tokens)
