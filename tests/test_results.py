"""What comes out is the same in every shape: lists, arrays, ragged rows, counts, offsets, text."""

import dataclasses
import random
import sys
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

import digram
from digram.components import AddedToken
from digram.errors import SpecialTokenError, UnknownTokenError

TRAINED_ON = ["the theme of the thesis, 東京 は 日本 の 首都, привет мир, 😀😁 naïve café\0\n" * 3]
SPECIALS = ["<|a|>", "<|b|>"]
# One of each width in which Python holds a text, at the edges of what UTF-8 spells in a byte more.
EDGES = "\0a\x7f\x80éÿ\u0100\u07ff\u0800東\ud7ff\ue000\uffff\U00010000😀\U0010ffff"


@pytest.fixture(scope="module")
def tok():
    return digram.train(TRAINED_ON, vocab_size=340, special_tokens=SPECIALS)


def texts_by_width() -> list[str]:
    """Make texts that Python holds in one byte, two or four for each character."""
    texts = []
    for largest in ("\x7f", "\xff", "\uffff", "\U0010ffff"):
        within = [c for c in EDGES if c <= largest]
        texts.append(largest)
        lengths = (1, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 5000)
        texts += [
            "".join(random.Random(length).choices(within, k=length)) + largest for length in lengths
        ]
    return texts


@pytest.mark.parametrize("text", texts_by_width(), ids=lambda text: f"{max(text)!a}*{len(text)}")
def test_a_text_of_any_width_is_read_as_its_utf_8(tok, text):
    fresh = "".join(list(text))
    bare = digram.train(["a"], vocab_size=256)
    assert bytes(bare.tokens[id_][0] for id_ in bare.encode(fresh)) == text.encode()
    assert tok.decode_bytes(tok.encode(fresh)) == text.encode()
    assert tok.encode(text) == tok.encode_array(fresh).tolist()
    assert tok.encode_batch([fresh, text]) == [tok.encode(text)] * 2


class Cached(str):
    """A str that holds its text apart from itself."""

    __slots__ = ()


@pytest.mark.parametrize("text", ["abc" * 9, "é" * 9, "東京" * 9, "😀a" * 9])
def test_a_subclass_of_str_is_read_too(tok, text):
    assert tok.encode(Cached(text)) == tok.encode(text)


@pytest.mark.parametrize("text", ["é" * 1000, "東京 " * 1000, "a😀" * 1000])
@pytest.mark.parametrize("call", ["encode", "encode_array", "count", "encode_with_offsets"])
def test_encoding_leaves_no_second_copy_on_the_text(tok, call, text):
    text = "".join(list(text))
    before = sys.getsizeof(text)
    getattr(tok, call)(text)
    assert sys.getsizeof(text) == before
    tok.encode_batch([text])
    tok.encode_ragged([text])
    assert sys.getsizeof(text) == before


@pytest.mark.parametrize("lone", [0xD800, 0xDFFF, 0xDC80])
@pytest.mark.parametrize(
    "around", [("", ""), ("a" * 40, "é"), ("東" * 3000, ""), ("😀 " * 99_000, "x")]
)
def test_a_lone_surrogate_is_refused_with_its_place(tok, lone, around):
    before, behind = around
    text = before + chr(lone) + behind
    place = pytest.raises(UnicodeEncodeError)
    for call in (tok.encode, tok.encode_array, tok.count, tok.encode_with_offsets):
        with place as caught:
            call(text)
        assert caught.value.start == len(before)
        assert caught.value.object == text
    for call in (tok.encode_batch, tok.encode_ragged):
        with place as caught:
            call(["fine", "é", text])
        assert caught.value.object == text


def test_two_surrogates_are_no_character_even_where_they_would_pair(tok):
    with pytest.raises(UnicodeEncodeError):
        tok.encode("\ud83d\ude00")


def test_what_is_no_text_is_refused(tok):
    for call in (tok.encode, tok.encode_array, tok.count, tok.encode_with_offsets):
        with pytest.raises(TypeError):
            call(b"abc")
    for call in (tok.encode_batch, tok.encode_ragged):
        with pytest.raises(TypeError):
            call([b"abc"])
        with pytest.raises(TypeError, match=r"pass \[text\]"):
            call("abc")


