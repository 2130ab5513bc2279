"""The reference on published vocabularies, against the libraries that they belong to."""

import json
import random

import pytest

from digram import reference
from digram._model import Merges, Model
from digram.components import AddedToken, from_json

SLOTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
CORPORA = (
    "multi_fa.txt",
    "english_prose.txt",
    "code_python.txt",
    "multi_zh.txt",
    "unicode/naughty_strings.txt",
    "unicode/emoji-test.txt",
    "udhr_all_languages.txt",
)
SPECIAL = "a<|endoftext|> b <mask>  c<s>d [UNK] <|im_start|>user\n<tool_call>"


def read_model(path):
    """A model of a `tokenizer.json`, read without the engine."""
    described = json.loads(path.read_text(encoding="utf-8"))
    bpe, added = described["model"], tuple(AddedToken(**a) for a in described["added_tokens"])
    units = "chars" if bpe["unk_token"] else "bytes"
    byte_of = {alias: byte for byte, alias in reference.byte_aliases().items()}
    as_they_stand = {token.content for token in added}

    def token_bytes(spelled):
        if units == "chars" or spelled in as_they_stand:
            return spelled.encode()
        return bytes(byte_of[char] for char in spelled)

    vocab = bpe["vocab"]
    merges = (tuple(m.split(" ")) if isinstance(m, str) else tuple(m) for m in bpe["merges"])
    return Model(
        tokens={i: token_bytes(spelled) for spelled, i in vocab.items()}
        | {token.id: token.content.encode() for token in added},
        rule=Merges(
            tuple((vocab[left], vocab[right], vocab[left + right]) for left, right in merges)
        ),
        units=units,
        ignore_merges=bool(bpe.get("ignore_merges")),
        unk_token=bpe["unk_token"],
        fuse_unk=bool(bpe["fuse_unk"]),
        added_tokens=added,
        added_only=frozenset(token.id for token in added if token.content not in vocab),
        **{slot: described[slot] and from_json(described[slot], slot) for slot in SLOTS},
    )


def excerpts(shared, length=1500):
    """A few stretches of every corpus, always the same."""
    rng = random.Random(5)
    for name in CORPORA:
        text = (shared / "data" / "corpus" / name).read_bytes().decode()
        for _ in range(3):
            start = rng.randrange(len(text) - length)
            yield text[start : start + length]


@pytest.mark.parametrize("folder", ["gpt2", "roberta-base", "llama3", "qwen2.5", "persian-bpe-unk"])
def test_published_vocabularies_encode_and_decode_as_hugging_face_does(shared, folder):
    tokenizers = pytest.importorskip("tokenizers")
    path = shared / "data" / "vocab" / folder / "tokenizer.json"
    theirs = tokenizers.Tokenizer.from_file(str(path))
    model = reference.check(read_model(path))
    texts = [*excerpts(shared), SPECIAL]
    ours = reference.encode_batch(model, texts, special="token", cache={})
    for text, ids in zip(texts, ours, strict=True):
        assert ids == theirs.encode(text, add_special_tokens=False).ids
        assert reference.decode(model, ids) == theirs.decode(ids, skip_special_tokens=False)


def test_gpt2_encodes_the_sentence_of_the_seed_as_printed(shared, seeds):
    model = read_model(shared / "data" / "vocab" / "gpt2" / "tokenizer.json")
    expected = seeds["gpt2"]
    assert reference.encode(model, expected["text"]) == expected["input_ids_printed"]
