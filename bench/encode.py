"""Encoding beside every peer: speed of all kinds, starting and memory, into the pages and a plot.

Everything by default; parts of it with options. `--merge` keeps what earlier runs measured and
this one does not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from encoding.cells import Bench, Record, Texts
from encoding.summary import line_of, summarize
from encoding.texts import FAMILIES, MANY, Halves, write_halves
from encoding.vocabularies import NAMES, Vocabulary, vocabularies
from encoding.worker import CPU_TIME
from encoding.workers import Contender, Failed, Worker, contenders, fresh_process, workers
from measure import RESULTS, ROOT, shared

CELLS = ("speed", "process", "calls", "requests", "threads", "count", "offsets", "decode", "load")
MAIN = "cl100k"
SAMPLE = ("English", "Chinese")  # of texts, for what would say the same of all
TOLD = 0.01  # share of a half that is left out in silence
SECOND = ROOT / ".venv-bench-second" / "bin" / "python"


def options() -> argparse.Namespace:
    """Read the command line."""
    add = (parser := argparse.ArgumentParser(description=__doc__)).add_argument
    add("--only", type=names(NAMES), default=NAMES, help=f"vocabularies: {', '.join(NAMES)}")
    add("--texts", type=names(FAMILIES), default=tuple(FAMILIES), help="families of text")
    add("--cells", type=names(CELLS), default=CELLS, help=f"kinds: {', '.join(CELLS)}")
    add("--forms", type=names(("list", "array")), default=("array", "list"), help="of results")
    add("--peers", type=names(None), default=(), help="measured beside digram; all by default")
    add("--kernel", action="append", default=[], help="also digram with DIGRAM_KERNEL set to it")
    add("--rounds", type=int, default=5, help="medians are taken of so many")
    add("--seconds-per-cell", type=float, default=1.0, help="for one peer that is far behind")
    add("--size", type=int, default=4_000_000, help=f"bytes of a text, for {MAIN}")
    add("--size-others", type=int, default=1_000_000, help="bytes of a text, for the others")
    add("--full", action="store_true", help="all of every text, for all vocabularies")
    add("--cpu-time", action="store_true", help="for noisy machines: CPU time instead of the clock")
    # Absolute, since workers start elsewhere; not resolved, since a venv's python is a link.
    add(
        "--python",
        type=os.path.abspath,
        default=sys.executable,
        help="of the environment that holds the peers",
    )
    add(
        "--second",
        type=os.path.abspath,
        default=str(SECOND) if SECOND.exists() else None,
        help="of tokenizers 1.0's",
    )
    add("--out", type=Path, default=RESULTS / "encode.json", help="where results are written")
    add("--merge", action="store_true", help="keep what is there and not measured again")
    add("--report", action="store_true", help="measure nothing; make the tables again")
    return parser.parse_args()


def names(known: Any) -> Any:
    """Read a list of names with commas between them."""

    def parse(value: str) -> tuple[str, ...]:
        found = tuple(each.strip() for each in value.split(","))
        if unknown := [each for each in found if known is not None and each not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not among {', '.join(known)}")
        return found

    return parse


def main() -> None:
    """Measure, and write the results."""
    chosen = options()
    if chosen.peers and (chosen.merge or chosen.out == RESULTS / "encode.json"):
        sys.exit("--peers leaves others out, so it needs an --out of its own, and no --merge")
    if chosen.full:
        chosen.size = chosen.size_others = 1 << 40
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), chosen.rounds, chosen.seconds_per_cell)
        if chosen.cpu_time:
            os.environ[CPU_TIME] = "1"
        if not chosen.report:
            measure(bench, chosen)
    earlier: dict[str, Any] = {}
    if (chosen.merge or chosen.report) and chosen.out.exists():
        raw = json.loads(chosen.out.read_text(encoding="utf-8"))["raw"]
        earlier = raw if isinstance(raw, dict) else {}  # written by another bench
    ours = chosen.out == RESULTS / "encode.json"
    plotted = ROOT / "docs" / "encoding.svg" if ours else chosen.out.with_suffix(".svg")
    result = summarize(bench, earlier, cpu_time=chosen.cpu_time, plotted=plotted)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written: {os.path.relpath(chosen.out)}")
    wrong = [x for x in bench.records if x["peer"].startswith("digram") and x.get("differ")]
    if wrong:
        sys.exit(f"digram's answers differ in {len(wrong)} cells, see the last table: a bug")


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Measure every vocabulary that is asked for."""
    who = contenders(chosen.peers, chosen.kernel, chosen.python, chosen.second)
    known = vocabularies(shared() / "vocab", bench.folder)
    for name in chosen.only:
        vocabulary = known[name]
        size = chosen.size if name == MAIN else chosen.size_others
        texts = {text: halves(bench, text, size) for text in chosen.texts}
        group(bench, chosen, who, vocabulary, texts, threads=1)
        able = capable(bench, who, vocabulary)
        if name == MAIN and "process" in chosen.cells:
            for text, form in itertools.product(texts, chosen.forms):
                key = cell(vocabulary, text, "process", form)
                bench.fresh_processes(able, vocabulary, key, texts[text])
                print(line_of(bench.records, key), flush=True)
        if "load" in chosen.cells:
            key = cell(vocabulary, "a line", "load", "list")
            bench.fresh_processes(able, vocabulary, key, None)
            print(line_of(bench.records, key), flush=True)
        if name == MAIN:
            group(bench, chosen, who, vocabulary, texts, threads=2)


