"""The parts around a model, each a frozen dataclass with the fields of `tokenizer.json`.

They describe; the engine executes them. `from_json` and `to_json` translate to and from the
spelling of Hugging Face's file, where a component is an object with a `type`.

>>> to_json(Split(Regex(" +"), behavior="Isolated"))
{'type': 'Split', 'pattern': {'Regex': ' +'}, 'behavior': 'Isolated', 'invert': False}
>>> from_json({"type": "NFC"}, "normalizer")
NFC()
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, cast, get_args

from digram import _json
from digram.errors import FormatError

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "AddedToken",
    "BPEDecoder",
    "BertProcessing",
    "ByteLevel",
    "Decoder",
    "DecoderSequence",
    "Fuse",
    "Lowercase",
    "Normalizer",
    "NormalizerSequence",
    "PostProcessor",
    "PostProcessorSequence",
    "PreTokenizer",
    "PreTokenizerSequence",
    "Regex",
    "RobertaProcessing",
    "Split",
    "TemplateProcessing",
    "TemplateSpecial",
    "TemplateText",
    "TemplateToken",
    "Whitespace",
    "WhitespaceSplit",
    "from_json",
    "to_json",
]


@dataclass(frozen=True)
class AddedToken:
    """A token matched whole in the text, before merging; `special` ones only when asked for."""

    id: int
    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = True


@dataclass(frozen=True)
class NFC:
    """Unicode normal form C: canonical composition."""


@dataclass(frozen=True)
class NFD:
    """Unicode normal form D: canonical decomposition."""


@dataclass(frozen=True)
class NFKC:
    """Unicode normal form KC: compatibility decomposition, then composition."""


@dataclass(frozen=True)
class NFKD:
    """Unicode normal form KD: compatibility decomposition."""


@dataclass(frozen=True)
class Lowercase:
    """Lower case, character by character."""


@dataclass(frozen=True)
class NormalizerSequence:
    """Normalizers, one after the other."""

    normalizers: tuple[Normalizer, ...]


@dataclass(frozen=True)
class Regex:
    """A regular expression, where a plain `str` would be searched for literally."""

    regex: str


@dataclass(frozen=True)
class ByteLevel:
    """Work on bytes, each spelled as a printable character (as GPT-2 does).

    As a pre-tokenizer it also splits with GPT-2's pattern unless `use_regex` is False; as a
    decoder it turns the spelling back into bytes; as a post-processor it changes no id.
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True


@dataclass(frozen=True)
class Split:
    """Split by a pattern: `Isolated` keeps matches and what lies between, `Removed` the latter.

    `invert` swaps the two roles.
    """

    pattern: Regex | str
    behavior: Literal["Isolated", "Removed"]
    invert: bool = False


@dataclass(frozen=True)
class Whitespace:
    r"""Words by the pattern `\\w+|[^\\w\\s]+`; blanks are dropped."""


@dataclass(frozen=True)
class WhitespaceSplit:
    """Words are what lies between blanks; blanks are dropped."""


@dataclass(frozen=True)
class PreTokenizerSequence:
    """Pre-tokenizers, each splitting the words of the one before."""

    pretokenizers: tuple[PreTokenizer, ...]


@dataclass(frozen=True)
class RobertaProcessing:
    """`<cls> text <sep>`, and `<cls> a <sep> <sep> b <sep>` for a pair."""

    sep: tuple[str, int]
    cls: tuple[str, int]
    trim_offsets: bool = True
    add_prefix_space: bool = True


@dataclass(frozen=True)
class BertProcessing:
    """`[CLS] text [SEP]`, and `[CLS] a [SEP] b [SEP]` for a pair."""

    sep: tuple[str, int]
    cls: tuple[str, int]


@dataclass(frozen=True)
class TemplateText:
    """In a template, the place of a text: `A`, or `B` for the second of a pair."""

    id: Literal["A", "B"]
    type_id: int = 0


@dataclass(frozen=True)
class TemplateToken:
    """In a template, a special token, by its name in the template's own table."""

    id: str
    type_id: int = 0


@dataclass(frozen=True)
class TemplateSpecial:
    """What a name in a template stands for: ids, and the same as tokens."""

    id: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]


@dataclass(frozen=True)
class TemplateProcessing:
    """Begin and end ids around a text or a pair of texts.

    >>> TemplateProcessing(
    ...     single=(TemplateText("A"), TemplateToken("<s>")),
    ...     pair=(TemplateText("A"), TemplateToken("<s>"), TemplateText("B", 1)),
    ...     special_tokens=(TemplateSpecial("<s>", (0,), ("<s>",)),),
    ... ).single
    (TemplateText(id='A', type_id=0), TemplateToken(id='<s>', type_id=0))
    """

    single: tuple[TemplateText | TemplateToken, ...]
    pair: tuple[TemplateText | TemplateToken, ...]
    special_tokens: tuple[TemplateSpecial, ...]


