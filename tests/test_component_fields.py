"""Components hold what their fields declare: checked when they are made, and told by name."""

import json
import typing
from dataclasses import replace

import pytest

import digram
from digram import Tokenizer, components
from digram.components import (
    NFC,
    AddedToken,
    BertNormalizer,
    BertProcessing,
    FixedLength,
    Fuse,
    Lowercase,
    Metaspace,
    NormalizerSequence,
    Prepend,
    Regex,
    SentencePieceNormalizer,
    Split,
    Strip,
    TemplateProcessing,
    TemplateSpecial,
    TemplateText,
    TemplateToken,
    to_json,
)

BEGIN, END = ("[CLS]", 1), ("[SEP]", 2)


# They were told by the engine, by the column of the JSON that it was given.
@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: Split(Regex(" "), "isolated"),
            ValueError,
            r"Split.behavior is 'isolated'; it is ",
        ),
        (lambda: Split(" ", "merged_with_next"), ValueError, r"one of .*'MergedWithNext'"),
        (lambda: Split(" ", None), TypeError, r"Split.behavior must be one of .*, not NoneType"),
        (lambda: Split(5, "Isolated"), TypeError, r"Split.pattern must be a Regex or a str, not i"),
        (
            lambda: Split(" ", "Isolated", 0),
            TypeError,
            r"Split.invert must be True or False, not i",
        ),
        (lambda: Regex(5), TypeError, r"Regex.regex must be a str, not int: 5"),
        (lambda: Prepend(5), TypeError, r"Prepend.prepend must be a str, not int: 5"),
        (
            lambda: Strip(1, strip_right=True),
            TypeError,
            r"Strip.strip_left must be True or False, not int: 1",
        ),
        (lambda: BertNormalizer(strip_accents=1), TypeError, r"must be True or False or None, not"),
        (
            lambda: Metaspace("_", "First"),
            ValueError,
            r"prepend_scheme is 'First'; it is one of 'f",
        ),
        (lambda: FixedLength(-1), ValueError, r"FixedLength.length is -1; give 0 or more"),
        (
            lambda: NormalizerSequence(NFC()),
            TypeError,
            r"normalizers must be a tuple, not NFC: NFC",
        ),
        (
            lambda: NormalizerSequence([NFC(), Fuse()]),
            TypeError,
            r"normalizers\[1\] must be one of N",
        ),
        (
            lambda: SentencePieceNormalizer(untouched="ab"),
            TypeError,
            r"untouched must be a tuple, ",
        ),
        (
            lambda: BertProcessing(END, ("[CLS]",)),
            ValueError,
            r"cls is .*; it has 2 parts: a str, an",
        ),
        (
            lambda: BertProcessing(END, ("[CLS]", "1")),
            TypeError,
            r"cls\[1\] must be an int, not str",
        ),
        (lambda: TemplateText("C"), ValueError, r"TemplateText.id is 'C'; it is one of 'A', 'B'"),
        (
            lambda: TemplateProcessing(None, "$A", []),
            TypeError,
            r"single must be a tuple, not None",
        ),
        (
            lambda: TemplateProcessing("$A", [5], []),
            TypeError,
            r"pair\[0\] must be a TemplateText or",
        ),
        (
            lambda: TemplateProcessing("$A", "$A", 5),
            TypeError,
            r"special_tokens must be a tuple, no",
        ),
        (
            lambda: TemplateProcessing("$A", "$A", [5]),
            TypeError,
            r"\[0\] must be a TemplateSpecial",
        ),
        (
            lambda: TemplateProcessing("$A", "$C", []),
            ValueError,
            r"the template '\$C' has '\$C'; wri",
        ),
        (
            lambda: TemplateProcessing("a:b", "$A", []),
            ValueError,
            r"has 'a:b'; write \$A, \$B or a",
        ),
        (lambda: TemplateProcessing("a  b", "$A", []), ValueError, r"has ''; write .*one space"),
    ],
)
def test_fields_of_the_wrong_kind_are_told_when_a_component_is_made(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_every_component_has_its_fields_checked():
    for name in components.__all__:
        kind = getattr(components, name)
        if isinstance(kind, type) and name not in ("AddedToken", "Padding", "Truncation"):
            fields = typing.get_type_hints(kind)
            if fields:
                with pytest.raises((TypeError, ValueError), match=rf"^{name}\."):
                    kind(**dict.fromkeys(fields, 0.5))


def test_lists_are_taken_for_tuples():
    text, end = TemplateText("A"), TemplateToken("[SEP]")
    listed = TemplateProcessing([text, end], [text], [TemplateSpecial("[SEP]", [2], ["[SEP]"])])
    tuples = TemplateProcessing((text, end), (text,), (TemplateSpecial("[SEP]", (2,), ("[SEP]",)),))
    assert listed == tuples
    assert hash(listed) == hash(tuples)
    assert NormalizerSequence([NFC(), Lowercase()]) == NormalizerSequence((NFC(), Lowercase()))


@pytest.mark.parametrize(
    ("single", "pair"),
    [
        ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"),
        ("$", "$a $b"),
        ("$0 [SEP]", "$1 $B:2 [SEP]:3"),
        ("[CLS]:1 $1:2", "$A:0 $B:1"),
    ],
)
def test_templates_in_one_text_mean_what_they_mean_to_hugging_face(single, pair):
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[BEGIN, END]
    )
    ours = TemplateProcessing(single=single, pair=pair, special_tokens=[BEGIN, END])
    said = json.loads(theirs.__getstate__())
    assert {name: to_json(ours)[name] for name in ("single", "pair")} == {
        name: said[name] for name in ("single", "pair")
    }
    used = {each.id: to_json(ours)["special_tokens"][each.id] for each in ours.special_tokens}
    assert said["special_tokens"].items() <= used.items()


