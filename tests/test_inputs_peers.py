"""Texts cut, filled up and put together for a model, beside Hugging Face's tokenizers."""

import itertools
import json
import random
import re
from dataclasses import replace

import pytest

import digram
from digram.components import Padding, Truncation
from digram.errors import LimitError, SpecialTokenError

tokenizers = pytest.importorskip("tokenizers")

SEED = 12
VOCAB = {"?": 0, **{letter: id_ for id_, letter in enumerate("abcdef", start=1)}}
VOCAB |= {"[CLS]": 7, "[SEP]": 8, "[PAD]": 9}
PIECES = {
    "cls": {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
    "sep": {"SpecialToken": {"id": "[SEP]", "type_id": 1}},
    "A": {"Sequence": {"id": "A", "type_id": 0}},
    "B": {"Sequence": {"id": "B", "type_id": 1}},
}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [PIECES[piece] for piece in ("cls", "A", "sep")],
    "pair": [PIECES[piece] for piece in ("cls", "A", "sep", "B", "sep")],
    "special_tokens": {
        name: {"id": name, "ids": [VOCAB[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")
    },
}
ROBERTA = {
    "type": "RobertaProcessing",
    "sep": ["[SEP]", 8],
    "cls": ["[CLS]", 7],
    "trim_offsets": True,
    "add_prefix_space": False,
}
BERT = {"type": "BertProcessing", "sep": ["[SEP]", 8], "cls": ["[CLS]", 7]}


def described(post_processor, truncation=None, padding=None):
    return json.dumps(
        {
            "version": "1.0",
            "truncation": truncation,
            "padding": padding,
            "added_tokens": [],
            "post_processor": post_processor,
            "model": {"type": "BPE", "unk_token": "?", "vocab": VOCAB, "merges": []},
        }
    )


def drawn_sections(drawn):
    truncation = {
        "direction": drawn.choice(["Left", "Right"]),
        "max_length": drawn.randrange(3, 14),
        "strategy": drawn.choice(["LongestFirst", "OnlyFirst", "OnlySecond"]),
        "stride": 0,
    }
    padding = {
        "strategy": drawn.choice(["BatchLongest", {"Fixed": drawn.randrange(1, 12)}]),
        "direction": drawn.choice(["Left", "Right"]),
        "pad_to_multiple_of": drawn.choice([None, 0, 1, 4]),
        "pad_id": 9,
        "pad_type_id": drawn.randrange(3),
        "pad_token": "[PAD]",
    }
    return truncation, padding


def drawn_text(drawn):
    return "".join(drawn.choices("abcdef", k=drawn.randrange(14)))


def their_rows(theirs, texts):
    """Their rows; None where a text cannot be cut as asked."""
    try:
        return theirs.encode_batch(texts)
    except BaseException as error:
        if "Truncation error" not in str(error):
            raise
        return None


@pytest.mark.parametrize("post_processor", [None, TEMPLATE, ROBERTA, BERT], ids=str)
@pytest.mark.parametrize("is_pair", [False, True], ids=["texts", "pairs"])
def test_texts_are_cut_and_filled_up_as_the_file_says(post_processor, is_pair):
    drawn, refused = random.Random(SEED), 0
    for _ in range(400):
        truncation, padding = drawn_sections(drawn)
        if is_pair and post_processor is ROBERTA:
            truncation["max_length"] += 1  # below what the template takes Hugging Face fails
        text = described(post_processor, truncation, padding)
        ours, theirs = digram.load(text.encode()), tokenizers.Tokenizer.from_str(text)
        texts = [drawn_text(drawn) for _ in range(3)]
        pairs = [drawn_text(drawn) for _ in range(3)] if is_pair else None
        expected = their_rows(theirs, list(zip(texts, pairs, strict=True)) if is_pair else texts)
        if expected is None:
            refused += 1
            with pytest.raises(ValueError, match="truncation cuts"):
                ours(texts, pairs, truncation=True, padding=True)
            continue
        more = {"offsets": True, "special_tokens_mask": True, "sequence_ids": True}
        found = ours(texts, pairs, truncation=True, padding=True, **more)
        sequences = found.pop("sequence_ids")
        assert post_processor is None or sequences == [row.sequence_ids for row in expected]
        assert found.pop("special_tokens_mask") == [row.special_tokens_mask for row in expected]
        assert found.pop("offset_mapping") == [row.offsets for row in expected]
        assert found == ours(texts, pairs, truncation=True, padding=True)
        assert found["input_ids"] == [row.ids for row in expected]
        assert found["attention_mask"] == [row.attention_mask for row in expected]
        assert found.get("token_type_ids", []) == [row.type_ids for row in expected if is_pair]
    assert 0 < refused < 300


@pytest.mark.parametrize("post_processor", [None, TEMPLATE, ROBERTA, BERT], ids=str)
@pytest.mark.parametrize("is_pair", [False, True], ids=["texts", "pairs"])
def test_what_is_cut_off_makes_further_rows(post_processor, is_pair):
    drawn, refused, further = random.Random(SEED), 0, 0
    for _ in range(300):
        truncation, padding = drawn_sections(drawn)
        truncation["max_length"] += 3
        truncation["stride"] = drawn.choice([0, 0, 1, 2, 3])
        text = described(post_processor, truncation, padding)
        ours = digram.load(text.encode())
        texts = [drawn_text(drawn) * 2 for _ in range(3)]
        pairs = [drawn_text(drawn) for _ in range(3)] if is_pair else None
        try:
            found = ours(texts, pairs, truncation=True, padding=True, overflowing=True)
        except ValueError:
            refused += 1
            continue
        theirs = tokenizers.Tokenizer.from_str(described(post_processor, truncation))
        both = theirs.encode_batch(list(zip(texts, pairs, strict=True)) if is_pair else texts)
        rows = [(sample, row) for sample, one in enumerate(both) for row in (one, *one.overflowing)]
        further += len(rows) - len(both)
        assert found["overflow_to_sample_mapping"] == [sample for sample, _ in rows]
        more = {"offsets": True, "special_tokens_mask": True, "sequence_ids": True}
        bare = ours(texts, pairs, truncation=True, overflowing=True, **more)
        if post_processor is not None:
            assert bare["sequence_ids"] == [row.sequence_ids for _, row in rows]
        assert bare["special_tokens_mask"] == [row.special_tokens_mask for _, row in rows]
        assert bare["input_ids"] == [row.ids for _, row in rows]
        assert bare["offset_mapping"] == [row.offsets for _, row in rows]
        assert bare.get("token_type_ids", []) == [row.type_ids for _, row in rows if is_pair]
        assert len({len(row) for row in found["input_ids"]}) == 1 or "Fixed" in str(padding)
        cut = ours(texts, pairs, truncation=True)["input_ids"]
        firsts = dict(reversed([(sample, row.ids) for sample, row in rows]))
        assert cut == [firsts[sample] for sample in range(len(texts))]
    assert refused < 250
    assert further > 50


def test_one_text_makes_rows_and_every_id_is_in_one():
    tok = digram.load(described(TEMPLATE).encode())
    found = tok("abcdef" * 3, truncation=Truncation(8, stride=2), overflowing=True)
    assert found["overflow_to_sample_mapping"] == [0] * 4
    assert all(row[0] == 7 and row[-1] == 8 for row in found["input_ids"])
    inner = [row[1:-1] for row in found["input_ids"]]
    assert all(one[-2:] == other[:2] for one, other in itertools.pairwise(inner))
    assert inner[0] + [id_ for row in inner[1:] for id_ in row[2:]] == tok.encode("abcdef" * 3)
    whole = tok("abc", truncation=Truncation(8), overflowing=True, offsets=True)
    assert whole["input_ids"] == [tok("abc")["input_ids"]]
    assert tok([], truncation=Truncation(8), overflowing=True)["overflow_to_sample_mapping"] == []
    with pytest.raises(ValueError, match="overflowing is True, and nothing is cut off; give trunc"):
        tok("abc", overflowing=True)
    for stride in (6, 7):
        with pytest.raises(ValueError, match=f"stride is {stride}, and the parts .* have 6 ids"):
            tok("abcdef" * 3, truncation=Truncation(8, stride=stride), overflowing=True)
        with pytest.raises(ValueError, match=f"stride is {stride}, and"):
            tok("a", truncation=Truncation(8, stride=stride), overflowing=True)
    with pytest.raises(ValueError, match="nothing of it is left for parts; give more, or template"):
        tok("abcdef" * 3, truncation=Truncation(2), overflowing=True)


def test_which_text_cannot_be_cut_is_told():
    tok = digram.load(described(TEMPLATE).encode())
    first = Truncation(6, strategy="OnlyFirst")
    with pytest.raises(ValueError, match=r"^texts\[1\]: truncation cuts the first text alone"):
        tok(["a", "b"], ["c", "abcdef"], truncation=first)
    with pytest.raises(ValueError, match=r"^truncation cuts the first text alone"):
        tok("b", "abcdef", truncation=first)


def test_too_many_parts_of_pairs_are_refused():
    tok = digram.load(described(TEMPLATE).encode())
    with pytest.raises(digram.LimitError, match=r"^\d+ parts of the first text and \d+ of the sec"):
        tok("ab" * 9_000, "cd" * 9_000, truncation=Truncation(8), overflowing=True)


@pytest.mark.parametrize("direction", ["Left", "Right"])
def test_without_a_template_texts_are_cut_to_the_whole_length(direction):
    ours = digram.load(described(TEMPLATE).encode())
    theirs = tokenizers.Tokenizer.from_str(described(TEMPLATE))
    theirs.enable_truncation(4, direction=direction.lower())
    cut = ours("abcdef", template=False, truncation=Truncation(4, direction=direction))
    assert cut["input_ids"] == theirs.encode("abcdef", add_special_tokens=False).ids


def test_nothing_is_cut_or_filled_up_unasked():
    truncation, padding = drawn_sections(random.Random(SEED))
    tok = digram.load(described(TEMPLATE, truncation, padding).encode())
    assert tok("abcdef" * 5)["input_ids"] == [7, *[1, 2, 3, 4, 5, 6] * 5, 8]
    assert [len(row) for row in tok(["a", "abc"])["input_ids"]] == [3, 5]


def test_what_cannot_be_done_is_said():
    tok = digram.load(described(TEMPLATE).encode())
    with pytest.raises(ValueError, match=r"truncation is True.*does not say how.*Truncation"):
        tok("a", truncation=True)
    with pytest.raises(ValueError, match=r"padding is True.*does not say how.*Padding"):
        tok("a", padding=True)
    with pytest.raises(ValueError, match="max_length is 1, but the template alone puts 2 ids"):
        tok("a", truncation=Truncation(1))
    with pytest.raises(ValueError, match="pad_to_multiple_of is 0"):
        tok("a", padding=Padding(pad_to_multiple_of=0))
    with pytest.raises(ValueError, match="the template puts pairs together"):
        tok("a", "b", template=False)
    for texts, pairs in (("a", ["b"]), (["a"], "b"), (["a", "b"], ["a"])):
        with pytest.raises(ValueError, match="both a text, or both sequences of as many"):
            tok(texts, pairs)


def test_an_error_names_the_text_also_where_offsets_are_told():
    tok = digram.train(["abc"], vocab_size=257, special_tokens=["<|a|>"])
    for offsets in (False, True):
        with pytest.raises(SpecialTokenError, match=r"^texts\[1\]: the text holds"):
            tok(["a", "b<|a|>"], special="error", offsets=offsets)
        with pytest.raises(SpecialTokenError, match=r"^the text holds"):
            tok("b<|a|>", special="error", offsets=offsets)


def test_an_error_of_the_second_texts_names_them():
    """They were called texts, which are the first."""
    tok = digram.train(["abc"], vocab_size=257, special_tokens=["<|a|>"])
    for offsets in (False, True):
        with pytest.raises(SpecialTokenError, match=r"^pairs\[1\]: the text holds"):
            tok(["ok", "x"], ["a", "<|a|>"], special="error", offsets=offsets)
        with pytest.raises(SpecialTokenError, match=r"^pairs: the text holds"):
            tok("ok", "<|a|>", special="error", offsets=offsets)
        with pytest.raises(SpecialTokenError, match=r"^texts\[0\]: the text holds"):
            tok(["<|a|>"], ["<|a|>"], special="error", offsets=offsets)
        with pytest.raises(TypeError, match=r"^pairs\[1\] is None, not a str; leave it out"):
            tok(["ok", "x"], ["a", None], offsets=offsets)
        with pytest.raises(UnicodeEncodeError, match=r"not allowed, in pairs\[0\]"):
            tok(["ok", "x"], ["\ud800", "a"], offsets=offsets)


def test_no_texts_give_no_rows():
    tok = digram.load(described(TEMPLATE).encode())
    empty = {"input_ids": [], "attention_mask": []}
    assert tok([], padding=Padding(8)) == tok([]) == empty
    assert tok([], []) == empty | {"token_type_ids": []}


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (
            {"truncation": Truncation(2, direction="right")},
            ValueError,
            "'right'; it is one of 'Left'",
        ),
        ({"truncation": Truncation(2, strategy="only_first")}, ValueError, "'OnlyFirst'"),
        ({"truncation": Truncation(2.0)}, TypeError, "max_length must be an int, not float: 2.0"),
        ({"truncation": Truncation(-1)}, ValueError, "max_length is -1"),
        ({"truncation": 2}, TypeError, "truncation is 2; it is True, False or"),
        ({"padding": "longest"}, TypeError, "padding is 'longest'"),
        ({"padding": Padding(direction="right")}, ValueError, "direction is 'right'"),
        ({"padding": Padding(strategy="longest")}, TypeError, "an int, or 'BatchLongest', not str"),
        ({"padding": Padding(strategy=-5)}, ValueError, "strategy is -5"),
        ({"padding": Padding(pad_id=-1)}, ValueError, "pad_id is -1"),
        ({"padding": Padding(pad_id=2**40)}, ValueError, f"pad_id is {2**40}; give {2**32 - 1}"),
        ({"padding": Padding(2**40)}, LimitError, f"up to {2**40} ids; at most 16777216"),
        (
            {"padding": Padding(pad_to_multiple_of=2**25)},
            LimitError,
            f"up to {2**25} ids; at most 16777216",
        ),
        ({"padding": Padding(pad_to_multiple_of=0)}, ValueError, "pad_to_multiple_of is 0"),
    ],
)
def test_what_cannot_be_cut_or_filled_so_is_refused(given, error, said):
    tok = digram.train(["abc abd"], vocab_size=256)
    with pytest.raises(error, match=re.escape(said)):
        tok(["abc", "a"], **given)


def test_the_token_that_fills_rows_up_must_have_the_id_that_does():
    tok = digram.train(["abc abd"], vocab_size=258, special_tokens=["<s>", "<pad>"])
    assert tok(["abc", "a"], padding=Padding(pad_id=1, pad_token="<pad>"))["input_ids"][1][1] == 1
    for call in (lambda given: tok(["abc", "a"], padding=given), lambda p: tok.with_(padding=p)):
        with pytest.raises(
            ValueError, match=r"pad_token is '<pad>', which has id 1, .*; give pad_id=1"
        ):
            call(Padding(pad_token="<pad>"))
        call(Padding(pad_token="<s>"))
        call(Padding(pad_id=5, pad_token="<pad>"))


def test_what_calls_refuse_no_tokenizer_keeps_unless_its_file_was_trusted(tmp_path):
    """A padding of 20,000,000 was saved to a file that did not load."""
    tok = digram.train(["abc abd"], vocab_size=256)
    for padding, error in ((Padding(20_000_000), LimitError), (Padding(pad_id=2**40), ValueError)):
        for make in (lambda model: tok.with_(padding=model.padding), digram.Tokenizer):
            with pytest.raises(error, match=r"up to 20000000 ids; at most|pad_id is"):
                make(replace(tok.model, padding=padding))
    most = tok.with_(padding=Padding(2**24))
    most.save(tmp_path / "t.json")
    assert digram.load(tmp_path / "t.json") == most
    long = json.loads((tmp_path / "t.json").read_bytes())
    long["padding"]["strategy"] = {"Fixed": 2**24 + 1}
    trusted = digram.load(json.dumps(long).encode(), limits=digram.Limits(padding=2**25))
    assert trusted.with_(decoder=None).at(0).model.padding == Padding(2**24 + 1)
    assert len(trusted("a", padding=True)["input_ids"]) == 2**24 + 1


def test_inputs_may_come_from_iterators():
    tok = digram.train(["abc abd"], vocab_size=256)
    inputs = tok(iter(["abc", "a"]), padding=Padding(pad_id=9))
    assert inputs["attention_mask"] == [[1, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize("large", [2**32 - 1, 2**32 - 2])
def test_any_id_may_stand_around_texts(large):
    special = {"id": "[CLS]", "ids": [7, large], "tokens": ["[CLS]", "large"]}
    template = TEMPLATE | {"special_tokens": TEMPLATE["special_tokens"] | {"[CLS]": special}}
    model = {"type": "BPE", "vocab": VOCAB, "merges": [], "unk_token": "?"}
    content = json.dumps({"version": "1.0", "model": model, "post_processor": template})
    ours, theirs = digram.load(content.encode()), tokenizers.Tokenizer.from_str(content)
    assert ours("ab")["input_ids"] == theirs.encode("ab").ids
    assert ours("ab", "c")["input_ids"] == theirs.encode("ab", "c").ids