@dataclass(frozen=True)
class PostProcessorSequence:
    """Post-processors, one after the other."""

    processors: tuple[PostProcessor, ...]


@dataclass(frozen=True)
class BPEDecoder:
    """Tokens joined; the end-of-word marker becomes a space, except at the end."""

    suffix: str = "</w>"


@dataclass(frozen=True)
class Fuse:
    """Tokens joined with nothing between."""


@dataclass(frozen=True)
class DecoderSequence:
    """Decoders, one after the other."""

    decoders: tuple[Decoder, ...]


Normalizer = NFC | NFD | NFKC | NFKD | Lowercase | NormalizerSequence
PreTokenizer = ByteLevel | Split | Whitespace | WhitespaceSplit | PreTokenizerSequence
PostProcessor = (
    ByteLevel | RobertaProcessing | BertProcessing | TemplateProcessing | PostProcessorSequence
)
Decoder = ByteLevel | BPEDecoder | Fuse | DecoderSequence
Component = Normalizer | PreTokenizer | PostProcessor | Decoder

# What may stand in each slot of a tokenizer, and the field that a Sequence keeps its parts in.
SLOTS: dict[str, tuple[tuple[type, ...], type, str]] = {
    "normalizer": (get_args(Normalizer), NormalizerSequence, "normalizers"),
    "pre_tokenizer": (get_args(PreTokenizer), PreTokenizerSequence, "pretokenizers"),
    "post_processor": (get_args(PostProcessor), PostProcessorSequence, "processors"),
    "decoder": (get_args(Decoder), DecoderSequence, "decoders"),
}


def from_json(described: object, slot: str) -> Any:
    """Read a component of `slot`, which is one of the keys of `SLOTS`.

    >>> from_json({"type": "Split", "pattern": {"String": " "}, "behavior": "Removed"},
    ...           "pre_tokenizer")
    Split(pattern=' ', behavior='Removed', invert=False)
    >>> from_json({"type": "Strip"}, "normalizer")
    Traceback (most recent call last):
    digram.errors.FormatError: normalizer of type 'Strip' is not supported
    """
    kinds, sequence, parts_field = SLOTS[slot]
    values = _json.read_object(described, slot)
    kind = values.pop("type", None)
    if kind == "Sequence":
        parts = _json.take(values, parts_field, f"{slot} Sequence")
        _json.finish(values, f"{slot} Sequence")
        return sequence(
            tuple(from_json(part, slot) for part in _json.read_list(parts, parts_field))
        )
    for known in kinds:
        if known.__name__ == kind and known is not sequence:
            return _read(known, values, f"{slot} {kind}")
    raise FormatError(f"{slot} of type {kind!r} is not supported")


def to_json(component: Component) -> dict[str, Any]:
    """Write a component as `tokenizer.json` spells it.

    >>> to_json(NormalizerSequence((NFC(), Lowercase())))
    {'type': 'Sequence', 'normalizers': [{'type': 'NFC'}, {'type': 'Lowercase'}]}
    """
    for _, sequence, parts_field in SLOTS.values():
        if isinstance(component, sequence):
            parts = [to_json(part) for part in getattr(component, parts_field)]
            return {"type": "Sequence", parts_field: parts}
    described = {f.name: _write(f.name, getattr(component, f.name)) for f in fields(component)}
    return {"type": type(component).__name__, **described}


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
    if kind == "SpecialToken":
        return cast("TemplateToken", _read(TemplateToken, _json.read_object(found, place), place))
    piece = cast("TemplateText", _read(TemplateText, _json.read_object(found, place), place))
    _json.one_of("A", "B")(piece.id, f"{place}: id of a Sequence")
    return piece


def _specials(value: object, place: str) -> tuple[TemplateSpecial, ...]:
    return tuple(
        _read(TemplateSpecial, _json.read_object(special, f"{place} {name!r}"), f"{place} {name!r}")
        for name, special in _json.read_object(value, place).items()
    )


# How each field is read: a name means the same wherever it stands.
_READERS: dict[str, _json.Reader] = {
    "add_prefix_space": _json.read_flag,
    "trim_offsets": _json.read_flag,
    "use_regex": _json.read_flag,
    "invert": _json.read_flag,
    "pattern": _pattern,
    "behavior": _json.one_of("Isolated", "Removed"),
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
