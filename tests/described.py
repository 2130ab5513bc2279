"""Tokenizers of Hugging Face's kind, described part by part, and texts that tell them apart."""

import json
import random

import tokenizers

import digram

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


def of_model(model, pre_tokenizer):
    """One file with a model of `MODELS`, opened by both."""
    vocab = {token: id_ for id_, token in enumerate(["?", *model["alphabet"]])}
    fields = {name: value for name, value in model.items() if name != "alphabet"}
    return both(pre_tokenizer=pre_tokenizer, model=fields | {"vocab": vocab})


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


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
MODELS = [
    {"byte_fallback": True, "alphabet": ["a", "b", "ab", *BYTES], "merges": [["a", "b"]]},
    {"byte_fallback": True, "alphabet": ["a", *BYTES[:0xC8]], "merges": []},
    {"byte_fallback": True, "fuse_unk": True, "alphabet": ["a", *BYTES[:0xC8]], "merges": []},
    {"byte_fallback": True, "unk_token": None, "alphabet": BYTES[:0xC8], "merges": []},
    {"unk_token": None, "alphabet": ["a", "b", "ab"], "merges": [["a", "b"]]},
    {"unk_token": "a", "alphabet": ["a", "aa"], "merges": [["a", "a"]]},
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
