"""The parts around a model, each a frozen dataclass with the fields of `tokenizer.json`.

They describe; the engine executes them. `from_json` and `to_json` translate to and from the
spelling of Hugging Face's file, where a component is an object with a `type`.

>>> to_json(Split(Regex(" +"), behavior="Isolated"))
{'type': 'Split', 'pattern': {'Regex': ' +'}, 'behavior': 'Isolated', 'invert': False}
>>> from_json({"type": "NFC"}, "normalizer")
NFC()
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, cast, get_args

from digram import _json
from digram._around import (
    AddedToken,
    Padding,
    Truncation,
)
from digram._decoders import (
    CTC,
    BPEDecoder,
    ByteFallback,
    Decoder,
    DecoderSequence,
    Fuse,
    SentencePieceDecoder,
    StripDecoder,
    WordPiece,
)
from digram._kinds import choice, of_kind
from digram._normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    ByteLevelNormalizer,
    Lowercase,
    Nmt,
    Normalizer,
    NormalizerSequence,
    Precompiled,
    Prepend,
    SentencePieceNormalizer,
    Strip,
    StripAccents,
)
from digram._post_processors import (
    BertProcessing,
    PostProcessor,
    PostProcessorSequence,
    RobertaProcessing,
    TemplateProcessing,
    TemplateSpecial,
    TemplateText,
    TemplateToken,
)
from digram._pre_tokenizers import (
    Behavior,
    BertPreTokenizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    PreTokenizer,
    PreTokenizerSequence,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from digram._shared import (
    ByteLevel,
    Metaspace,
    Regex,
    Replace,
)
from digram.errors import FormatError

__all__ = [
    "CTC",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "AddedToken",
    "BPEDecoder",
    "Behavior",
    "BertNormalizer",
    "BertPreTokenizer",
    "BertProcessing",
    "ByteFallback",
    "ByteLevel",
    "ByteLevelNormalizer",
    "CharDelimiterSplit",
    "Decoder",
    "DecoderSequence",
    "Digits",
    "FixedLength",
    "Fuse",
    "Lowercase",
    "Metaspace",
    "Nmt",
    "Normalizer",
    "NormalizerSequence",
    "Padding",
    "PostProcessor",
    "PostProcessorSequence",
    "PreTokenizer",
    "PreTokenizerSequence",
    "Precompiled",
    "Prepend",
    "Punctuation",
    "Regex",
    "Replace",
    "RobertaProcessing",
    "SentencePieceDecoder",
    "SentencePieceNormalizer",
    "Split",
    "Strip",
    "StripAccents",
    "StripDecoder",
    "TemplateProcessing",
    "TemplateSpecial",
    "TemplateText",
    "TemplateToken",
    "Truncation",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
    "WordPiece",
    "from_json",
    "to_json",
]


Component = Normalizer | PreTokenizer | PostProcessor | Decoder

# What may stand in each slot of a tokenizer, and the field that a Sequence keeps its parts in.
SLOTS: dict[str, tuple[tuple[type, ...], type, str]] = {
    "normalizer": (get_args(Normalizer), NormalizerSequence, "normalizers"),
    "pre_tokenizer": (get_args(PreTokenizer), PreTokenizerSequence, "pretokenizers"),
    "post_processor": (get_args(PostProcessor), PostProcessorSequence, "processors"),
    "decoder": (get_args(Decoder), DecoderSequence, "decoders"),
}
# What a file calls by the name that something else has in another slot.
TYPES: dict[type, str] = {
    ByteLevelNormalizer: "ByteLevel",
    SentencePieceDecoder: "SentencePiece",
    SentencePieceNormalizer: "SentencePiece",
    StripDecoder: "Strip",
}


def from_json(described: object, slot: str) -> Any:
    """Read a component of `slot`: `normalizer`, `pre_tokenizer`, `post_processor` or `decoder`.

    Raises `FormatError` for what is none, `ValueError` for another slot.

    >>> from_json({"type": "Split", "pattern": {"String": " "}, "behavior": "Removed"},
    ...           "pre_tokenizer")
    Split(pattern=' ', behavior='Removed', invert=False)
    >>> from_json({"type": "Fuse"}, "normalizer")
    Traceback (most recent call last):
    digram.errors.FormatError: normalizer of type 'Fuse' is not supported
    """
    kinds, sequence, parts_field = SLOTS[choice("slot", slot, tuple(SLOTS))]
    values = _json.read_object(described, slot)
    kind = values.pop("type", None)
    if kind == "Sequence":
        parts = _json.take(values, parts_field, f"{slot} Sequence")
        _json.finish(values, f"{slot} Sequence")
        return sequence(
            tuple(from_json(part, slot) for part in _json.read_list(parts, parts_field))
        )
    for known in kinds:
        if _type(known) == kind and known is not sequence:
            if known is Metaspace:
                values = _without_legacy(values, f"{slot} {kind}")
            return _read(known, values, f"{slot} {kind}")
    raise FormatError(f"{slot} of type {kind!r} is not supported")


def to_json(component: Component) -> dict[str, Any]:
    """Write a component as `tokenizer.json` spells it.

    >>> to_json(NormalizerSequence((NFC(), Lowercase())))
    {'type': 'Sequence', 'normalizers': [{'type': 'NFC'}, {'type': 'Lowercase'}]}
    """
    kinds = {kind for several, sequence, _ in SLOTS.values() for kind in (*several, sequence)}
    of_kind("component", component, tuple(kinds), "one of digram.components")
    for _, sequence, parts_field in SLOTS.values():
        if isinstance(component, sequence):
            parts = [to_json(part) for part in getattr(component, parts_field)]
            return {"type": "Sequence", parts_field: parts}
    return {"type": _type(type(component)), **_fields(component)}


def _fields(component: Any) -> dict[str, Any]:
    """Write the fields of a component; one of them may be a component without a type."""
    values = {f.name: getattr(component, f.name) for f in fields(component)}
    return {
        name: _fields(value) if isinstance(value, SentencePieceNormalizer) else _write(name, value)
        for name, value in values.items()
    }


def _type(kind: type) -> str:
    """Return what a file calls a kind of component."""
    return TYPES.get(kind, kind.__name__)


def _without_legacy(values: dict[str, Any], place: str) -> dict[str, Any]:
    """Leave out what older files say of a `Metaspace` beside what newer ones say."""
    scheme = values.get("prepend_scheme", "always")
    if values.get("add_prefix_space") is False and scheme != "never":
        raise FormatError(f"{place}: add_prefix_space is false, and prepend_scheme is {scheme!r}")
    return {name: v for name, v in values.items() if name not in ("add_prefix_space", "str_rep")}


def _read(kind: type, values: dict[str, Any], place: str) -> Any:
    """Make a component of its JSON fields; those that have a default may be missing."""
    read: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in values or field.default is MISSING:
            value = _json.take(values, field.name, place)
            read[field.name] = _READERS[field.name](value, f"{place}: {field.name}")
    _json.finish(values, place)
    return kind(**read)


def _write(name: str, value: Any) -> Any:
    written = value
    match value:
        case Regex(regex):
            written = {"Regex": regex}
        case str() if name == "pattern":
            written = {"String": value}
        case TemplateText(name, type_id):
            written = {"Sequence": {"id": name, "type_id": type_id}}
        case TemplateToken(name, type_id):
            written = {"SpecialToken": {"id": name, "type_id": type_id}}
        case TemplateSpecial(name, ids, tokens):
            written = {"id": name, "ids": list(ids), "tokens": list(tokens)}
        case tuple() if name == "special_tokens":
            written = {each.id: _write("", each) for each in value}
        case tuple():
            written = [_write("", each) for each in value]
    return written


def _pattern(value: object, place: str) -> Regex | str:
    kind, found = _json.only_item(value, place, ("Regex", "String"))
    return (
        Regex(_json.read_text(found, place)) if kind == "Regex" else _json.read_text(found, place)
    )


def _token_and_id(value: object, place: str) -> tuple[str, int]:
    match _json.read_list(value, place):
        case [token, token_id]:
            return _json.read_text(token, place), _json.read_number(token_id, place)
    raise FormatError(f"{place} is {value!r}; it must be a token and its id")


def _template(value: object, place: str) -> tuple[TemplateText | TemplateToken, ...]:
    return tuple(_piece(piece, place) for piece in _json.read_list(value, place))


def _piece(value: object, place: str) -> TemplateText | TemplateToken:
    kind, found = _json.only_item(value, place, ("Sequence", "SpecialToken"))
    values = _json.read_object(found, place)
    if kind == "SpecialToken":
        return cast("TemplateToken", _read(TemplateToken, values, place))
    if "id" in values:
        _json.one_of("A", "B")(values["id"], f"{place}: id of a Sequence")
    return cast("TemplateText", _read(TemplateText, values, place))


def _specials(value: object, place: str) -> tuple[TemplateSpecial, ...]:
    return tuple(
        _read(TemplateSpecial, _json.read_object(special, f"{place} {name!r}"), f"{place} {name!r}")
        for name, special in _json.read_object(value, place).items()
    )


def _denormalizer(value: object, place: str) -> SentencePieceNormalizer:
    values = _json.read_object(value, place)
    return cast("SentencePieceNormalizer", _read(SentencePieceNormalizer, values, place))


# How each field is read: a name means the same wherever it stands.
_READERS: dict[str, _json.Reader] = {
    "add_prefix_space": _json.read_flag,
    "trim_offsets": _json.read_flag,
    "use_regex": _json.read_flag,
    "invert": _json.read_flag,
    "pattern": _pattern,
    "behavior": _json.one_of(*get_args(Behavior)),
    "content": _json.read_text,
    "prepend": _json.read_text,
    "precompiled_charsmap": _json.read_text,
    "add_dummy_prefix": _json.read_flag,
    "remove_extra_whitespaces": _json.read_flag,
    "escape_whitespaces": _json.read_flag,
    "treat_whitespace_as_suffix": _json.read_flag,
    "untouched": _json.read_texts,
    "unk_surface": _json.read_text,
    "denormalizer": _json.optional(_denormalizer),
    "strip_left": _json.read_flag,
    "strip_right": _json.read_flag,
    "clean_text": _json.read_flag,
    "handle_chinese_chars": _json.read_flag,
    "strip_accents": _json.optional(_json.read_flag),
    "lowercase": _json.read_flag,
    "individual_digits": _json.read_flag,
    "delimiter": _json.read_text,
    "length": _json.read_number,
    "replacement": _json.read_text,
    "prepend_scheme": _json.one_of("first", "never", "always"),
    "split": _json.read_flag,
    "prefix": _json.read_text,
    "cleanup": _json.read_flag,
    "pad_token": _json.read_text,
    "word_delimiter_token": _json.read_text,
    "start": _json.read_number,
    "stop": _json.read_number,
    "sep": _token_and_id,
    "cls": _token_and_id,
    "single": _template,
    "pair": _template,
    "special_tokens": _specials,
    "suffix": _json.read_text,
    "id": _json.read_text,
    "type_id": _json.read_number,
    "ids": _json.read_numbers,
    "tokens": _json.read_texts,
}
