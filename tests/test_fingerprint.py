"""`tok.fingerprint`: what affects ids changes it, and nothing else does."""

import json

import pytest

import digram
from digram.components import (
    NFC,
    ByteLevel,
    Lowercase,
    RobertaProcessing,
    TemplateProcessing,
    TemplateSpecial,
    TemplateText,
    TemplateToken,
)

CORPUS = ["the lowest of the low, the newest of the new; naïve café\n" * 9]


@pytest.fixture(scope="module")
def tok():
    return digram.train(CORPUS, num_merges=20, special_tokens=["<|end|>", "<|pad|>"])


@pytest.fixture
def described(tok, tmp_path):
    """The tokenizer as the value of its file."""
    tok.save(tmp_path / "tokenizer.json")
    return json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))


def read(described, **layout):
    return digram.load(json.dumps(described, **layout).encode())


def swap_two_ids(file):
    vocab = file["model"]["vocab"]
    first, second = list(vocab)[-2:]
    vocab[first], vocab[second] = vocab[second], vocab[first]


def add_a_merge(file):
    vocab = file["model"]["vocab"]
    vocab["zz"] = max(vocab.values()) + 1
    file["model"]["merges"].append(["z", "z"])


def swap_two_merges(file):
    merges = file["model"]["merges"]
    merges[0], merges[1] = merges[1], merges[0]


def rename_a_special_token(file):
    file["added_tokens"][0]["content"] = "<|stop|>"
    file["model"]["vocab"] = {
        "<|stop|>" if token == "<|end|>" else token: id_
        for token, id_ in file["model"]["vocab"].items()
    }


def change_a_flag_of_an_added_token(file):
    file["added_tokens"][0]["lstrip"] = True


def change_a_field_of_the_normalizer(file):
    file["normalizer"] = {"type": "Strip", "strip_left": True, "strip_right": False}


def change_the_pattern(file):
    split = file["pre_tokenizer"]["pretokenizers"][0]
    split["pattern"] = {"Regex": r"\s+|\S+"}


def put_an_id_before(file):
    file["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "end", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"end": {"id": "end", "ids": [0], "tokens": ["<|end|>"]}},
    }


@pytest.mark.parametrize(
    "change",
    [
        swap_two_ids,
        add_a_merge,
        swap_two_merges,
        rename_a_special_token,
        change_a_flag_of_an_added_token,
        change_a_field_of_the_normalizer,
        change_the_pattern,
        put_an_id_before,
    ],
)
def test_what_affects_ids_changes_the_fingerprint(tok, described, change):
    change(described)
    changed = read(described)
    assert changed.fingerprint != tok.fingerprint
    assert changed != tok


def test_one_field_of_a_normalizer_changes_the_fingerprint(tok, described):
    described["normalizer"] = {"type": "Strip", "strip_left": True, "strip_right": False}
    one = read(described)
    described["normalizer"]["strip_right"] = True
    assert len({tok.fingerprint, one.fingerprint, read(described).fingerprint}) == 3


def turned_round(value):
    """The same value with the keys of every object in the other order."""
    if isinstance(value, dict):
        return {key: turned_round(part) for key, part in reversed(value.items())}
    return list(map(turned_round, value)) if isinstance(value, list) else value


def test_the_layout_of_the_file_does_not_change_it(tok, described):
    for layout in ({}, {"indent": 4}, {"sort_keys": True}, {"ensure_ascii": False}):
        assert read(described, **layout).fingerprint == tok.fingerprint
    assert read(turned_round(described)) == tok


def test_what_was_told_of_training_does_not_change_it(tok, described):
    del described["model"]["digram"]
    assert read(described).training is None
    assert read(described).fingerprint == tok.fingerprint


def test_truncation_padding_and_the_decoder_do_not_change_it(tok, described):
    described["truncation"] = {
        "direction": "Right",
        "max_length": 4,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    described["padding"] = {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 1,
        "pad_type_id": 0,
        "pad_token": "<|pad|>",
    }
    assert read(described) == tok
    described["decoder"] = {"type": "Fuse"}
    other = read(described)
    assert other.fingerprint == tok.fingerprint
    assert other != tok, "two tokenizers that decode in two ways are two"


def test_what_concerns_offsets_and_types_alone_does_not_change_it(tok):
    def framed(name, type_id):
        return tok.with_(
            post_processor=TemplateProcessing(
                single=(TemplateToken(name), TemplateText("A", type_id)),
                pair=(TemplateToken(name), TemplateText("A"), TemplateText("B", type_id)),
                special_tokens=(TemplateSpecial(name, (0,), ("<|end|>",)),),
            )
        )

    assert framed("begin", 0).fingerprint == framed("start", 1).fingerprint != tok.fingerprint
    assert framed("begin", 0) != framed("start", 1)
    offsets_only = tok.with_(post_processor=ByteLevel(add_prefix_space=True, trim_offsets=False))
    assert offsets_only.fingerprint == tok.fingerprint
    roberta = [
        tok.with_(post_processor=RobertaProcessing(("<|end|>", 0), ("<|pad|>", 1), trim_offsets=t))
        for t in (True, False)
    ]
    assert roberta[0].fingerprint == roberta[1].fingerprint != tok.fingerprint


def test_two_normalizers_are_told_apart(tok):
    prints = {tok.with_(normalizer=n).fingerprint for n in (None, NFC(), Lowercase())}
    assert len(prints) == 3


def test_a_tiktoken_file_and_the_json_of_it_have_one_fingerprint(tmp_path):
    trained = digram.train(CORPUS, num_merges=20, pattern="gpt2")
    trained.save(tmp_path / "a.tiktoken")
    ranks = digram.load(tmp_path / "a.tiktoken", pattern="gpt2", special_tokens={"<s>": 276})
    ranks.save(tmp_path / "tokenizer.json")
    again = digram.load(tmp_path / "tokenizer.json")
    assert (again, again.fingerprint) == (ranks, ranks.fingerprint)


def test_a_template_that_refuses_pairs_has_a_fingerprint(described):
    text = {"Sequence": {"id": "A", "type_id": 0}}
    other = {"Sequence": {"id": "B", "type_id": 1}}
    token = {"SpecialToken": {"id": "<|end|>", "type_id": 0}}
    ids = {"<|end|>": {"id": "<|end|>", "ids": [256], "tokens": ["<|end|>"]}}

    def template(single, pair):
        return {
            "type": "TemplateProcessing",
            "single": single,
            "pair": pair,
            "special_tokens": ids,
        }

    described["post_processor"] = {
        "type": "Sequence",
        "processors": [
            template([text], [text, token, other]),
            template([text, token], [text, other]),
        ],
    }
    one, same = read(described), read(described)
    assert one == same
    assert hash(one) == hash(same)
    assert one("a")["input_ids"] == [*one.encode("a"), 256]
    with pytest.raises(ValueError, match="one text or two"):
        one("a", "b")
    described["post_processor"] = template([text, token], [text, token, other])
    assert read(described).fingerprint != one.fingerprint
