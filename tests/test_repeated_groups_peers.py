"""Groups repeated so many times that may match nothing: how digram and Oniguruma read them.

A repetition that matched nothing ends all of them in Oniguruma, also where more are due. Here the
next one follows, as if the group were written so many times; PCRE reads it so too, and Perl and
Python each in yet another way. Both readings are written down here as a matcher that tries every
way in order, and each engine is held to its own, on every short text.
"""

import itertools
import json

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


def opened(pattern):
    """Open a file that removes what matches, by both."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}
    described = {"version": "1.0", "added_tokens": [], "pre_tokenizer": split}
    described["model"] = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    text = json.dumps(described)
    return digram.load(text.encode()), tokenizers.Tokenizer.from_str(text).pre_tokenizer


@pytest.mark.parametrize("body", ["a?", "ab|a|", "a?b?", "a*(?:b|)", " ?a?b", "a+|b", "(?:a?b?)?"])
@pytest.mark.parametrize("many", ["*", "+", "*?", "+?", "?", "??"])
def test_groups_repeated_without_bound_are_read_alike(body, many):
    for behind in BEHIND:
        ours, theirs = opened(rf"(?:{body}){many}{behind}")
        for text in TEXTS:
            words = [(start, end) for _, start, end in ours.words(text)]
            assert words == [places for _, places in theirs.pre_tokenize_str(text)], (behind, text)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_repetition_of_nothing_ends_all_of_them_in_oniguruma_alone(body, bounds):
    for behind, tail in BEHIND.items():
        pattern = rf"\A(?:{body}){bounds}{behind}"
        ours, theirs = opened(pattern)
        each = in_turn(repeated(BODIES[body], BOUNDS[bounds], ends_at_once=False), tail)
        at_once = in_turn(repeated(BODIES[body], BOUNDS[bounds], ends_at_once=True), tail)
        for text in TEXTS:
            begins = [start for _, start, _ in ours.words(text)]
            assert first(each, text) == (begins[0] if begins else len(text)), (pattern, text)
            left = theirs.pre_tokenize_str(text)
            assert first(at_once, text) == (left[0][1][0] if left else len(text)), (pattern, text)


def test_the_readings_differ():
    bounds, behind = BOUNDS["{1,2}"], BEHIND[" "]
    readings = [
        in_turn(repeated(BODIES[" ?a*?"], bounds, ends_at_once=at_once), behind)
        for at_once in (False, True)
    ]
    assert [first(ways, "a  ") for ways in readings] == [2, 3]
