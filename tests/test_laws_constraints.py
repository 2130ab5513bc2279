"""What no merge may make is never made, and nothing else is kept from being learned.

The reference learner is given the constraints as a predicate, told once more in plain Python, so
the engine is compared with it under every tie rule.
"""

import importlib
import re
import unicodedata
from pathlib import Path

import pytest
import regex
from drawn import MARKERS, TIES, UNITS, words
from hypothesis import given, settings
from hypothesis import strategies as st

import digram
from digram import reference
from digram.reference.spelling import END, join

# the package shows the function of this name
learning = importlib.import_module("digram.reference.learn")

LETTERS = "aé 1٣яか漢\u0301\xa0$"
SCRIPTS = ("Latin", "Cyrillic", "Hiragana", "Han", "Arabic")
PATTERNS = (
    re.compile("1[1٣]"),
    re.compile("A[1а-я ]$", re.IGNORECASE),
    re.compile(b"^\xc3."),
    re.compile("a  |я я # or so", re.VERBOSE),
)
DOCS = Path(__file__).resolve().parents[1] / "docs"

counted = st.dictionaries(words(LETTERS), st.integers(1, 5), min_size=1, max_size=10)
apart = st.lists(
    st.sampled_from(["characters", "digits", "scripts", "sentencepiece", "spaces"]), max_size=2
)
constraints = st.fixed_dictionaries(
    {},
    optional={
        "forbidden": st.lists(st.sampled_from(["aa", "1 ", b"\xc3\xa9", "a$", *PATTERNS])),
        "apart": apart,
        "max_digits": st.integers(0, 2),
    },
)


def is_number(character):
    return unicodedata.category(character).startswith("N")


def is_refused(product, marked, *, forbidden=(), apart=(), max_digits=None):
    """Say whether a product, a tuple of units, may not become a token."""
    spelled, text = join(product, marked.get("end_of_word")), b"".join(product)
    for item in forbidden:
        if isinstance(item, re.Pattern):
            of_bytes = isinstance(item.pattern, bytes)
            if item.search(spelled if of_bytes else spelled.decode(errors="surrogateescape")):
                return True
        elif spelled == (item if isinstance(item, bytes) else item.encode()):
            return True
    told = text.decode(errors="replace")
    if max_digits is not None and sum(map(is_number, told)) > max_digits:
        return True
    return bool(apart) and is_mixed(text, apart, END in product and marked["marker"] == "separate")


def is_mixed(text, apart, has_symbol):
    try:
        whole = text.decode()
    except UnicodeDecodeError:
        return has_symbol or not any(text in letter.encode() for letter in LETTERS)
    scripts = {name for name in SCRIPTS if regex.search(rf"\p{{Script={name}}}", whole)}
    return (
        ("spaces" in apart and len({letter.isspace() for letter in whole}) > 1)
        or ("digits" in apart and len(set(map(is_number, whole))) > 1)
        or ("scripts" in apart and len(scripts) > 1)
        or ("sentencepiece" in apart and (len(set(map(piece_script, whole)) - {None}) > 1))
        or ("sentencepiece" in apart and " " in whole)
    )


def piece_script(letter):
    """The script of a letter as SentencePiece sees it; none for what inherits its script."""
    names = [name for name in SCRIPTS if regex.match(rf"\p{{Script={name}}}", letter)]
    if regex.match(r"\p{Script=Inherited}", letter):
        return None
    return {"Hiragana": "Han", "Katakana": "Han"}.get(*names * 2) if names else "Common"


def by_reference(words, constraints, marked, **options):
    """Learn with the reference, which is told what is refused."""

    class Constrained(learning.Learning):
        def may(self, pair):
            product = self.tokens[pair[0]] + self.tokens[pair[1]]
            return super().may(pair) and not is_refused(product, marked, **constraints)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(learning, "Learning", Constrained)
        return reference.learn(words, **options, **marked)


