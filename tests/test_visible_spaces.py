"""What training splits at visible spaces decodes to spaces, here and at Hugging Face."""

import pytest

import digram
from digram.components import (
    Digits,
    Metaspace,
    NormalizerSequence,
    Prepend,
    PreTokenizerSequence,
    Regex,
    Replace,
    SentencePieceNormalizer,
    Split,
    WhitespaceSplit,
)

CORPUS = ["low lower lowest é", "a1 b2 low  low"]
TEXTS = ["low lower", "lower low", "low é b2 a1"]
VISIBLE = NormalizerSequence((Prepend("▁"), Replace(" ", "▁")))
DIGITS = Digits(individual_digits=True)
AT_EACH = Split(Regex("▁[^▁]*|[^▁]+"), "Isolated")

SPLITTING = {
    "metaspace": {"pattern": Metaspace("▁")},
    "first": {"pattern": Metaspace("▁", "first")},
    "never": {"pattern": Metaspace("▁", "never")},
    "whole": {"pattern": Metaspace("▁", split=False)},
    "another sign": {"pattern": Metaspace("~")},
    "at the end": {"pattern": PreTokenizerSequence((WhitespaceSplit(), Metaspace("▁")))},
    "in the middle": {"pattern": PreTokenizerSequence((Metaspace("▁"), DIGITS))},
    "normalizer": {"pattern": AT_EACH, "normalizer": VISIBLE},
}
OWN = {
    "before": SentencePieceNormalizer(),
    "behind": SentencePieceNormalizer(treat_whitespace_as_suffix=True),
    "without": SentencePieceNormalizer(add_dummy_prefix=False),
}
MARKERS = {
    "none": {},
    "separate": {"end_of_word": "</w>"},
    "attached": {"end_of_word": "</w>", "marker": "attached"},
}


@pytest.mark.parametrize("units", ["bytes", "chars"])
@pytest.mark.parametrize("name", SPLITTING)
def test_visible_spaces_become_spaces_again_here_and_there(name, units, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tok = digram.train(CORPUS, units=units, **SPLITTING[name])
    tok.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in TEXTS:
        ids = tok.encode(text)
        assert tok.decode(ids) == theirs.decode(ids) == text
        assert tok.decode(ids[1:]) == theirs.decode(ids[1:])
    assert digram.check(tok) == ()


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("units", ["bytes", "chars"])
@pytest.mark.parametrize("name", [*SPLITTING, *OWN])
def test_a_marker_beside_visible_spaces_is_no_second_space(name, units, marker):
    splitting = SPLITTING.get(name) or {"pattern": AT_EACH, "normalizer": OWN[name]}
    tok = digram.train([*CORPUS, *TEXTS], units=units, **splitting, **MARKERS[marker])
    for text in TEXTS:
        assert tok.decode(tok.encode(text)) == text
    assert digram.check(tok) == ()


@pytest.mark.parametrize("name", SPLITTING)
def test_a_vocabulary_with_merges_gets_the_decoder_that_training_gives(name):
    tok = digram.train(CORPUS, units="chars", **SPLITTING[name])
    tokens, merges = tok.tokens, tok.merges
    made = digram.from_merges(
        {tokens[id_]: id_ for id_ in range(tok.vocab_size)},
        [(tokens[left], tokens[right]) for left, right, _ in merges],
        units="chars",
        **SPLITTING[name],
    )
    assert made.model.decoder == tok.model.decoder


def test_where_spaces_are_dropped_before_the_marker_writes_them():
    pattern = PreTokenizerSequence((WhitespaceSplit(), Metaspace("▁", "never")))
    tok = digram.train(CORPUS, units="chars", pattern=pattern, end_of_word="</w>")
    assert tok.decode(tok.encode("low lower")) == "low lower"


def test_a_pattern_may_write_spaces_visibly_too():
    tok = digram.train(CORPUS, units="chars", pattern=AT_EACH, normalizer=Replace(Regex(" "), "▁"))
    assert tok.decode(tok.encode("low lower")) == "low lower"
