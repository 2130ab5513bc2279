"""Hostile files: `python -m tests.hostile.make FOLDER` writes them; nothing of them is kept.

`PROBES` are the 31 that other loaders were measured with: each breaks a rule, or asks for more
than a machine has. `BOMBS` are small files that would grow when they are loaded or used.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.hostile.corpora import as_json, base64_of, sequence, split

File = Callable[[], bytes]

# A file of spaces is a gigabyte where it is met; here it is so large.
SPACES = 16 << 20


def tokenizer(model: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    """Return a small sound tokenizer, changed."""
    vocab = {"a": 0, "b": 1, "ab": 2, "é": 3, " ": 4, "<x>": 5}
    sound = {"type": "BPE", "vocab": vocab, "merges": [["a", "b"]], "unk_token": "<x>"}
    return {"version": "1.0", **parts, "model": sound | (model or {})}


def changed(model: dict[str, Any] | None = None, **parts: Any) -> File:
    """Return the maker of a small sound tokenizer, changed."""
    return lambda: as_json(tokenizer(model, **parts))


def replaced(old: str, new: str) -> File:
    """Return the maker of a small tokenizer whose JSON is changed as text."""

    def make() -> bytes:
        text = as_json(tokenizer()).decode()
        if old not in text:
            raise ValueError(f"{old!r} is not in the file")
        return text.replace(old, new, 1).encode()

    return make


def padding(length: int) -> dict[str, Any]:
    """Return a padding section."""
    return {
        "strategy": {"Fixed": length},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "a",
    }


def truncation(max_length: int, stride: int) -> dict[str, Any]:
    """Return a truncation section."""
    sizes = {"max_length": max_length, "stride": stride}
    return {"direction": "Right", "strategy": "LongestFirst", **sizes}


def replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    """Return a component that replaces."""
    return {"type": "Replace", "pattern": pattern, "content": content}


def charsmap(content: bytes) -> dict[str, Any]:
    """Return a normalizer that is a table."""
    return {"type": "Precompiled", "precompiled_charsmap": base64_of(content)}


def template(special: str, ids: Iterable[int] = (0,), pieces: int = 1) -> dict[str, Any]:
    """Return a template that puts a special token, known as `x`, before a text."""
    piece = {"SpecialToken": {"id": special, "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    other = {"Sequence": {"id": "B", "type_id": 1}}
    listed = list(ids)
    return {
        "type": "TemplateProcessing",
        "single": [piece] * pieces + [text],
        "pair": [text, other],
        "special_tokens": {"x": {"id": "x", "ids": listed, "tokens": ["a"] * len(listed)}},
    }


def added_token(content: str, id_: int = 9, *, normalized: bool = False) -> dict[str, Any]:
    """Return an added token."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)
    return {"id": id_, "content": content, "normalized": normalized, **flags}


def nested(depth: int, slot: str = "normalizers") -> dict[str, Any]:
    """Return a component in so many sequences."""
    component: dict[str, Any] = {"type": "NFC"}
    for _ in range(depth):
        component = sequence(slot, component)
    return component


def deep_sequences() -> bytes:
    """Return a tokenizer whose normalizer is nested deeper than any JSON library writes."""
    depth = 5000
    inner = '{"type":"Sequence","normalizers":[' * depth + '{"type":"NFC"}' + "]}" * depth
    text = as_json(tokenizer(normalizer=None)).decode()
    return text.replace('"normalizer":null', f'"normalizer":{inner}').encode()


TIMES_TEN = [replace({"String": "a"}, "a" * 10)] * 9
LONGER = {"continuing_subword_prefix": "####", "vocab": {"a": 0, "####": 1, "a####": 2, "b": 3}}
INSIDE = {"continuing_subword_prefix": "##", "vocab": {"a": 0, "漢": 1, "a漢": 2, "b": 3}}
TOO_LONG = {"vocab": {"a": 0, "b": 1, "<x>": 2}}

