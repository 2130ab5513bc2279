"""Lists of ids: the same for as long as a process runs, and no dearer."""

import dataclasses
import gc
import sys
import sysconfig
import weakref

import pytest

import digram
from digram.components import Padding, Truncation

# Free-threaded Pythons, and others than CPython, count in ways of their own: lists have fresh ints.
counted_elsewhere = pytest.mark.skipif(
    sys.implementation.name != "cpython"
    or bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    or sys.maxsize < 1 << 32,
    reason="no ints are kept",
)


class Kept:
    """Something that can be asked after."""


TRAINED_ON = ["the theme of the thesis, 東京 は 日本 の 首都, привет мир, 😀😁 naïve café\0\n" * 3]


def test_lists_are_the_same_however_many_ids_were_given_before():
    text = TRAINED_ON[0] * 20
    fresh = digram.train(TRAINED_ON, vocab_size=340)
    expected = fresh.encode_array(text).tolist()
    for _ in range(5):
        ids = fresh.encode(text)
        assert ids == expected
        assert [type(id_) for id_ in ids] == [int] * len(ids)
        for short in ("", "t", "the theme"):
            assert fresh.encode(short) == fresh.encode_array(short).tolist()
    assert fresh.encode_batch([text, "", "the"]) == [expected, [], fresh.encode("the")]


def test_ids_beyond_a_million_are_listed_like_any_other():
    model = digram.train(["a"], vocab_size=256).model
    far = {id_ + (1 << 20) - 100: token for id_, token in model.tokens.items()}
    tok = digram.Tokenizer(dataclasses.replace(model, tokens=far))
    text = "".join(map(chr, range(128))) * 50 + "é"
    ids = tok.encode(text)
    assert ids == tok.encode_array(text).tolist() == tok.encode(text)
    assert min(ids) < 1 << 20 < max(ids)
    assert tok.decode(ids) == text


@counted_elsewhere
def test_ready_made_ints_outlive_lists_and_tokenizers_and_are_shared():
    text = TRAINED_ON[0] * 200
    tok = digram.train(TRAINED_ON, vocab_size=340)
    expected = tok.encode_array(text).tolist()
    kept = dict(zip(expected, tok.encode(text), strict=True))
    for _ in range(12):
        tok = digram.train(TRAINED_ON, vocab_size=340)
        lists = [tok.encode(text), *tok.encode_batch([text] * 5)]
        assert lists == [expected] * 6
        assert all(id_ is kept[id_] for ids in lists for id_ in ids)
        lists[0].sort()
        del lists, tok
        gc.collect()
    assert all(key == id_ == int(str(id_)) for key, id_ in kept.items())
    assert all(sys.getrefcount(id_) > 1 << 29 for id_ in kept.values())


@counted_elsewhere
def test_ready_made_ints_take_memory_once_for_all_tokenizers():
    model = digram.train(["a"], vocab_size=256).model
    far = {id_ + 300_000: token for id_, token in model.tokens.items()}
    model = dataclasses.replace(model, tokens=far)
    text = "".join(map(chr, range(128))) * 50
    blocks = []
    for _ in range(12):
        assert len(set(digram.Tokenizer(model).encode(text))) == 128
        gc.collect()
        blocks.append(sys.getallocatedblocks())
    # each would take 128 of its own
    assert blocks[-1] - blocks[1] < 5 * 128, blocks


@counted_elsewhere
def test_lists_of_ids_are_not_looked_through_for_garbage_and_are_lists_like_others():
    tok = digram.train(TRAINED_ON, vocab_size=340)
    lists = [tok.encode(TRAINED_ON[0]), *tok.encode_batch(TRAINED_ON * 9000)]
    lists += [tok.encode("t") for _ in range(5000)]
    assert not any(map(gc.is_tracked, lists))
    assert gc.is_tracked(tok.encode_batch(["t"]))
    assert tok.decode(lists[1]) == TRAINED_ON[0]
    some = lists[0]
    some.extend(["a", some, [some]])
    some.sort(key=str)
    assert some.pop() is not None
    gc.collect()
    assert sum(len(ids) for ids in lists[1:]) == 9000 * len(lists[1]) + 5000
    assert sorted(gc.get_referents(lists[2])) == sorted(lists[2])


@counted_elsewhere
def test_objects_that_stand_in_a_list_of_ids_are_not_lost():
    tok = digram.train(TRAINED_ON, vocab_size=340)
    holder: dict[str, object] = {"ids": tok.encode("the")}
    other: list[object] = [object()]
    holder["ids"].append(other)  # type: ignore[attr-defined]
    found = weakref.ref(kept := Kept())
    other.append(kept)
    del other, kept
    gc.collect()
    assert found() is not None
    del holder
    assert found() is None


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_is_collected_after_a_batch_as_before_it(is_on):
    tok = digram.train(TRAINED_ON, vocab_size=340)
    texts = TRAINED_ON * 2000
    before = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        lists = tok.encode_batch(texts)
        assert gc.isenabled() == is_on
        assert tok.decode_batch(lists) == texts
        assert gc.isenabled() == is_on
    finally:
        (gc.enable if before else gc.disable)()


def test_places_of_many_texts_are_those_of_each():
    tok = digram.train(TRAINED_ON, vocab_size=340)
    words = TRAINED_ON[0].split(" ")
    texts = [" ".join(words[at % 9 : at % 31]) for at in range(9_000)] + [TRAINED_ON[0] * 2_000, ""]
    found = tok(texts, offsets=True, template=False)
    for text, ids, places in zip(
        texts, *(found[k] for k in ("input_ids", "offset_mapping")), strict=True
    ):
        expected = tok.encode_with_offsets(text)
        assert ids == expected[0].tolist()
        assert places == [tuple(place) for place in expected[1].tolist()]
    one = tok(texts[5], offsets=True, template=False)
    assert one["offset_mapping"] == found["offset_mapping"][5]
    with pytest.raises(UnicodeEncodeError):
        tok(["a", "\ud800"], offsets=True)


@counted_elsewhere
def test_the_collector_does_not_look_through_inputs():
    tok = digram.train(TRAINED_ON, vocab_size=340)
    given = {"padding": Padding(strategy=900), "truncation": Truncation(500), "offsets": True}
    found = tok([TRAINED_ON[0]] * 3, **given)
    assert not any(map(gc.is_tracked, [row for rows in found.values() for row in rows]))
    assert not any(map(gc.is_tracked, found["offset_mapping"][0]))
    assert not any(map(gc.is_tracked, tok([TRAINED_ON[0]])["attention_mask"]))


def test_rows_of_one_array_are_decoded_as_lists_are():
    tok = digram.train(TRAINED_ON, vocab_size=340)
    texts = TRAINED_ON[0].split(" ") * 3_000
    rows = tok.encode_ragged(texts)
    assert tok.decode_batch(rows) == tok.decode_batch(iter(rows.to_lists())) == texts
