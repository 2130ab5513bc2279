"""Repeated groups that may match nothing: how files of Hugging Face's and digram's own are read.

A repetition that matched nothing ends all of them in Oniguruma, also where more are due; so do
those of a file that is written for it. In digram's own files the next one follows, as if the group
were written so many times; PCRE reads it so too, and Perl and Python each in yet another way. Both
readings are written down here as a matcher that tries every way in order, and each is held to its
own, on every short text.
"""

import itertools
import json
import random

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

TEXTS = ["".join(text) for size in range(6) for text in itertools.product("ab ", repeat=size)]


def optional(character, *, lazy=False, many=False):
    """Ways to match a character at most once, or as often as there is one, in order."""

    def ways(text, place):
        ends = [place]
        while text.startswith(character, ends[-1]) and (many or len(ends) == 1):
            ends.append(ends[-1] + 1)
        return ends if lazy else ends[::-1]

    return ways


def one_of(*characters):
    """Ways to match one of some texts, the first before the others."""
    return lambda text, place: [place + len(c) for c in characters if text.startswith(c, place)]


def in_turn(*parts):
    """Ways to match one thing after the other."""

    def ways(text, place):
        if not parts:
            return [place]
        rest = in_turn(*parts[1:])
        return [end for middle in parts[0](text, place) for end in rest(text, middle)]

    return ways


def repeated(body, bounds, *, ends_at_once):
    """Ways to repeat a group; whether one that matched nothing ends all of them."""
    least, most, lazy = bounds

    def ways(text, place, done=0):
        stop = [place] if done >= least else []
        more = []
        for end in body(text, place) if done < most else ():
            ends = ends_at_once and end == place
            more += [end] if ends else ways(text, end, done + 1)
        return stop + more if lazy else more + stop

    return ways


BODIES = {
    " ?a*?": in_turn(optional(" "), optional("a", lazy=True, many=True)),
    " ?a??": in_turn(optional(" "), optional("a", lazy=True)),
    "a*? ?": in_turn(optional("a", lazy=True, many=True), optional(" ")),
    "a??b?": in_turn(optional("a", lazy=True), optional("b")),
    "b?a*?": in_turn(optional("b"), optional("a", lazy=True, many=True)),
    "a?": optional("a"),
    "a|": one_of("a", ""),
    "|a|b": one_of("", "a", "b"),
    "ab|a|": one_of("ab", "a", ""),
}
BOUNDS = {
    "{1,2}": (1, 2, False),
    "{0,2}": (0, 2, False),
    "{2}": (2, 2, False),
    "{2,3}": (2, 3, False),
    "{1,2}?": (1, 2, True),
    "{3}": (3, 3, False),
}
BEHIND = {"": one_of(""), " ": one_of(" "), "b": one_of("b")}


def first(ways, text):
    """Where the first way to match the beginning of a text ends."""
    return next(iter(ways(text, 0)), 0)


