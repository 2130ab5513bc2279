"""Older and odd spellings of components and post-processors, as Hugging Face reads them."""

import json

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

REPLACE = {"pattern": {"String": "a"}, "content": "b"}
BERT = {"clean_text": True, "handle_chinese_chars": True, "lowercase": True}
AROUND = {"sep": ["a", 1], "cls": ["b", 2]}
FIRST = {"Sequence": {"id": "A", "type_id": 0}}
SECOND = {"Sequence": {"id": "B", "type_id": 1}}
BEGIN = {"SpecialToken": {"id": "a", "type_id": 0}}
SPECIALS = {"special_tokens": {"a": {"id": "a", "ids": [1, 3], "tokens": ["a", "ab"]}}}
TEMPLATE = {"single": [BEGIN, FIRST], "pair": [FIRST, SECOND], **SPECIALS}
LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
COMPONENTS = [
    ("normalizer", {"strip_left": True, "strip_right": False}),
    ("normalizer", {"type": "Old", "prepend": "a"}),
    ("normalizer", {"type": "NFC", "prepend": "a"}),
    ("normalizer", REPLACE),
    ("normalizer", BERT),
    ("normalizer", {"normalizers": [{"type": "NFC", "new": 1}, {"prepend": "a"}]}),
    ("normalizer", {"lowercase": True}),
    ("normalizer", {}),
    ("pre_tokenizer", {"replacement": "_"}),
    ("pre_tokenizer", {"type": "Metaspace", "replacement": "_", "split": None}),
    ("pre_tokenizer", {"type": "Metaspace", "replacement": "_", "str_rep": "x", "new": 1}),
    ("pre_tokenizer", {"type": "Metaspace", "replacement": "_", "add_prefix_space": False}),
    ("pre_tokenizer", {"type": "ByteLevel"}),
    ("pre_tokenizer", {**LEVEL, "new": 1}),
    ("pre_tokenizer", {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated"}),
    ("pre_tokenizer", {"type": "Digits"}),
    ("pre_tokenizer", {"type": "UnicodeScripts", "new": 1}),
    ("decoder", {"suffix": "_"}),
    ("decoder", {"type": "Old", "suffix": "_"}),
    ("decoder", {"type": "Fuse", "suffix": "_"}),
    ("decoder", {"type": "BPEDecoder"}),
    ("decoder", {"prefix": "##", "cleanup": True}),
    ("decoder", {"pad_token": "a", "word_delimiter_token": "|", "cleanup": True}),
    ("decoder", REPLACE),
    ("decoder", {"content": " ", "start": 1, "stop": 0}),
    ("decoder", {"type": "Sequence", "decoders": [{"suffix": "_"}]}),
    ("post_processor", AROUND),
    ("post_processor", {"type": "RobertaProcessing", **AROUND}),
    ("post_processor", {"type": "BertProcessing", **AROUND, **LEVEL}),
    ("post_processor", TEMPLATE),
    ("post_processor", {"type": "TemplateProcessing", **TEMPLATE, "new": 1}),
    ("post_processor", {"type": "Sequence", "processors": [LEVEL, AROUND, {**LEVEL, **AROUND}]}),
    ("post_processor", {"type": "Sequence", "processors": [AROUND, TEMPLATE]}),
    ("post_processor", {"type": "Sequence", "processors": [TEMPLATE, AROUND]}),
    ("post_processor", {"type": "Sequence", "processors": [TEMPLATE, TEMPLATE]}),
    ("post_processor", {"type": "Sequence", "processors": []}),
]


def described(slot, component):
    """A small file with a component."""
    vocab = {"?": 0, "a": 1, "b": 2, "ab": 3, "_": 4, "Ġ": 5}
    model = {"unk_token": "?", "vocab": vocab, "merges": ["a b"], "new": 1}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model, slot: component})


@pytest.mark.parametrize(("slot", "component"), COMPONENTS, ids=json.dumps)
def test_spellings_are_read_as_hugging_face_reads_them(slot, component, tmp_path):
    text = described(slot, component)
    try:
        theirs = tokenizers.Tokenizer.from_str(text)
    except Exception:  # noqa: BLE001 - a plain Exception is what they raise
        with pytest.raises(digram.errors.FormatError):
            digram.load(text.encode())
        return
    ours = digram.load(text.encode())
    ours.save(tmp_path / "tokenizer.json")
    saved = json.loads((tmp_path / "tokenizer.json").read_bytes())
    assert saved[slot] == json.loads(theirs.to_str())[slot]


PROCESSORS = [component for slot, component in COMPONENTS if slot == "post_processor"]


@pytest.mark.parametrize("component", PROCESSORS, ids=json.dumps)
@pytest.mark.parametrize("pair", [None, "ba"])
def test_post_processors_are_those_of_hugging_face(component, pair):
    text = described("post_processor", component)
    ours, theirs = digram.load(text.encode()), tokenizers.Tokenizer.from_str(text)
    given = [ours.encode(part) for part in ("aba", pair) if part is not None]
    expected = theirs.encode("aba", pair)
    found = ours._engine.process(given[0], given[1] if pair else None)
    assert found == list(zip(expected.ids, expected.type_ids, strict=True))


def test_a_template_behind_one_of_three_pieces_is_an_error_where_they_panic():
    three = {**TEMPLATE, "single": [BEGIN, FIRST, BEGIN]}
    ours = digram.load(
        described("post_processor", {"type": "Sequence", "processors": [three, three]}).encode()
    )
    with pytest.raises(ValueError, match="leaves 3 parts; make one template of both"):
        ours(["ab"])


@pytest.mark.parametrize("prefix", [None, "##"])
@pytest.mark.parametrize("suffix", [None, "</w>"])
def test_a_word_is_looked_up_as_it_is_spelled(prefix, suffix):
    vocab = ["?", "a", "b", "ab", "a</w>", "b</w>", "ab</w>", "</w>", "ab</w></w>", "##b"]
    model = {"type": "BPE", "unk_token": "?", "merges": [], "ignore_merges": True}
    model |= {"vocab": {token: id_ for id_, token in enumerate(vocab)}}
    model |= {"end_of_word_suffix": suffix, "continuing_subword_prefix": prefix}
    text = json.dumps({"version": "1.0", "model": model})
    ours, theirs = digram.load(text.encode()), tokenizers.Tokenizer.from_str(text)
    for word in ("ab", "a", "ab</w>", "b", "ba", "</w>", "##b", "ab</w></w>", "b</w>", "x"):
        assert ours.encode(word) == theirs.encode(word).ids, word
