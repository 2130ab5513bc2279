"""The named patterns: spelled as published, and splitting as their own engines split."""

import collections
import inspect
import itertools
import json
import random
import re

import pytest

import digram
from digram import _encodings, patterns, reference
from digram.components import ByteLevel, PreTokenizerSequence, Regex, Split, WhitespaceSplit
from digram.reference.classes import code_points, compiled

PARTS = (
    *(
        "a",
        "B",
        "Ab",
        "é",
        "漢",
        "अ",
        "ا",
        "1",
        "23",
        "²",
        "Ⅷ",
        "ª",
        "ǅ",
        "\u0301",
        "_",
        "!",
        "…",
        "/",
    ),
    *(" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2028", "\x85", "\x1c", "\u200b", "\u180e"),
    *("'s", "'LL", "'S", "'ſ", "ſ", "'", "’s", "😀", "\u200d"),
)


def random_texts(count):
    rng = random.Random(1)
    return ["".join(rng.choices(PARTS, k=rng.randint(0, 12))) for _ in range(count)]


def words_by_tiktoken(pattern, texts):
    """The words that tiktoken makes, seen through a vocabulary that holds every stretch of text."""
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    for text in texts:
        for start in range(len(text)):
            for end in range(start + 1, len(text) + 1):
                ranks.setdefault(text[start:end].encode(), len(ranks))
    encoding = tiktoken.Encoding("words", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return [
        [word.decode() for word in encoding.decode_tokens_bytes(encoding.encode_ordinary(text))]
        for text in texts
    ]


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "cl100k-converted", "o200k", "qwen2"])
def test_patterns_split_as_tiktokens_engine_does(name):
    texts = random_texts(400)
    splitter = patterns.pre_tokenizer(name)
    ours = [reference.pre_tokenize(text, splitter) for text in texts]
    assert ours == words_by_tiktoken(patterns.NAMED[name], texts)


def test_tiktokens_names_of_encodings_are_names_of_patterns():
    for name in digram.list_encoding_names():
        expected = _encodings.ENCODINGS[name].pattern
        if expected is not None:
            assert patterns.resolve(name) == patterns.NAMED[expected]
    trained = digram.train(["it's 12345"], num_merges=2, pattern="cl100k_base")
    assert trained.pattern == "cl100k"
    assert digram.train(["gpt4"], num_merges=1, pattern="(?:gpt4)").words("a gpt4")[1][0] == "gpt4"


# "llama" was a pattern that matches the text "llama", so that nearly all of a text was one word.
@pytest.mark.parametrize("name", ["llama", "GPT2", "cl100", "qwen2.5", "no-pattern", "语言", "42"])
def test_a_word_is_no_pattern_wherever_one_is_given(name, tmp_path):
    tok = digram.train(["abc"], vocab_size=256)
    tok.save(tmp_path / "a.tiktoken")
    doors = [
        lambda: digram.train(["abc"], pattern=name),
        lambda: digram.count(["abc"], pattern=name),
        lambda: digram.from_merges(["a"], pattern=name),
        lambda: digram.load(tmp_path / "a.tiktoken", pattern=name),
        lambda: tok.with_(pattern=name),
    ]
    for door in doors:
        with pytest.raises(ValueError, match=f"pattern is '{name}', .*; give one of gpt2, "):
            door()
    literal = "(?:" + name.replace(".", "[.]") + ")"
    assert digram.count([f"no {name}!"], pattern=literal)[name] == 1


@pytest.mark.parametrize("pattern", ["a", "..", "a.", ".a", r"\w+"])
def test_short_patterns_are_no_names(pattern):
    assert patterns.pre_tokenizer(pattern, "chars").pattern.regex == pattern


def test_files_may_split_at_a_word(tmp_path):
    splitter = Split(Regex("llama"), "Isolated")
    tok = digram.from_merges(["a", "l", "m", " "], units="chars").with_(pre_tokenizer=splitter)
    tok.save(tmp_path / "tokenizer.json")
    words = digram.load(tmp_path / "tokenizer.json").words("a llama")
    assert words == [("a ", 0, 2), ("llama", 2, 7)]


def test_gpt2s_two_spellings_split_alike():
    published = pytest.importorskip("tiktoken_ext.openai_public").r50k_pat_str
    for text in random_texts(2000):
        assert compiled(published).findall(text) == compiled(patterns.GPT2).findall(text)


@pytest.mark.parametrize("name", ["llama3", "qwen2", "cl100k-converted"])
def test_patterns_split_as_hugging_faces_engine_does(name):
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.pre_tokenizers.Split(tokenizers.Regex(patterns.NAMED[name]), "isolated")
    splitter = patterns.pre_tokenizer(name)
    for text in random_texts(2000):
        words = [word for word, _ in theirs.pre_tokenize_str(text)]
        assert reference.pre_tokenize(text, splitter) == words


@pytest.mark.parametrize("add_prefix_space", [False, True])
def test_byte_level_splits_as_hugging_faces_does(add_prefix_space):
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    aliases = reference.byte_aliases()
    for text in random_texts(1000):
        words = [word for word, _ in theirs.pre_tokenize_str(text)]
        ours = reference.pre_tokenize(text, ByteLevel(add_prefix_space=add_prefix_space))
        assert ["".join(aliases[byte] for byte in word.encode()) for word in ours] == words


@pytest.mark.parametrize("name", ["Whitespace", "WhitespaceSplit"])
def test_whitespace_splits_as_hugging_faces_does(name):
    tokenizers = pytest.importorskip("tokenizers")
    components = pytest.importorskip("digram.components")
    theirs = getattr(tokenizers.pre_tokenizers, name)()
    ours = getattr(components, name)()
    for text in random_texts(2000):
        words = [word for word, _ in theirs.pre_tokenize_str(text)]
        assert reference.pre_tokenize(text, ours) == words


