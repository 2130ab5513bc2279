"""Bad files are refused by name, with the place and the reason; and nothing is written then."""

import errno
import json
from pathlib import Path

import pytest

import digram
from digram import _atomic
from digram.errors import FormatError, LimitError, MissingFileError


@pytest.fixture(scope="module")
def tok():
    return digram.train(["the cat sat on the mat"], num_merges=10, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def saved(tok, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "tokenizer.json"
    tok.save(path)
    return path


@pytest.mark.parametrize("name", ["missing.json", "missing.tiktoken", "folder/missing.model"])
def test_a_missing_file_is_named(tmp_path, name):
    with pytest.raises(MissingFileError, match=name.split("/")[-1]):
        digram.load(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "error"), [("x" * 300, OSError), ("there/t.json", NotADirectoryError)]
)
def test_what_the_system_refuses_to_open_is_its_own_error_with_the_name(tmp_path, name, error):
    """It was a `FormatError`, though there is no format to speak of."""
    (tmp_path / "there").write_text("no folder")
    for read in (digram.load, digram.check):
        with pytest.raises(error) as caught:
            read(tmp_path / name)
        assert not isinstance(caught.value, digram.DigramError)
        assert caught.value.filename == tmp_path / name or caught.value.filename.endswith(name)


@pytest.mark.parametrize("kept", [0, 1, 10, 100, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused_by_name(saved, tmp_path, kept):
    content = saved.read_bytes()
    size = kept if isinstance(kept, int) else int(len(content) * kept)
    broken = tmp_path / "truncated.json"
    broken.write_bytes(content[:size])
    with pytest.raises(FormatError, match=r"truncated.json"):
        digram.load(broken)


NONSENSE = {
    "nothing": b"",
    "noise": bytes(range(256)) * 20,
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
    "prose": b"It was the best of times, it was the worst of times.\n" * 10,
    "a list": b"[1, 2, 3]",
    "an object": b'{"hello": "world"}',
    "a number": b"42",
    "no model": b'{"version": "1.0", "added_tokens": []}',
    "base64 without ranks": b"IQ==\nIg==\n",
    "deep": b"[" * 200_000,
    "wide": b'{"model": ' * 50_000,
}


@pytest.mark.parametrize("name", NONSENSE)
def test_a_nonsensical_file_is_refused_by_name(tmp_path, name):
    path = tmp_path / "nonsense.bin"
    path.write_bytes(NONSENSE[name])
    with pytest.raises(FormatError, match=r"nonsense.bin"):
        digram.load(path)
    with pytest.raises(FormatError, match=r"<bytes>"):
        digram.load(NONSENSE[name])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"IQ== 0\nIg== 0\n", r"0"),
        (b"IQ== 0\nIQ== 1\n", r"!"),
        (b"IQ== 0\nno base64 1\n", r"2"),
        (b"IQ== 0\nIg== -1\n", r"-1"),
        (b"IQ== 0\nIg== 99999999999\n", r"99999999999"),
        (b"IQ== 0\nIg==\n", r"2"),
    ],
)
def test_ranks_that_contradict_each_other_are_refused_by_their_line(tmp_path, content, message):
    path = tmp_path / "ranks.tiktoken"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"ranks.tiktoken.*{message}"):
        digram.load(path, pattern="gpt2", format="tiktoken")


def changed(saved, tmp_path, change):
    """A saved tokenizer with something in it changed by hand."""
    content = json.loads(saved.read_text(encoding="utf-8"))
    change(content)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file["model"].update(type="Unigram"), r"Unigram"),
        (lambda file: file["model"].update(type="WordPiece"), r"WordPiece"),
        (lambda file: file["model"].update(dropout=1.5), r"dropout"),
        (lambda file: file.update(normalizer={"type": "Strip"}), r"Strip"),
        (lambda file: file.update(pre_tokenizer={"type": "Digits"}), r"Digits"),
        (lambda file: file.update(decoder={"type": "WordPiece"}), r"WordPiece"),
        (lambda file: file["model"]["merges"].append(["zz", "yy"]), r"zz"),
        (lambda file: file["model"]["merges"].append("nospace"), r"nospace|merge"),
        (lambda file: file["model"]["vocab"].update({"!": -1}), r"-1|vocab"),
        (lambda file: file["model"]["vocab"].update({"!": 5000000000}), r"5000000000|vocab"),
        (lambda file: file["model"].pop("vocab"), r"vocab"),
        (lambda file: file.pop("model"), r"model"),
    ],
)
def test_a_file_that_cannot_be_followed_is_refused_by_its_place(saved, tmp_path, change, message):
    with pytest.raises(FormatError, match=message) as caught:
        digram.load(changed(saved, tmp_path, change))
    assert "changed.json" in str(caught.value)


def test_a_damaged_published_file_is_refused_by_the_merge(shared):
    path = shared / "data" / "malformed" / "llama2-broken-merges.json"
    with pytest.raises(FormatError, match=r"llama2-broken-merges.json"):
        digram.load(path)


