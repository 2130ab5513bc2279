"""Each limit lets pass what is at it, and names itself and the remedy for what is beyond."""

import copy
import json
import pickle
import re
from dataclasses import fields
from pathlib import Path

import pytest

import digram
from digram import Limits

BYTES = b"YQ== 0\nYg== 1\n"


def tokenizer(model=None, **parts) -> bytes:
    """A small sound tokenizer, changed."""
    sound = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}
    return json.dumps({"version": "1.0", **parts, "model": sound | (model or {})}).encode()


def sequence(count):
    return {"type": "Sequence", "normalizers": [{"type": "NFC"}] * count}


def nested(depth):
    # brackets: one of the innermost, two of each sequence around it
    component = {"type": "Lowercase"}
    for _ in range(depth // 2):
        component = {"type": "Sequence", "normalizers": [component]}
    return component


def padding(length):
    return {
        "strategy": {"Fixed": length},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "a",
    }


def split(size):
    regex = {"Regex": "a" * size}
    return {"type": "Split", "pattern": regex, "behavior": "Isolated", "invert": False}


# name, the limit, and a file of a size.
CASES = {
    "file_size": (200, lambda size: tokenizer() + b" " * (size - len(tokenizer()))),
    "vocabulary": (
        20,
        lambda size: tokenizer({"vocab": {chr(97 + n): n for n in range(size)}, "merges": []}),
    ),
    # beyond four times the number of tokens
    "id": (50, lambda size: tokenizer({"vocab": {"a": 0, "b": 8 + size}, "merges": []})),
    "token_length": (30, lambda size: tokenizer({"vocab": {"a": 0, "b" * size: 1}, "merges": []})),
    "nesting": (11, lambda size: tokenizer(normalizer=nested(size))),
    "regex_size": (40, lambda size: tokenizer(pre_tokenizer=split(size))),
    "padding": (1000, lambda size: tokenizer(padding=padding(size))),
    "components": (7, lambda size: tokenizer(normalizer=sequence(size))),
}
# Brackets come in twos.
STEPS = {"nesting": 2}


@pytest.mark.parametrize("name", CASES)
def test_what_is_at_a_limit_passes_and_what_is_beyond_is_refused(name):
    limit, make = CASES[name]
    step = STEPS.get(name, 1)
    limits = Limits(**{name: limit})
    for size in (limit - step, limit):
        assert digram.load(make(size), limits=limits).vocab_size > 0
    too_much = make(limit + step)
    with pytest.raises(digram.LimitError) as caught:
        digram.load(too_much, limits=limits)
    message = str(caught.value)
    assert message.startswith("<bytes>: ")
    assert f"{name} is {limit}" in message
    remedy = re.search(r"limits=digram\.Limits\((\w+)=(\d+)\)", message)
    assert remedy is not None
    assert remedy.group(1) == name
    # the remedy is one
    assert digram.load(too_much, limits=Limits(**{name: int(remedy.group(2))})).vocab_size > 0
    assert digram.load(too_much).vocab_size > 0


@pytest.mark.parametrize("slot", ["normalizer", "decoder"])
def test_a_text_may_become_so_many_times_longer_and_a_megabyte(slot):
    length, more = 1 << 12, 1 << 20
    text = "a" * length
    times = 3 + more // length
    for expansion, fits in ((2, False), (3, True), (4, True)):
        grown = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * times}
        tok = digram.load(tokenizer(**{slot: grown}), limits=Limits(expansion=expansion))
        run, given = (tok.encode, text) if slot == "normalizer" else (tok.decode, [0] * length)
        if fits:
            assert len(run(given)) == times * length
            continue
        with pytest.raises(digram.LimitError, match=rf"the {slot} makes more.*expansion="):
            run(given)


@pytest.mark.parametrize("expansion", [3, 300])
def test_copies_let_texts_grow_as_far_as_the_tokenizer_that_they_come_from(expansion, tmp_path):
    length = 1 << 12
    grown = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 298}
    tok = digram.load(tokenizer(normalizer=grown), limits=Limits(expansion=expansion))
    added = tok.with_(special_tokens=["<x>"])
    tok.save(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "</s>"}')
    limits = Limits(expansion=expansion)
    copies = {
        "with_": tok.with_(ignore_merges=True),
        "special": added,
        "without": added.without(["<x>"]),
        "pickled": pickle.loads(pickle.dumps(tok)),  # noqa: S301 - it was made here
        "copied": copy.copy(tok),
        "deep": copy.deepcopy(added),
        "directory": digram.load(tmp_path, limits=limits).with_(unk_token=None),
    }
    for name, each in copies.items():
        if expansion > len(grown["content"]):
            assert len(each.encode("a" * length)) == 298 * length, name
            continue
        with pytest.raises(digram.LimitError, match=r"a text may become 3 times as long"):
            each.encode("a" * length)


def test_converting_lets_texts_grow_as_far_as_before(tmp_path):
    grown = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 298}
    tok = digram.load(tokenizer(normalizer=grown), limits=Limits(expansion=300))
    proof = digram.convert(tok, tmp_path / "tokenizer.json", texts=["a" * (1 << 12)])
    assert proof.options == {"limits": Limits(expansion=300)}
    digram.load(tmp_path / "tokenizer.json", **proof.options).encode("a" * (1 << 12))


def test_every_limit_is_tested_and_the_defaults_are_those_of_the_engine():
    assert {field.name for field in fields(Limits)} == {*CASES, "expansion"}
    rust = Path(__file__).parents[1] / "crates" / "digram" / "src" / "limits.rs"
    source = rust.read_text(encoding="utf-8")
    defaults = source.split("fn default() -> Self", 1)[1].split("impl Limits", 1)[0]
    for field in fields(Limits):
        found = re.search(rf"{field.name}: ([^,]+),", defaults)
        assert found is not None
        value = found.group(1) if field.name != "expansion" else "64"
        assert eval(value) == field.default, field.name  # noqa: S307 - a sum of our own


def test_the_page_has_every_limit_and_its_default():
    page = Path(__file__).parents[1] / "docs" / "limits.md"
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [(name, int(value)) for name, value in rows] == [
        (field.name, field.default) for field in fields(Limits)
    ]


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
def test_what_is_no_size_is_no_limit(name):
    for wrong in (-1, 1 << 63):
        with pytest.raises(ValueError, match=rf"{name} is {wrong}; it is from 0 to"):
            Limits(**{name: wrong})
    for wrong in (1.5, "1", True, None):
        with pytest.raises(TypeError, match=rf"{name} must be an int"):
            Limits(**{name: wrong})


def test_a_file_is_measured_before_it_is_read(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of holes: to read it would take the memory
    with pytest.raises(digram.LimitError, match=r"large.json: the file has 1099511627776 bytes"):
        digram.load(path)


def test_a_file_without_end_is_read_up_to_the_limit():
    with pytest.raises(digram.LimitError, match=r"/dev/zero: the file has more bytes"):
        digram.load("/dev/zero", limits=Limits(file_size=1 << 16))
