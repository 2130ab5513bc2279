"""What is measured: six vocabularies, in the files that each peer reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock


@dataclass(frozen=True)
class Vocabulary:
    """One vocabulary: its files, and what the rank files do not hold."""

    name: str
    reference: str  # the peer that it came with
    ranks: str | None = None  # a `.tiktoken` file
    json: str | None = None  # a `tokenizer.json`
    model: str | None = None  # SentencePiece's
    pattern: str | None = None  # digram's name of the pattern
    regex: str | None = None  # the pattern as tiktoken spells it
    special: tuple[tuple[str, int], ...] = ()


# Name, rank file, name of the pattern, tiktoken's name, its tokens that are special.
RANKED = (
    ("gpt2", "r50k_base", "gpt2", (("<|endoftext|>", 50256),)),
    ("cl100k", "cl100k_base", "cl100k", (("<|endoftext|>", 100257), ("<|endofprompt|>", 100276))),
    ("o200k", "o200k_base", "o200k", (("<|endoftext|>", 199999), ("<|endofprompt|>", 200018))),
)
NAMES = ("cl100k", "gpt2", "o200k", "llama3", "qwen2.5", "llama2")


def vocabularies(folder: Path, made: Path) -> dict[str, Vocabulary]:
    """Describe all vocabularies; write the files that are not there into `made`."""
    found = {name: ranked(folder, made, *rest) for name, *rest in RANKED}
    for name in ("llama3", "qwen2.5"):
        found[name] = Vocabulary(name, "tokenizers", json=str(folder / name / "tokenizer.json"))
    model = folder / "llama2" / "tokenizer.model"
    written = converted(model, made / "llama2.json")
    found["llama2"] = Vocabulary("llama2", "sentencepiece", json=written, model=str(model))
    return {name: found[name] for name in NAMES}


def ranked(folder: Path, made: Path, encoding: str, pattern: str, special: Any) -> Vocabulary:
    """Describe one of tiktoken's encodings."""
    path = folder / "tiktoken" / f"{encoding}.tiktoken"
    written = str(folder / "gpt2" / "tokenizer.json")
    if pattern != "gpt2":
        written = converted(path, made / f"{pattern}.json", pattern, special)
    return Vocabulary(
        pattern,
        "tiktoken",
        ranks=str(path),
        json=written,
        pattern=pattern,
        regex=tiktoken_regex(encoding),
        special=special,
    )


def converted(source: Path, written: Path, pattern: str | None = None, special: Any = ()) -> str:
    """Write a `tokenizer.json` for the peers that read nothing else."""
    import digram

    known = {"pattern": pattern, "special_tokens": dict(special)} if pattern else {}
    digram.load(source, **known).save(written)
    described = json.loads(written.read_text(encoding="utf-8"))
    described["model"].pop("digram", None)
    if pattern == "cl100k":
        # As Hugging Face's converters spell it; peers know patterns by their spelling.
        split = described["pre_tokenizer"]["pretokenizers"][0]
        split["pattern"] = {"Regex": CONVERTED_CL100K}
    written.write_text(json.dumps(described, ensure_ascii=False), encoding="utf-8")
    return str(written)


CONVERTED_CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def tiktoken_regex(encoding: str) -> str:
    """Ask tiktoken for the pattern of an encoding, without its ranks."""
    from tiktoken_ext import openai_public

    loaders = ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks")
    with (
        mock.patch.object(openai_public, loaders[0], return_value={}),
        mock.patch.object(openai_public, loaders[1], return_value={}),
    ):
        regex: str = getattr(openai_public, encoding)()["pat_str"]
    return regex
