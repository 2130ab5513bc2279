"""GGUF, the files of llama.cpp: the tokenizer among their metadata is read as it is."""

import json
import struct

import pytest

import digram
from digram.patterns import NAMED, resolve

NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5
TEXTS = ["", "the cat in the hat", "it's  12345\n né 漢字 🙂<|end|>", "<tool> the<|end|>"]


def packed(value):
    """A value with the number of its type before it."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + counted(value)
    if isinstance(value, list) and value and isinstance(value[0], str):
        items = b"".join(map(counted, value))
        return struct.pack("<IIQ", 9, 8, len(value)) + items
    if isinstance(value, list):
        return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)
    return struct.pack("<II", 4, value)


def counted(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf(fields, version=3):
    """A file with these metadata, and a little of a model behind them."""
    values = b"".join(counted(key) + packed(value) for key, value in fields.items())
    return b"GGUF" + struct.pack("<IQQ", version, 1, len(fields)) + values + b"tensors" * 9


def metadata(saved, pre):
    """The metadata that llama.cpp's converter would make of a `tokenizer.json`."""
    vocab, special = saved["model"]["vocab"], {t["content"] for t in saved["added_tokens"]}
    merges = [" ".join(merge) for merge in saved["model"]["merges"]]
    types = [CONTROL if token in special else NORMAL for token in vocab]
    return {
        "general.architecture": "llama",
        "general.numbers": [1, 2, 3],
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": [*vocab, "<tool>", "[PAD0]"],
        "tokenizer.ggml.token_type": [*types, USER_DEFINED, UNUSED],
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.eos_token_id": 0,
    }


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    tok = digram.train(
        ["the cat in the hat then"] * 3, num_merges=12, pattern="gpt2", special_tokens=["<|end|>"]
    )
    path = tmp_path_factory.mktemp("trained") / "tokenizer.json"
    tok.save(path)
    return tok, json.loads(path.read_text(encoding="utf-8"))


def test_tokens_merges_and_types_are_read(trained, tmp_path):
    tok, saved = trained
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(metadata(saved, "gpt-2")))
    ours = digram.load(path)
    tool = tok.vocab_size
    for text in TEXTS[:3]:
        assert ours.encode(text) == tok.encode(text)
        assert ours.encode(text, special="token") == tok.encode(text, special="token")
        assert ours.decode(ours.encode(text)) == text
    assert ours.special_tokens == tok.special_tokens
    # what users defined is matched in all text, what is special only if the call says so
    assert ours.encode("<tool> the<|end|>") == [tool, *tok.encode(" the<|end|>")]
    assert ours.tokens[tool + 1] == b"[PAD0]"
    ours.save(tmp_path / "tokenizer.json")
    assert digram.load(tmp_path / "tokenizer.json").encode(TEXTS[3]) == ours.encode(TEXTS[3])


@pytest.mark.parametrize(
    ("pre", "pattern", "whole_words"),
    [
        ("gpt-2", "gpt2", False),
        ("llama-bpe", "llama3", True),
        ("dbrx", "cl100k-converted", False),
        ("qwen2", "qwen2", False),
        ("gpt-4o", "o200k", False),
    ],
)
def test_a_split_is_known_by_its_name(trained, pre, pattern, whole_words):
    tok = digram.load(gguf(metadata(trained[1], pre)))
    assert resolve(tok.pattern) == NAMED[pattern]
    assert tok.model.ignore_merges is whole_words


def test_the_names_of_splits_without_a_name_of_ours_split_as_they_should(trained):
    words = [
        word for word, *_ in digram.load(gguf(metadata(trained[1], "tekken"))).words("it's 12")
    ]
    assert words == ["it", "'s", " ", "1", "2"]
    split = digram.load(gguf(metadata(trained[1], "starcoder")))
    assert [word for word, *_ in split.words("it's 12")] == ["it", "'s", " ", "1", "2"]
    assert split.model.ignore_merges is False


@pytest.mark.parametrize("pre", ["deepseek-v3", None])
def test_an_unknown_split_is_refused_unless_it_is_given(trained, pre):
    fields = metadata(trained[1], pre)
    if pre is None:
        del fields["tokenizer.ggml.pre"]
    with pytest.raises(digram.FormatError, match=r"tokenizer.ggml.pre.* one of gpt-2, .*pattern="):
        digram.load(gguf(fields))
    tok = digram.load(gguf(fields), pattern="gpt2")
    assert tok.encode(TEXTS[1]) == trained[0].encode(TEXTS[1])