def halves(bench: Bench, text: str, size: int) -> Halves:
    """Cut a text."""
    found = write_halves(shared() / "corpus", text, size, bench.folder)
    if found.left_out > TOLD:
        print(f"{text}: {found.left_out:.0%} of the second half were in the first; left out")
    return found


def cell(vocabulary: Vocabulary, text: str, unit: str, form: str, threads: int = 1) -> Record:
    """Name a cell."""
    return {
        "vocabulary": vocabulary.name,
        "text": text,
        "unit": unit,
        "form": form,
        "threads": threads,
    }


def with_reference(who: Sequence[Contender], vocabulary: Vocabulary) -> list[Contender]:
    """Put the reference first, whether it is measured or not; everybody once."""
    known = {each.name: each for each in who}
    name = vocabulary.reference
    first = known.get(name) or replace(who[0], name=name, peer=name)
    return [first, *(each for each in who if each.name != name)]


def capable(bench: Bench, who: Sequence[Contender], vocabulary: Vocabulary) -> list[Contender]:
    """Leave out who cannot load a vocabulary; modules are compiled on the way."""
    able = []
    for each in who:
        try:
            fresh_process(each, vocabulary, "list", [], "a")
        except Failed as reason:  # noqa: PERF203  no tight loop
            bench.skipped[f"{each.name}, {vocabulary.name}"] = str(reason)
        else:
            able.append(each)
    return able


def jobs(chosen: argparse.Namespace) -> Iterator[tuple[str, str, str, Sequence[str]]]:
    """List what one thread does: the kind of cell, unit and form, and the texts."""
    sample = sampled(chosen)
    for form in chosen.forms:
        yield "speed", "text", form, chosen.texts
    for form in chosen.forms:
        for unit in MANY:
            yield "threads", unit, form, sample
        for unit in ("20", "200", "4096"):
            yield "calls", unit, form, sample
    for form in ("count", "offsets"):
        yield form, "text", form, sample
    for form in ("text", "text of array"):
        yield "decode", "text", form, sample


def two_threads(chosen: argparse.Namespace) -> Iterator[tuple[str, str, str, Sequence[str]]]:
    """List what two threads do, and eight that send requests, on all cores."""
    sample = sampled(chosen)
    for unit, form in itertools.product(("text", "documents"), chosen.forms):
        yield "threads", unit, form, sample
    yield "requests", "requests", "list", sample


def sampled(chosen: argparse.Namespace) -> Sequence[str]:
    """Choose texts for what would say the same of all."""
    return [text for text in SAMPLE if text in chosen.texts] or chosen.texts[:1]


def group(
    bench: Bench,
    chosen: argparse.Namespace,
    who: Sequence[Contender],
    vocabulary: Vocabulary,
    texts: Texts,
    *,
    threads: int,
) -> None:
    """Start a worker for everybody, and measure cell after cell."""
    listed = jobs(chosen) if threads == 1 else two_threads(chosen)
    wanted = [job for job in listed if job[0] in chosen.cells]
    if vocabulary.name != MAIN:
        wanted = [job for job in wanted if job[0] == "speed"]
    if not wanted:
        return
    everybody = with_reference(who, vocabulary)
    with workers(everybody, vocabulary, threads, bench.skipped) as started:
        for worker in started:
            bench.versions[worker.contender.name] = worker.started["version"]
        measured = [worker for worker in started if worker.contender in who]
        for kind, unit, form, some in wanted:
            keys = [cell(vocabulary, text, unit, form, threads) for text in some]
            timed(bench, measured, started[0], keys, texts, kind=kind)


def timed(
    bench: Bench,
    who: Sequence[Worker],
    reference: Worker,
    keys: Sequence[Record],
    texts: Texts,
    *,
    kind: str,
) -> None:
    """Measure cells of one kind, and tell each on a line, so that a long run is not mute."""
    if keys[0]["vocabulary"] != MAIN:
        bench.sweep(who, reference, keys, texts)
    for key in keys:
        if key["vocabulary"] == MAIN:
            do = "requests" if kind == "requests" else "passes"
            bench.cell(who, reference, key, texts[key["text"]], do=do, rounds=bench.rounds)
        print(line_of(bench.records, key), flush=True)


if __name__ == "__main__":
    main()