PROBES: dict[str, File] = {
    "padding-of-2-31": changed(padding=padding(1 << 31)),
    "id-of-2-32": changed({"vocab": {"a": 0, "b": 1, "ab": (1 << 32) - 1, "<x>": 2}}),
    "prefix-longer-than-token": changed({**LONGER, "merges": [["a", "b"]], "unk_token": None}),
    "prefix-inside-character": changed({**INSIDE, "merges": [["a", "漢"]], "unk_token": None}),
    "product-longer-than-tokens": changed({**TOO_LONG, "merges": [["a", "b"]]}),
    "strip-longer-than-token": changed(
        decoder={"type": "Strip", "content": "a", "start": 1 << 40, "stop": 1 << 40}
    ),
    "fixed-length-0": changed(pre_tokenizer={"type": "FixedLength", "length": 0}),
    "stride-of-max-length": changed(truncation=truncation(4, 4)),
    "template-of-unknown-special": changed(post_processor=template("y")),
    "charsmap-garbage": changed(normalizer=charsmap(b"\x08\0\0\0garbage!garbage!")),
    "charsmap-of-4-gb": changed(normalizer=charsmap(struct.pack("<I", 0xFFFF_FFF0) + b"abc")),
    "replace-empty": changed(normalizer=replace({"String": ""}, "b")),
    "regex-catastrophic": changed(
        pre_tokenizer=split(r"(?=(a+)+$)(a|aa)+(?<!c)\1c|(?:(\w|\s|a)+)+(?!b)$")
    ),
    "replace-times-ten": changed(normalizer=sequence("normalizers", *TIMES_TEN)),
    "brackets": lambda: b"[" * 200_000,
    "keys-twice": replaced('"b":1', '"b":1,"a":1,"b":2'),
    "numbers-giant": replaced('"b":1', '"b":1' + "0" * 400),
    "nan": replaced('"type":"BPE"', '"type":"BPE","dropout":NaN'),
    "surrogates-lone": replaced('"ab":2', r'"ab":2,"\ud800":6,"a\udfff":7'),
    "nul": replaced('"ab":2', '"ab":2,"a\\u0000":6,"\\u0000":7'),
    "truncated": lambda: as_json(tokenizer())[:-40],
    "byte-order-mark": lambda: b"\xef\xbb\xbf" + as_json(tokenizer()),
    "spaces": lambda: b" " * SPACES,
    "sequences-deep": deep_sequences,
    "added-within-itself": changed(
        normalizer=replace({"String": "a"}, "aa"),
        added_tokens=[
            added_token("a", 9, normalized=True),
            added_token("aa", 10, normalized=True),
            added_token("aaaa", 11),
        ],
    ),
    "added-empty": changed(added_tokens=[added_token("")]),
    "id-negative": replaced('"b":1', '"b":-1'),
    "id-float": replaced('"b":1', '"b":1.5'),
    "merges-of-three": changed({"merges": [["a", "b", "a"]]}),
    "vocab-of-lists": changed({"vocab": [["a", 0], ["b", 1]]}),
    "dropout-of-2": changed({"dropout": 2.0}),
}


def doubling(count: int) -> list[dict[str, Any]]:
    """Return pre-tokenizers, each of which makes of a character that is not ASCII two."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    return [byte_level | {"trim_offsets": True}] * count


def prefixing(count: int) -> list[dict[str, Any]]:
    """Return pre-tokenizers that cut a text into characters and put one before each."""
    put = [
        {"type": "Metaspace", "replacement": sign, "prepend_scheme": "always", "split": False}
        for sign in "_-"
    ]
    single = {"type": "FixedLength", "length": 1}
    return [part for turn in range(count) for part in (put[turn % 2], single)]


def swelling_charsmap(length: int) -> dict[str, Any]:
    """Return a table by which `a` becomes so many characters."""
    trie = [0] * 256
    trie[0] = 0  # the children of the root stand at their bytes
    trie[ord("a")] = ord("a") | 1 << 8 | (ord("a") ^ 1) << 10
    trie[1] = 1 << 31
    return charsmap(struct.pack("<I256I", 1024, *trie) + b"b" * length + b"\0")


def chain(length: int) -> dict[str, Any]:
    """Return a model whose words' ends depend on each other, the last merge first."""
    ends = ["x" * count + "_" for count in range(1, length)]
    vocab = {token: id_ for id_, token in enumerate(["x", "_", *ends])}
    return {
        "vocab": vocab,
        "merges": [["x", end[1:]] for end in reversed(ends)],
        "end_of_word_suffix": "_",
        "unk_token": None,
    }


