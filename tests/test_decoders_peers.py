"""Decoders that join tokens, in every order, beside Hugging Face's tokenizers."""

import itertools
import json
import random

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

SEED = 31
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
FUSE = {"type": "Fuse"}


def suffix(text):
    return {"type": "BPEDecoder", "suffix": text}


PARTS = (BYTE_LEVEL, FUSE, suffix("</w>"), suffix("b"), suffix("Ġ"))
DECODERS = [
    None,
    *PARTS,
    *(
        {"type": "Sequence", "decoders": list(parts)}
        for count in range(4)
        for parts in itertools.product(PARTS, repeat=count)
    ),
]
# Each with what it begins words from, and whether a token ends them.
LETTERS = ["a", "b", "c", "é", "中", "Ġ", "Ã", "©", "Ċ"]
MERGED = {
    None: ["ab", "Ġa", "Ã©", "Ġab", "cc", "ĊĊ"],
    "</w>": ["a</w>", "b</w>", "ab", "ab</w>", "Ã©</w>", "Ġ</w>", "a</w>b</w>"],
}
MERGES = {
    None: [["a", "b"], ["Ġ", "a"], ["Ã", "©"], ["Ġ", "ab"], ["c", "c"], ["Ċ", "Ċ"]],
    "</w>": [["a", "b"], ["a", "b</w>"]],
}
ADDED = ["<|end|>", "a b", "end</w>", "中文", "b"]


def file(pre_tokenizer, end, decoder):
    tokens = LETTERS + MERGED[end]
    added = [
        {
            "id": tokens.index(content) if content in tokens else len(tokens) + place,
            "content": content,
            "special": place == 0,
            **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
        }
        for place, content in enumerate(ADDED)
    ]
    return {
        "version": "1.0",
        "added_tokens": added,
        "pre_tokenizer": pre_tokenizer,
        "decoder": decoder,
        "model": {
            "type": "BPE",
            "vocab": {token: id_ for id_, token in enumerate(tokens)},
            "merges": MERGES[end],
            "end_of_word_suffix": end,
        },
    }


def is_of_words(decoder):
    parts = (decoder or {}).get("decoders", [decoder])
    return parts[:1] == [suffix("</w>")] and all(part == FUSE for part in parts[1:])


@pytest.mark.parametrize("end", [None, "</w>"])
@pytest.mark.parametrize("pre_tokenizer", [BYTE_LEVEL, {"type": "WhitespaceSplit"}, None])
def test_tokens_are_joined_as_hugging_face_joins_them(pre_tokenizer, end):
    rng = random.Random(SEED)
    for decoder in DECODERS:
        content = json.dumps(file(pre_tokenizer, end, decoder))
        tok, theirs = digram.load(content.encode()), tokenizers.Tokenizer.from_str(content)
        known = theirs.get_vocab()
        if end and is_of_words(decoder):
            # others digram shows as text: letters that are not the marker, bytes beyond ASCII
            known = {token: known[token] for token in ("a", "b", "a</w>", "ab", "ab</w>", "a b")}
        for length in [*range(1, 9), 20]:
            ids = rng.choices(list(known.values()), k=length)
            expected = theirs.decode(ids, skip_special_tokens=False)
            assert tok.decode(ids) == expected, (decoder, ids)
            stream = tok.decoder()
            assert "".join(map(stream.feed, ids)) + stream.finish() == expected, (decoder, ids)
            assert tok.decode_batch([ids, ids]) == [expected] * 2
            seen = theirs.decode(ids, skip_special_tokens=True)
            assert tok.decode(ids, skip_special_tokens=True) == seen


def test_what_hugging_face_joins_alike_is_written_for_it():
    rng = random.Random(SEED)
    for decoder in DECODERS:
        content = json.dumps(file(BYTE_LEVEL, "</w>", decoder))
        tok, theirs = digram.load(content.encode()), tokenizers.Tokenizer.from_str(content)
        saved = tok.to_bytes()
        kind = json.loads(saved)["model"]["type"]
        assert kind == ("DigramBPE" if is_of_words(decoder) else "BPE"), decoder
        assert digram.load(saved) == tok
        if kind == "BPE":
            again = tokenizers.Tokenizer.from_str(saved.decode())
            ids = rng.choices(list(theirs.get_vocab().values()), k=20)
            assert again.decode(ids) == theirs.decode(ids)
            assert again.encode("ab aéb").ids == theirs.encode("ab aéb").ids == tok.encode("ab aéb")
