"""Post-processors: what stands around a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from digram._declared import Declared
from digram._shared import ByteLevel
from digram._template_text import pieces

__all__ = [
    "BertProcessing",
    "PostProcessor",
    "PostProcessorSequence",
    "RobertaProcessing",
    "TemplateProcessing",
    "TemplateSpecial",
    "TemplateText",
    "TemplateToken",
    "ids_around",
    "renumbered",
]


@dataclass(frozen=True)
class RobertaProcessing(Declared):
    """`<cls> text <sep>`, and `<cls> a <sep> <sep> b <sep>` for a pair."""

    sep: tuple[str, int]
    cls: tuple[str, int]
    trim_offsets: bool = True
    add_prefix_space: bool = True


@dataclass(frozen=True)
class BertProcessing(Declared):
    """`[CLS] text [SEP]`, and `[CLS] a [SEP] b [SEP]` for a pair."""

    sep: tuple[str, int]
    cls: tuple[str, int]


@dataclass(frozen=True)
class TemplateText(Declared):
    """In a template, the place of a text: `A`, or `B` for the second of a pair."""

    id: Literal["A", "B"]
    type_id: int = 0


@dataclass(frozen=True)
class TemplateToken(Declared):
    """In a template, a special token, by its name in the template's own table."""

    id: str
    type_id: int = 0


@dataclass(frozen=True)
class TemplateSpecial(Declared):
    """What a name in a template stands for: ids, and the same as tokens."""

    id: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]


Template = tuple[TemplateText | TemplateToken, ...]


@dataclass(frozen=True)
class TemplateProcessing(Declared):
    """Begin and end ids around a text or a pair of texts.

    Templates may be given as Hugging Face writes them, and tokens as pairs with their ids. Where
    none is given for pairs, their texts stand side by side.

    >>> TemplateProcessing(
    ...     single=(TemplateText("A"), TemplateToken("<s>")),
    ...     pair=(TemplateText("A"), TemplateToken("<s>"), TemplateText("B", 1)),
    ...     special_tokens=(TemplateSpecial("<s>", (0,), ("<s>",)),),
    ... ).single
    (TemplateText(id='A', type_id=0), TemplateToken(id='<s>', type_id=0))
    >>> TemplateProcessing("$A <s>", "$A <s> $B:1", [("<s>", 0)]).special_tokens
    (TemplateSpecial(id='<s>', ids=(0,), tokens=('<s>',)),)
    """

    single: Template
    pair: Template = (TemplateText("A"), TemplateText("B", 1))
    special_tokens: tuple[TemplateSpecial, ...] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            single: str | Sequence[TemplateText | TemplateToken],
            pair: str | Sequence[TemplateText | TemplateToken] = "$A $B:1",
            special_tokens: Sequence[TemplateSpecial | tuple[str, int]] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("single", "pair"):
            object.__setattr__(self, name, _read(getattr(self, name)))
        object.__setattr__(self, "special_tokens", _specials(self.special_tokens))
        super().__post_init__()


@dataclass(frozen=True)
class PostProcessorSequence(Declared):
    """Post-processors, one after the other."""

    processors: tuple[PostProcessor, ...]


PostProcessor = (
    ByteLevel | RobertaProcessing | BertProcessing | TemplateProcessing | PostProcessorSequence
)


def _read(template: Any) -> Any:
    """Read a template that is written as one text."""
    if not isinstance(template, str):
        return template
    return tuple(
        TemplateText("B" if name == "B" else "A", type_id)
        if is_text
        else TemplateToken(name, type_id)
        for is_text, name, type_id in pieces(template)
    )


def _specials(given: Any) -> Any:
    """Put in full what is a token and its id."""
    if not isinstance(given, list | tuple):
        return given
    return tuple(
        TemplateSpecial(each[0], (each[1],), (each[0],))
        if isinstance(each, tuple) and len(each) == len(("token", "id"))
        else each
        for each in given
    )


def ids_around(post_processor: PostProcessor | None) -> set[int]:
    """Return the ids that a post-processor may put around a text.

    >>> ids_around(BertProcessing(("[SEP]", 2), ("[CLS]", 0)))
    {0, 2}
    """
    match post_processor:
        case PostProcessorSequence(processors):
            return set().union(*map(ids_around, processors))
        case RobertaProcessing() | BertProcessing():
            return {post_processor.sep[1], post_processor.cls[1]}
        case TemplateProcessing():
            return {id_ for special in post_processor.special_tokens for id_ in special.ids}
    return set()


def renumbered(
    post_processor: PostProcessor | None, ids: Mapping[int, int]
) -> PostProcessor | None:
    """Return a post-processor that puts the same tokens around a text, by their new ids.

    >>> renumbered(BertProcessing(("[SEP]", 2), ("[CLS]", 0)), {0: 0, 2: 1})
    BertProcessing(sep=('[SEP]', 1), cls=('[CLS]', 0))
    """
    match post_processor:
        case PostProcessorSequence(processors):
            parts = (renumbered(part, ids) for part in processors)
            return PostProcessorSequence(tuple(part for part in parts if part is not None))
        case RobertaProcessing(sep=sep, cls=cls) | BertProcessing(sep=sep, cls=cls):
            return replace(post_processor, sep=(sep[0], ids[sep[1]]), cls=(cls[0], ids[cls[1]]))
        case TemplateProcessing(special_tokens=specials):
            new = (replace(each, ids=tuple(ids[id_] for id_ in each.ids)) for each in specials)
            return replace(post_processor, special_tokens=tuple(new))
    return post_processor
