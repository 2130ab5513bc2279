"""Changed copies: added tokens, and values by their names."""

import copy
import json
import math
import operator
import pickle
import random
import re

import numpy as np
import pytest

import digram
from digram.components import (
    AddedToken,
    Lowercase,
    Padding,
    Split,
    TemplateProcessing,
    TemplateSpecial,
    TemplateText,
    TemplateToken,
)
from digram.errors import FormatError

TEXT = "low lower lowest <|user|> says: lowest <|end|>"


@pytest.fixture(scope="module")
def tok():
    return digram.train([TEXT], num_merges=12, special_tokens=["<|end|>"])


def test_special_tokens_are_added_after_all_others(tok):
    new = tok.with_(special_tokens=["<|user|>", "<|end|>", "<|bot|>"])
    size = tok.vocab_size
    assert new.special_tokens == {"<|end|>": 0, "<|user|>": size, "<|bot|>": size + 1}
    assert new.encode("<|bot|>x<|user|>", special="token")[0] == size + 1
    assert new.encode(TEXT) == tok.encode(TEXT)
    assert tok.special_tokens == {"<|end|>": 0}


def test_added_tokens_are_found_in_every_text(tok):
    new = tok.with_(added_tokens=["lowes"])
    assert new.added_tokens == {"lowes": tok.vocab_size}
    assert new.tokenize("lowest")[:1] == ["lowes"]
    assert new.with_(normalizer="Lowercase").tokenize("LOWESt")[:1] == ["lowes"]
    assert new.special_tokens == tok.special_tokens


def test_a_special_token_that_is_added_again_stays_special(tok):
    """It became one that is found in every text: scripts make sure that tokens are there."""
    special = tok.with_(special_tokens=["<|end|>"])
    assert special.with_(added_tokens=["<|end|>"]) == special
    assert special.with_(added_tokens=dict(special.special_tokens)) == special
    told = AddedToken(special.special_tokens["<|end|>"], "<|end|>", special=False)
    assert special.with_(added_tokens=[told]).special_tokens == {}


def test_a_token_of_the_vocabulary_keeps_its_id_and_stays_when_it_is_no_longer_added(tok):
    id_ = tok.token_id("low")
    new = tok.with_(added_tokens=["low"])
    assert new.added_tokens == {"low": id_}
    assert new.vocab_size == tok.vocab_size
    assert new.tokenize("slow")[-1] == "low"
    assert new.without(["low"]) == tok


def test_the_added_tokens_of_a_tokenizer_cannot_be_changed(tok):
    """They were its own dict, and whoever wrote into it changed what the tokenizer said."""
    new = tok.with_(added_tokens=["lowes"])
    for name, first in (("special_tokens", {"<|end|>": 0}), ("added_tokens", {"lowes": len(tok)})):
        found = getattr(new, name)
        for change in (
            lambda found: operator.setitem(found, "<x>", 1),
            lambda found: operator.delitem(found, next(iter(found))),
            lambda found: operator.ior(found, {"<x>": 1}),
            lambda found: found.update({"<x>": 1}),
            lambda found: found.setdefault("<x>", 1),
            lambda found: found.pop("<|end|>", None),
            lambda found: found.popitem(),
            lambda found: found.clear(),
        ):
            with pytest.raises(TypeError, match=r"cannot be changed; with_\(special_tokens=…\)"):
                change(found)
        with pytest.raises(AttributeError, match=f"'{name}' of a tokenizer cannot be set; with_"):
            setattr(new, name, {})
        assert found == getattr(new, name) == first
        assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found  # noqa: S301
        assert json.loads(json.dumps(found)) == found | {} == dict(found)
    for name in ("fingerprint", "merges", "tokens", "directory", "encode"):
        with pytest.raises(AttributeError, match="cannot be set"):
            setattr(new, name, None)


def test_the_tokens_of_a_tokenizer_are_pickled_and_copied(tok):
    """They hold the engine, which does not go into a pickle."""
    tokens = tok.with_(special_tokens={"<|gap|>": len(tok) + 5}).tokens
    copied = pickle.loads(pickle.dumps(tokens))  # noqa: S301  it was made here
    assert copied == copy.deepcopy(tokens) == copy.copy(tokens) == tokens == dict(tokens)
    assert (type(copied), repr(copied), len(copied)) == (type(tokens), repr(tokens), len(tokens))
    assert copy.deepcopy({"of": [tokens]}) == {"of": [tokens]}


class Named(digram.Tokenizer):
    label = "none"


