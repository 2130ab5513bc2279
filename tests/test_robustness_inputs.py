"""Bad input is refused by an error that names the value, the rule and the remedy."""

import math
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest

import digram
from digram import Merges, Model, Tokenizer
from digram.components import AddedToken
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
        ({"pattern": "llama"}, ValueError, r"pattern is 'llama', .*gpt2.* '\(\?:llama\)'"),
        ({"pattern": "("}, ValueError, r"\(.*(compile|parse|unclosed)"),
        ({"pattern": "x*"}, ValueError, r"x\*.* empty"),
        ({"pattern": r"\p{Klingon}"}, ValueError, r"Klingon"),
        ({"normalizer": "NFX"}, ValueError, r"normalizer is 'NFX'; it is one of .*'NFC'"),
        ({"special_tokens": [""]}, ValueError, r"special token is empty"),
        ({"special_tokens": ["<s>", "<s>"]}, ValueError, r"<s>.* twice"),
        ({"special_tokens": "<s>"}, TypeError, r"special_tokens.*<s>.*list"),
        ({"special_tokens": [1]}, TypeError, r"."),
        ({"special_tokens": {"<s>"}}, TypeError, r"is a set, .*by chance.*give a list"),
        ({"special_tokens": {"<s>": 0, "<t>": 5}}, ValueError, r"'<t>' the id 5; training .* 1"),
        ({"threads": 0}, ValueError, r"threads is 0; give 1 or more"),
        ({"threads": 2**70}, ValueError, rf"threads is {2**70}; give {2**63 - 1} or less, or None"),
        ({"threads": "2"}, TypeError, r"threads must be an int, or None for one per core, not str"),
        ({"pattern": 5}, TypeError, r"pattern must be a name, .*, not int: 5"),
        ({"normalizer": 5}, TypeError, r"normalizer must be a name, .*, not int: 5"),
        ({"extend": 5}, TypeError, r"extend must be a Tokenizer, or None, not int: 5"),
        ({"unk_token": 5}, TypeError, r"unk_token must be a str, or None, not int: 5"),
        ({"end_of_word": 5}, TypeError, r"end_of_word must be a str, or None, not int: 5"),
        ({"fuse_unk": 5}, TypeError, r"fuse_unk must be True or False, not int: 5"),
        ({"ties": 5}, TypeError, r"ties must be one of 'smallest-ids', .*, not int: 5"),
        ({"initial_alphabet": [3.5]}, TypeError, r"initial_alphabet holds str or bytes.*3.5"),
        ({"initial_alphabet": ["<0x00>", "a"]}, ValueError, r"holds '<0x00>', .* special_tokens"),
        ({"initial_alphabet": ["a", ""], "units": "chars"}, ValueError, r"holds '', .* single"),
        ({"initial_alphabet": [b"ab"]}, ValueError, r"initial_alphabet holds b'ab'"),
        ({"special_tokens": 5}, TypeError, r"special_tokens must be an iterable of str, .*int: 5"),
        ({"required": 5}, TypeError, r"required must be an iterable of str, not int: 5"),
        ({"forbidden": 5}, TypeError, r"forbidden must be an iterable of str, bytes .*not int: 5"),
        ({"initial_alphabet": 5}, TypeError, r"initial_alphabet must be an iterable .*not int: 5"),
        ({"vocab_size": 10**2000}, ValueError, r"vocab_size is a number of 6644 bits; give .* or"),
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
        ([["a", "b"], ["c"]], TypeError, r"not list: .*pass itertools\.chain\.from_iterable\("),
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


RANKS = b"YQ== 0\nYg== 1\n"
IDS_THAT_NONE_CAN_BE = [
    (-1, ValueError, "the id of .* is -1; give 0 or more"),
    (2**32, LimitError, f"the id of .* is {2**32}; give 67108863 or less"),
    (2**70, LimitError, f"the id of .* is {2**70}; give 67108863 or less"),
    (1.5, TypeError, "the id of .* must be an int, not float: 1.5"),
    ("5", TypeError, "the id of .* must be an int, not str: '5'"),
    (True, TypeError, "the id of .* must be an int, not bool: True"),
]


