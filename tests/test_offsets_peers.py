"""Where tokens stand, through all that changes a text: beside Hugging Face and SentencePiece."""

import io
import json
import random

import pytest

import digram

pytest.importorskip("tokenizers")
from tests.described import (
    MODELS,
    NORMALIZERS,
    PRE_TOKENIZERS,
    SEED,
    both,
    byte_level,
    metaspace,
    of_model,
    sequence,
    texts,
)

MORE = [
    {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "Lowercase"}, {"type": "NFC"}]},
    {"type": "Replace", "pattern": {"String": "aA"}, "content": "aA"},
    {"type": "Replace", "pattern": {"Regex": r"\s|a"}, "content": ""},
]
TRIMMING = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}


def assert_same(ours, theirs, some):
    for text in some:
        expected = theirs.encode(text, add_special_tokens=False)
        ids, offsets = ours.encode_with_offsets(text, special="token")
        assert ids.tolist() == expected.ids == ours.encode(text, special="token"), ascii(text)
        assert [tuple(offset) for offset in offsets.tolist()] == expected.offsets, ascii(text)


@pytest.mark.parametrize("normalizer", [*NORMALIZERS, *MORE], ids=json.dumps)
def test_offsets_are_those_of_hugging_face_behind_normalizers(normalizer):
    assert_same(*both(normalizer=normalizer), ["", *texts()])
    assert_same(
        *both(normalizer=normalizer, pre_tokenizer=metaspace(prepend_scheme="first")), texts()
    )


@pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS, ids=json.dumps)
def test_offsets_are_those_of_hugging_face_behind_pre_tokenizers(pre_tokenizer):
    assert_same(*both(pre_tokenizer=pre_tokenizer), texts())


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("pre_tokenizer", [None, metaspace(), byte_level(regex=True)], ids=str)
def test_offsets_are_those_of_hugging_face_for_models(model, pre_tokenizer):
    """Where it leaves characters out, or has bytes come first, its offsets are beside the text."""
    ours, theirs = of_model(model, pre_tokenizer)
    is_whole = len(model["alphabet"]) > 255 or not model.get("byte_fallback")
    if model.get("unk_token", "?") and is_whole:
        drawn = random.Random(SEED)
        assert_same(
            ours, theirs, ["".join(drawn.choices("aaabbé ▁中", k=12)) for _ in range(2_000)]
        )
        assert_same(ours, theirs, texts())
    # what is left out is passed over
    ids, offsets = ours.encode_with_offsets("ba中ab")
    assert ids.tolist() == ours.encode("ba中ab")
    assert offsets[-1].tolist()[1] == 5 or model.get("unk_token", "?") is None


def added(id_, content, **changed):
    fields = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": id_, "content": content} | fields | changed


ADDED = [
    added(300, "<x>", lstrip=True, special=True),
    added(301, "<y>", rstrip=True, special=True),
    added(302, "\n\n", rstrip=True),
    added(303, "  ", lstrip=True, rstrip=True),
    added(304, "bÉ", normalized=True),
    added(305, " ab ", normalized=True, special=True),
]


@pytest.mark.parametrize("post_processor", [None, TRIMMING, TRIMMING | {"add_prefix_space": False}])
@pytest.mark.parametrize(
    "parts",
    [
        {"pre_tokenizer": byte_level(prefix=True, regex=True)},
        {"pre_tokenizer": byte_level()},
        {"pre_tokenizer": metaspace(), "normalizer": {"type": "Lowercase"}},
        {"pre_tokenizer": sequence({"type": "WhitespaceSplit"}, byte_level(prefix=True))},
    ],
    ids=str,
)
def test_added_tokens_and_blanks_stand_where_hugging_face_says(parts, post_processor):
    """A token in white space that another has swallowed begins before that ends."""
    alphabet = [chr(point) for point in range(0x21, 0x7F) if chr(point) != "?"]
    byte_letters = digram.reference.byte_aliases().values()
    tokens = dict.fromkeys(["?", *byte_letters, *alphabet, "ĠĠ", "Ġa", "aĠ", "▁a", "▁"])
    vocab = {token: at for at, token in enumerate(tokens)}
    merges = [["Ġ", "Ġ"], ["Ġ", "a"], ["a", "Ġ"], ["▁", "a"]]
    model = {"vocab": vocab, "merges": merges}
    ours, theirs = both(model=model, added_tokens=ADDED, post_processor=post_processor, **parts)
    drawn = random.Random(SEED)
    pieces = ["<x>", "<y>", "\n\n", "  ", " ", "a", "b", "É", "bÉ", "bé", "ab", "\n", "é", "▁"]
    some = ["".join(drawn.choices(pieces, k=drawn.randrange(12))) for _ in range(3_000)]
    assert_same(ours, theirs, some)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"byte_fallback": True, "normalization_rule_name": "identity"},
        {"remove_extra_whitespaces": False, "user_defined_symbols": ["<u>", "▁b"]},
        {"treat_whitespace_as_suffix": True, "add_dummy_prefix": False},
    ],
    ids=str,
)
def test_offsets_are_those_of_sentencepiece(options):
    sentencepiece = pytest.importorskip("sentencepiece")
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["aab abba ba aa bb ab é ½ ba aab", "b a 中 ab ab ab aab bba"] * 9),
        model_writer=written,
        model_type="bpe",
        vocab_size=300 if options.get("byte_fallback") else 30,
        hard_vocab_limit=False,
        character_coverage=0.98,
        minloglevel=2,
        **options,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    ours = digram.load(written.getvalue())
    drawn = random.Random(SEED)
    pieces = ["a", "b", "ab", "aab", "", "é", "é", "½", "中", "ﬁ", "\t", "\u3000", "▁", "<u>", "x"]
    some = ["".join(drawn.choices([*pieces, " "], k=drawn.randrange(12))) for _ in range(3_000)]
    assert_same_as_sentencepiece(ours, theirs, some)


@pytest.mark.parametrize("seed", range(12))
def test_offsets_are_those_of_sentencepiece_for_pieces_drawn_at_random(seed):
    """Of parts of pieces that are unused among them, and of characters that are no pieces."""
    pytest.importorskip("sentencepiece")
    from tests.pieces import drawn, nasty, peer

    drawn_model, dice = drawn(seed), random.Random(seed)
    short = ["".join(dice.choices("aabé漢▁ x", k=dice.randrange(1, 14))) for _ in range(300)]
    ours = digram.load(drawn_model)
    assert_same_as_sentencepiece(ours, peer(drawn_model), [*short, *nasty(seed)])


def assert_same_as_sentencepiece(ours, theirs, some):
    for text in some:
        expected = theirs.encode(text, return_type="proto").pieces
        encoded = text.encode()
        ids, offsets = ours.encode_with_offsets(text)
        assert ids.tolist() == [piece.id for piece in expected]
        places = [
            [len(encoded[:place].decode(errors="ignore")) for place in (piece.begin, piece.end)]
            for piece in expected
        ]
        assert offsets.tolist() == places, ascii(text)
