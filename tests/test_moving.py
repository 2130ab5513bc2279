"""What users bring from other libraries: their values are taken, or refused by name."""

import json
import re
from base64 import b64encode

import pytest

import digram
from digram.components import AddedToken, Padding
from digram.errors import FormatError

TEXT = "the lowest of the low, the newest of the new; naïve café 東京 42"
CODES = b"#version: 0.2\nt h\nth e</w>\n"


@pytest.fixture(scope="module")
def tok():
    return digram.train([TEXT * 3], num_merges=20, special_tokens=["<|end|>"], pattern="cl100k")


@pytest.fixture(scope="module")
def ranks():
    learned = digram.train([TEXT * 3], num_merges=20, pattern="cl100k")
    return {token: id_ for id_, token in learned.tokens.items()}


def test_ranks_in_memory_are_those_of_a_file(ranks):
    tiktoken = pytest.importorskip("tiktoken")
    end = {"<|end|>": 300}
    made = digram.from_ranks(ranks, pattern="cl100k", special_tokens=end)
    lines = b"".join(b"%b %d\n" % (b64encode(token), rank) for token, rank in ranks.items())
    assert made == digram.load(lines, pattern="cl100k", special_tokens=end)
    theirs = tiktoken.Encoding(
        "a", pat_str=digram.patterns.NAMED["cl100k"], mergeable_ranks=ranks, special_tokens=end
    )
    text = TEXT + "<|end|>"
    assert made.encode(text, special="token") == theirs.encode(text, allowed_special="all")


@pytest.mark.parametrize(
    ("ranks", "error", "said"),
    [
        ({"a": 0}, TypeError, "each token of ranks must be bytes, not str: 'a'"),
        ({b"a": "0"}, TypeError, "the id of b'a' must be an int"),
        ({b"a": 0, b"b": 0}, FormatError, 'id 0 is given to "a" and "b"'),
        (b"YQ== 0", TypeError, "ranks must be a mapping of bytes to ranks"),
    ],
)
def test_what_are_no_ranks_is_told(ranks, error, said):
    with pytest.raises(error, match=re.escape(said)):
        digram.from_ranks(ranks, pattern="cl100k")


def test_a_vocabulary_that_nothing_merges_is_refused(ranks):
    """It made a tokenizer that gives single bytes."""
    with pytest.raises(ValueError, match=r"there are no merges .* digram\.from_ranks"):
        digram.from_merges(ranks, pattern="cl100k")
    with pytest.raises(TypeError, match=r"digram\.from_ranks takes ranks"):
        digram.load(ranks)
    marked = {"units": "chars", "end_of_word": "</w>"}
    with pytest.raises(ValueError, match="vocab holds 'a</w>'"):
        digram.from_merges(["a", "</w>", "a</w>"], **marked)
    attached = digram.from_merges(["a", "a</w>"], **marked, marker="attached")
    assert attached.encode("aa") == [0, 1]
    named = digram.from_merges(["a", "<s>"], units="chars", special_tokens=["<s>"])
    assert named.encode("a<s>", special="token") == [0, 1]
    words = digram.from_merges(["a", "aa"], units="chars", ignore_merges=True)
    assert words.encode("aa") == [1]


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("flags", [{}, {"lstrip": True, "normalized": False}, {"special": True}])
def test_added_tokens_of_hugging_face_are_taken_as_there(tok, special, flags):
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer.from_str(tok.to_bytes().decode())
    token = tokenizers.AddedToken("<q>", **flags)
    ours = tok.with_(**{"special_tokens" if special else "added_tokens": [token]})
    (theirs.add_special_tokens if special else theirs.add_tokens)([token])
    expected = next(t for t in json.loads(theirs.to_str())["added_tokens"] if t["content"] == "<q>")
    assert ours.model.added_tokens[-1] == AddedToken(**expected)


def test_an_added_token_of_nobody_is_told_by_its_kind(tok):
    with pytest.raises(TypeError, match=r"or tokenizers\.AddedToken, not builtins\.int"):
        tok.with_(special_tokens=[5])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vocabulary": {"the": 3}, "vocabulary_threshold": "1"}, "vocabulary_threshold must be"),
        ({"vocabulary": {"the": "3"}, "vocabulary_threshold": 1}, "the count of 'the' must be an"),
        ({"vocabulary": [1, 2]}, "each token of vocabulary must be a str, not int: 1"),
        ({"glossaries": [1]}, "each of glossaries must be a str"),
        ({"glossaries": [re.compile("a")]}, "each of glossaries must be a str"),
    ],
)
def test_what_codes_are_read_with_is_checked(options, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        digram.load(CODES, **options)


def test_numbers_of_numpy_become_plain(tok):
    np = pytest.importorskip("numpy")
    padding = Padding(np.int64(4), pad_id=np.int64(7), pad_type_id=np.uint8(1))
    rows = tok(["a", "b"], ["c", "d"], padding=padding)
    assert json.loads(json.dumps(rows)) == rows
    assert tok.with_(padding=padding).model.padding == Padding(4, pad_id=7, pad_type_id=1)


def test_none_is_no_least_frequency():
    """It was 0, where nothing said is 2."""
    with pytest.raises(TypeError, match="min_frequency must be an int, not NoneType"):
        digram.train(["ab cd ef"], min_frequency=None)


def test_the_text_of_a_corpus_that_is_none_is_told():
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed, in text 4"):
        digram.count(["ok"] * 3 + ["a\ud800"])
    with pytest.raises(TypeError, match="not NoneType: None, as text 3 is"):
        digram.train(["ok", "x", None])


def test_pairs_in_one_list_are_told_apart(tok):
    with pytest.raises(TypeError, match=re.escape("tok(firsts, seconds)")):
        tok([("question", "answer")])
