"""The peers, made from local files alone: nothing is downloaded."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import tiktoken
from tiktoken_ext import openai_public

from digram import Tokenizer, load, reference

if TYPE_CHECKING:
    import tokenizers

# tiktoken's encodings, and the pattern that each names.
TIKTOKEN = {
    "r50k_base": "gpt2",
    "p50k_base": "gpt2",
    "p50k_edit": "gpt2",
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
}
HUGGING_FACE = (
    "gpt2",
    "roberta-base",
    "llama3",
    "qwen2.5",
    "persian-bpe-unk",
    "phi-2",
    "phi-3",
    "clip",
    "whisper-large-v3",
    "falcon",
    "chatglm",
    "anthropic",
)


def ranks(path: Path) -> dict[bytes, int]:
    """Read a `.tiktoken` file."""
    lines = (line.split() for line in path.read_bytes().splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def tiktoken_file(folder: Path, name: str) -> Path:
    """The file with the ranks of an encoding."""
    return folder / f"{name.replace('_edit', '_base')}.tiktoken"


def tiktoken_encoding(folder: Path, name: str) -> tiktoken.Encoding:
    """Make one of tiktoken's encodings as tiktoken itself defines it, but from a local file."""

    def local(_url: str, expected_hash: str) -> dict[bytes, int]:
        assert expected_hash
        return ranks(tiktoken_file(folder, name))

    with mock.patch.object(openai_public, "load_tiktoken_bpe", local):
        return tiktoken.Encoding(**getattr(openai_public, name)())


def our_encoding(folder: Path, name: str, special_tokens: dict[str, int]) -> Tokenizer:
    """Load the same file; it holds neither the pattern nor the special tokens."""
    path = tiktoken_file(folder, name)
    return load(path, pattern=TIKTOKEN[name], special_tokens=special_tokens)


def spelled_bytes(spelled: str) -> bytes:
    """Turn GPT-2's spelling of a token back into bytes."""
    return bytes(BYTES[char] for char in spelled)


BYTES = {alias: byte for byte, alias in reference.byte_aliases().items()}


def their_merges(trained: tokenizers.Tokenizer) -> tuple[dict[bytes, int], list[Any]]:
    """Read the vocabulary and the merges of a byte-level tokenizer of Hugging Face, as bytes."""
    model = json.loads(trained.to_str())["model"]
    merges = [tuple(map(spelled_bytes, pair)) for pair in model["merges"]]
    return {spelled_bytes(token): id_ for token, id_ in model["vocab"].items()}, merges


def our_merges(trained: Tokenizer) -> tuple[dict[bytes, int], list[Any]]:
    """Read the same of ours."""
    tokens = dict(trained.tokens)
    return (
        {token: id_ for id_, token in tokens.items()},
        [(tokens[left], tokens[right]) for left, right, _ in trained.merges],
    )
