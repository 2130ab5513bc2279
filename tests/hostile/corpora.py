"""Write the corpora of the fuzz targets: small files of each format, with every kind of part.

Run it again after a change here: `python -m tests.hostile.corpora`. What a fuzzer found is kept
beside, in `fuzz/corpus/<target>/found-*`, and is not touched.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
PLAIN = BYTE_LEVEL | {"use_regex": False}


def split(regex: str, behavior: str = "Isolated") -> dict[str, Any]:
    """Return a split at a regular expression."""
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": False}


def added(id_: int, content: str, **flags: bool) -> dict[str, Any]:
    """Return an added token."""
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": id_, "content": content, **{name: flags.get(name, False) for name in names}}


def sequence(parts: str, *components: dict[str, Any]) -> dict[str, Any]:
    """Return components one after the other."""
    return {"type": "Sequence", parts: list(components)}


def byte_level_json() -> dict[str, Any]:
    """Return a tokenizer over bytes, with a template that goes around."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            added(0, "[UNK]", rstrip=True, special=True),
            added(9, "<x>"),
            added(10, "Ab", normalized=True, lstrip=True, single_word=True),
        ],
        "normalizer": sequence("normalizers", {"type": "NFC"}, {"type": "Lowercase"}),
        "pre_tokenizer": sequence("pretokenizers", split(" +"), PLAIN),
        "post_processor": {"type": "RobertaProcessing", "sep": ["<x>", 7], "cls": ["[UNK]", 0]},
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "unk_token": "[UNK]",
            "fuse_unk": True,
            "ignore_merges": False,
            "vocab": {"[UNK]": 0, "a": 1, "b": 2, "Ġ": 3, "ab": 4, "Ġab": 5, "é": 6},
            "merges": [["a", "b"], "Ġ ab"],
            "digram": {"training": {"ties": "shortest"}},
        },
    }


METASPACE = {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True}
BERT = {"clean_text": True, "handle_chinese_chars": True, "lowercase": True, "strip_accents": None}
NORMALIZERS: list[dict[str, Any]] = [
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "StripAccents"},
    {"type": "Nmt"},
    {"type": "Prepend", "prepend": "b"},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "ab"},
    {"type": "Replace", "pattern": {"String": "x"}, "content": "ab"},
    {"type": "BertNormalizer", **BERT},
    {"type": "Precompiled", "precompiled_charsmap": "CAAAAABhAAAAYQAAYgA="},
]
PRE_TOKENIZERS: list[dict[str, Any]] = [
    {"type": "Punctuation", "behavior": "Contiguous"},
    {"type": "BertPreTokenizer"},
    METASPACE,
    {"type": "Digits", "individual_digits": False},
    {"type": "FixedLength", "length": 4},
    {"type": "CharDelimiterSplit", "delimiter": "|"},
    split(r"(?<=a)b", "MergedWithPrevious"),
]
DECODERS: list[dict[str, Any]] = [
    {"type": "Replace", "pattern": {"String": "_"}, "content": " "},
    {"type": "ByteFallback"},
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "CTC", "pad_token": "a", "word_delimiter_token": "b", "cleanup": True},
    METASPACE,
    {"type": "BPEDecoder", "suffix": "$"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 2},
    {"type": "Fuse"},
]
TEXT_A = {"Sequence": {"id": "A", "type_id": 0}}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "?", "type_id": 0}}, TEXT_A],
    "pair": [TEXT_A, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"?": {"id": "?", "ids": [0], "tokens": ["?"]}},
}
TRUNCATION = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
PAD = {"pad_id": 0, "pad_type_id": 0, "pad_token": "?", "pad_to_multiple_of": 8}
PIECES = ["?", "a", "##b", "ab", "##b$", "ab$", "<0xC3>", "<0xA9>"]


def pieces_json() -> dict[str, Any]:
    """Return a tokenizer over characters, with every other component."""
    return {
        "version": "1.0",
        "truncation": TRUNCATION,
        "padding": {"strategy": {"Fixed": 7}, "direction": "Left", **PAD},
        "normalizer": sequence("normalizers", *NORMALIZERS),
        "pre_tokenizer": sequence("pretokenizers", *PRE_TOKENIZERS),
        "post_processor": TEMPLATE,
        "decoder": sequence("decoders", *DECODERS),
        "model": {
            "type": "BPE",
            "dropout": 0.0,
            "unk_token": "?",
            "continuing_subword_prefix": "##",
            "end_of_word_suffix": "$",
            "byte_fallback": True,
            "vocab": {token: id_ for id_, token in enumerate(PIECES)},
            "merges": [["a", "##b"], ["a", "##b$"]],
        },
    }


def own_json(model: dict[str, Any]) -> dict[str, Any]:
    """Return a tokenizer that digram alone understands."""
    return {"version": "1.0", "model": {"type": "DigramBPE", **model}}


def marked_json() -> dict[str, Any]:
    """Return a tokenizer with a marker of its own."""
    return own_json(
        {
            "end_of_word_suffix": "</w>",
            "vocab": {"a": 0, "</w>": 1, "a</w>": 2, "<": 3, "b": 4},
            "merges": [["a", "</w>"]],
            "digram": {"marker": "separate", "units": "chars"},
        }
    )


def greedy_json() -> dict[str, Any]:
    """Return a tokenizer that takes the longest token."""
    vocab = {"a": 0, "b": 1, "ab": 5}
    return own_json({"vocab": vocab, "merges": [], "digram": {"rule": "longest-first"}})


