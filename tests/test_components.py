"""Components are values, and say the same in `tokenizer.json`."""

import json

import pytest

import digram
from digram.components import (
    CTC,
    NFC,
    NFKC,
    BertNormalizer,
    BertPreTokenizer,
    BertProcessing,
    BPEDecoder,
    ByteFallback,
    ByteLevel,
    ByteLevelNormalizer,
    CharDelimiterSplit,
    DecoderSequence,
    Digits,
    FixedLength,
    Fuse,
    Lowercase,
    Metaspace,
    Nmt,
    NormalizerSequence,
    PostProcessorSequence,
    Prepend,
    PreTokenizerSequence,
    Punctuation,
    Regex,
    Replace,
    RobertaProcessing,
    Split,
    Strip,
    StripAccents,
    StripDecoder,
    TemplateProcessing,
    TemplateSpecial,
    TemplateText,
    TemplateToken,
    Whitespace,
    WhitespaceSplit,
    WordPiece,
    from_json,
    to_json,
)
from digram.errors import FormatError

TEMPLATE = TemplateProcessing(
    single=(TemplateToken("<s>"), TemplateText("A")),
    pair=(TemplateText("A"), TemplateToken("<s>", 1), TemplateText("B", 1)),
    special_tokens=(TemplateSpecial("<s>", (0, 1), ("<s>", "<t>")),),
)
ALL = [
    ("normalizer", NormalizerSequence((NFC(), NFKC(), Lowercase()))),
    ("pre_tokenizer", Split(Regex(r"\s+"), "Isolated")),
    ("pre_tokenizer", Split("<sep>", "Removed", invert=True)),
    ("pre_tokenizer", PreTokenizerSequence((Whitespace(), WhitespaceSplit(), ByteLevel()))),
    ("post_processor", RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)),
    ("post_processor", PostProcessorSequence((TEMPLATE, ByteLevel(use_regex=False)))),
    ("post_processor", BertProcessing(("[SEP]", 2), ("[CLS]", 0))),
    ("decoder", DecoderSequence((BPEDecoder("</w>"), Fuse()))),
    ("decoder", DecoderSequence((WordPiece("##", cleanup=True), CTC("<pad>", "|", cleanup=False)))),
    ("decoder", DecoderSequence((Replace("▁", " "), ByteFallback(), StripDecoder(" ", 1, 0)))),
    ("decoder", Metaspace("▁", prepend_scheme="never", split=False)),
    ("normalizer", NormalizerSequence((Strip(strip_left=True, strip_right=False), Nmt()))),
    ("normalizer", NormalizerSequence((StripAccents(), ByteLevelNormalizer(), Prepend("▁")))),
    ("normalizer", Replace(Regex(" {2,}"), " ")),
    ("normalizer", BertNormalizer(True, False, None, True)),  # noqa: FBT003  as in the file
    ("pre_tokenizer", PreTokenizerSequence((BertPreTokenizer(), Digits(individual_digits=True)))),
    ("pre_tokenizer", PreTokenizerSequence((Punctuation("Contiguous"), FixedLength(3)))),
    ("pre_tokenizer", PreTokenizerSequence((CharDelimiterSplit("|"), Metaspace("▁")))),
    ("pre_tokenizer", Split(" ", "MergedWithNext")),
]


@pytest.mark.parametrize(("slot", "component"), ALL)
def test_reading_undoes_writing_and_values_are_hashable(slot, component):
    written = json.loads(json.dumps(to_json(component)))
    assert from_json(written, slot) == component
    assert hash(from_json(written, slot)) == hash(component)


@pytest.mark.parametrize(("slot", "component"), ALL)
def test_hugging_face_reads_what_is_written_and_writes_it_so(slot, component):
    tokenizers = pytest.importorskip("tokenizers")
    empty = json.loads(tokenizers.Tokenizer(tokenizers.models.BPE()).to_str())
    theirs = tokenizers.Tokenizer.from_str(json.dumps(empty | {slot: to_json(component)}))
    assert json.loads(theirs.to_str())[slot] == to_json(component)


