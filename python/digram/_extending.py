"""Extending a tokenizer: what it keeps, and words as it splits them, which pruning counts too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from digram._counts import WordCounts, count
from digram._model import Scores
from digram._required import splitter
from digram._splitting import refuse_unlike
from digram._tokenizer import Tokenizer
from digram._visible_spaces import VISIBLE
from digram.components import PreTokenizer, PreTokenizerSequence, Regex, Split, from_json, to_json

__all__ = ["counted_for", "refuse_beside_extend", "words_of"]

# What a tokenizer that is extended keeps, as it is when it is not given.
KEPT: Mapping[str, Any] = {
    "pattern": None,
    "normalizer": None,
    "special_tokens": [],
    "units": "bytes",
    "end_of_word": None,
    "attached": False,
    "unk_token": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "initial_alphabet": None,
    "limit_alphabet": None,
    "character_coverage": None,
}
# What splits text at visible blanks: tokens have them in front, or behind.
BEFORE = Split(Regex(f"{VISIBLE}+[^{VISIBLE}]*|[^{VISIBLE}]+"), "Isolated")
BEHIND = Split(Regex(f"[^{VISIBLE}]*{VISIBLE}+|[^{VISIBLE}]+"), "Isolated")
# Two words, whatever they are normalized to.
PROBE = "a b"


def refuse_beside_extend(given: Mapping[str, Any]) -> None:
    """Refuse an option that the tokenizer to extend has settled."""
    for name, default in KEPT.items():
        if given[name] != default:
            called = "marker" if name == "attached" else name
            value = "attached" if name == "attached" else given[name]
            raise ValueError(
                f"{called} is given, {value!r}, but a tokenizer that is extended keeps its"
                " own; leave it out"
            )


def counted_for(
    tokenizer: Tokenizer,
    corpus: Any,
    counting: Mapping[str, Any],
    whose: str = "the tokenizer to extend",
) -> WordCounts:
    """Count words as a tokenizer splits text; or take words that were split so.

    One that does not split text is learned for from words between visible blanks, or from any
    that were counted.
    """
    if isinstance(corpus, WordCounts):
        _refuse_other_words(tokenizer, corpus, whose)
        return corpus
    if isinstance(corpus, Mapping):
        return WordCounts.of(corpus)
    at_blanks = _at_blanks(tokenizer)
    if at_blanks is not None:
        _refuse_pieces_over_blanks(tokenizer, at_blanks)
    split = _both(_component(tokenizer, "pre_tokenizer"), at_blanks)
    if split is None:
        raise ValueError(
            f"{whose} does not split text, so all of it would be one word; give a mapping of words"
            " to counts"
        )
    return count(
        corpus,
        pattern=split,
        normalizer=_component(tokenizer, "normalizer"),
        special_tokens=[*tokenizer.special_tokens, *tokenizer.added_tokens],
        **counting,
    )


def _refuse_other_words(tokenizer: Tokenizer, counts: WordCounts, whose: str) -> None:
    """Refuse words that came about otherwise: they may be split where the tokenizer does not."""
    form, own = (_component(tokenizer, name) for name in ("normalizer", "pre_tokenizer"))
    said = counts._splitting
    if said.pre_tokenizer is not None and _at_blanks(tokenizer) is not None:
        own = from_json(json.loads(said.pre_tokenizer), "pre_tokenizer")
    refuse_unlike(said, own, form, tokenizer.units, whose)


def words_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """Return the words that a text is counted as, without what is put around all text."""
    at_blanks = _at_blanks(tokenizer)
    if at_blanks is None:
        return [word for word, _, _ in tokenizer.words(text)]
    return splitter(json.dumps(to_json(at_blanks)), None)([text])


def _component(tokenizer: Tokenizer, name: str) -> Any:
    described = tokenizer._settings[name]
    return described and from_json(described, name)


def _at_blanks(tokenizer: Tokenizer) -> PreTokenizer | None:
    """Return what splits at visible blanks, where a tokenizer makes them and does not split."""
    words = [word for word, _, _ in tokenizer.words(PROBE)]
    has_marker = tokenizer._settings["end_of_word"] is not None  # which ends the whole word alone
    if len(words) != 1 or VISIBLE not in words[0] or has_marker:
        return None
    blank = VISIBLE.encode()
    tokens = [token for token in tokenizer.tokens.values() if token != blank]
    before, behind = (
        sum(at(token, blank) for token in tokens) for at in (bytes.startswith, bytes.endswith)
    )
    return BEFORE if before >= behind else BEHIND


def _refuse_pieces_over_blanks(tokenizer: Tokenizer, at_blanks: PreTokenizer) -> None:
    """Refuse user-defined pieces that words are cut inside, as encoding cuts text at them first."""
    rule = tokenizer.model.rule
    kinds = rule.kinds if isinstance(rule, Scores) else {}
    cut = f"{VISIBLE}[^{VISIBLE}]" if at_blanks is BEHIND else f"[^{VISIBLE}]{VISIBLE}"
    for id_, kind in kinds.items():
        piece = tokenizer.tokens[id_].decode()
        if kind == "user-defined" and re.search(cut, piece):
            raise ValueError(
                f"the user-defined piece {piece!r} reaches over a blank, and the text to learn from"
                " is split at blanks; give a mapping of words to counts"
            )


def _both(own: PreTokenizer | None, further: PreTokenizer | None) -> PreTokenizer | None:
    if own is None or further is None:
        return own or further
    return PreTokenizerSequence((own, further))
