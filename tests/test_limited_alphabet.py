"""Alphabets that leave rare characters out: which, and what is learned of the rest."""

import json
import re
from collections import Counter

import pytest
from command_line import refusal, run

import digram
from digram.reference import byte_aliases

WORDS = {"aab": 5, "abc": 3, "xaby": 2, "zab": 1}  # a 16, b 11, c 3, x 2, y 2, z 1
UNKNOWN = {"units": "chars", "unk_token": "<unk>"}


def base(tok):
    """The characters that are base symbols, in the order of their ids."""
    report = tok.training
    return "".join(report.tokens[1 : report.base_size])


@pytest.mark.parametrize(
    ("limits", "characters"),
    [
        ({}, "abcxyz"),
        ({"limit_alphabet": 6}, "abcxyz"),
        ({"limit_alphabet": 4}, "abcx"),  # of x and y, which are as frequent, the lower
        ({"limit_alphabet": 1}, "a"),
        ({"limit_alphabet": 2, "initial_alphabet": "qz"}, "qz"),
        ({"limit_alphabet": 3, "initial_alphabet": "qz"}, "aqz"),
        ({"limit_alphabet": 1, "required": ["zab"]}, "abz"),
        ({"character_coverage": 1.0}, "abcxyz"),
        ({"character_coverage": 0.8}, "abc"),
        ({"character_coverage": 0.5}, "ab"),
        ({"character_coverage": 1e-9}, "a"),
        ({"character_coverage": 0.8, "limit_alphabet": 2}, "ab"),
        ({"character_coverage": 0.5, "limit_alphabet": 5}, "ab"),
    ],
)
def test_the_most_frequent_characters_are_base_symbols(limits, characters):
    assert base(digram.train(WORDS, num_merges=2, **UNKNOWN, **limits)) == characters


@pytest.mark.parametrize("marker", [{}, {"end_of_word": "</w>"}])
@pytest.mark.parametrize("attached", [False, True])
def test_nothing_is_learned_across_what_is_left_out(marker, attached):
    if attached and not marker:
        pytest.skip("there is no marker to attach")
    kind = {"marker": "attached"} if attached else {}
    tok = digram.train(
        {"a漢b": 9, "ab": 7, "漢": 1},
        limit_alphabet=2,
        min_frequency=1,
        **UNKNOWN,
        **marker,
        **kind,
    )
    assert "ab" in {token.removesuffix("</w>") for token in tok.training.tokens}
    assert not any("漢" in token or "<unk>" in token[1:] for token in tok.training.tokens[1:])
    assert tok.encode("a漢b").count(tok.token_id("<unk>")) == 1
    assert tok.training.frequencies[0] == 10
    assert tok.training.symbols_at_end == sum(tok.training.live_frequencies)
    assert tok.training.text_bytes == 9 * 5 + 7 * 2 + 1 * 3


def test_the_rest_of_a_word_is_learned_as_words_of_their_own():
    limited = digram.train(
        {"ab漢cd漢": 3, "bcd": 2}, limit_alphabet=4, initial_alphabet="abcd", **UNKNOWN
    )
    parts = digram.train({"ab": 3, "cd": 3, "bcd": 2}, **UNKNOWN)
    assert limited.merges == parts.merges
    assert limited.tokens == parts.tokens


def test_what_is_learned_is_what_text_becomes(tmp_path):
    texts = ["the low lowest 漢字 of 字 newer, widest!"] * 4
    tok = digram.train(texts, limit_alphabet=9, pattern="gpt2", **UNKNOWN)
    live = Counter(tok.encode("".join(texts[:1])))
    frequencies = tok.training.live_frequencies
    assert all(frequencies[id_] == 4 * count for id_, count in live.items())
    tok.save(tmp_path / "t.json")
    assert digram.load(tmp_path / "t.json") == tok
    given = digram.count(texts, pattern="gpt2")
    assert digram.train(given, limit_alphabet=9, **UNKNOWN) == tok


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit_alphabet": 9}, "limit_alphabet leaves rare characters out, and units are bytes"),
        ({"limit_alphabet": 9, "units": "chars"}, "nothing stands for them; give an unk_token"),
        ({"character_coverage": 0.9, "units": "chars"}, "character_coverage leaves .* unk_token"),
        ({"limit_alphabet": 0, **UNKNOWN}, "limit_alphabet is 0"),
        ({"limit_alphabet": -1, **UNKNOWN}, "limit_alphabet is -1"),
        ({"character_coverage": 0.0, **UNKNOWN}, "character_coverage is 0; it is a part"),
        ({"character_coverage": 1.5, **UNKNOWN}, r"character_coverage is 1\.5; it is a part"),
        ({"character_coverage": float("nan"), **UNKNOWN}, "character_coverage is NaN"),
        ({"character_coverage": 10**400, **UNKNOWN}, "character_coverage is inf"),
        ({"limit_alphabet": 5, "vocab_size": 3, **UNKNOWN}, "vocab_size is 3, but the characters"),
    ],
)
def test_what_cannot_be_left_out_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        digram.train(WORDS, **options)