@given(st.lists(st.text(), max_size=20), st.sampled_from([None, 1, 3]))
def test_ragged_rows_are_the_lists(texts, threads):
    tok = digram.train(TRAINED_ON, vocab_size=340)
    rows = tok.encode_ragged(texts, threads=threads)
    lists = tok.encode_batch(texts, threads=threads)
    assert rows.to_lists() == lists == [tok.encode(text) for text in texts]
    assert len(rows) == len(texts)
    assert [row.tolist() for row in rows] == lists
    assert (rows.ids.dtype, rows.offsets.dtype) == (np.uint32, np.int64)
    assert rows.ids.tolist() == [id_ for row in lists for id_ in row]
    assert tok.decode_batch(rows, threads=threads) == texts


def test_ragged_rows_of_large_batches_are_the_lists_on_any_number_of_threads(tok):
    texts = [TRAINED_ON[0] * (n % 50) for n in range(300)]
    expected = [tok.encode(text) for text in texts]
    for threads in (1, 2, 5):
        assert tok.encode_ragged(texts, threads=threads).to_lists() == expected
        assert tok.encode_batch(texts, threads=threads) == expected


def test_ragged_rows_are_found_and_sliced_like_a_list(tok):
    texts = ["the", "", "東京", "x"]
    rows, lists = tok.encode_ragged(texts), tok.encode_batch(texts)
    for index in range(-4, 4):
        assert rows[index].tolist() == lists[index]
    for index in (4, -5):
        with pytest.raises(IndexError, match=f"there is no row {index}; there are 4 rows"):
            rows[index]
    with pytest.raises(TypeError, match="a row is named by an int, not str: 'x'"):
        rows["x"]
    for start in range(-5, 6):
        for stop in range(-5, 6):
            assert rows[start:stop].to_lists() == lists[start:stop]
    with pytest.raises(ValueError, match="step of 1"):
        rows[::2]
    assert np.shares_memory(rows[0], rows.ids)
    assert "1 more" in repr(rows)


def test_ragged_rows_become_an_arrow_array(tok):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    texts = ["the", "", "東京"]
    assert tok.encode_ragged(texts).to_arrow().to_pylist() == tok.encode_batch(texts)


# Offsets


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("the 東京é😀\0\n")))
@settings(max_examples=300)
def test_offsets_tile_the_text(text):
    tok = digram.train(TRAINED_ON, vocab_size=340)
    ids, offsets = tok.encode_with_offsets(text)
    assert ids.tolist() == tok.encode(text)
    assert offsets.shape == (len(ids), 2)
    position = 0
    for id_, (start, end) in zip(ids.tolist(), offsets.tolist(), strict=True):
        token = tok.tokens[id_]
        assert start == len(text.encode()[:position].decode(errors="ignore"))
        assert token in text[start:end].encode()
        position += len(token)
        ended = len(text.encode()[:position].decode(errors="ignore"))
        assert end == ended + (len(text[:ended].encode()) < position)
    assert position == len(text.encode())


@pytest.mark.parametrize("text", ["the theme", "naïve 東京 😀😁", "", "привет", EDGES])
def test_offsets_begin_where_tiktoken_says(tok, text):
    ranks = {
        token: id_ for id_, token in tok.tokens.items() if token.decode("latin-1") not in SPECIALS
    }
    peer = tiktoken.Encoding("peer", pat_str=r".+|\n", mergeable_ranks=ranks, special_tokens={})
    ids, offsets = tok.encode_with_offsets(text)
    assert peer.decode_with_offsets(ids.tolist()) == (text, offsets[:, 0].tolist())


def test_special_tokens_have_offsets(tok):
    ids, offsets = tok.encode_with_offsets("é<|a|>the", special="token")
    at = ids.tolist().index(tok.special_tokens["<|a|>"])
    assert offsets[at].tolist() == [1, 6]
    with pytest.raises(SpecialTokenError):
        tok.encode_with_offsets("<|a|>", special="error")