def test_a_subclass_may_have_attributes_of_its_own(tok):
    named = Named(tok.model)
    named.label = "mine"
    assert (named.label, Named.label, named == tok) == ("mine", "none", True)
    named("a"), named.decoder(skip_special_tokens=True)  # what is remembered is no attribute
    for one in (named, Named(tok.model)):
        again = pickle.loads(pickle.dumps(one))  # noqa: S301
        assert vars(again) == ({"label": "mine"} if one is named else {})
        assert (type(again), again.label, again) == (Named, one.label, tok)


@pytest.mark.parametrize("name", ["pad_token", "padding", "truncation", "label"])
def test_a_tokenizer_takes_no_attribute(tok, name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}', and cannot be changed; with"):
        setattr(tok, name, 5)


def test_flags_and_ids_may_be_told(tok):
    mask = AddedToken(tok.embedding_size + 7, "<mask>", lstrip=True)
    new = tok.with_(special_tokens=[mask])
    assert new.encode("a   <mask>", special="token")[-1] == mask.id
    assert len(new.encode("a   <mask>", special="token")) == 2
    assert new.with_(special_tokens={"<x>": 1000}).special_tokens["<x>"] == 1000
    assert new.with_(special_tokens=["<mask>"]).model.added_tokens[-1].lstrip is False
    for given in ({"<x>": np.int64(1000)}, [AddedToken(np.uint32(1000), "<x>")]):
        numpys = tok.with_(special_tokens=given)
        assert numpys == tok.with_(special_tokens={"<x>": 1000})
        assert type(numpys.special_tokens["<x>"]) is int


def test_three_sizes(tok):
    new = tok.with_(special_tokens={"<x>": 1000})
    assert new.vocab_size == len(new) == tok.vocab_size + 1
    assert new.embedding_size == 1001
    assert [new.padded_size(multiple) for multiple in (1, 8, 64, 1001)] == [1001, 1008, 1024, 1001]
    with pytest.raises(ValueError, match="multiple is 0"):
        new.padded_size(0)


def test_what_is_removed_is_text_again(tok):
    new = tok.with_(special_tokens=["<|user|>"], added_tokens=["lowes"])
    assert new.without(["<|user|>", "lowes"]) == tok
    assert new.without(["lowes"]) == tok.with_(special_tokens=["<|user|>"])


def test_what_the_template_needs_cannot_be_removed(tok):
    template = TemplateProcessing(
        single=(TemplateText("A"), TemplateToken("<|end|>")),
        pair=(TemplateText("A"), TemplateText("B")),
        special_tokens=(TemplateSpecial("<|end|>", (0,), ("<|end|>",)),),
    )
    with pytest.raises(ValueError, match="put around texts; change that first"):
        tok.with_(post_processor=template).without(["<|end|>"])


def test_what_rows_are_filled_up_with_cannot_be_removed(tok):
    padded = tok.with_(special_tokens=["<pad>"])
    padding = Padding(pad_id=padded.token_id("<pad>"), pad_token="<pad>")
    with pytest.raises(ValueError, match="'<pad>', which is what rows are filled up with"):
        padded.with_(padding=padding).without(["<pad>"])
    assert padded.with_(padding=padding).with_(padding=None).without(["<pad>"]) == tok


