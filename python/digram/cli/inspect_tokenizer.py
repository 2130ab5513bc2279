"""What a tokenizer is: sizes, settings, merges, and what its training told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import digram
from digram import Tokenizer
from digram.cli import output, saving
from digram.cli.figures import big, facts
from digram.cli.visible import printable, readable, shown

__all__ = ["merge_lines", "merges_at", "show", "show_merges"]

# Enough to recognize a tokenizer by, few enough for a screen.
SHOWN = 5
COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def show(tok: Tokenizer, path: str, *, as_json: bool) -> None:
    """Show what a tokenizer is."""
    found = _described(tok, path)
    if as_json:
        output.write_json(found)
        return
    output.write_line(printable(path))
    output.write_line(facts(_rows(found)))
    if found["merges"]:
        output.write_line(f"\nfirst merges\n{merge_lines(tok, found['first_merges'])}")
        output.write_line(f"\nlast merges\n{merge_lines(tok, found['last_merges'])}")


def show_merges(tok: Tokenizer, path: str, *, as_json: bool) -> None:
    """Show every merge, and where training told it, what the merge did to the corpus."""
    merges = merges_at(tok, range(len(tok.merges)))
    report = tok.training
    if report is not None:
        # Of a tokenizer that was extended, the merges of before come first, and it tells of none.
        learned = merges[len(merges) - len(report.merges) :]
        for merge, change, point in zip(
            learned, report.merges, report.compression()[1:], strict=True
        ):
            merge |= {
                "live_symbols": change.live_symbols,
                "change": change.change,
                "places": change.places,
                "tied": change.tied,
                "corpus_tokens": point.tokens,
                "bytes_per_token": point.bytes_per_token,
            }
    if as_json:
        output.write_json({"file": path, "merges": merges})
        return
    for merge, line in zip(merges, merge_lines(tok, merges).splitlines(), strict=False):
        output.write_line(f"{line:<60}{_effect(merge)}" if "change" in merge else line)


def _effect(merge: dict[str, Any]) -> str:
    return (
        f"  {big(merge['corpus_tokens'])} tokens, {merge['bytes_per_token']:.2f} bytes each;"
        f" {big(merge['live_symbols'])} live ({merge['change']:+d}); {big(merge['places'])} places"
        + (f", one of {big(merge['tied'])} as frequent" if merge["tied"] > 1 else "")
    )


def merges_at(tok: Tokenizer, ranks: Iterable[int]) -> list[dict[str, Any]]:
    """Tell some merges: ids and tokens of left, right and merged; frequencies where known."""
    report = tok.training
    return [
        {
            "rank": rank,
            "ids": list(tok.merges[rank]),
            "tokens": [tok.tokens[i].decode("utf-8", "backslashreplace") for i in tok.merges[rank]],
            "frequency": report.frequencies[tok.merges[rank][2]] if report else None,
        }
        for rank in ranks
    ]


def merge_lines(tok: Tokenizer, merges: Iterable[dict[str, Any]]) -> str:
    """Lay merges out for reading, one a line."""
    lines = []
    for merge in merges:
        left, right, merged = (readable(tok.tokens[id_]) for id_ in merge["ids"])
        times = "" if merge["frequency"] is None else f"  {big(merge['frequency'])} times"
        lines.append(f"{merge['rank']:>8}  {left} + {right} = {merged}{times}")
    return "\n".join(lines)


def _described(tok: Tokenizer, path: str) -> dict[str, Any]:
    """Return all that is to be told of a tokenizer."""
    model, ranks = tok.model, range(_merges(tok))
    components = {part: _as_json(getattr(model, part)) for part in COMPONENTS}
    return {
        "file": path,
        "vocab_size": tok.vocab_size,
        "rule": _rule(model),
        "merges": len(ranks),
        "ignore_merges": model.ignore_merges,
        "units": model.units,
        "pattern": tok.pattern,
        **components,
        "end_of_word": model.end_of_word,
        "marker": None if model.end_of_word is None else model.marker,
        "unk_token": model.unk_token,
        "special_tokens": dict(tok.special_tokens),
        "added_tokens": {t.content: t.id for t in model.added_tokens if not t.special},
        "first_merges": merges_at(tok, ranks[:SHOWN]),
        "last_merges": merges_at(tok, ranks[-SHOWN:]),
        "digram_only": saving.is_for_digram_alone(tok),
        "training": _training(tok),
        "fingerprint": tok.fingerprint,
    }


def _merges(tok: Tokenizer) -> int:
    """Count the merges; none where pieces are made of what has no id."""
    try:
        return len(tok.merges)
    except ValueError:
        return 0


def _as_json(component: Any) -> Any:
    return None if component is None else digram.components.to_json(component)


def _rule(model: digram.Model) -> str:
    match model.rule:
        case digram.Greedy(order):
            return order
        case rule:
            return type(rule).__name__.lower()


def _training(tok: Tokenizer) -> dict[str, Any] | None:
    report = tok.training
    if report is None:
        return None
    return {
        "stopped": report.stopped,
        "words": report.words,
        "occurrences": report.occurrences,
        "symbols_at_start": report.symbols_at_start,
        "symbols_at_end": report.symbols_at_end,
    }


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Choose what a person is shown: what is set, in words."""
    merging = {
        "merges": f"{big(found['merges'])} merges",
        "ranks": "by rank, as in tiktoken",
        "scores": "by scores, as in SentencePiece",
    }
    end = found["end_of_word"]
    rows = [
        ("tokens", big(found["vocab_size"])),
        ("merging", merging.get(found["rule"], f"none: greedy, {found['rule']}")),
        ("units", found["units"]),
        ("pattern", _splitting(found)),
        ("normalizer", found["normalizer"] and found["normalizer"]["type"]),
        ("end of word", end and f"{shown(end)} ({found['marker']})"),
        ("unknown", found["unk_token"] and shown(found["unk_token"])),
        ("special", _named(found["special_tokens"])),
        ("added", _named(found["added_tokens"])),
        ("saved", found["digram_only"] and "for digram alone; digram check --notes says why"),
        ("training", found["training"] and _story(found["training"])),
        ("fingerprint", found["fingerprint"]),
    ]
    return [(name, value) for name, value in rows if value]


def _splitting(found: dict[str, Any]) -> str:
    """Return the pattern; where there is none, what splits text instead."""
    if found["pattern"] is not None:
        return shown(found["pattern"])
    splits = found["pre_tokenizer"]
    return "none: a text is one word" if splits is None else f"none: {splits['type']}"


def _named(tokens: dict[str, int]) -> str:
    listed = [f"{shown(token)} {id_}" for token, id_ in list(tokens.items())[:SHOWN]]
    return ", ".join(listed) + (f" … {len(tokens)} in all" if len(tokens) > SHOWN else "")


def _story(training: dict[str, Any]) -> str:
    return (
        f"{big(training['occurrences'])} words, {big(training['words'])} different;"
        f" {big(training['symbols_at_start'])} symbols became {big(training['symbols_at_end'])};"
        f" stopped by {training['stopped']}"
    )