def test_a_token_that_swallows_blanks_has_them_in_its_offsets(tok):
    model = tok.model
    token = AddedToken(id=400, content="<m>", lstrip=True, rstrip=True, special=True)
    model = dataclasses.replace(
        model,
        tokens={**model.tokens, 400: b"<m>"},
        added_only=model.added_only | {400},
        added_tokens=(*model.added_tokens, token),
    )
    tok = digram.Tokenizer(model)
    ids, offsets = tok.encode_with_offsets("é \u3000<m>\n t", special="token")
    assert ids.tolist()[-2:] == [400, tok.token_id("t")]
    assert offsets.tolist()[-2:] == [[1, 8], [8, 9]]


@pytest.mark.parametrize(
    ("changes", "text", "expected"),
    [
        ({"normalizer": "NFC"}, "e\u0301the", ["e", "the"]),
        ({"normalizer": "NFKC"}, "ﬁthe", ["ﬁ", "the"]),
        ({"normalizer": "Lowercase"}, "the THE", ["the", " THE"]),
        ({"pre_tokenizer": digram.components.ByteLevel(add_prefix_space=True)}, "the", ["the"]),
        (
            {"pre_tokenizer": digram.components.WhitespaceSplit()},
            "the  thesis the",
            ["the", "sis"],
        ),
    ],
    ids=["composed", "decomposed", "lowercase", "prefix", "dropped"],
)
def test_offsets_are_those_of_the_text_that_was_given(tok, changes, text, expected):
    changed = tok.with_(**changes)
    ids, offsets = changed.encode_with_offsets(text)
    assert ids.tolist() == changed.encode(text)
    # a character that several tokens share is shown for each
    assert list(dict.fromkeys(text[start:end] for start, end in offsets.tolist())) == expected


def test_a_text_in_normal_form_has_offsets(tok):
    ids, offsets = tok.with_(normalizer="NFC").encode_with_offsets("café")
    assert ids.tolist() == tok.encode("café")
    assert offsets[-1].tolist() == [3, 4]


def test_vocabularies_of_characters_have_offsets():
    tok = digram.train({"low": 5}, units="chars", unk_token="<unk>")
    ids, offsets = tok.encode_with_offsets("low lo中w")
    assert ids.tolist() == tok.encode("low lo中w")
    assert offsets.tolist()[0] == [0, 3]
    assert [6, 7] in offsets.tolist()
    assert offsets.tolist()[-1] == [7, 8]


# Decoding


def join(tok, ids):
    """Join tokens, one after the other: what decoding was before it copied."""
    return b"".join(tok.tokens[id_] for id_ in ids)


@given(st.data())
@settings(max_examples=60)
def test_decoding_joins_tokens(data):
    tok = digram.train(TRAINED_ON, vocab_size=340, special_tokens=SPECIALS)
    ids = data.draw(st.lists(st.sampled_from(sorted(tok.tokens)), max_size=1500))
    expected = join(tok, ids)
    array = np.array(ids, dtype=np.uint32)
    for given_ids in (ids, tuple(ids), array, array.astype(np.int64), np.repeat(array, 2)[::2]):
        assert tok.decode_bytes(given_ids) == expected
        assert tok.decode(given_ids) == expected.decode(errors="replace")
        assert tok.decode(given_ids, errors="ignore") == expected.decode(errors="ignore")
    kept = join(tok, [id_ for id_ in ids if id_ not in tok.special_tokens.values()])
    assert tok.decode_bytes(ids, skip_special_tokens=True) == kept