def ranks_json() -> dict[str, Any]:
    """Return a tokenizer that merges by ranks."""
    vocab = {"a": 0, "b": 1, "ab": 2}
    merges = [["a", "b"]]
    return own_json({"vocab": vocab, "merges": merges, "digram": {"rule": "ranks"}})


def base64_of(token: bytes) -> str:
    """Spell bytes as ranks do."""
    return base64.b64encode(token).decode()


def ranks() -> bytes:
    """Return a `.tiktoken` file: every byte, and a few more tokens."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab", b"abc", b" ab", "é".encode()]
    return "".join(f"{base64_of(token)} {rank}\n" for rank, token in enumerate(tokens)).encode()


def tekken() -> dict[str, Any]:
    """Return a `tekken.json`: every byte, a few more tokens, two special tokens."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"abc", b"unused"]
    special = ("<unk>", "<s>")
    return {
        "special_tokens": [
            {"rank": rank, "token_str": token, "is_control": True}
            for rank, token in enumerate(special)
        ],
        "config": {
            "pattern": r"\S+|\s+",
            "num_vocab_tokens": 260,
            "default_vocab_size": 262,
            "default_num_special_tokens": 3,
            "version": "v3",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64_of(token), "token_str": None}
            for rank, token in enumerate(tokens)
        ],
    }


def gguf() -> bytes:
    """Return the metadata of a GGUF file, and no tensors."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def entry(key: str, kind: int, value: bytes) -> bytes:
        return text(key) + struct.pack("<I", kind) + value

    def texts(values: list[str]) -> bytes:
        return struct.pack("<IQ", 8, len(values)) + b"".join(map(text, values))

    tokens = ["a", "b", "Ġ", "ab", "Ġab", "<s>"]
    entries = [
        entry("general.name", 8, text("small")),
        entry("general.size", 10, struct.pack("<Q", 7)),
        entry("tokenizer.ggml.model", 8, text("gpt2")),
        entry("tokenizer.ggml.pre", 8, text("gpt-2")),
        entry("tokenizer.ggml.tokens", 9, texts(tokens)),
        entry("tokenizer.ggml.merges", 9, texts(["a b", "Ġ ab"])),
        entry("tokenizer.ggml.token_type", 9, struct.pack("<IQ6i", 5, 6, 1, 1, 1, 1, 4, 3)),
        entry("nested", 9, struct.pack("<IQIQI", 9, 1, 4, 1, 7)),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)


def sentencepiece() -> bytes:
    """Return a SentencePiece model of pieces that merge: a protobuf message, field by field."""

    def field(number: int, value: bytes | float) -> bytes:
        if isinstance(value, float):
            return bytes([number << 3 | 5]) + struct.pack("<f", value)
        if isinstance(value, int):
            return bytes([number << 3, value])
        return bytes([number << 3 | 2, len(value)]) + value

    normal, unknown, control, byte = 1, 2, 3, 6
    pieces = [("<unk>", 0.0, unknown), ("<s>", 0.0, control), ("</s>", 0.0, control)]
    pieces += [("<0x61>", 0.0, byte), ("▁a", -0.0, normal), ("ab", -1.0, normal)]
    pieces += [(piece, -2.0 - place, normal) for place, piece in enumerate("▁abé")]
    message = b""
    for piece, score, kind in pieces:
        inner = field(1, piece.encode()) + field(2, score)
        message += field(1, inner if kind == normal else inner + field(3, kind))
    trainer = bytes([3 << 3, 2]) + bytes([4 << 3, 10])  # model_type: BPE, vocab_size: 10
    rules = field(1, b"identity") + field(3, 1) + field(4, 1) + field(5, 1)
    return message + field(2, trainer) + field(3, rules)


GPT2_VOCAB = {"<s>": 0, "a": 1, "b": 2, "Ġ": 3, "ab": 4, "Ġab": 5, "漢": 6}
GPT2 = f"{json.dumps(GPT2_VOCAB, ensure_ascii=False)}\x1e#version: 0.2\na b\nĠ ab\n"


def as_json(content: dict[str, Any]) -> bytes:
    """Spell a file as JSON, in one line as fuzzers like it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


FILES = {
    "tokenizer_json/byte-level": as_json(byte_level_json()),
    "tokenizer_json/pieces": as_json(pieces_json()),
    "tokenizer_json/marked": as_json(marked_json()),
    "tokenizer_json/greedy": as_json(greedy_json()),
    "tokenizer_json/ranks": as_json(ranks_json()),
    "tiktoken/small": ranks(),
    "gpt2/small": GPT2.encode(),
    "subword_nmt/version-2": b"#version: 0.2\na b\nab c</w>\n< /\n</ w\n</w >\n",
    "subword_nmt/version-1": b"a b\nab </w>\nc ab</w>\n",
    "subword_nmt/counts": b"a b 17\nab c</w> 9\n",
    "subword_nmt/opennmt": b"v3;false;true;false;<w>;</w>\na b\nc </w>\nb c</w>\nab c</w>\n",
    "tekken/small": as_json(tekken()),
    "gguf/small": gguf(),
    "sentencepiece/small": sentencepiece(),
    "encode/few": bytes([3, 0, 1, 8, 2, 9, 9, *b"0123012301012323"]),
}


def main() -> None:
    """Write all corpora."""
    for name, content in FILES.items():
        path = CORPUS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