@pytest.mark.parametrize(
    ("slot", "described", "message"),
    [
        ("decoder", {"type": "Digits"}, "decoder of type 'Digits' is not supported"),
        ("decoder", {"type": "NFC"}, "decoder of type 'NFC' is not supported"),
        ("decoder", {"type": ["ByteLevel"]}, "is not supported"),
        ("decoder", {"type": "NormalizerSequence"}, "is not supported"),
        ("decoder", {}, "decoder of type None is not supported"),
        ("decoder", "ByteLevel", "decoder is 'ByteLevel'; it must be an object"),
        ("normalizer", {"type": "Sequence"}, "has no 'normalizers'"),
        ("normalizer", {"type": "Sequence", "normalizers": {}}, "must be a list"),
        ("normalizer", {"type": "Sequence", "normalizers": [7]}, "normalizer is 7"),
        ("normalizer", {"type": "NFC", "strict": True}, "NFC has 'strict', which is not supported"),
        ("pre_tokenizer", {"type": "ByteLevel", "use_regex": 1}, "use_regex is 1"),
        ("pre_tokenizer", {"type": "Split", "pattern": {"Regex": "a"}}, "has no 'behavior'"),
        (
            "pre_tokenizer",
            {"type": "Split", "pattern": "a", "behavior": "Isolated"},
            "pattern is 'a'; it must be an object",
        ),
        (
            "pre_tokenizer",
            {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Kept"},
            "behavior is 'Kept'; supported are Removed, Isolated, MergedWithPrevious",
        ),
        ("post_processor", {"type": "BertProcessing", "sep": ["a"], "cls": ["b", 1]}, "its id"),
        ("post_processor", {"type": "BertProcessing", "sep": ["a", -1], "cls": ["b", 1]}, "-1"),
        ("post_processor", to_json(TEMPLATE) | {"single": [{"Text": "A"}]}, "one key"),
        (
            "post_processor",
            to_json(TEMPLATE) | {"single": [{"Sequence": {"id": "C", "type_id": 0}}]},
            "supported are A, B",
        ),
        ("post_processor", to_json(TEMPLATE) | {"special_tokens": {"<s>": 4}}, "'<s>' is 4"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(slot, described, message):
    with pytest.raises(FormatError) as caught:
        from_json(described, slot)
    assert message in str(caught.value)


def test_components_of_published_files_are_written_as_they_are_read(shared):
    folders = (
        "gpt2",
        "llama3",
        "qwen2.5",
        "persian-bpe-unk",
        "phi-3",
        "clip",
        "falcon",
        "whisper-large-v3",
    )
    for folder in folders:
        path = shared / "data" / "vocab" / folder / "tokenizer.json"
        described = json.loads(path.read_text(encoding="utf-8"))
        for slot in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
            if described[slot] is not None:
                written = to_json(from_json(described[slot], slot))
                assert is_within(described[slot], written)


def is_within(part, whole):
    """Whether all that is in `part` is in `whole`; a field left out stands for its default."""
    if isinstance(part, dict):
        return all(key in whole and is_within(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(is_within, part, whole))
    return part == whole


def test_a_name_within_a_templates_token_does_not_count():
    """As in Hugging Face: templates say the names outside."""
    named = {"id": "other", "ids": [0], "tokens": ["<s>"]}
    template = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"<s>": named, "unused": named},
    }
    model = {"type": "BPE", "vocab": {"<s>": 0, "a": 1}, "merges": []}
    file = {"version": "1.0", "post_processor": template, "model": model}
    tok = digram.load(json.dumps(file).encode())
    assert digram.Tokenizer(tok.model) == tok
    assert tok.with_(special_tokens=["<n>"])("a")["input_ids"] == [0, 1]