def test_what_is_known_before_is_told_before_anything_is_read():
    texts = iter(["low lower"])
    for options in ({"limit_alphabet": 9}, {"character_coverage": 0.9, "units": "chars"}):
        with pytest.raises(ValueError, match="leaves rare characters out"):
            digram.train(texts, **options)
    assert next(texts) == "low lower"


def test_the_shell_names_its_own_options(tmp_path):
    (tmp_path / "a.txt").write_text("low lower", encoding="utf-8")
    for options, said in (
        (["--limit-alphabet", "9"], r"^--limit-alphabet leaves .* give --units chars"),
        (["--character-coverage", "0.9", "--units", "chars"], "leaves .* give --unk-token"),
        (["--character-coverage", "2", "--units", "chars", "--unk-token", "u"], "^--character-cov"),
    ):
        assert re.search(said, refusal("train", tmp_path / "a.txt", *options))


@pytest.mark.parametrize("value", [True, "0.9"])
def test_a_coverage_is_a_number(value):
    with pytest.raises(TypeError, match="character_coverage is"):
        digram.train(WORDS, character_coverage=value, **UNKNOWN)


@pytest.mark.parametrize("option", [{"limit_alphabet": 5}, {"character_coverage": 0.9}])
def test_a_tokenizer_that_is_extended_keeps_its_alphabet(option):
    tok = digram.train(WORDS, units="chars")
    with pytest.raises(ValueError, match=f"{next(iter(option))} is given, .* keeps its own"):
        digram.train(WORDS, extend=tok, **option)


def test_the_alphabet_is_that_of_hugging_face_where_no_two_are_equal():
    tokenizers = pytest.importorskip("tokenizers")
    text = "".join(character * (20 - at) for at, character in enumerate("etaoin shrdlu漢字仮名"))
    for limit in (1, 5, 12):
        theirs = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
        trainer = tokenizers.trainers.BpeTrainer(
            limit_alphabet=limit, special_tokens=["<unk>"], vocab_size=limit + 1
        )
        theirs.train_from_iterator([text], trainer)
        ours = digram.train(
            [text], pattern=r"[\s\S]+", limit_alphabet=limit, num_merges=0, **UNKNOWN
        )
        assert {*base(ours)} == theirs.get_vocab().keys() - {"<unk>"}


def test_the_shell_limits_it_too(tmp_path):
    (tmp_path / "a.txt").write_text("abab abab 漢 abc\n" * 3, encoding="utf-8")
    said = run(
        *("train", tmp_path / "a.txt", "-o", tmp_path / "t.json", "--json", "--units", "chars"),
        *("--unk-token", "<unk>", "--limit-alphabet", "3", "--character-coverage", "0.999"),
        *("--vocab-size", "6"),
    )
    assert json.loads(said.out)["vocab_size"] == 6
    assert digram.load(tmp_path / "t.json").tokenize("漢") == ["<unk>"]


def test_the_alphabet_of_hugging_faces_byte_level_is_all_bytes():
    """It was taken for 256 characters, as their UTF-8: other bytes had no token."""
    alphabet = list(byte_aliases().values())
    every = digram.train(["abc abc"], vocab_size=300)
    assert digram.train(["abc abc"], vocab_size=300, initial_alphabet=alphabet) == every
    fewer = digram.train(["abc abc"], vocab_size=300, initial_alphabet=alphabet[:-1])
    assert fewer.vocab_size < every.vocab_size
