"""Each component beside Hugging Face's: made-up files, random text, every character."""

import json
import os
import random
import tempfile
from pathlib import Path

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

SEED = 7
SPACE, WORD = {"String": " "}, {"Regex": r"\p{L}+"}
EMPTY = ({"String": ""}, *({"Regex": regex} for regex in ("a*", "(?=b)", " |x*?", r"é|\z")))
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def bert(**changed):
    """BERT's normalizer, with changes."""
    fields = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None}
    return {"type": "BertNormalizer", **fields, "lowercase": True, **changed}


NORMALIZERS = [
    *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents")),
    {"type": "Nmt"},
    {"type": "ByteLevel"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Strip", "strip_left": False, "strip_right": True},
    {"type": "Prepend", "prepend": "▁x"},
    {"type": "Replace", "pattern": SPACE, "content": "▁"},
    {"type": "Replace", "pattern": SPACE, "content": ""},
    {"type": "Replace", "pattern": SPACE, "content": "more than 16 bytes"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": " a "},
    {"type": "Replace", "pattern": {"Regex": r" {2,}|\p{N}"}, "content": "<$0>"},
    {"type": "Replace", "pattern": {"Regex": "a*"}, "content": "-"},
    bert(),
    bert(lowercase=False),
    bert(lowercase=False, strip_accents=True, clean_text=False),
    bert(strip_accents=False, handle_chinese_chars=False),
    {
        "type": "Sequence",
        "normalizers": [
            {"type": "NFD"},
            {"type": "StripAccents"},
            {"type": "Prepend", "prepend": "_"},
        ],
    },
    *(
        {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": prepend},
                {"type": "Replace", "pattern": SPACE, "content": "▁"},
                {"type": "Prepend", "prepend": "_"},
            ],
        }
        for prepend in ("▁", "x y", "")
    ),
]


def metaspace(**changed):
    """The visible blank, with changes."""
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", **changed}


def byte_level(*, prefix=False, regex=False):
    """The byte level."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": regex,
    }


def sequence(*parts):
    """Pre-tokenizers one after the other."""
    return {"type": "Sequence", "pretokenizers": list(parts)}


PRE_TOKENIZERS = [
    *({"type": name} for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
    {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False},
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    {"type": "Punctuation"},
    {"type": "CharDelimiterSplit", "delimiter": "a"},
    {"type": "FixedLength", "length": 3},
    {"type": "FixedLength"},
    {"type": "UnicodeScripts"},
    *(
        {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}
        for pattern in (SPACE, WORD, *EMPTY)
        for behavior in BEHAVIORS
        for invert in (False, True)
    ),
    *(
        metaspace(prepend_scheme=scheme, split=split)
        for scheme in ("first", "never", "always")
        for split in (False, True)
    ),
    {"type": "Metaspace", "replacement": "_", "add_prefix_space": True, "str_rep": "_"},
    sequence({"type": "Punctuation"}, metaspace()),
    sequence({"type": "Punctuation"}, metaspace(prepend_scheme="first")),
    sequence(metaspace(), {"type": "Digits", "individual_digits": True}),
    sequence({"type": "WhitespaceSplit"}, byte_level(prefix=True), {"type": "Punctuation"}),
    sequence(byte_level(regex=True), {"type": "Digits", "individual_digits": False}),
    sequence(byte_level(prefix=True, regex=True), metaspace(), {"type": "Punctuation"}),
]


def both(**parts):
    """One made-up file, opened by both."""
    model = {"type": "BPE", "unk_token": "?", "vocab": {"?": 0}, "merges": []}
    model |= parts.pop("model", {})
    described = {"version": "1.0", "added_tokens": [], "model": model} | parts
    text = json.dumps(described)
    return digram.load(text.encode()), tokenizers.Tokenizer.from_str(text)


def texts():
    """Random texts of characters that components tell apart, and of any."""
    drawn = random.Random(SEED)
    telling = "aAbé ̈\t\n 　1٣²½!-¡。、▁_Ġ中ǅßΣﬁ…\x00\x7f\u200b\ufeff\ufffd각ä'"
    for _ in range(1_500):
        yield "".join(drawn.choices(telling, k=drawn.randrange(14)))
    for _ in range(30):
        yield "".join(drawn.choices(telling, k=200))
    for _ in range(500):
        points = (drawn.choice((0x250, 0x3100, 0x20000)) for _ in range(8))
        yield (
            "".join(chr(drawn.randrange(most)) for most in points)
            .encode(errors="ignore")
            .decode(errors="ignore")
        )


def characters():
    """Characters alone and in company: all of the first blocks, and every so many behind.

    With DIGRAM_ALL_CHARACTERS=1 none is left out, which takes some minutes.
    """
    step = 1 if os.environ.get("DIGRAM_ALL_CHARACTERS") == "1" else 29
    assigned = (range(0x3100, 0xD800, step), range(0xE000, 0x33480, step))
    for point in [*range(0x3100), *assigned[0], *assigned[1], *range(0xE0000, 0xE0200, step)]:
        char = chr(point)
        yield from (char, f"a{char}", f"{char}́b", f" {char} ")


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=json.dumps)
def test_normalizers_are_those_of_hugging_face(normalizer):
    ours, theirs = both(normalizer=normalizer)
    for text in ["", *texts(), *characters()]:
        normalized = "".join(word for word, _, _ in ours.words(text))
        assert normalized == theirs.normalizer.normalize_str(text), ascii(text)


@pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS, ids=json.dumps)
def test_pre_tokenizers_are_those_of_hugging_face(pre_tokenizer):
    ours, theirs = both(pre_tokenizer=pre_tokenizer)
    for text in [*texts(), *characters()]:
        words = [word for word, _, _ in ours.words(text)]
        expected = [word for word, _ in theirs.pre_tokenizer.pre_tokenize_str(text)]
        assert words == expected, ascii(text)


DECODERS = [
    None,
    byte_level(),
    {"type": "Fuse"},
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "ByteFallback"},
    *({"type": "WordPiece", "prefix": "##", "cleanup": cleanup} for cleanup in (False, True)),
    *(
        {"type": "CTC", "pad_token": "a", "word_delimiter_token": "|", "cleanup": cleanup}
        for cleanup in (False, True)
    ),
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
    {"type": "Replace", "pattern": {"Regex": "[a-c]+"}, "content": "$0"},
    metaspace(),
    metaspace(prepend_scheme="never"),
    {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
]
TOKENS = ["a", "b", "##c", "▁", "▁a", "a▁b", " ", ".", " do not", " n't", "|", "Ġ", "Ã©", "é", "Ã"]
TOKENS += [f"<0x{byte:02X}>" for byte in (0x41, 0xC3, 0xA9, 0xE4, 0xB8, 0xAD)]


@pytest.mark.parametrize("decoder", DECODERS, ids=json.dumps)
def test_decoders_are_those_of_hugging_face(decoder):
    vocab = {token: id_ for id_, token in enumerate(["?", *TOKENS])}
    ours, theirs = both(decoder=decoder, model={"vocab": vocab})
    drawn = random.Random(SEED)
    for _ in range(4_000):
        ids = drawn.choices(range(1, len(vocab)), k=drawn.randrange(1, 9))
        assert ours.decode(ids) == theirs.decode(ids), [TOKENS[id_ - 1] for id_ in ids]


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
MODELS = [
    {"byte_fallback": True, "alphabet": ["a", "b", "ab", *BYTES], "merges": [["a", "b"]]},
    {"byte_fallback": True, "alphabet": ["a", *BYTES[:0xC8]], "merges": []},
    {"byte_fallback": True, "fuse_unk": True, "alphabet": ["a", *BYTES[:0xC8]], "merges": []},
    {"byte_fallback": True, "unk_token": None, "alphabet": BYTES[:0xC8], "merges": []},
    {"unk_token": None, "alphabet": ["a", "b", "ab"], "merges": [["a", "b"]]},
    {
        "continuing_subword_prefix": "##",
        "alphabet": ["a", "##a", "b", "##b", "ab", "##ba", "aba"],
        "merges": [["a", "##b"], ["##b", "##a"], ["a", "##ba"]],
    },
    {
        "continuing_subword_prefix": "##",
        "end_of_word_suffix": "$",
        "alphabet": ["a", "##a", "a$", "##a$", "b", "##b$", "ab$", "##aa$", "##é"],
        "merges": [["a", "##b$"], ["##a", "##a$"]],
    },
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("pre_tokenizer", [None, metaspace(), byte_level(regex=True)], ids=str)
def test_models_are_encoded_as_by_hugging_face(model, pre_tokenizer):
    vocab = {token: id_ for id_, token in enumerate(["?", *model["alphabet"]])}
    fields = {name: value for name, value in model.items() if name != "alphabet"}
    ours, theirs = both(pre_tokenizer=pre_tokenizer, model=fields | {"vocab": vocab})
    again = digram.load(written(ours))
    assert again == ours
    drawn = random.Random(SEED)
    random_words = ("".join(drawn.choices("aaabbé ▁中", k=12)) for _ in range(2_000))
    for text in [*texts(), *random_words]:
        expected = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text) == expected, ascii(text)


def written(tokenizer):
    """What a tokenizer saves."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        tokenizer.save(path)
        return path.read_bytes()


def test_what_is_not_applied_is_kept(tmp_path):
    truncation = {"direction": "Left", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
    padding = {
        "strategy": {"Fixed": 7},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "?",
    }
    ours, theirs = both(truncation=truncation, padding=padding, model={"dropout": 0.5})
    ours.save(tmp_path / "tokenizer.json")
    saved = json.loads((tmp_path / "tokenizer.json").read_bytes())
    known = json.loads(theirs.to_str())
    assert (saved["truncation"], saved["padding"]) == (known["truncation"], known["padding"])
    assert saved["model"]["dropout"] == 0.5
    with pytest.raises(ValueError, match=r"dropout of 0.5.*with_\(dropout=None\)"):
        ours.encode("a")
    assert ours.with_(dropout=None).encode("a") == [0]
    assert digram.Tokenizer(ours.model) == ours


def test_entries_that_no_merging_meets_are_found_by_their_text():
    """Whisper's vocabulary has an empty token: it was listed, and not found."""
    entries = {"": 1, "中": 2, "a": 3, "<s>": 4, "中b": 5}
    special = {"id": 4, "content": "<s>", "special": True, "single_word": False}
    special |= {"lstrip": False, "rstrip": False, "normalized": False}
    ours, theirs = both(
        pre_tokenizer=byte_level(),
        model={"unk_token": None, "vocab": entries},
        added_tokens=[special],
    )
    for token, id_ in entries.items():
        assert ours.token_id(token) == theirs.token_to_id(token) == id_
        assert ours.tokens[id_] == token.encode()
    for token in ("b", "中a"):
        assert theirs.token_to_id(token) is None
        with pytest.raises(digram.UnknownTokenError, match="is not a token"):
            ours.token_id(token)


def test_a_normalizer_that_multiplies_text_is_stopped():
    tenfold = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10}
    described = {"type": "Sequence", "normalizers": [tenfold] * 9}
    ours, _ = both(normalizer=described)
    with pytest.raises(ValueError, match="the normalizer makes"):
        ours.encode("a")


def test_normal_forms_are_those_of_the_file_and_trained_ones_are_current():
    # U+32FF came with Unicode 12: Hugging Face, whose tables are older, leaves it as it is
    loaded, _ = both(normalizer={"type": "NFKC"})
    trained = digram.train(["\u32ff"], num_merges=0, units="chars", normalizer="NFKC")
    assert [word for word, _, _ in loaded.words("\u32ff")] == ["\u32ff"]
    assert [word for word, _, _ in trained.words("\u32ff")] == ["令和"]
    for tokenizer, unicode in ((loaded, "9.0"), (trained, "16.0")):
        assert tokenizer.model.unicode == unicode
        assert digram.load(written(tokenizer)).model.unicode == unicode