def unary_ranks(longest: int) -> bytes:
    """Return ranks of all bytes, and of the letter `a` up to so many times."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [b"a" * count for count in range(2, longest)]
    return "".join(f"{base64_of(token)} {rank}\n" for rank, token in enumerate(tokens)).encode()


def long_ranks(length: int) -> bytes:
    """Return ranks of all bytes and of one token of so many."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab" * (length // 2)]
    return "".join(f"{base64_of(token)} {rank}\n" for rank, token in enumerate(tokens)).encode()


MANY_SPLITS = [split(rf"\p{{L}}{{{count}}}|.") for count in range(200, 300)]

BOMBS: dict[str, File] = {
    "regex-repeated": changed(pre_tokenizer=split(r"(((a{1,1000}){1,1000}){1,1000})")),
    "regex-large-many": changed(pre_tokenizer=sequence("pretokenizers", *MANY_SPLITS)),
    "regex-look-around-many": changed(pre_tokenizer=split(r"(?=\p{L}{300})(?!\p{N})" * 200 + ".")),
    "regex-replace-many": changed(
        normalizer=sequence(
            "normalizers",
            *[replace({"Regex": rf"(?<!x)\p{{L}}{{{n}}}"}, "") for n in range(300, 400)],
        )
    ),
    "regex-deep": changed(pre_tokenizer=split("(" * 20_000 + "a" + ")" * 20_000)),
    "regex-matches-empty": changed(pre_tokenizer=split(r"(?=a)|\b")),
    "replace-matches-empty": changed(normalizer=replace({"Regex": "x*"}, "ab" * 1000)),
    "replace-swells": changed(normalizer=replace({"String": "a"}, "b" * (1 << 20))),
    "charsmap-swells": changed(normalizer=swelling_charsmap(1 << 20)),
    "prepend-swells": changed(
        normalizer=sequence("normalizers", *[{"type": "Prepend", "prepend": "b" * 60_000}] * 200)
    ),
    "normalizers-many": changed(normalizer=sequence("normalizers", *[{"type": "NFC"}] * 100_000)),
    "empty-objects-many": lambda: as_json(tokenizer(normalizer=[{}] * 300_000)),
    "bytes-spelled-again": changed(pre_tokenizer=sequence("pretokenizers", *doubling(60))),
    "prefixes-put-before": changed(pre_tokenizer=sequence("pretokenizers", *prefixing(60))),
    "decoder-times-ten": changed(decoder=sequence("decoders", *TIMES_TEN)),
    "decoder-empty-suffix": changed(
        decoder=sequence(
            "decoders", {"type": "ByteFallback"}, *[{"type": "BPEDecoder", "suffix": ""}] * 60
        )
    ),
    "template-long": changed(post_processor=template("x", [0] * 50_000, 20_000)),
    "added-long": changed(
        added_tokens=[added_token("".join(chr(65 + n * n % 57) for n in range(1 << 20)))]
    ),
    "added-many": changed(
        added_tokens=[added_token(f"{n * n * n}" * 20, 6 + n) for n in range(20_000)]
    ),
    "ends-depend": lambda: as_json(tokenizer(chain(1500))),
    "record-of-training": changed({"digram": {"training": {"pairs": 5, "tokens": [[[]]]}}}),
    "ranks-unary.tiktoken": lambda: unary_ranks(2000),
    "ranks-long.tiktoken": lambda: long_ranks(1 << 19),
    "rank-giant.tiktoken": lambda: b"YQ== 4294967295\nYg== 0\n",
}


def write(folder: Path, files: dict[str, File]) -> list[Path]:
    """Write files into a folder, and return where they are."""
    paths = []
    for name, make in files.items():
        path = folder / (name if "." in name else f"{name}.json")
        path.write_bytes(make())
        paths.append(path)
    return paths


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write(target, PROBES | BOMBS)
