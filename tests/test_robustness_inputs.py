"""Bad input is refused by an error that names the value, the rule and the remedy."""

from pathlib import Path

import pytest

import digram
from digram.errors import (
    DigramError,
    FormatError,
    LimitError,
    MissingFileError,
    SpecialTokenError,
    UnknownTokenError,
)

TEXTS = ["the cat sat on the mat", "the end"]


@pytest.fixture(scope="module")
def tok():
    return digram.train(TEXTS, num_merges=10, special_tokens=["<|end|>"])


# What training is given


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"vocab_size": 100}, ValueError, r"vocab_size is 100, but .* need 256"),
        ({"vocab_size": -1}, ValueError, r"vocab_size is -1"),
        ({"vocab_size": "8k"}, TypeError, r"vocab_size must be an int, not str"),
        ({"vocab_size": True}, TypeError, r"vocab_size must be an int, not bool"),
        ({"num_merges": -1}, ValueError, r"num_merges is -1; .*0 or more"),
        ({"min_frequency": -2}, ValueError, r"min_frequency is -2; .*0 or more"),
        ({"max_token_length": 0}, ValueError, r"max_token_length is 0"),
        ({"units": "words"}, ValueError, r"units is 'words'; it is one of 'bytes', 'chars'"),
        ({"ties": "random"}, ValueError, r"ties is .random.; it is one of .*smallest-ids"),
        ({"marker": "front"}, ValueError, r"marker is 'front'; it is one of"),
        ({"end_of_word": ""}, ValueError, r"end_of_word is empty"),
        ({"pattern": ""}, ValueError, r"pattern is empty; give .*gpt2"),
        ({"pattern": "gpt4"}, ValueError, r"pattern is 'gpt4', a name that is not known; .*gpt2"),
        ({"pattern": "("}, ValueError, r"\(.*(compile|parse|unclosed)"),
        ({"pattern": "x*"}, ValueError, r"x\*.* empty"),
        ({"pattern": r"\p{Klingon}"}, ValueError, r"Klingon"),
        ({"normalizer": "NFX"}, ValueError, r"normalizer is 'NFX'; it is one of .*'NFC'"),
        ({"special_tokens": [""]}, ValueError, r"special token is empty"),
        ({"special_tokens": ["<s>", "<s>"]}, ValueError, r"<s>.* twice"),
        ({"special_tokens": "<s>"}, TypeError, r"special_tokens.*<s>.*list"),
        ({"special_tokens": [1]}, TypeError, r"."),
        ({"threads": 0}, ValueError, r"threads is 0; give 1 or more"),
        ({"initial_alphabet": [3.5]}, TypeError, r"initial_alphabet holds str or bytes.*3.5"),
        ({"num_merge": 3}, TypeError, r"num_merge"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_options_that_cannot_be_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        digram.train(TEXTS, **options)


@pytest.mark.parametrize(
    ("corpus", "error", "message"),
    [
        ([], ValueError, r"the corpus is empty"),
        ([""], ValueError, r"the corpus is empty"),
        (["<|end|>"], ValueError, r"the corpus is empty"),
        ({}, ValueError, r"no words|empty"),
        ({"": 3}, ValueError, r"a word is empty"),
        ({"a": 0}, ValueError, r"count of 'a' is 0"),
        ({"a": -3}, ValueError, r"count of 'a' is -3"),
        ({"a": 1.5}, TypeError, r"count of 'a' must be an int, not float"),
        ({"a": 2**64}, ValueError, r"count of 'a' is 18446744073709551616"),
        ({1: 1}, TypeError, r"a word must be str or bytes, not int"),
        ("one line\nand another", ValueError, r"looks like text.*pass \[text\]"),
        ("a" * 5000, ValueError, r"looks like text.*pass \[text\]"),
        ("no/such/file.txt", MissingFileError, r"no file matches 'no/such/file.txt'"),
        ("no/such/*.txt", MissingFileError, r"no file matches 'no/such/\*.txt'; give a path"),
        (Path("no/such/file.txt"), MissingFileError, r"no file matches 'no/such/file.txt'"),
        (b"bytes", TypeError, r"a corpus is a path, texts, or a mapping.*not bytes"),
        (3, TypeError, r"a corpus is a path, texts, or a mapping.*not int"),
        ([3.5], TypeError, r"a corpus holds str or bytes \(texts\) and Path \(files\), not float"),
        ([None], TypeError, r"a corpus holds str .*not NoneType: None"),
    ],
    ids=repr,
)
def test_corpora_that_cannot_be_are_refused(corpus, error, message):
    with pytest.raises(error, match=message):
        digram.train(corpus, special_tokens=["<|end|>"])


def test_names_of_files_given_as_texts_are_refused(tmp_path):
    names = [str(tmp_path / name) for name in ("one.txt", "two.txt")]
    for name in names:
        Path(name).write_text("text", encoding="utf-8")
    with pytest.raises(ValueError, match=r"every text is the name of a file.*one.txt.*corpus"):
        digram.train(names)
    assert digram.train(digram.corpus(names)).vocab_size > 256
    assert digram.train([*names, "and a text"]).vocab_size > 256


def test_a_folder_without_a_known_file_is_refused_with_the_glob_to_write(tmp_path):
    (tmp_path / "code.py").write_text("text", encoding="utf-8")
    with pytest.raises(MissingFileError, match=r"ends with \.txt.*to take others.*\*"):
        digram.train(tmp_path)


@pytest.mark.parametrize("documents", ["file", "line"])
@pytest.mark.parametrize("before", [0, 70_000, 3_000_000])
def test_a_file_that_is_no_utf8_is_refused_with_the_byte_where(tmp_path, before, documents):
    path = tmp_path / "broken.txt"
    path.write_bytes(b"ab\n" * (before // 3) + b"x" * (before % 3) + b"\xff rest")
    with pytest.raises(ValueError, match=rf"broken.txt.*\b{before}\b") as caught:
        digram.train(digram.corpus(path, documents=documents))
    assert "UTF-8" in str(caught.value)


def test_counts_beyond_64_bits_are_refused_instead_of_clipped():
    with pytest.raises(
        LimitError, match=r"\"ab\" the counts add up to more than 2\^64 - 1; divide"
    ):
        digram.train({"aaaaaaaaa": 2**63, "ab": 2**63, "aa": 2**63})


def test_counts_beyond_32_bits_are_exact():
    report = digram.train({"ab": 2**33, "cd": 2**33 + 1, "bc": 3}).training
    assert [(merge.merged_token, merge.frequency) for merge in report.merges] == [
        ("cd", 2**33 + 1),
        ("ab", 2**33),
        ("bc", 3),
    ]


def test_another_pattern_than_that_of_the_counts_is_refused():
    counts = digram.count(TEXTS, pattern="gpt2")
    with pytest.raises(ValueError, match=r"pattern is .*; leave it out, or count again"):
        digram.train(counts, pattern="o200k")


# What encoding and decoding are given


@pytest.mark.parametrize(
    "surrogate", [chr(0xD800), chr(0xDFFF), f"a{chr(0xDC80)}b", f"😀{chr(0xD83D)}"]
)
def test_a_lone_surrogate_is_refused_with_its_place(tok, surrogate):
    text = f"some text {surrogate}"
    place = next(at for at, char in enumerate(text) if 0xD800 <= ord(char) < 0xE000)
    for call in (
        tok.encode,
        tok.encode_array,
        tok.count,
        tok.words,
        tok.tokenize,
        tok.explain,
        tok,
    ):
        with pytest.raises(UnicodeEncodeError) as caught:
            call(text)
        assert caught.value.start == place
    for call in (tok.encode_batch, digram.train, digram.count):
        with pytest.raises(UnicodeEncodeError):
            call(["fine", text])


@pytest.mark.parametrize("id_", [9999, -1, 2**32, 2**70])
def test_an_id_outside_the_vocabulary_is_refused_by_name(tok, id_):
    for call in (tok.decode, tok.decode_bytes, tok.decoder().feed):
        with pytest.raises(UnknownTokenError, match=rf"id {id_} is not in the vocabulary"):
            call([65, id_])
    with pytest.raises(UnknownTokenError, match=rf"{id_} is not in the vocabulary"):
        tok.tokens[id_]


@pytest.mark.parametrize("ids", ["abc", [1.5], ["1"], None, 7, [None]])
def test_ids_that_are_no_numbers_are_refused(tok, ids):
    with pytest.raises(TypeError):
        tok.decode(ids)


@pytest.mark.parametrize("text", [None, 3, b"bytes", ["a list"]])
def test_a_text_that_is_no_str_is_refused(tok, text):
    for call in (tok.encode, tok.count, tok.words):
        with pytest.raises(TypeError):
            call(text)


def test_a_lone_text_is_no_batch(tok):
    with pytest.raises(TypeError, match=r"pass \[text\]"):
        tok.encode_batch("text")


@pytest.mark.parametrize(
    ("special", "error", "message"),
    [
        ("all", ValueError, r'special is "all"; it is "text", "token", "error" or a set'),
        ({"<|start|>"}, SpecialTokenError, r"<\|start\|>.*<\|end\|>"),
        ("error", SpecialTokenError, r"<\|end\|>.*character 2.*special="),
        (3, TypeError, r"special must be"),
        ([1], TypeError, r"special must be"),
    ],
    ids=repr,
)
def test_special_tokens_are_asked_for_rightly(tok, special, error, message):
    with pytest.raises(error, match=message):
        tok.encode("a <|end|>", special=special)


def test_a_character_outside_the_vocabulary_is_named_with_its_place():
    tokenizer = digram.train({"abc": 2}, units="chars")
    with pytest.raises(UnknownTokenError, match=r"漢.*unk_token"):
        tokenizer.encode("ab漢c")


def test_a_token_outside_the_vocabulary_is_named(tok):
    with pytest.raises(UnknownTokenError, match=r"'zebra' is not a token"):
        tok.token_id("zebra")


@pytest.mark.parametrize("threads", [0, -1])
def test_a_batch_needs_a_thread(tok, threads):
    with pytest.raises(ValueError, match=rf"threads is {threads}; give 1 or more"):
        tok.encode_batch(["a"], threads=threads)


# What models are made of


@pytest.mark.parametrize(
    ("vocab", "merges", "options", "message"),
    [
        (["a", "b"], [("a", "b")], {}, r"merge 0 .*'ab' is not in the vocabulary"),
        (["a", "b", "ab"], [("a", "x")], {}, r"merge 0 .*'x' is not in the vocabulary"),
        (["a", "a"], [], {}, r"lists a token twice"),
        (["a", "b", "ab"], [("a", "b")], {"greedy": "longest-first"}, r"merges are given"),
        (["a"], [], {"greedy": "shortest"}, r"greedy is 'shortest'"),
        (["a", "b", "ab"], [{"a", "b"}], {}, r"ordered pair"),
    ],
)
def test_merges_that_contradict_the_vocabulary_are_refused(vocab, merges, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        digram.from_merges(vocab, merges, units="chars", **options)


@pytest.mark.parametrize("ids", [{"a": 0, "b": 0}, {"b": 0, "a": 0}])
def test_two_tokens_of_one_id_are_refused_and_neither_is_dropped(ids):
    """One was dropped: the vocabulary was {0: b"b"}."""
    named = " and ".join(f'"{token}"' for token in ids)
    with pytest.raises(FormatError, match=f"id 0 is given to {named}; give each"):
        digram.from_merges(ids, [], units="chars")
    with pytest.raises(FormatError, match='id 2 is given to "c" and "ab"'):
        digram.from_merges({"a": 0, "b": 1, "c": 2, "ab": 2}, [("a", "b")], units="chars")


def test_a_tokenizer_is_made_of_a_model_and_nothing_else():
    with pytest.raises(TypeError, match=r"takes a digram.Model, not str; digram.load reads files"):
        digram.Tokenizer("tokenizer.json")


def test_a_tokenizer_cannot_be_changed(tok):
    with pytest.raises(AttributeError):
        tok.vocab_size = 3
    with pytest.raises(TypeError, match=r"with_ got 'units_'"):
        tok.with_(units_="chars")


def test_every_own_error_is_caught_by_its_base():
    for error in (FormatError, SpecialTokenError, UnknownTokenError, LimitError, MissingFileError):
        assert issubclass(error, DigramError)
        assert str(error("what happened")) == "what happened"
