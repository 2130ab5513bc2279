"""`vocab.json` with `merges.txt`: what Hugging Face's trainer saves so is opened with its ids."""

import random
import re

import pytest

import digram
from digram.components import AddedToken, BertPreTokenizer, BPEDecoder, Fuse
from digram.errors import FormatError

WORDS = [
    "low",
    "lower",
    "lowest",
    "new",
    "newer",
    "newest",
    "wide",
    "wider",
    "widest",
    "Überweg",
    "東京",
    "don't",
    "1999",
    "ab's",
]


def draw(seed, count):
    """A text of known and unknown words."""
    random_ = random.Random(seed)
    words = [random_.choice([*WORDS, "lowid", "w", "est,", "né", "🙂"]) for _ in range(count)]
    return " ".join(words)


def trained(folder, *, byte_level):
    """A tokenizer of Hugging Face with an end-of-word marker, and its two files."""
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(end_of_word_suffix="</w>"))
    theirs.pre_tokenizer = split = tokenizers.pre_tokenizers.BertPreTokenizer()
    alphabet = []
    if byte_level:
        byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        theirs.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, byte_level])
        alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=800, end_of_word_suffix="</w>", initial_alphabet=alphabet, show_progress=False
    )
    theirs.train_from_iterator([draw(1, 3000)], trainer)
    theirs.model.save(str(folder))
    return theirs


@pytest.mark.parametrize("byte_level", [False, True], ids=["GPT-1's kind", "CLIP's kind"])
def test_words_that_end_with_a_marker_have_hugging_face_s_ids(tmp_path, byte_level):
    theirs = trained(tmp_path, byte_level=byte_level)
    ours = digram.load(tmp_path, pattern=BertPreTokenizer())
    assert ours.units == ("bytes" if byte_level else "chars")
    # The two files say nothing of unknown characters, which Hugging Face leaves out.
    ours = ours.with_(drops_unknown=True)
    for seed in range(20):
        text = draw(seed, 200)
        assert ours.encode(text) == theirs.encode(text).ids
    again = tmp_path / "again"
    again.mkdir()
    ours.save(again, format="gpt2")
    assert digram.load(again, pattern=BertPreTokenizer()).with_(drops_unknown=True) == ours


def test_what_is_told_of_characters_opens_with_hugging_face_too(tmp_path):
    """A byte level once came behind the pattern, and Hugging Face could not open what was saved."""
    theirs = trained(tmp_path, byte_level=False)
    ours = digram.load(tmp_path, pattern=BertPreTokenizer()).with_(drops_unknown=True)
    assert ours.model.pre_tokenizer == BertPreTokenizer()
    ours.save(tmp_path / "tokenizer.json")
    again = type(theirs).from_file(str(tmp_path / "tokenizer.json"))
    for seed in range(20):
        text = draw(seed, 200)
        assert ours.encode(text) == again.encode(text).ids == theirs.encode(text).ids
    codes = digram.load(b"#version: 0.2\na b</w>\n", pattern="gpt2")
    assert codes.model.pre_tokenizer == digram.patterns.pre_tokenizer("gpt2", "chars")


def test_how_marked_words_are_split_must_be_told(tmp_path):
    trained(tmp_path, byte_level=False)
    with pytest.raises(ValueError, match=r"end with \"</w>\".*pattern=digram.components.Bert"):
        digram.load(tmp_path)


def test_gpt_1_gives_the_ids_of_hugging_face(shared):
    tokenizers = pytest.importorskip("tokenizers")
    folder = shared / "data" / "vocab" / "openai-gpt"
    files = [str(folder / name) for name in ("encoder_bpe_40000.json", "vocab_40000.bpe")]
    model = tokenizers.models.BPE.from_file(*files, unk_token="<unk>", end_of_word_suffix="</w>")
    theirs = tokenizers.Tokenizer(model)
    theirs.normalizer = tokenizers.normalizers.BertNormalizer()
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    theirs.decoder = tokenizers.decoders.BPEDecoder()
    ours = digram.load(folder, pattern=BertPreTokenizer(), unk_token="<unk>")
    ours = ours.with_(normalizer=digram.components.BertNormalizer())
    text = (shared / "data" / "corpus" / "udhr_all_languages.txt").read_text(encoding="utf-8")
    for line in text[:200_000].split("\n"):
        ids = theirs.encode(line).ids
        assert ours.encode(line) == ids
        assert ours.decode(ids) == theirs.decode(ids)


@pytest.mark.parametrize("format", ["gpt2", "subword-nmt"])
@pytest.mark.parametrize(
    ("options", "changes", "said"),
    [
        ({"fuse_unk": True}, {}, "neighbouring unknown characters one token (fuse_unk)"),
        ({}, {"decoder": None}, "it has no decoder; the format's is BPEDecoder"),
        ({}, {"decoder": Fuse()}, "its decoder is Fuse, not BPEDecoder"),
        ({}, {"decoder": BPEDecoder("_")}, "its decoder, BPEDecoder, is not that of its marker"),
        (
            {},
            {"special_tokens": [AddedToken(90, "<m>", lstrip=True)]},
            "the added token '<m>' is matched in a way of its own",
        ),
    ],
)
def test_what_two_files_and_codes_cannot_tell_is_refused(tmp_path, format, options, changes, said):
    """They were written, and read as a tokenizer with other ids or another text."""
    marked = {"units": "chars", "end_of_word": "</w>", "marker": "attached", "pattern": "spaces"}
    unknown = {"special_tokens": ["<unk>"], "unk_token": "<unk>"}
    tok = digram.train(["low lower low"], num_merges=3, **marked, **unknown, **options)
    with pytest.raises(FormatError, match=re.escape(said.replace("'<m>'", '"<m>"'))):
        tok.with_(**changes).save(tmp_path, format=format)
    assert not list(tmp_path.iterdir())
