"""Post-processors: what stands around a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from digram._shared import ByteLevel

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


PostProcessor = (
    ByteLevel | RobertaProcessing | BertProcessing | TemplateProcessing | PostProcessorSequence
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