def described(pattern, kind="BPE"):
    """Describe a file that removes what matches."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}
    file = {"version": "1.0", "added_tokens": [], "pre_tokenizer": split}
    return json.dumps(file | {"model": {"type": kind, "vocab": {"a": 0}, "merges": []}})


def opened(pattern):
    """Open a file that removes what matches, by both."""
    text = described(pattern)
    return digram.load(text.encode()), tokenizers.Tokenizer.from_str(text).pre_tokenizer


def same_words(pattern, texts=TEXTS):
    """Whether both split all texts alike."""
    ours, theirs = opened(pattern)
    for text in texts:
        words = [(start, end) for _, start, end in ours.words(text)]
        assert words == [places for _, places in theirs.pre_tokenize_str(text)], (pattern, text)
    return True


ALIKE = ("a?", "ab|a|", "a?b?", "a*(?:b|)", " ?a?b", "a+|b", "(?:a?b?)?")
EMPTY_FIRST = ("|a", "a||b", "a??", "a*?", "|a|ab", "a??b?", "(?:|b)a?", "(?:a|)+?|b", "(?:a??b)*?")


@pytest.mark.parametrize("body", ALIKE + EMPTY_FIRST)
@pytest.mark.parametrize("many", ["*", "+", "*?", "+?", "?", "??", "{2,}", "{2,}?"])
def test_groups_repeated_without_bound_are_those_of_hugging_face(body, many):
    for behind in (*BEHIND, "(?=b|$)", "b| "):
        assert same_words(rf"(?:{body}){many}{behind}")


@pytest.mark.parametrize("one", ["a", "[ab]", "(?:a|b )", r"\p{L}", "(a??)", "(?:|b)"])
@pytest.mark.parametrize("many", ["{2}?", "{1,2}+", "{2}+", "{1,2}?", "{0}?"])
def test_signs_behind_an_interval_are_those_of_hugging_face(one, many):
    assert same_words(rf"{one}{many}")
    assert same_words(rf"b?{one}{many}(?!b)")


def drawn_pattern(drawn, depth):
    """Draw a pattern of groups."""
    if depth == 0 or drawn.random() < 0.25:
        return drawn.choice(("a", "b", "a", "b", ""))
    parts = [drawn_pattern(drawn, depth - 1) for _ in range(drawn.choice((1, 2, 2, 3)))]
    joined = f"(?:{drawn.choice(('|', '', '')).join(parts)})"
    if joined == "(?:)":
        return ""
    return joined + drawn.choice(("", "*", "+", "?", "*?", "+?", "??", *BOUNDS))


def test_drawn_patterns_are_those_of_hugging_face():
    drawn = random.Random(7)
    texts = ["".join(text) for size in range(6) for text in itertools.product("ab", repeat=size)]
    patterns = {drawn_pattern(drawn, 3) + drawn.choice(("", "a", "b", "(?!b)")) for _ in range(400)}
    # neither takes the empty one, which splits nothing
    assert all(same_words(pattern, texts) for pattern in sorted(patterns - {""}))


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_repetition_of_nothing_ends_all_of_them_in_files_of_hugging_face(body, bounds):
    for behind, tail in BEHIND.items():
        pattern = rf"\A(?:{body}){bounds}{behind}"
        ours, theirs = opened(pattern)
        own = digram.load(described(pattern, "DigramBPE").encode())
        each = in_turn(repeated(BODIES[body], BOUNDS[bounds], ends_at_once=False), tail)
        at_once = in_turn(repeated(BODIES[body], BOUNDS[bounds], ends_at_once=True), tail)
        for text in TEXTS:
            begins = [start for _, start, _ in own.words(text)]
            assert first(each, text) == (begins[0] if begins else len(text)), (pattern, text)
            begins = [start for _, start, _ in ours.words(text)]
            assert first(at_once, text) == (begins[0] if begins else len(text)), (pattern, text)
            left = theirs.pre_tokenize_str(text)
            assert first(at_once, text) == (left[0][1][0] if left else len(text)), (pattern, text)


def test_what_was_rewritten_is_saved_for_both(tmp_path):
    ours, _ = opened("(?: ?a*?){1,2} |b{2}?")
    ours.save(tmp_path / "tokenizer.json")
    saved = json.loads((tmp_path / "tokenizer.json").read_text())
    assert saved["model"]["type"] == "BPE"
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json")).pre_tokenizer
    for text in TEXTS:
        places = [(start, end) for _, start, end in ours.words(text)]
        assert places == [places for _, places in again.pre_tokenize_str(text)]
    assert digram.load(tmp_path) == ours


@pytest.mark.parametrize("slot", ["normalizer", "decoder"])
def test_what_is_replaced_is_that_of_hugging_face(slot):
    replace = {"type": "Replace", "pattern": {"Regex": "(?:|a)+b|a{2}?"}, "content": "-"}
    vocab = {text: id_ for id_, text in enumerate(["?", "a", "b", " ", "-"])}
    file = {"version": "1.0", "added_tokens": [], slot: replace}
    model = {"type": "BPE", "unk_token": "?", "vocab": vocab, "merges": []}
    text = json.dumps(file | {"model": model})
    ours, theirs = digram.load(text.encode()), tokenizers.Tokenizer.from_str(text)
    for text in TEXTS:
        assert ours.encode(text) == theirs.encode(text).ids
        ids = [vocab[char] for char in text]
        assert ours.decode(ids) == theirs.decode(ids), text


def test_the_readings_differ():
    bounds, behind = BOUNDS["{1,2}"], BEHIND[" "]
    readings = [
        in_turn(repeated(BODIES[" ?a*?"], bounds, ends_at_once=at_once), behind)
        for at_once in (False, True)
    ]
    assert [first(ways, "a  ") for ways in readings] == [2, 3]
