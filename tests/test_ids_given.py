"""Ids in whatever holds ints, and errors that say where the bad one is."""

import collections
import copy
import pickle
import weakref

import pytest

import digram

np = pytest.importorskip("numpy")

TEXT = "the cat नमस्ते 中文"


@pytest.fixture(scope="module")
def tok():
    return digram.train([TEXT * 3, "the cat sat"], num_merges=20, special_tokens=["<|end|>"])


class OfAnotherLibrary:
    """An array as NumPy finds it in PyTorch's and JAX's."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize(
    "held",
    [
        *map(np.dtype, ["uint32", "int64", "uint16", "int32", "uint64", "int16", ">i4"]),
        list,
        tuple,
        iter,
        collections.deque,
        lambda ids: OfAnotherLibrary(np.array(ids)),
        lambda ids: [np.int64(id_) for id_ in ids],
        lambda ids: np.repeat(np.array(ids, dtype="uint32"), 2)[::2],
    ],
)
def test_ids_are_read_from_whatever_holds_ints(tok, held):
    ids = tok.encode(TEXT)

    def given():
        return np.array(ids).astype(held) if isinstance(held, np.dtype) else held(ids)

    assert tok.decode(given()) == TEXT
    assert tok.decode_bytes(given()) == TEXT.encode()
    assert tok.decode_batch([given(), [], given()]) == [TEXT, "", TEXT]
    assert tok.decoder().feed(given()) == TEXT
    assert tok.decoder(skip_special_tokens=True).feed(given()) == TEXT


def test_a_stream_takes_numpys_ints_one_by_one(tok):
    decoder = tok.decoder()
    shown = [decoder.feed(id_) for id_ in np.array(tok.encode(TEXT))]
    assert "".join(shown) + decoder.finish() == TEXT


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([3, -1], digram.UnknownTokenError, "id -1 is not"),
        (np.array([3, -1]), digram.UnknownTokenError, "id -1 is not"),
        (np.array([1 << 40]), digram.UnknownTokenError, f"id {1 << 40} is not"),
        (
            [1 << 32],
            digram.UnknownTokenError,
            f"id {1 << 32} is not .* from 0 to {2**26 - 1} at most",
        ),
        ([3, 1.5], TypeError, "the one at 1 is of type float"),
        ([[3]], TypeError, "the one at 0 is of type list"),
        (np.array([[3]]), TypeError, "the one at 0 is of type ndarray"),
        (np.array([3.0]), TypeError, "the one at 0 is of type float64"),
        ("ab", TypeError, "sequence of ints or an array, not str"),
        (None, TypeError, "sequence of ints or an array, not NoneType"),
    ],
)
def test_what_are_no_ids_is_told(tok, given, error, message):
    skipping = tok.decoder(skip_special_tokens=True)
    for call in (tok.decode, tok.decode_bytes, tok.decoder().feed, skipping.feed):
        with pytest.raises(error, match=message):
            call(given)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("texts", [10, 40_000])
def test_errors_of_batches_say_which_text_they_are_of(tok, texts, threads):
    bad = texts - 3
    batch = ["the cat sat"] * bad + ["a<|end|>"] + ["the cat"] * 2
    for call in (tok.encode_batch, tok.encode_ragged):
        with pytest.raises(digram.SpecialTokenError, match=rf"^texts\[{bad}\]: .*<\|end\|>"):
            call(batch, special="error", threads=threads)
        with pytest.raises(digram.SpecialTokenError, match=r'^"<\|none\|>" is not a special'):
            call(batch, special={"<|none|>"}, threads=threads)
    ids = [[3, 4]] * bad + [[5, 99_999], [-1]]
    with pytest.raises(digram.UnknownTokenError, match=rf"^batch\[{bad}\]: id 99999 is not"):
        tok.decode_batch(ids[:-1], threads=threads)
    with pytest.raises(digram.UnknownTokenError, match=rf"^batch\[{bad + 1}\]: id -1 is not"):
        tok.decode_batch(ids, threads=threads)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (float("nan"), r"a float \(nan\), not a str; leave it out"),
        (None, "None, not a str"),
        (5, r"an int \(5\), not a str"),
        (b"a", r"a bytes \(b'a'\), not a str"),
    ],
)
def test_what_is_no_text_in_a_batch_is_told_with_its_place(tok, wrong, told):
    calls = (tok.encode_batch, tok.encode_ragged, tok, lambda texts: tok(texts, offsets=True))
    for call in calls:
        with pytest.raises(TypeError, match=rf"^texts\[1\] is {told}"):
            call(iter(["ok", wrong, wrong]))
        with pytest.raises(UnicodeEncodeError, match=r"surrogates not allowed, in texts\[2\]$"):
            call(["ok", "東京", "東\ud800", "\ud801"])
    with pytest.raises(TypeError, match=r'^special must be "text", "token"'):
        tok.encode_batch(["ok"], special=5)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (None, "NoneType"),
        (5, "int"),
        (b"a", r"bytes; decode it first: text\.decode"),
        (["a"], "list; encode_batch takes many texts"),
    ],
)
def test_what_is_no_text_is_told_with_the_remedy(tok, wrong, told):
    for call in (tok.encode, tok.encode_array, tok.count, tok.encode_with_offsets):
        with pytest.raises(TypeError, match=rf"^text must be a str, not {told}"):
            call(wrong)


def test_bytes_are_no_texts(tok):
    for call in (tok, tok.encode_batch, tok.encode_ragged):
        with pytest.raises(TypeError, match=r"^texts must be .*, not bytes: b'ab'"):
            call(b"ab")


@pytest.mark.parametrize("given", ["ab", b"ab", bytearray(b"ab"), {1, 2}, frozenset([1]), {1: 2}])
def test_what_has_no_ids_in_its_order_is_refused(tok, given):
    skipping = tok.decoder(skip_special_tokens=True)
    for call in (tok.decode, tok.decode_bytes, tok.spell, tok.decoder().feed, skipping.feed):
        with pytest.raises(TypeError, match=r"^ids must be a sequence of ints or an array, not"):
            call(given)


def test_what_are_no_ids_in_a_batch_is_told_with_its_place(tok):
    for wrong in (None, 2, "ab", ["a"], [1.5], b"ab", {1, 2}, frozenset([1]), {1: 2}):
        with pytest.raises(TypeError, match=r"^batch\[2\]: ids must be"):
            tok.decode_batch([[1], [99_999], wrong])
    with pytest.raises(TypeError, match=r"^batch\[0\]: ids must be a sequence of ints .* not int"):
        tok.decode_batch([1, 2])


def test_a_character_that_has_no_token_is_told_with_its_text():
    chars = digram.train({"low": 5}, units="chars")
    with pytest.raises(digram.UnknownTokenError, match=r"^texts\[2\]: .*z"):
        chars.encode_batch(["low", "wo", "lz", "low"])


@pytest.mark.parametrize("call", ["encode_batch", "encode_ragged"])
@pytest.mark.parametrize("texts", [1, 3])
def test_it_is_so_where_several_threads_encode_one_text(call, texts):
    """The threads of that text had been stopped, and so the search for the character was."""
    words = digram.train(["word word"], units="chars", vocab_size=12)
    batch = ["word"] * (texts - 1) + ["word " * 160_000 + "~", "word"][: 1 + (texts > 1)]
    with pytest.raises(digram.UnknownTokenError, match=rf"^texts\[{texts - 1}\]: .*~"):
        getattr(words, call)(batch, threads=2)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copied_stream_goes_its_own_way(copied):
    bytes_only = digram.train(["abc"], vocab_size=256)
    ids = bytes_only.encode(TEXT)
    for at in range(len(ids)):
        one = bytes_only.decoder()
        begun = one.feed(ids[:at])
        other = copied(one)
        assert begun + one.feed(ids[at:]) + one.finish() == TEXT
        assert begun + other.feed(ids[at:]) + other.finish() == TEXT


def test_tokenizers_are_kept_weakly_and_their_copies_are_themselves(tok):
    assert copy.copy(tok) is tok
    assert copy.deepcopy([tok])[0] is tok
    assert pickle.loads(pickle.dumps(tok)) == tok  # noqa: S301  it was made here
    mine = digram.train(["abc"], vocab_size=256)
    seen = weakref.WeakKeyDictionary({mine: 1})
    assert seen[mine] == 1
    del mine
    assert not seen


def test_long_words_are_explained_as_they_are_encoded(tok):
    word = "thecatsat" * 400
    explained = tok.explain(word)
    assert explained.ids == tok.encode(word)
    (only,) = explained.words
    symbols = list(only.symbols)
    for merge in only.merges:
        assert symbols[merge.position : merge.position + 2] == [merge.left, merge.right]
        symbols[merge.position : merge.position + 2] = [merge.merged]
    assert symbols == list(only.tokens)


def test_an_explanation_is_a_line_in_a_repr_and_a_tree_in_print(tok):
    """A repr of 20,000 characters had two megabytes, and a debugger shows it unasked."""
    explained = tok.explain("thecatsat" * 400 + " sat")
    assert repr(explained) == f"Explanation(2 words, {len(explained.ids)} tokens)"
    assert len(repr(explained.words[0])) < 120
    assert str(explained).startswith("'thecatsat")


def test_ids_of_no_text_in_a_batch_are_told_with_their_place(tok):
    half = tok.encode("é")[:1]
    for threads in (1, 2):
        with pytest.raises(UnicodeDecodeError, match=r", in batch\[2\]$"):
            tok.decode_batch([[1], [2], half, half], errors="strict", threads=threads)
