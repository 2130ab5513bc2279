"""How text becomes words that are counted, and whether that is how a tokenizer splits."""

from __future__ import annotations

import json
from typing import Any

from digram._arguments import normalizer_of, pattern_name
from digram._word_files import Splitting
from digram.components import (
    ByteLevel,
    Normalizer,
    PreTokenizer,
    PreTokenizerSequence,
    from_json,
    to_json,
)
from digram.patterns import pre_tokenizer

__all__ = ["refuse_other_splitting", "refuse_unlike", "splitting_of"]

# Of a pattern, so many characters are shown.
SHOWN = 200
# How words come out like a tokenizer's; one that does not split has no pattern.
ALIKE = "count them with pattern=tok.model.pre_tokenizer"
AS_THEY_ARE = "give a mapping of words to counts, as no text is split there"


def splitting_of(
    pattern: str | PreTokenizer | None,
    normalizer: str | Normalizer | None,
    end_of_word: str | None = None,
) -> Splitting:
    """Return how text becomes words, as JSON: what two counts must share to be added."""
    split = pre_tokenizer(pattern, "chars", end_of_word)
    if any(isinstance(step, ByteLevel) for step in _steps(split)[:-1]):
        raise ValueError(
            "in this pattern a ByteLevel is not the last step, so that those behind it split bytes"
            " as they are spelled; words are counted as text: put the ByteLevel last"
        )
    return Splitting(_json(split), _json(normalizer_of(normalizer)))


def _steps(split: PreTokenizer | None) -> list[PreTokenizer]:
    """Return the steps by which text is split, one by one."""
    if isinstance(split, PreTokenizerSequence):
        return [step for part in split.pretokenizers for step in _steps(part)]
    return [] if split is None else [split]


def refuse_other_splitting(
    said: Splitting,
    pattern: str | PreTokenizer | None,
    normalizer: str | Normalizer | None,
    end_of_word: str | None = None,
) -> None:
    """Refuse a pattern or a normalizer that is given and not the one that words came about by."""
    asked = splitting_of(pattern, normalizer, end_of_word)
    for name, given, wanted, used in (
        ("pattern", pattern, asked.pre_tokenizer, said.pre_tokenizer),
        ("normalizer", normalizer, asked.normalizer, said.normalizer),
    ):
        if given is not None and wanted != used:
            raise ValueError(
                f"{name} is {wanted}, but the words were counted with {used};"
                " leave it out, or count again with this one"
            )


def refuse_unlike(
    said: Splitting,
    split: PreTokenizer | None,
    form: Normalizer | None,
    units: str,
    whose: str,
) -> None:
    """Refuse words that came about by another pattern or normalizer than a tokenizer's."""
    described, normal = (
        part and from_json(json.loads(part), name)
        for part, name in ((said.pre_tokenizer, "pre_tokenizer"), (said.normalizer, "normalizer"))
    )
    theirs = pre_tokenizer(described, "chars" if units == "chars" else "bytes")
    if normal != form:
        raise ValueError(
            f"the words were counted with the normalizer {normal}, but that of {whose} is {form};"
            " count them with normalizer=tok.model.normalizer"
        )
    if _spelled_out(theirs) != _spelled_out(split):
        used, own = (pattern_name(None if s is None else to_json(s)) for s in (theirs, split))
        raise ValueError(
            f"the words were counted with the pattern {used!r:.{SHOWN}}, but {whose} splits by"
            f" {own!r:.{SHOWN}}; {ALIKE if split is not None else AS_THEY_ARE}"
        )


def _spelled_out(split: PreTokenizer | None) -> PreTokenizer | None:
    """Return what splits as GPT-2 does in the form that its name has here."""
    if isinstance(split, ByteLevel) and split.use_regex and not split.add_prefix_space:
        return pre_tokenizer("gpt2", "bytes")
    return split


def _json(component: Any) -> str | None:
    return None if component is None else json.dumps(to_json(component))
