"""Escapes, properties and classes in patterns, read as Hugging Face's engine reads them."""

import contextlib
import itertools
import json
import random
import re

import characters
import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

# All characters; of a class runs are asked for, which are fewer words.
ALL = "".join(characters.ALL)
# ASCII, and of other characters some of each kind
FEW = "".join(map(chr, range(1, 128))) + "é日本ſ\u212a\u200c\u2028\u0301²½٣à豈\ue000\u0378"
SPECIAL = ("Word", "Graph", "Print", "Alnum", "Blank", "XDigit", "PosixPunct", "Newline", "Unknown")
SPECIAL += ("Cs", "In_Thai", "InCJK_Unified_Ideographs", "in_Low_Surrogates")
# What classes are made of, in all orders that fit.
PARTS = ("a", "z", "-", "]", "[", "[^", "&&", "~", "^", r"\]", r"\d", r"\p{L}", r"\pL", r"\w", "é")
PARTS += ("[:alpha:]", "[:^space:]", r"\p{^Lu}", r"\P{Print}", r"\h", r"\W", r"\x41", r"\xC3\xA9")
PARTS += (r"\u4e00", r"\q", r"\b", r"\cM", r"\<", " ", "&", "+", "|", "(", "{", "0")


def content(pattern, **parts):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    given = {"version": "1.0", "model": model, "pre_tokenizer": {**split, "invert": False}}
    return json.dumps(given | parts)


def words_of(tok, text):
    return [word for word, *_ in tok.words(text)]


def splitter(pattern):
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    return lambda text: [word for word, _ in split.pre_tokenize_str(text)]


def splitter_if_any(pattern):
    with contextlib.suppress(Exception):  # that library raises nothing narrower
        return splitter(pattern)
    return None


def check(pattern, text, path):
    """Both split a text alike, and the file that is saved is read alike, or refused."""
    expected = splitter(pattern)(text)
    tok = digram.load(content(pattern).encode())
    assert words_of(tok, text) == expected, pattern
    tok.save(path)
    saved = json.loads(path.read_text())
    regex = saved["pre_tokenizer"]["pattern"]["Regex"]
    if saved["model"]["type"] == "BPE":
        assert splitter(regex)(text) == expected, (pattern, regex)
    assert digram.load(path) == tok
    return saved["model"]["type"]


@pytest.mark.parametrize("name", [*SPECIAL, "L", "Han", "White_Space", "Punct", "Digit", "Any"])
@pytest.mark.parametrize("around", [r"\p{%s}", r"[^\p{%s}]"])
def test_a_property_is_theirs_for_every_character(around, name, tmp_path):
    assert check(f"(?:{around % name})+", ALL, tmp_path / "tokenizer.json") == "BPE"


@pytest.mark.parametrize("name", ["w-o_r D", "WORD", " pr int", "graph_", "l_u", "WHITE SPACE"])
def test_blanks_hyphens_underscores_and_capitals_in_names_do_not_count(name, tmp_path):
    for around in (r"\P{%s}", r"[^\P{%s}]", r"\p{^%s}", r"\P{^%s}|\s", r"[\p{^%s}0]+"):
        assert check(around % name, FEW, tmp_path / "tokenizer.json") == "BPE"


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\pL+", r"\PL", r"\pLu|\pN", r"[\pL]+", r"[^\PN]", r"(?i)\pL", r"(?i)\p{Print}b"),
        *("a{,}", "b{,2}", "a{,}+", "{x}", "a{ 2}", r"[{,}]", r"\{,}"),
        *(r"\xC3\xA9", r"\x4", r"\x41b", r"\x{e9}", r"\u00e9", r"\040+", r"\0", r"\cM", r"\ca"),
        *(r"\<", r"\>a", r"[\<\>]", r"[\101]+", r"\_", r"\é", r"\q\E\T", r"\a|\e|\f|\v"),
        *("[]a]", "[^]]", "[a~~b]", "[+--]", "[a-c-e]", "[--a]", "[a&&]", "[^a&&b]", r"\[]"),
        *("[ab-[c]]", "[a-z&&[^b]-]", "[a[^b]]", "[^a[^b]]", "[a-z&&b-]", "[[:alpha]]"),
        *(r" ?[^(\s|[.,!?…。，、।۔،])]+", r"[\u4e00-\u9fff]+|[\p{L}&&[^\p{Han}]]+"),
    ],
)
def test_an_escape_is_theirs(pattern, tmp_path):
    text = f"{FEW}aa a{{,}} aab pL pLu ba{{ 2}} {{x}} {FEW[::-1]} qET bb"
    check(pattern, text, tmp_path / "tokenizer.json")


def test_classes_of_drawn_parts_are_theirs(tmp_path):
    drawn, known = random.Random(1), 0
    while known < 500:
        body = "".join(drawn.choices(PARTS, k=drawn.randint(1, 7)))
        pattern = f"[{drawn.choice(['', '', '^'])}{body}]"
        if splitter_if_any(pattern):
            known += 1
            check(pattern, FEW, tmp_path / "tokenizer.json")


@pytest.mark.parametrize("pattern", [r"\pL", r"\p{Word}", r"[\p{^Print}]", "a{,}", r"[a~~b]"])
def test_a_normalizer_replaces_what_theirs_does(pattern):
    normalizer = {"type": "Replace", "pattern": {"Regex": pattern}, "content": "_"}
    vocab = {one: place for place, one in enumerate(dict.fromkeys(FEW + "_"))}
    model = {"type": "BPE", "vocab": vocab, "merges": []}
    given = content(pattern, normalizer=normalizer, pre_tokenizer=None, model=model)
    text = f"{FEW}pL a{{,}}"
    theirs = tokenizers.Tokenizer.from_str(given)
    assert digram.load(given.encode()).encode(text) == theirs.encode(text).ids


def test_a_file_that_names_no_version_is_read():
    given = json.loads(content("a"))
    del given["version"]
    given = json.dumps(given)
    assert tokenizers.Tokenizer.from_str(given).encode("a").ids == [0]
    assert digram.load(given.encode()).encode("a") == [0]


@pytest.mark.parametrize("first", ["", "^"])
def test_every_class_of_three_signs_is_theirs(first):
    for signs in itertools.product(("a", "c", "-", "&&", "[", "]", "~", r"\d"), repeat=3):
        pattern = f"[{first}{''.join(signs)}]"
        if theirs := splitter_if_any(pattern):
            tok = digram.load(content(pattern).encode())
            assert words_of(tok, FEW) == theirs(FEW), pattern


@pytest.mark.parametrize(("pattern", "sign"), [(r"a\Kb", "\\K"), ("a{2,1}", r"{2,1}")])
def test_what_cannot_be_read_as_they_read_it_is_refused(pattern, sign):
    splitter(pattern)
    with pytest.raises(digram.FormatError, match=f"has {re.escape(sign)}, w.*; write "):
        digram.load(content(pattern).encode())
