"""Required tokens: refused where no word can be one, at no cost that grows with how many."""

from types import SimpleNamespace

import pytest

import digram
from digram import _core, _required


def test_all_required_tokens_are_split_at_once(monkeypatch):
    made = []

    def counter(*given):
        made.append(given)
        return _core.Counter(*given)

    monkeypatch.setattr(_required, "_core", SimpleNamespace(Counter=counter))
    tokens = [f"{letter}{other}st" for letter in "abcdefghijkl" for other in "uvwxyz"]
    tok = digram.train({"lowest": 3}, required=tokens)
    assert set(tokens) <= set(tok.training.tokens)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("required", "options", "message"),
    [
        (["low", "a b", "new"], {}, "'a b' is never one word: the text is split into 'a', ' b'"),
        (["low", "Low"], {"normalizer": "Lowercase"}, "'Low' is never one word: .* into 'low'"),
        (["b", "a"], {"pattern": "[^a]"}, None),
        (["low</w>", "low"], {"end_of_word": "</w>"}, None),
        (["low</w>", "lo w</w>"], {"end_of_word": "</w>"}, "'lo w</w>' is never one word"),
    ],
)
def test_a_token_that_no_word_can_be_is_told_from_the_others(required, options, message):
    if message is None:
        tok = digram.train(["low lower a b"], required=required, **options)
        assert set(required) <= set(tok.training.tokens)
        return
    with pytest.raises(ValueError, match=message):
        digram.train(["low lower a b"], required=required, **options)


def test_tokens_that_a_normalizer_changes_into_each_other_are_refused():
    swap = digram.components.Replace("b", "c")
    with pytest.raises(ValueError, match="'b' is never one word: the text is split into 'c'"):
        digram.train(["a b c"], required=["c", "b"], normalizer=swap)
