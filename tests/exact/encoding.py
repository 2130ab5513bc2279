"""Golden ids, special tokens and templates, beside tiktoken and Hugging Face."""

from __future__ import annotations

import json

import tokenizers

import digram
from tests.exact.peers import HUGGING_FACE, TIKTOKEN, our_encoding, tiktoken_encoding
from tests.exact.shared import Shared, read
from tests.exact.tally import Tally

# Each file of expected ids, and the encoding that made it.
GOLDEN = {
    "r50k_base": "r50k_base",
    "p50k_base": "p50k_base",
    "p50k_edit": "p50k_edit",
    "gpt_3.5_turbo": "cl100k_base",
    "gpt_4o": "o200k_base",
}


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    golden(shared, tally)
    for name in TIKTOKEN:
        if name != "p50k_edit":  # the ranks and the pattern of p50k_base
            with_tiktoken(shared, tally, name)
    for name in HUGGING_FACE:
        with_hugging_face(shared, tally, name)


def golden(shared: Shared, tally: Tally) -> None:
    """Compare with published ids."""
    folder = shared.folder / "golden" / "microsoft-tokenizer"
    text = read(folder / "lib.rs.txt")

    def published(name: str) -> list[int]:
        return json.loads((folder / f"tokens_{name}.json").read_text(encoding="utf-8"))

    with tally.row("golden ids, six encodings"):
        for name, encoding in GOLDEN.items():
            ours = our_encoding(shared.vocab("tiktoken"), encoding, {})
            tally.same(name, ours.encode(text), published(name))
            tally.same(f"{name}, back", ours.decode(published(name)), text)
        for file in ("tokenizer.json", "vocab.bpe"):
            ours = digram.load(shared.vocab("gpt2", file))
            tally.same(f"gpt2, {file}", ours.encode(text), published("gpt2"))
            tally.same(f"gpt2, {file}, back", ours.decode(published("gpt2")), text)


def with_tiktoken(shared: Shared, tally: Tally, name: str) -> None:
    """Compare the special tokens of one of tiktoken's encodings on every corpus."""
    theirs = tiktoken_encoding(shared.vocab("tiktoken"), name)
    specials = {token: theirs.encode_single_token(token) for token in theirs.special_tokens_set}
    ours = our_encoding(shared.vocab("tiktoken"), name, specials)
    with tally.row(f"special tokens, tiktoken {name}"):
        for file in shared.names():
            text = strewn(shared.part(file)[:100_000], sorted(specials))
            expected = theirs.encode(text, allowed_special="all")
            tally.same(file, ours.encode(text, special="token"), expected)
            tally.same(f"{file}, back", ours.decode(expected), theirs.decode(expected))
            some = set(sorted(specials)[:1])
            expected = theirs.encode(text, allowed_special=some, disallowed_special=())
            tally.same(f"{file}, one", ours.encode(text, special=some), expected)


def strewn(text: str, specials: list[str]) -> str:
    """Put special tokens between the lines, instead of their ends, and into the first words."""
    lines = text.split("\n")
    inside = [
        f"{line[:3]}{special}{line[3:]}" for line, special in zip(lines, specials * 3, strict=False)
    ]
    between = [f"{line}{specials[at % len(specials)]}" for at, line in enumerate(lines)]
    return "".join([*inside, *between])


def with_hugging_face(shared: Shared, tally: Tally, name: str) -> None:
    """Compare the template and the special tokens of one `tokenizer.json`."""
    path = shared.vocab(name, "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    ours = digram.load(path)
    with tally.row(f"template, and decoding of it, Hugging Face {name}"):
        for places, texts in shared.sample().brief().batches():
            expected = [encoding.ids for encoding in theirs.encode_batch_fast(texts)]
            ids = ours(texts, special="token")["input_ids"]
            tally.all_same(places, ids, expected)
            decoded = ours.decode_batch(ids, skip_special_tokens=True)
            tally.all_same(places, decoded, theirs.decode_batch(ids))
    specials = sorted(ours.special_tokens)[:5]
    with tally.row(f"special tokens, Hugging Face {name}"):
        for file in shared.names():
            text = strewn(shared.brief().part(file)[:100_000], specials)
            ids = ours.encode(text, special="token")
            tally.same(file, ids, theirs.encode(text, add_special_tokens=False).ids)
            for skip in (False, True):
                expected = theirs.decode(ids, skip_special_tokens=skip)
                tally.same(file, ours.decode(ids, skip_special_tokens=skip), expected)
