"""Between `Model`, which people read, and the engine, which runs it."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from typing import Any

from digram._core import Engine
from digram._fields import refuse_fields, refuse_tables
from digram._lengths import refuse_long_padding
from digram._model import Greedy, Kind, Merges, Model, Ranks, Rule, Scores
from digram.components import AddedToken, Padding, Truncation, from_json, to_json
from digram.errors import FormatError

__all__ = ["engine_of", "engine_of_given", "model_of", "padding_of", "truncation_of"]

PLAIN = ("unicode", "drops_unknown", "spelled", "byte_fallback", "continuing_prefix", "dropout")
# The control pieces that a rule by scores names.
ROLES = ("bos", "eos", "pad")
SLOTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def engine_of_given(model: Model) -> Engine:
    """Make a model that somebody gives ready to run: what no file may ask for is refused."""
    made = engine_of(model)
    if model.padding is not None:
        refuse_long_padding(model.padding)
    return made


def engine_of(model: Model, bounds: tuple[int, int] | None = None) -> Engine:
    """Make a model ready to run. Raises `FormatError` where it contradicts itself.

    `bounds` are, if not as usual, how many times longer a text may become (`Limits.expansion`) and
    how many bytes the tables of each thread may take (`Tokenizer.table_bytes`).
    """
    if not isinstance(model, Model):
        raise TypeError(
            f"Tokenizer takes a digram.Model, not {type(model).__name__};"
            " digram.load reads files and digram.train learns from text"
        )
    refuse_fields(model)
    tables = (
        list(model.tokens.items()),
        list(model.word_ends),
        list(model.added_only),
        list(model.literal),
        list(model.rule.pairs) if isinstance(model.rule, Merges) else [],
        _pieces(model.rule) if isinstance(model.rule, Scores) else [],
    )
    try:
        return Engine.from_parts(*tables, _settings_of(model), bounds)
    except (OverflowError, TypeError):
        refuse_tables(model)
        raise


def _settings_of(model: Model) -> str:
    """Write what is no table as JSON, as the engine takes it."""
    settings = {
        "units": model.units,
        "rule": _rule_name(model.rule),
        **{role: getattr(model.rule, role, None) for role in ROLES},
        "self_test": list(getattr(model.rule, "self_test", ())),
        "ignore_merges": model.ignore_merges,
        "unk_token": model.unk_token,
        "fuse_unk": model.fuse_unk,
        "end_of_word": model.end_of_word,
        "attached": model.marker == "attached",
        **{name: getattr(model, name) for name in PLAIN},
        "unused": list(model.unused),
        "glossaries": list(model.glossaries),
        "truncation": None if model.truncation is None else vars(model.truncation),
        "padding": None if model.padding is None else _padding_to_json(model.padding),
        "added_tokens": [vars(token) for token in model.added_tokens],
        **{slot: _to_json(getattr(model, slot)) for slot in SLOTS},
    }
    return json.dumps(settings, default=operator.index)  # NumPy's ints among them


def model_of(engine: Engine) -> Model:
    """Copy what an engine runs, as plain values."""
    tokens, word_ends, added_only, literal, merges, pieces, settings = engine.parts()
    given = json.loads(settings)
    return Model(
        tokens=dict(tokens),
        rule=_rule(given, merges, pieces),
        units=given["units"],
        ignore_merges=given["ignore_merges"],
        unk_token=given["unk_token"],
        fuse_unk=given["fuse_unk"],
        end_of_word=given["end_of_word"],
        marker="attached" if given["attached"] else "separate",
        word_ends=frozenset(word_ends),
        added_only=frozenset(added_only),
        literal=frozenset(literal),
        unicode=given["unicode"],
        drops_unknown=given["drops_unknown"],
        spelled=given["spelled"],
        byte_fallback=given["byte_fallback"],
        continuing_prefix=given["continuing_prefix"],
        unused=frozenset(given.get("unused", ())),
        glossaries=tuple(given.get("glossaries", ())),
        dropout=given["dropout"],
        truncation=truncation_of(given),
        padding=padding_of(given),
        added_tokens=tuple(AddedToken(**token) for token in given["added_tokens"]),
        **{slot: from_json(given[slot], slot) if given[slot] else None for slot in SLOTS},
    )


def _padding_to_json(padding: Padding) -> dict[str, Any]:
    strategy = padding.strategy
    return {
        **vars(padding),
        "strategy": strategy if isinstance(strategy, str) else {"Fixed": strategy},
    }


def truncation_of(settings: Mapping[str, Any]) -> Truncation | None:
    """Return how the settings of an engine say that texts are cut."""
    given = settings["truncation"]
    return Truncation(**given) if given else None


def padding_of(settings: Mapping[str, Any]) -> Padding | None:
    """Return how the settings of an engine say that texts are filled up."""
    given = settings["padding"]
    if not given:
        return None
    strategy = given["strategy"]
    return Padding(
        **given | {"strategy": strategy if strategy == "BatchLongest" else strategy["Fixed"]}
    )


def _to_json(component: Any) -> dict[str, Any] | None:
    return None if component is None else to_json(component)


def _rule_name(rule: Rule) -> str:
    match rule:
        case Greedy(order):
            return order
        case Merges():
            return "merges"
        case Ranks():
            return "ranks"
        case Scores():
            return "scores"


def _pieces(rule: Scores) -> list[tuple[int, float, Kind]]:
    unknown = rule.kinds.keys() - rule.values.keys()
    if unknown:
        raise FormatError(f"piece {min(unknown)} has a kind and no score")
    return [(id_, score, rule.kinds.get(id_, "normal")) for id_, score in rule.values.items()]


def _rule(
    given: dict[str, Any],
    merges: list[tuple[int, int, int]],
    pieces: list[tuple[int, float, Kind]],
) -> Rule:
    name = given["rule"]
    if name == "merges":
        return Merges(tuple(merges))
    if name == "ranks":
        return Ranks()
    if name == "scores":
        return Scores(
            values={id_: score for id_, score, _ in pieces},
            kinds={id_: kind for id_, _, kind in pieces if kind != "normal"},
            **{role: given.get(role) for role in ROLES},
            self_test=tuple((text, cut) for text, cut in given.get("self_test", ())),
        )
    return Greedy("longest-first" if name == "longest-first" else "left-to-right")