@pytest.mark.parametrize("text", texts_by_width(), ids=lambda text: f"{max(text)!a}*{len(text)}")
@pytest.mark.parametrize("errors", ["replace", "strict", "surrogateescape"])
def test_text_is_made_as_python_makes_it(text, errors):
    tok = digram.train(["a"], vocab_size=256)
    ids = tok.encode(text)
    decoded = tok.decode(ids, errors=errors)
    assert (decoded, sys.getsizeof(decoded)) == (text, sys.getsizeof("".join(list(text))))
    for place in {0, len(ids) // 2, len(ids) - 1}:
        for wrong in (b"\x80", b"\xc3", b"\xed", b"\xff"):
            broken = [*ids[:place], tok.token_id(wrong), *ids[place:]]
            expected = join(tok, broken)
            if errors == "strict":
                with pytest.raises(UnicodeDecodeError) as caught:
                    tok.decode(broken, errors=errors)
                assert caught.value.object == expected
            else:
                assert tok.decode(broken, errors=errors) == expected.decode(errors=errors)


def test_tokens_of_every_length_are_joined():
    words = [chr(97 + n % 26) * n for n in range(1, 40)]
    tok = digram.train(["a"], vocab_size=256).with_(added_tokens=words)
    for seed in range(20):
        ids = random.Random(seed).choices(sorted(tok.tokens), k=1200)
        assert tok.decode_bytes(ids) == join(tok, ids)


SIZES = [1 << 15, 1 << 30, 1 << 31, 1 << 32, 1 << 60, 1 << 70]


@pytest.mark.parametrize("wrong", [-1, 340, *(x - 1 for x in SIZES), *SIZES, *(-x for x in SIZES)])
@pytest.mark.parametrize("before", [0, 3, 5000])
def test_the_first_unknown_id_is_named(tok, wrong, before):
    ids = [1] * before + [wrong, 999]
    for call in (tok.decode, tok.decode_bytes, lambda ids: tok.decode_batch([[1], ids])):
        with pytest.raises(UnknownTokenError, match=str(wrong)):
            call(ids)


def test_ids_in_gaps_are_unknown():
    tok = digram.train(["a"], vocab_size=256).with_(added_tokens={"<x>": 300})
    with pytest.raises(UnknownTokenError, match="299"):
        tok.decode([65, 299])
    assert tok.decode([300]) == "<x>"


def test_what_are_no_ids_is_refused(tok):
    for wrong in ("abc", [None], [1.5], 7):
        with pytest.raises(TypeError):
            tok.decode(wrong)


DECODERS = {
    "plain": "gpt2/tokenizer.json",
    "special ids first": "roberta-base/tokenizer.json",
    "bytes as tokens": "llama2/tokenizer.json",
    "many specials": "llama3/tokenizer.json",
    "marker": "openai-gpt/tokenizer.json",
}


@pytest.mark.parametrize("name", DECODERS)
def test_decoders_say_of_random_ids_what_a_stream_says(name):
    path = Path(__file__).resolve().parents[2] / "shared/data/vocab" / DECODERS[name]
    if not path.exists():
        pytest.skip(f"{path} is not there")
    tok = digram.load(path)
    known = sorted(tok.tokens)
    for seed in range(20):
        ids = random.Random(seed).choices(known, k=700)
        stream = tok.decoder()
        assert tok.decode(ids) == "".join(map(stream.feed, ids)) + stream.finish()
        assert tok.decode_batch([ids, ids[:9]]) == [tok.decode(ids), tok.decode(ids[:9])]


class Marked(digram.Tokenizer):
    """A tokenizer that puts an id before all others."""

    def __init__(self, model, marker):
        super().__init__(model)
        self.marker = marker

    def encode(self, text, **policy):
        return [self.marker, *super().encode(text, **policy)]


def test_a_subclass_of_tokenizer_calls_what_it_overrides(tok):
    assert Marked(tok.model, 7).encode("abc") == [7, *tok.encode("abc")]
    assert Marked(tok.model, 7).count("abc") == tok.count("abc")


def test_a_tokenizer_has_an_engine_and_keeps_it(tok):
    with pytest.raises(AttributeError, match="was never made: it has no engine"):
        digram.Tokenizer.__new__(digram.Tokenizer).encode("abc")
    with pytest.raises(AttributeError, match="keeps the engine that it has"):
        tok.__init__(tok.model)


def test_the_first_of_several_short_texts_that_fail_is_the_one_named():
    lettered = digram.train(["aaaa bbbb"], num_merges=1, units="chars", pattern=r"\S+|\s+")
    for texts in (["a", "a" * 24 + "Q", "Z"], ["a" * 40 + "Q", "b" * 8, "", "Z"]):
        with pytest.raises(UnknownTokenError, match="'Q'"):
            lettered.encode_batch(texts, threads=1)


def test_what_is_said_of_arguments_names_the_tokenizer(tok):
    with pytest.raises(TypeError, match=r"^Tokenizer\.encode\(\) takes 1 positional"):
        tok.encode("a", "token")