@pytest.mark.parametrize("behavior", ["isolated", "removed"])
@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("pattern", ["a", " "])
def test_split_by_a_text_does_what_hugging_faces_does(pattern, behavior, invert):
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.pre_tokenizers.Split(pattern, behavior, invert)
    ours = Split(pattern, behavior.capitalize(), invert)
    for text in random_texts(300):
        words = [word for word, _ in theirs.pre_tokenize_str(text)]
        assert reference.pre_tokenize(text, ours) == words


def test_patterns_are_spelled_as_tiktoken_spells_them_but_for_possessive_repetition():
    published = pytest.importorskip("tiktoken_ext.openai_public")
    literals = re.compile(r'r"""(.+?)"""')
    for name in ("cl100k", "o200k"):
        source = inspect.getsource(getattr(published, f"{name}_base"))
        spelled = "|".join(literals.findall(source))
        plain = re.sub(r"(?<=[+*?}])(?<!\\p\{[LN]\})\+", "", spelled).replace("$", r"\z")
        assert plain == patterns.NAMED[name]


@pytest.mark.parametrize(
    ("folder", "name"), [("llama3", "llama3"), ("qwen2.5", "qwen2"), ("llama3", "cl100k-converted")]
)
def test_patterns_are_spelled_as_published_files_spell_them(shared, folder, name):
    path = shared / "data" / "vocab" / folder / "tokenizer.json"
    described = json.loads(path.read_text(encoding="utf-8"))["pre_tokenizer"]
    assert described["pretokenizers"][0]["pattern"] == {"Regex": patterns.NAMED[name]}


def test_the_two_cl100k_patterns_differ_where_blanks_end_a_text():
    words = {
        name: reference.pre_tokenize("a\n  ", patterns.pre_tokenizer(name))
        for name in ("cl100k", "cl100k-converted")
    }
    assert words == {"cl100k": ["a", "\n  "], "cl100k-converted": ["a", "\n", "  "]}


def test_whitespace_and_spaces_drop_what_they_name():
    text = "one\u00a0two \r\nthree\tfour"
    assert patterns.pre_tokenizer("whitespace", "chars") == WhitespaceSplit()
    words = reference.pre_tokenize(text, patterns.pre_tokenizer("whitespace", "chars"))
    assert words == ["one", "two", "three", "four"]
    words = reference.pre_tokenize(text, patterns.pre_tokenizer("spaces", "chars"))
    assert words == ["one\u00a0two", "three\tfour"]
    for name in ("whitespace", "spaces"):
        assert compiled(patterns.NAMED[name]).split(text) == reference.pre_tokenize(
            text, patterns.pre_tokenizer(name, "chars")
        )


def test_the_default_pattern_is_whitespace_only_with_a_marker():
    assert patterns.pre_tokenizer(None) == patterns.pre_tokenizer("o200k")
    assert patterns.pre_tokenizer(None, "chars", "</w>") == WhitespaceSplit()


def test_what_a_pattern_does_not_match_is_a_word_of_its_own():
    splitter = patterns.pre_tokenizer(r"\d+", "chars")
    assert reference.pre_tokenize("a1 b22", splitter) == ["a", "1", " b", "22"]


def test_an_empty_match_splits_nothing_off():
    splitter = PreTokenizerSequence((Split(Regex("x*"), "Isolated"),))
    assert reference.pre_tokenize("axxb", splitter) == ["a", "xx", "b"]


@pytest.mark.parametrize(
    "pattern", [r"\b|b{1,2}[ab]+?|1", "(?=a)|ab", "(?=a)|b", "a|(?=b)|b", "(?<=a)|ba", "(?=ab)|a"]
)
def test_behind_an_empty_match_the_next_character_is_passed(pattern):
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    for text in map("".join, itertools.product("ab 1", repeat=5)):
        expected = [word for word, _ in theirs.pre_tokenize_str(text)]
        assert reference.pre_tokenize(text, Split(Regex(pattern), "Isolated")) == expected
        words = digram.count([text], pattern=pattern)
        assert dict(words) == collections.Counter(expected)


def test_a_pattern_that_does_not_compile_is_named():
    with pytest.raises(ValueError, match=r"pattern '\(' does not compile"):
        reference.count_words(["a"], pattern="(")
    with pytest.raises(ValueError, match="property 'Klingon' is not known"):
        reference.count_words(["a"], pattern=r"\p{Klingon}")


def test_classes_are_unicode_16():
    letters = code_points("L")
    assert any(start <= 0x105C0 <= end for start, end in letters)  # Todhri, new in 16.0
    assert not any(start <= 0x10EC5 <= end for start, end in letters)  # new in 17.0
    assert sum(end - start + 1 for start, end in letters) == 141_028


def test_a_component_given_for_bytes_ends_in_the_byte_level():
    bytes_level = patterns.pre_tokenizer("o200k").pretokenizers[-1]
    given = PreTokenizerSequence((WhitespaceSplit(),))
    assert patterns.pre_tokenizer(given).pretokenizers == (WhitespaceSplit(), bytes_level)
    assert patterns.pre_tokenizer(ByteLevel()) == ByteLevel()
    assert patterns.pre_tokenizer(given, "chars") == given


@pytest.mark.parametrize("name", patterns.COMPONENTS)
def test_the_name_of_a_component_without_options_is_a_pattern(name):
    kind = getattr(digram.components, name)
    tok = digram.train(["low lower, low"], pattern=name)
    assert tok == digram.train(["low lower, low"], pattern=kind())
    assert patterns.pre_tokenizer(name, "chars") == kind()