def test_a_template_in_one_text_is_put_around_texts():
    tok = digram.train(["abc"], vocab_size=258, special_tokens=["[CLS]", "[SEP]"])
    specials = [(text, tok.token_id(text)) for text in ("[CLS]", "[SEP]")]
    around = TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", specials)
    found = tok.with_(post_processor=around)("a", "b")
    assert tok.spell(found["input_ids"]) == ["[CLS]", "a", "[SEP]", "b", "[SEP]"]
    assert found["token_type_ids"] == [0, 0, 0, 1, 1]


def test_what_is_no_component_and_no_slot_is_told():
    with pytest.raises(ValueError, match="slot is 'parser'; it is one of 'normalizer', "):
        components.from_json({}, "parser")
    with pytest.raises(TypeError, match="component must be one of"):
        components.to_json(3)


HALF = "a\ud800"


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("pattern", lambda _: digram.train(["a"], pattern=HALF)),
        ("pattern", lambda _: digram.count(["a"], pattern=HALF)),
        ("pattern", lambda _: digram.load(b"YQ== 0\n", pattern=HALF)),
        ("pattern", lambda tok: tok.with_(pattern=HALF)),
        ("Regex.regex", lambda _: Split(Regex(HALF), "Isolated")),
        ("Split.pattern", lambda _: Split(HALF, "Isolated")),
        ("Prepend.prepend", lambda _: Prepend(HALF)),
        (r"\w+.untouched\[0\]", lambda _: SentencePieceNormalizer(untouched=(HALF,))),
        ("end_of_word", lambda tok: Tokenizer(replace(tok.model, end_of_word=HALF))),
        ("unk_token", lambda tok: Tokenizer(replace(tok.model, unk_token=HALF))),
        ("each of glossaries", lambda tok: Tokenizer(replace(tok.model, glossaries=(HALF,)))),
        (
            "an added token",
            lambda tok: Tokenizer(replace(tok.model, added_tokens=(AddedToken(999, HALF),))),
        ),
    ],
)
def test_half_a_character_is_refused_by_the_name_of_what_holds_it(name, make):
    """It was `component: unexpected end of hex escape at line 1 column 48`."""
    tok = digram.train({"low": 2}, units="chars", end_of_word="$")
    with pytest.raises(ValueError, match=rf"^{name} is 'a\\ud800', and its character 1 is a lone"):
        make(tok)