@pytest.mark.parametrize("ties", TIES)
def test_engine_and_reference_learn_the_same_under_constraints(ties):
    @settings(max_examples=120)
    @given(counted, constraints, st.sampled_from(UNITS), st.sampled_from(MARKERS))
    def agree(words, constraints, units, marked):
        options = {"ties": ties, "units": units, "min_frequency": 1, "num_merges": 20}
        tok = digram.train(words, **options, **constraints, **marked)
        model, report = by_reference(words, constraints, marked, **options)
        assert tok.model == model
        assert tok.training.stopped == report.stopped
        assert tuple(tok.training.frequencies) == report.frequencies

    agree()


@settings(max_examples=60)
@given(counted, constraints, st.sampled_from(UNITS), st.integers(0, 8), st.integers(1, 8))
def test_learning_in_two_steps_under_constraints_is_learning_in_one(words, held, units, one, two):
    whole = digram.train(words, num_merges=one + two, units=units, **held)
    begun = digram.train(words, num_merges=one, units=units, **held)
    assert digram.train(words, num_merges=two, extend=begun, **held).model == whole.model


@given(counted, constraints, st.randoms(use_true_random=False))
def test_the_order_of_words_cannot_be_observed_under_constraints(words, held, random):
    shuffled = list(words.items())
    random.shuffle(shuffled)
    assert digram.train(dict(shuffled), **held) == digram.train(words, **held)


def test_tokens_of_real_text_keep_apart_what_they_shall():
    text = "".join(page.read_text("utf-8") for page in sorted(DOCS.glob("*.md")))
    text += "字か字か 2026年2026年 Привет, Hello" * 9
    pattern = regex.compile(r"\s\S|\S\s|\p{N}\P{N}|\P{N}\p{N}|\p{N}{4}|.* the.*|^--+$")
    free, held = (
        digram.train([text], pattern=r"[^\n]+", num_merges=3_000, **constraints)
        for constraints in (
            {},
            {
                "forbidden": [re.compile(" the"), re.compile("^--+$"), "ing"],
                "apart": ["spaces", "digits", "characters"],
                "max_digits": 3,
            },
        )
    )
    made = [held.tokens[merged] for _, _, merged in held.merges]
    assert not any(
        pattern.search(token.decode()) for token in made if len(token) > 1 and is_text(token)
    )
    assert b"ing" not in made
    assert b"2026" not in made
    assert b"20" in made
    within = {character.encode() for character in text}
    assert all(is_text(token) or any(token in whole for whole in within) for token in made)
    assert any(pattern.search(token.decode()) for token in free.tokens.values() if is_text(token))
    assert held.decode(held.encode(text)) == text


def is_text(token):
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize(
    ("options", "error", "complaint"),
    [
        ({"forbidden": "ab"}, TypeError, r"forbidden is 'ab' alone; give a list: \['ab'\]"),
        (
            {"forbidden": [3]},
            TypeError,
            "forbidden holds str, bytes and compiled patterns, not int",
        ),
        ({"forbidden": [""]}, ValueError, "forbidden holds an empty text"),
        ({"forbidden": [re.compile("(?a)x")]}, ValueError, "'.*x' has the flag re.ASCII"),
        ({"forbidden": [re.compile("(?=x)")]}, ValueError, r'pattern "\(\?=x\)" does not compile'),
        ({"forbidden": [re.compile(r"\w{999}")] * 40}, digram.errors.LimitError, "are larger than"),
        ({"apart": "digits"}, TypeError, "apart is the text 'digits'"),
        (
            {"apart": ["letters"]},
            ValueError,
            'apart holds "letters"; it holds some of "characters"',
        ),
        ({"max_digits": -1}, ValueError, "max_digits is -1"),
    ],
)
def test_wrong_constraints_are_refused_with_the_value_and_the_rule(options, error, complaint):
    with pytest.raises(error, match=complaint):
        digram.train(["low lower"], num_merges=2, **options)
