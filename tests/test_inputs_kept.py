"""What a tokenizer keeps between calls: nothing that another call, or another tokenizer, sees."""

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import digram
from digram.components import BertProcessing, Padding, Truncation

TEXT = "abcdef"


def tokenizer():
    return digram.train(["abc"], vocab_size=258, special_tokens=["[CLS]", "[SEP]"]).with_(
        post_processor=BertProcessing(
            sep=("[SEP]", 1),
            cls=("[CLS]", 0),
        ),
        truncation=Truncation(5),
        padding=Padding(6, pad_id=9),
    )


def called(tok, **how):
    return tok(TEXT, **how)["input_ids"]


CALLS = [
    {"truncation": Truncation(4)},
    {"truncation": Truncation(3), "padding": Padding(8)},
    {"truncation": True},
    {"truncation": True, "padding": True},
    {"padding": Padding(9), "template": False},
    {"padding": Padding(9, direction="Left"), "offsets": True},
    {"truncation": Truncation(6, stride=1), "overflowing": True},
]


def test_a_call_gives_the_same_whatever_was_called_before():
    tok = tokenizer()
    alone = [tokenizer()(TEXT, **how) for how in CALLS]
    assert len({str(found) for found in alone}) == len(CALLS)
    for _ in range(2):
        for how, expected in zip(CALLS, alone, strict=True):
            assert tok(TEXT, **how) == tok(TEXT, **how) == expected
            assert tok([TEXT], **how) == tok([TEXT], **how)
            assert "token_type_ids" not in tok(TEXT, **how)
            if how.get("template", True):
                assert "token_type_ids" in tok(TEXT, "a", **how)


def test_threads_that_call_differently_get_their_own():
    tok = tokenizer()
    expected = [tok(TEXT, **how) for how in CALLS]

    def wrong(turn):
        at = turn % len(CALLS)
        return sum(tok(TEXT, **CALLS[at]) != expected[at] for _ in range(300))

    with ThreadPoolExecutor(len(CALLS)) as threads:
        assert sum(threads.map(wrong, range(2 * len(CALLS)))) == 0


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"truncation": Truncation(4)}, {"truncation": Truncation(4.0)}),
        ({"truncation": Truncation(1), "template": False}, {"truncation": Truncation(True)}),  # noqa: FBT003
        ({"padding": Padding(8)}, {"padding": Padding(8.0)}),
        ({"truncation": True}, {"truncation": 1}),
        ({"padding": True}, {"padding": 1}),
        ({"truncation": False, "padding": True}, {"truncation": 0, "padding": True}),
        ({"padding": True}, {"truncation": None, "padding": True}),
    ],
)
def test_what_is_equal_to_what_was_allowed_is_no_less_refused(good, bad):
    tok = tokenizer()
    called(tok, **good)
    with pytest.raises(TypeError, match=r"must be an int|it is True, False or"):
        called(tok, **bad)
    called(tok, **good)


def test_a_changed_tokenizer_has_its_own_template_and_sections():
    tok = tokenizer()
    both = {"truncation": True, "padding": True}
    before = called(tok, **both)
    assert len(before) == 6
    longer = tok.with_(truncation=Truncation(7), padding=Padding(10, pad_id=9))
    assert len(called(longer, **both)) == 10
    bare = tok.with_(post_processor=None)
    assert called(bare, **both) == [*tok.encode("abcde"), 9]
    filed = tok.with_(truncation=None)
    with pytest.raises(ValueError, match="does not say how"):
        called(filed, **both)
    assert called(tok, **both) == called(pickle.loads(pickle.dumps(tok)), **both) == before  # noqa: S301


def test_what_calls_gave_is_not_kept_but_for_a_few():
    tok = tokenizer()
    kept = []
    for length in range(3, 400):
        given = Truncation(length), Padding(length)
        kept.extend(map(weakref.ref, given))
        called(tok, truncation=given[0], padding=given[1])
    del given
    gc.collect()
    assert sum(part() is not None for part in kept) <= 16


def test_numbers_of_numpy_are_numbers_and_truth_is_none():
    assert Truncation(np.int64(4)) == Truncation(4)
    assert type(Padding(np.uint8(8), pad_id=np.int32(3)).pad_id) is int
    assert Truncation(True).max_length is True  # noqa: FBT003
