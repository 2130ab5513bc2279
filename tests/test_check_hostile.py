"""Whatever a file holds, `digram.check` tells findings: it never fails itself."""

import json
import random

import pytest

import digram

CORPUS = ["the lowest of the low, the newest of the new; naïve café\n" * 9]
VALUES = (None, True, -1, 0, 7, 1.5, 2**40, "", "x", "\ud800", [], ["a"], {}, {"a": 1}, [[]], [{}])


@pytest.fixture(scope="module")
def value(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "tokenizer.json"
    digram.train(CORPUS, num_merges=8, special_tokens=["<s>"], normalizer="NFC").save(path)
    value = json.loads(path.read_text(encoding="utf-8"))
    del value["model"]["digram"]
    value["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
    }
    value["truncation"] = {
        "direction": "Right",
        "max_length": 8,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    value["padding"] = {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "<s>",
    }
    return value


def places(value, path=()):
    """Every place in a value, few of those in long lists."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(parts)[:12]:
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))
        else:
            yield (*path, key)


def mutant(value, path, new):
    copy = json.loads(json.dumps(value))
    if not path:
        return new
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copy


def test_any_value_at_any_place_is_told_or_opened(value):
    dice = random.Random(1)
    tried = 0
    for path in places(value):
        for new in dice.sample(VALUES, 4):
            content = json.dumps(mutant(value, path, new)).encode()
            found = digram.check(content, notes=True)
            assert all(each.message for each in found), (path, new)
            tried += 1
    assert tried > 200


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"model":{"vocab":{"a":1e999}}}',
        b'{"model":{"vocab":{"a":' + b"9" * 5000 + b"}}}",
        b'{"vocab":[],"config":{"default_vocab_size":-5}}',
        b'{"vocab":[1,2],"config":7}',
        b"QQ== 0\nQQ== x\n",
        b"#version: 0.2\na b c\n\xff\n",
        b"GGUF",
    ],
    ids=lambda content: repr(content[:24]),
)
def test_what_is_no_tokenizer_has_an_error(content):
    found = digram.check(content, pattern=None)
    assert "error" in {each.severity for each in found}


@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_changed_at_random_are_told_or_opened(value, seed):
    dice = random.Random(seed)
    content = json.dumps(value).encode()
    for _ in range(60):
        changed = bytearray(content)
        for _ in range(dice.randint(1, 4)):
            changed[dice.randrange(len(changed))] = dice.choice(b'"{}[],:0a\\ \xff')
        assert isinstance(digram.check(bytes(changed)), tuple)


@pytest.mark.parametrize("pairs", [v for v in VALUES if v != "\ud800"], ids=repr)
def test_a_training_record_that_is_none_is_left_out(tmp_path, pairs):
    digram.train(CORPUS, num_merges=8).save(tmp_path / "tokenizer.json")
    value = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    value["model"]["digram"]["training"]["pairs"] = pairs
    content = json.dumps(value).encode()
    assert [found.code for found in digram.check(content)] == ["training-mismatch"]
    assert digram.load(content).training is None
