"""Whether others than digram can open the `tokenizer.json` of a tokenizer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from digram._check.findings import Findings, finding
from digram._model import Merges, Model
from digram._parts import parts_of
from digram._save import OWN_FORMAT
from digram._tokenizer import Tokenizer
from digram.components import (
    Component,
    Regex,
    SentencePieceDecoder,
    SentencePieceNormalizer,
    Split,
    from_json,
)
from digram.errors import FormatError

__all__ = ["check_portability"]

CODE = "digram-only"
# What `model.digram` keeps and Hugging Face has no part for; a rule by ranks it has merges for.
KEPT = {
    "rule": "no merges make its tokens, which are cut out of the text, or none give the same ids",
    "marker": "the end-of-word marker is a symbol of its own; train with marker='attached' and"
    " units='chars'",
    "units": "its components do not tell that its units are what they are",
    "unused": "a vocabulary filters its tokens",
    "glossaries": "it has glossaries",
}
OVER_BYTES = (
    "its units are bytes, and its decoder of markers gives them back, where Hugging Face's leaves"
    " them spelled as characters; train with units='chars' and marker='attached'"
)
WAYS = {
    "normalizer": "; Prepend('\u2581') and Replace(' ', '\u2581') make spaces visible there",
    "decoder": "",
}
# Of a pattern, so many characters are shown.
SHOWN = 60


def check_portability(tok: Tokenizer, model: Model) -> Findings:
    """Tell why others than digram cannot open the file that `save` writes."""
    try:
        file = _written(tok)
    except FormatError as error:
        yield finding(CODE, f"no {OWN_FORMAT} can hold it: {error}")
        return
    stages = (model.normalizer, model.pre_tokenizer, model.decoder)
    reasons = [*_own_components(file)]
    if file["model"]["type"] != "BPE":
        reasons += _of_model(file["model"].get("digram", {})) or [*_patterns(stages)]
        reasons = reasons or [OVER_BYTES]
    if reasons:
        yield finding(CODE, "; ".join(dict.fromkeys(reasons)), place=OWN_FORMAT)


def _written(tok: Tokenizer) -> dict[str, Any]:
    ((_, content),) = tok._engine.files(OWN_FORMAT, None)
    file: dict[str, Any] = json.loads(content)
    return file


def _own_components(file: dict[str, Any]) -> Iterator[str]:
    for slot, way in WAYS.items():
        for part in parts_of(file[slot] and from_json(file[slot], slot)):
            if isinstance(part, SentencePieceNormalizer | SentencePieceDecoder):
                yield f"Hugging Face has no {type(part).__name__}{way}"


def _of_model(kept: dict[str, Any]) -> list[str]:
    return [why for field, why in KEPT.items() if field in kept and kept[field] != "ranks"]


def _patterns(stages: Iterable[Component | None]) -> Iterator[str]:
    """Tell each pattern for whose sake a file is for digram alone, as the writer of files does."""
    for part in (part for stage in stages for part in parts_of(stage)):
        pattern = getattr(part, "pattern", None)
        if isinstance(pattern, Regex) and _is_own(pattern):
            way = r"; write [\p{L}\p{M}\p{N}_] for \w, or take Whitespace()"
            remedy = way if r"\w" in pattern.regex else ""
            yield f"Hugging Face may read {pattern.regex!r:.{SHOWN}} otherwise{remedy}"


def _is_own(pattern: Regex) -> bool:
    split = Split(pattern, "Isolated")
    model = Model(tokens={0: b"a"}, rule=Merges(()), units="chars", pre_tokenizer=split)
    return bool(_written(Tokenizer(model))["model"]["type"] != "BPE")