def test_an_unknown_format_is_refused_with_those_known(saved, tok, tmp_path):
    with pytest.raises(ValueError, match=r"format is .onnx.; it is one of .*tiktoken"):
        digram.load(saved, format="onnx")
    with pytest.raises(ValueError, match=r"format is .onnx.; it is one of .*tiktoken"):
        tok.save(tmp_path / "model.onnx", format="onnx")
    with pytest.raises(ValueError, match=r"it is one of (?!.*gguf)"):
        tok.save(tmp_path / "model.onnx", format="onnx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x.gguf", "a GGUF file, which is read and not written"),
        ("X.GGUF", "a GGUF file"),
        ("tokenizer.json.gz", "a compressed file"),
        ("merges.txt", "one file of a pair"),
        ("vocab.json", "one file of a pair"),
    ],
)
def test_a_name_of_another_format_is_refused_unless_the_format_is_told(tok, tmp_path, name, reason):
    """JSON was written into `x.gguf`."""
    for write in (tok.save, lambda path: digram.convert(tok, path)):
        with pytest.raises(ValueError, match=f"'{name}' is the name of {reason}.*tokenizer.json"):
            write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    tok.save(tmp_path / name, format="tokenizer.json")
    assert digram.load(tmp_path / name) == tok


def test_nothing_is_saved_without_a_name(tok, tmp_path, monkeypatch):
    """It was saved as ./tokenizer.json."""
    monkeypatch.chdir(tmp_path)
    for format in (None, "tokenizer.json", "gpt2"):
        for write in (tok.save, lambda path, **how: digram.convert(tok, path, **how)):
            with pytest.raises(ValueError, match="the name to write is ''; give"):
                write("", format=format)
    assert list(tmp_path.iterdir()) == []


def test_a_keyword_that_the_format_has_no_use_for_is_refused(saved):
    with pytest.raises(ValueError, match=r"pattern"):
        digram.load(saved, pattern="gpt2")


def test_a_directory_that_holds_no_tokenizer_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for read in (digram.load, digram.from_pretrained):
        with pytest.raises(MissingFileError, match=r"tokenizer.json.*merges.txt"):
            read(tmp_path)
    with pytest.raises(MissingFileError, match=r"is no directory"):
        digram.from_pretrained("gpt2-not-here")
    with pytest.raises(MissingFileError, match=r"there is no directory 'gpt2-not-here'"):
        digram.from_pretrained(Path("gpt2-not-here"))


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(tok, tmp_path):
    path = tmp_path / "kept.tiktoken"
    path.write_bytes(b"old")
    cannot = tok.with_(rule=digram.Greedy("longest-first"))
    with pytest.raises(FormatError):
        cannot.save(path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["kept.tiktoken"]
    with pytest.raises(OSError, match=r"."):
        tok.save(tmp_path / "no" / "such" / "folder" / "tokenizer.json")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_the_system_refuses_to_write_is_told_of_the_file_asked_for(
    tok, tmp_path, monkeypatch, call
):
    """A full disk had no name, and a folder without permission that of a temporary file."""

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device", *([".x.tmp"] * (call == "replace")))

    monkeypatch.setattr(_atomic.os, call, refuse)
    with pytest.raises(OSError, match=r"No space left on device: '.*t.json'$") as caught:
        tok.save(tmp_path / "t.json")
    assert caught.value.filename == str(tmp_path / "t.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["pre_tokenizer", "normalizer", "decoder"])
@pytest.mark.parametrize(
    "regex",
    [
        "(?=a)(?:(?:(?:ab){4000000000}){4000000000}){4000000000}",  # overflowed the engine's count
        "a(?>){99999999999}(?!b)",  # counted so far, for the empty text
        "a{99999999999999999999}(?!b)",
    ],
)
def test_patterns_that_repeat_too_often_are_refused(part, regex):
    component = {"type": "Replace", "pattern": {"Regex": regex}, "content": ""}
    if part == "pre_tokenizer":
        component |= {"type": "Split", "behavior": "Removed", "invert": False}
    described = {"version": "1.0", "added_tokens": [], part: component}
    described["model"] = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    with pytest.raises(LimitError, match="repeat less in it"):
        digram.load(json.dumps(described).encode())


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        (b"\x1f\x8b\x08", "gzip, so unpack it"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "git lfs pull"),
        ("<unk>\t0\n<s>\t0\n▁the\t-1\n".encode(), "open the .model"),
        (b'{"tokenizer_class": "LlamaTokenizer"}', "no model .* stands beside a tokenizer; open"),
        (b'{"version": "1.0", "chat": 1}', "no model"),
    ],
)
def test_what_is_often_taken_for_a_tokenizer_is_named(content, remedy):
    with pytest.raises(digram.FormatError, match=remedy):
        digram.load(content)


SEEDS = Path(__file__).parent.parent / "fuzz" / "corpus"
READ_ALONE = ("gguf", "sentencepiece", "subword_nmt", "tekken", "tokenizer_json")


@pytest.mark.parametrize(
    "seed", [seed for name in READ_ALONE for seed in sorted((SEEDS / name).glob("*"))], ids=str
)
def test_fuzzing_begins_with_files_that_are_read(seed):
    assert digram.load(seed).vocab_size > 0