def without(fields, key):
    return {name: value for name, value in fields.items() if name != f"tokenizer.ggml.{key}"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "llama"}, r"tokenizer.ggml.model is .llama., which is not supported"),
        ({"model": 7}, r"tokenizer.ggml.model: its type is 4, but it should be 8"),
        ({"tokens": [1, 2]}, r"tokens: the type of its items is 5, but it should be 8"),
        ({"tokens": ["a", "a"]}, r"\"a\" is listed twice"),
        ({"token_type": [1]}, r"token_type has 1 entries for \d+ tokens"),
        ({"merges": ["t h", "a"]}, r"merges\[1\] is \"a\", not two tokens"),
        ({"merges": ["t zz"]}, r"merges\[0\]: .*\"zz\" is not in the vocabulary"),
    ],
)
def test_what_cannot_be_followed_is_named(trained, change, message):
    fields = metadata(trained[1], "gpt-2")
    fields |= {f"tokenizer.ggml.{key}": value for key, value in change.items()}
    with pytest.raises(digram.FormatError, match=message):
        digram.load(gguf(fields))


@pytest.mark.parametrize("missing", ["model", "tokens", "merges"])
def test_what_is_missing_is_named(trained, missing):
    fields = without(metadata(trained[1], "gpt-2"), missing)
    with pytest.raises(digram.FormatError, match=rf"has no tokenizer.ggml.{missing}"):
        digram.load(gguf(fields))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"GGUF", r"byte 4: 4 bytes should follow, but the file has 0 more"),
        (gguf({}, version=1), r"its version is 1, which is not supported"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), r"big-endian"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**64 - 1), r"byte 24: 8 bytes should follow"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + counted("a") + struct.pack("<I", 77),
            r"a: 77 is no type of a value",
        ),
        (
            b"GGUF"
            + struct.pack("<IQQ", 3, 0, 1)
            + counted("a")
            + struct.pack("<I", 9)
            + struct.pack("<IQ", 9, 1) * 80,
            r"lists are nested 65 deep; the limit nesting is 64",
        ),
        (
            b"GGUF"
            + struct.pack("<IQQ", 3, 0, 1)
            + counted("tokenizer.ggml.tokens")
            + struct.pack("<IIQ", 9, 8, 2**62)
            + counted("a"),
            r"tokens: byte \d+: 8 bytes should follow",
        ),
    ],
)
def test_a_damaged_file_is_refused_at_its_place(content, message):
    with pytest.raises(digram.DigramError, match=message):
        digram.load(content)


def test_every_beginning_of_a_file_is_refused_or_read(trained):
    content = gguf(metadata(trained[1], "gpt-2"))
    end = len(content) - len(b"tensors" * 9)
    for size in range(0, end, 97):
        with pytest.raises(digram.FormatError):
            digram.load(content[:size], format="gguf")
    assert digram.load(content[:end]) == digram.load(content)


def test_nothing_is_written(trained, tmp_path):
    with pytest.raises(digram.FormatError, match=r"is read and not written"):
        trained[0].save(tmp_path / "model.gguf", format="gguf")
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_gguf_package_are_read(trained, tmp_path):
    package = pytest.importorskip("gguf")
    writer = package.GGUFWriter(tmp_path / "model.gguf", "llama")
    fields = metadata(trained[1], "gpt-2")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(fields["tokenizer.ggml.tokens"])
    writer.add_token_types(fields["tokenizer.ggml.token_type"])
    writer.add_token_merges(fields["tokenizer.ggml.merges"])
    writer.add_token_scores([0.5] * len(fields["tokenizer.ggml.tokens"]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert digram.load(tmp_path / "model.gguf") == digram.load(gguf(fields))


@pytest.mark.parametrize(("name", "pre"), [("gpt2", "gpt-2"), ("llama3", "llama-bpe")])
def test_a_published_vocabulary_gives_the_same_ids(shared, name, pre):
    path = shared / "data" / "vocab" / name / "tokenizer.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    vocab = dict(sorted(saved["model"]["vocab"].items(), key=lambda entry: entry[1]))
    vocab |= {token["content"]: token["id"] for token in saved["added_tokens"]}
    saved["model"]["vocab"] = vocab
    merges = saved["model"]["merges"]
    saved["model"]["merges"] = [m.split(" ") if isinstance(m, str) else m for m in merges]
    ours, theirs = digram.load(gguf(metadata(saved, pre))), digram.load(path)
    corpora = shared / "data" / "corpus"
    for corpus in ("tinyshakespeare.txt", "udhr_all_languages.txt", "code_rust.txt"):
        text = (corpora / corpus).read_bytes().decode()[:300_000]
        assert ours.encode(text) == theirs.encode(text)
    for special in theirs.special_tokens:
        assert ours.encode(f"a{special}", special="token") == theirs.encode(
            f"a{special}", special="token"
        )