def test_values_go_by_their_names(tok):
    new = tok.with_(normalizer="Lowercase", pattern="gpt2")
    assert new.model.normalizer == Lowercase()
    assert new.pattern == "gpt2"
    assert tok.with_(pattern="whitespace").pattern == "whitespace"
    assert isinstance(tok.model.pre_tokenizer.pretokenizers[0], Split)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"special_tokens": "<x>"}, TypeError, r"give a list of tokens: \['<x>'\]"),
        ({"special_tokens": [7]}, TypeError, "or tokenizers.AddedToken, not builtins.int"),
        ({"added_tokens": [""]}, ValueError, "is empty"),
        ({"added_tokens": ()}, ValueError, r"add nothing; tok.without\(tok.added_tokens\) takes"),
        ({"special_tokens": {"<x>": 3}}, ValueError, "is given id 3, which is that of"),
        ({"special_tokens": {"<|end|>": 3}}, ValueError, "is given id 3, but it has id 0"),
        ({"added_tokens": [AddedToken(-2, "<x>")]}, ValueError, "id of '<x>' is -2; give 0"),
        ({"special_tokens": {"<x>": -1}}, ValueError, "id of '<x>' is -1; give 0 or more"),
        ({"special_tokens": {"<x>": 2**32}}, digram.LimitError, "is 4294967296; give 67108863"),
        ({"special_tokens": {"<x>": math.nan}}, TypeError, "must be an int, not float: nan"),
        ({"special_tokens": {"<x>": "5"}}, TypeError, "must be an int, not str: '5'"),
        ({"special_tokens": {"<x>": None}}, TypeError, "must be an int, not NoneType"),
        ({"directory": "x"}, TypeError, "directory must be a digram.Directory, or None.*'x'"),
        ({"directory": 5}, TypeError, "directory must be a digram.Directory"),
        ({"tokens": {-1: b"a"}}, ValueError, "the id of b'a' is -1; give 0 or more"),
        ({"tokens": {2**70: b"a"}}, digram.LimitError, f"is {2**70}; give 67108863 or less"),
        ({"tokens": {"0": b"a"}}, TypeError, "the id of b'a' must be an int, not str"),
        ({"tokens": {0: "a"}}, TypeError, "the token of id 0 must be bytes, not str"),
        ({"word_ends": {-1}}, ValueError, "an id of word_ends is -1"),
        ({"rule": digram.Merges(((1, 2, 2**32),))}, ValueError, "an id of merge 0 is 4294967296"),
        ({"tokens": [b"a"]}, TypeError, "tokens must be a mapping of ids to bytes, not list"),
        ({"normalizer": 5}, TypeError, "normalizer must be a name, .*, not int: 5"),
        ({"decoder": "ByteLevel"}, TypeError, "decoder must be a decoder of digram.components"),
        ({"pattern": re.compile("a")}, TypeError, "pattern must be a name, .* not Pattern: re"),
        ({"unk_token": 5}, TypeError, "unk_token must be a str, or None, not int: 5"),
        ({"end_of_word": 5}, TypeError, "end_of_word must be a str, or None, not int: 5"),
        ({"dropout": math.nan}, ValueError, "dropout is nan; it is a probability, from 0 to 1"),
        ({"units": None}, TypeError, "units must be 'bytes' or 'chars', not NoneType"),
        ({"marker": "x"}, ValueError, "marker is 'x'; it is one of 'separate', 'attached'"),
        ({"rule": None}, TypeError, "rule must be Merges, Ranks, Scores or Greedy of digram"),
        ({"fuse_unk": "no"}, TypeError, "fuse_unk must be True or False, not str: 'no'"),
        ({"truncation": 5}, TypeError, "truncation must be a digram.components.Truncation"),
        ({"padding": Padding(direction="left")}, ValueError, "direction is 'left'; it is one"),
        (
            {"special_tokens": [AddedToken(999, "x", special=False)]},
            ValueError,
            "list it in added_tokens",
        ),
        ({"pattern": "gpt2", "pre_tokenizer": None}, TypeError, "both pattern and pre_tokenizer"),
        ({"normalizer": "nfc"}, ValueError, "normalizer is 'nfc'"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(tok, change, error, message):
    with pytest.raises(error, match=message):
        tok.with_(**change)


def test_only_added_tokens_can_be_removed(tok):
    with pytest.raises(ValueError, match="'low', which is no added token"):
        tok.without(["low"])
    with pytest.raises(TypeError, match="give a list"):
        tok.without("<|end|>")


@pytest.mark.parametrize("count", [10, 6000])
def test_hugging_face_finds_the_same_added_tokens(tok, count, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    draw = random.Random(count)
    # names that begin with one another, as numbered ones do
    names = [f"tool{number}" for number in range(count)]
    new = tok.with_(added_tokens=names, special_tokens=["<|user|>"])
    new.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for _ in range(50):
        parts = [draw.choice([*names, "tool", "<|user|>", " low", "er "]) for _ in range(20)]
        text = "".join(parts)
        assert new.encode(text, special="token") == theirs.encode(text).ids
    assert digram.load(tmp_path / "tokenizer.json") == new


@pytest.mark.parametrize("rule", ["merges", "ranks"])
@pytest.mark.parametrize("added", [{"<pad>": 300}, {" x": 270, "<pad>": 300}])
def test_added_tokens_behind_a_gap_come_back_as_such(rule, added):
    """Hugging Face finds their ids only in the vocabulary, and they became a part of it."""
    tok = digram.train(["low lower"], num_merges=3).with_(special_tokens=added)
    if rule == "ranks":
        tok = tok.with_(rule=digram.Ranks())
    again = digram.load(tok.to_bytes())
    assert again == tok
    assert not digram.diff(tok, again)
    assert again.to_bytes() == tok.to_bytes()
    bare = [each.without(added) for each in (tok, again)]
    assert bare[0] == bare[1]
    assert [each.encode("a x<pad>") for each in bare] == [tok.encode("a x<pad>")] * 2
    described = json.loads(tok.to_bytes())
    assert described["model"]["digram"]["added_only"] == list(added.values())
    described["model"]["digram"]["added_only"] = [64]
    with pytest.raises(FormatError, match="added_only lists 64, which is no added token"):
        digram.load(json.dumps(described).encode())
