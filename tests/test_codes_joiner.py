"""Tokens with a joiner: the text that subword-nmt writes, in Python and at the shell."""

import io
import random

import pytest
from command_line import refusal, run
from test_codes_filter import VERSIONS, learned_codes, vocabulary_of, with_merges

import digram

apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")

# Letters of no code stand between, blanks of several kinds, and what glossaries find.
OTHERS = ["é", "漢", "x", "@@", "2024", "USA", "bUSAc", "UNK"]
TEXT = "  lead é 漢\n\n   \nx y  \nlow\r\n  a  b \t\n"


def text_of(rng):
    words = ["".join(rng.choices("abcde", k=rng.randint(1, 6))) for _ in range(8)]
    words += rng.choices(OTHERS, k=3)
    rng.shuffle(words)
    return rng.choice([" ", "  "]).join(words)


@pytest.mark.parametrize("seed", range(60))
def test_joined_tokens_are_the_text_of_subword_nmt(seed):
    rng = random.Random(seed)
    version = VERSIONS[seed % 4 != 0]
    codes = rng.choice([learned_codes, with_merges])(rng, version)
    glossaries = rng.choice([[], ["USA"], ["ab", r"\d+"]])
    vocabulary = None
    if seed % 2:  # of version 0.1 subword-nmt then writes a word's end as an empty token
        plain = apply_bpe.BPE(io.StringIO(codes), separator="@@")
        vocabulary = vocabulary_of(rng, plain, text_of(rng))
    theirs = apply_bpe.BPE(
        io.StringIO(codes), vocab=vocabulary and set(vocabulary), glossaries=glossaries
    )
    ours = digram.load(
        codes.encode(), unk_token="<unk>", vocabulary=vocabulary, glossaries=glossaries
    )
    for _ in range(20):
        text = text_of(rng)
        assert " ".join(ours.tokenize(text, joiner="@@")) == theirs.segment(text)


def test_a_marker_of_its_own_is_no_piece():
    tok = digram.train({"low": 5, "lower": 3}, units="chars", end_of_word="</w>", num_merges=2)
    assert tok.tokenize("low el", joiner="@@") == ["low", "e@@", "l"]
    assert tok.tokenize("low", joiner="") == ["low"]
    assert tok.tokenize("", joiner="@@") == []


@pytest.mark.parametrize("units", ["bytes", "chars"])
def test_a_joiner_is_refused_where_no_token_ends_a_word(units):
    tok = digram.train(["low lower"], units=units, num_merges=2)
    with pytest.raises(ValueError, match=r"joiner is '@@', and the tokens .* do not say"):
        tok.tokenize("low", joiner="@@")


def test_what_is_left_out_ends_no_word():
    tok = digram.train({"low": 5}, units="chars", end_of_word="</w>", num_merges=1)
    tok = tok.with_(drops_unknown=True)
    assert tok.tokenize("o\u0301w lw", joiner="@@") == ["o@@", "w", "l@@", "w"]


def test_a_joiner_is_a_text():
    tok = digram.train({"low": 5}, units="chars", end_of_word="</w>")
    with pytest.raises(TypeError, match="joiner must be a str, or None, not int: 5"):
        tok.tokenize("low", joiner=5)


def test_the_shell_writes_what_apply_bpe_writes(tmp_path):
    rng = random.Random(7)
    codes = learned_codes(rng, VERSIONS[1])
    counts = {"ab@@": 9, "a@@": 9, "b": 9, "cd": 2, "c@@": 9, "d": 9, "e": 9}
    (tmp_path / "codes").write_text(codes, encoding="utf-8")
    lines = "".join(f"{word} {count}\n" for word, count in counts.items())
    (tmp_path / "vocab").write_text(lines, encoding="utf-8")
    text = TEXT + "".join(text_of(rng) + "\n" for _ in range(50))
    theirs = apply_bpe.BPE(
        io.StringIO(codes),
        vocab={word for word, count in counts.items() if count >= 5},
        glossaries=["USA", r"\d+"],
    )
    expected = "".join(theirs.process_line(line + "\n") for line in text.split("\n")[:-1])
    said = run(
        *("encode", "-t", tmp_path / "codes", "--joiner", "@@", "--lines"),
        *("--vocabulary", tmp_path / "vocab", "--vocabulary-threshold", "5"),
        *("--glossary", "USA", "--glossary", r"\d+", "--unk-token", "UNK"),
        stdin=text,
    )
    assert said.out == expected


def test_the_shell_says_what_it_cannot_join(tmp_path):
    (tmp_path / "codes").write_text("#version: 0.2\nl o\n", encoding="utf-8")
    codes = ("encode", "-t", tmp_path / "codes")
    said = refusal(*codes, "--vocabulary-threshold", "5", stdin="lo")
    assert "--vocabulary-threshold is 5, but there is no --vocabulary" in said
    digram.train(["low"], vocab_size=256).save(tmp_path / "t.json")
    assert "--joiner is '@@'" in refusal(
        "encode", "-t", tmp_path / "t.json", "--joiner", "@@", stdin="lo"
    )
    assert "give one" in run(*codes, "--joiner", "@@", "--tokens", check=False).err
