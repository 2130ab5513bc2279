"""Which ids are of no text, and of which the others are, as transformers tells it."""

import itertools
import random

import pytest

import digram
from digram.components import (
    BertProcessing,
    Padding,
    PostProcessorSequence,
    RobertaProcessing,
    Truncation,
)

SEED = 31
SPECIALS = ["[CLS]", "[SEP]", "[PAD]"]
CLS, SEP, PAD = ((text, at) for at, text in enumerate(SPECIALS))
ROBERTA = RobertaProcessing(sep=SEP, cls=CLS, trim_offsets=False, add_prefix_space=False)
SIDES = list(itertools.product(["Left", "Right"], ["Left", "Right"]))


def tokenizer(post_processor):
    tok = digram.train(["abc"], vocab_size=259, special_tokens=SPECIALS, pattern="gpt2")
    return tok.with_(post_processor=post_processor)


def drawn_text(drawn):
    return " ".join(drawn.choices(["a", "é", "[SEP]", "[PAD]", "ab"], k=drawn.randrange(1, 9)))


@pytest.mark.parametrize("is_batch", [False, True], ids=["one", "batch"])
@pytest.mark.parametrize("is_pair", [False, True], ids=["texts", "pairs"])
def test_the_mask_is_that_of_transformers(tmp_path, is_batch, is_pair):
    transformers = pytest.importorskip("transformers", minversion="5.24")
    drawn = random.Random(SEED)
    for post_processor in (None, ROBERTA, BertProcessing(sep=SEP, cls=CLS)):
        ours = tokenizer(post_processor)
        ours.save(tmp_path / "tokenizer.json")
        theirs = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(tmp_path / "tokenizer.json"), pad_token="[PAD]"
        )
        for (cut, filled), overflowing in itertools.product(SIDES, [False, True]):
            texts, pairs = ([drawn_text(drawn) for _ in range(3)] for _ in range(2))
            given = (
                (texts, pairs)[: 1 + is_pair] if is_batch else (texts[0], pairs[0])[: 1 + is_pair]
            )
            how = {"truncation": True, "max_length": 12, "stride": 1, "padding": True}
            theirs.truncation_side, theirs.padding_side = cut.lower(), filled.lower()
            expected = theirs(
                *given,
                **how,
                return_overflowing_tokens=overflowing,
                return_special_tokens_mask=True,
            )
            found = ours(
                *given,
                special="token",
                truncation=Truncation(12, stride=1, direction=cut),
                padding=Padding(direction=filled, pad_id=PAD[1], pad_token="[PAD]"),
                overflowing=overflowing,
                special_tokens_mask=True,
            )
            assert found["input_ids"] == expected["input_ids"]
            assert found["special_tokens_mask"] == expected["special_tokens_mask"]
            bare = theirs(*given, add_special_tokens=False, return_special_tokens_mask=True)
            if not is_pair:
                alone = ours(*given, special="token", template=False, special_tokens_mask=True)
                assert alone["special_tokens_mask"] == bare["special_tokens_mask"]


def test_a_special_token_of_the_text_is_of_the_text():
    tok = tokenizer(ROBERTA)
    found = tok("a[SEP]", special="token", special_tokens_mask=True)
    assert found["input_ids"] == [CLS[1], tok.token_id("a"), SEP[1], SEP[1]]
    assert found["special_tokens_mask"] == [1, 0, 0, 1]
    assert tok([], special_tokens_mask=True)["special_tokens_mask"] == []
    assert "special_tokens_mask" not in tok("a", padding=Padding(pad_id=PAD[1]))


def test_ids_of_each_of_two_post_processors_are_marked():
    """Hugging Face forgets that it marked those of the first, where the second is no template."""
    tokenizers = pytest.importorskip("tokenizers")
    both = tokenizer(PostProcessorSequence((BertProcessing(sep=SEP, cls=CLS), ROBERTA)))
    found = both("a", special_tokens_mask=True)
    theirs = tokenizers.Tokenizer.from_str(both.to_bytes().decode()).encode("a")
    assert found["input_ids"] == theirs.ids
    assert found["special_tokens_mask"] == [1, 1, 0, 1, 1]
    assert theirs.special_tokens_mask == [1, 0, 0, 0, 1]


@pytest.mark.parametrize("direction", ["Left", "Right"])
def test_without_a_template_too_padding_is_of_no_text_and_further_rows_are_of_both(direction):
    """Hugging Face takes all of these for the first text's."""
    tok = tokenizer(None)
    how = {"truncation": Truncation(6), "padding": Padding(8, direction=direction, pad_id=PAD[1])}
    both = {"sequence_ids": True, "special_tokens_mask": True}
    found = tok("ab" * 4, "ab", **how, **both, overflowing=True)
    assert len(found["input_ids"]) > 1
    for row, mask in zip(found["sequence_ids"], found["special_tokens_mask"], strict=True):
        assert sorted(row, key=str) == [0] * row.count(0) + [1, 1] + [None] * 2
        assert mask == [int(sequence is None) for sequence in row]
        assert row.index(0) < row.index(1)
    assert tok("ab", sequence_ids=True)["sequence_ids"] == [0, 0]
