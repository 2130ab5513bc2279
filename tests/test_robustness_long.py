"""A million characters without a break: they all come through. `bench/pathological.py` times it."""

import random

import pytest

import digram
from digram.patterns import NAMED

LONG = 1_000_000


def million(kind):
    rng = random.Random(3)
    return {
        "one letter": "a" * LONG,
        "one blank": " " * LONG,
        "line ends": "\r\n" * (LONG // 2),
        "one digit": "1" * LONG,
        "one sign": "!" * LONG,
        "one Han character": "漢" * LONG,
        "letters": "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=LONG)),
        "capitals in turn": "aA" * (LONG // 2),
        "Han": "".join(chr(rng.randrange(0x4E00, 0x9FA6)) for _ in range(LONG)),
        "marks": "e\u0301" * (LONG // 2),
        "apostrophes": "'" * LONG,
        "joined emoji": "👩\u200d" * (LONG // 2),
        "blanks and a letter": " " * (LONG - 1) + "a",
        "blanks in turn": " a" * (LONG // 2),
    }[kind]


KINDS = (
    *("one letter", "one blank", "line ends", "one digit", "one sign", "one Han character"),
    *("letters", "capitals in turn", "Han", "marks", "apostrophes", "joined emoji"),
    *("blanks and a letter", "blanks in turn"),
)


@pytest.fixture(scope="module")
def tok():
    return digram.train([million(kind)[:3000] for kind in KINDS], vocab_size=1000)


@pytest.mark.parametrize("kind", KINDS)
def test_a_million_characters_come_back(tok, kind):
    text = million(kind)
    ids = tok.encode(text)
    assert tok.decode(ids) == text
    assert tok.count(text) == len(ids)


@pytest.mark.parametrize("pattern", list(NAMED))
def test_a_million_blanks_are_split_by_every_pattern(pattern):
    split = digram.train({"a": 1}, pattern=pattern, units="chars", initial_alphabet="seen")
    for text in (" " * LONG, " " * LONG + "a", "\n" * LONG, "a" * LONG):
        assert sum(len(word) for word, _, _ in split.words(text)) in (len(text.strip()), len(text))


@pytest.mark.parametrize("kind", ["one letter", "letters", "Han", "one blank"])
@pytest.mark.parametrize("units", ["bytes", "chars"])
def test_a_million_characters_in_one_word_can_be_learned_from(kind, units):
    text = million(kind)[: LONG // 10]
    tokenizer = digram.train({text: 1}, num_merges=50, units=units, initial_alphabet="seen")
    whole = tokenizer.with_(
        pre_tokenizer=None
        if units == "chars"
        else digram.components.ByteLevel(add_prefix_space=False, use_regex=False)
    )
    assert whole.count(text) == tokenizer.training.symbols_at_end


@pytest.mark.parametrize("order", ["longest-first", "left-to-right"])
def test_greedy_takes_a_million_characters(order):
    tokenizer = digram.from_merges(
        ["a", "b", "ab", "aba", "aaaa", "漢"], greedy=order, units="chars", pattern=r"\w+"
    )
    rng = random.Random(4)
    for text in ("a" * LONG, "ab" * (LONG // 2), "".join(rng.choices("ab漢", k=LONG))):
        assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.parametrize("order", ["longest-first", "left-to-right"])
def test_greedy_does_not_look_at_a_text_again_for_each_token_that_may_begin_there(order):
    """None of the tokens that go on for longer than the text is one of it."""
    powers = ["a" * 2**power for power in range(18)]
    tokenizer = digram.from_merges(
        [*powers, "b", "a" * 900_000 + "b"], greedy=order, units="chars", pattern=r"\w+"
    )
    count = 2**17 * 5 + 2**9 + 3
    runs = [2**17] * 5 + [2**9, 2, 1]
    assert tokenizer.tokenize("a" * count) == ["a" * run for run in runs]
    assert tokenizer.count("ab" * (LONG // 2)) == LONG