@pytest.mark.parametrize(("id_", "error", "message"), IDS_THAT_NONE_CAN_BE)
def test_ids_that_no_token_can_have_are_refused_by_the_token(id_, error, message):
    added = (AddedToken(id_, "<s>"),)
    for make in (
        lambda: digram.load(RANKS, pattern="gpt2", special_tokens={"<s>": id_}),
        lambda: digram.from_merges({"a": id_}, units="chars"),
        lambda: Tokenizer(Model({0: b"a"}, Merges(()), "chars", added_tokens=added)),
    ):
        with pytest.raises(error, match=message):
            make()


@pytest.mark.parametrize(
    ("id_", "error"), [(-1, ValueError), (2**32, LimitError), ("5", TypeError)]
)
def test_ids_of_models_that_no_token_can_have_are_refused(id_, error):
    with pytest.raises(error, match=r"the id of b'a' (is|must be)"):
        Tokenizer(Model({0: b"b", id_: b"a"}, Merges(()), "chars"))


def test_ids_may_be_numpys():
    one = np.int64(1)
    assert digram.from_merges({"a": 0, "b": one}, units="chars").token_id("b") == 1
    ranks = b"".join(b"%b %d\n" % (b64encode(bytes([rank])), rank) for rank in range(256))
    loaded = digram.load(ranks, pattern="gpt2", special_tokens={"<s>": np.uint16(256)})
    assert loaded.special_tokens == {"<s>": 256}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda tok: tok.encode_batch(["a"], threads=2**70),
            ValueError,
            "or None for one per core",
        ),
        (lambda tok: tok.encode_batch(["a"], threads="2"), TypeError, "threads must be an int, or"),
        (lambda tok: tok.decode_batch([[1]], threads=1.5), TypeError, "threads must be an int, or"),
        (lambda tok: tok.at("x"), TypeError, "n must be an int, not str: 'x'"),
        (lambda tok: tok.at(1.5), TypeError, "n must be an int, not float: 1.5"),
        (lambda tok: tok.at(vocab_size="x"), TypeError, "vocab_size must be an int, not str: 'x'"),
        (lambda tok: tok.training.at(math.nan), TypeError, "n must be an int, not float: nan"),
        (lambda tok: tok.padded_size("x"), TypeError, "multiple must be an int, not str: 'x'"),
        (
            lambda tok: tok.padded_size(math.nan),
            TypeError,
            "multiple must be an int, not float: nan",
        ),
        (lambda tok: tok.padded_size(1.5), TypeError, "multiple must be an int, not float: 1.5"),
        (lambda tok: tok.padded_size(0), ValueError, "multiple is 0; give 1 or more"),
        (
            lambda _: digram.load(RANKS, limits=5),
            TypeError,
            "limits must be a digram.Limits, or None",
        ),
        (
            lambda _: digram.load(RANKS, pattern=5),
            TypeError,
            "pattern must be a name, .* not int: 5",
        ),
        (lambda _: digram.load(RANKS, unk_token=5), TypeError, "unk_token must be a str, or None"),
        (
            lambda _: digram.load(RANKS, pattern="gpt2", special_tokens=["<s>", "<s>"]),
            ValueError,
            "special_tokens lists '<s>' twice",
        ),
        (
            lambda _: digram.from_merges(["a"], units="chars", special_tokens=["<s>", "<s>"]),
            ValueError,
            "special_tokens lists '<s>' twice",
        ),
        (lambda _: digram.encoding_for_model(None), TypeError, "model must be the name of a model"),
        (
            lambda tok: digram.convert(tok, "x.json", texts=["a", 5]),
            TypeError,
            r"texts\[1\] must be",
        ),
        (lambda tok: digram.convert(tok, "x.json", texts="abc"), TypeError, r"\['abc'\]"),
        (
            lambda _: digram.corpus(["a"], limit_bytes=2**70),
            ValueError,
            f"limit_bytes is {2**70}; ",
        ),
        (lambda _: digram.corpus(["a"], seed="x"), TypeError, "seed must be an int, not str: 'x'"),
    ],
)
def test_what_is_of_the_wrong_kind_or_size_is_told_by_its_name(tok, call, error, message):
    """Some were errors of the engine's, some were taken and failed later, or gave floats."""
    with pytest.raises(error, match=message):
        call(tok)


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
