"""The cells: what is compared, then timed, contender after contender, round after round."""

from __future__ import annotations

import datetime as dt
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from encoding.texts import Halves
from encoding.vocabularies import Vocabulary
from encoding.workers import Contender, Failed, Reply, Worker, fresh_process

# Where all cores are wanted: threads of the one before may spin on one of them for a while.
SETTLE = 0.2
NEAR = 1.5  # who is at most so many times slower than the quickest gets all rounds
LINE = "Hello, world: 12345 lines!"
Record = dict[str, Any]
Texts = dict[str, Halves]


def timed(reply: Reply) -> float:
    """Return the one number that tells who is far behind."""
    seconds: float = reply.get("unseen") or reply.get("process") or reply.get("seconds") or 0
    return seconds


def asked(key: Record, halves: Halves) -> Record:
    """Say which halves are worked through, and how."""
    paths = {"first": str(halves.first), "second": str(halves.second)}
    return {"unit": key["unit"], "form": key["form"], **paths}


@dataclass
class Bench:
    """Everything measured so far, and how patiently."""

    folder: Path
    rounds: int
    budget: float  # seconds for one contender in one cell
    records: list[Record] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def cell(
        self,
        who: Sequence[Worker],
        reference: Worker,
        key: Record,
        halves: Halves,
        *,
        do: str,
        rounds: int,
    ) -> None:
        """Compare the answers of all for one text, then time them in turn."""
        request = asked(key, halves)
        compared = self.compare(who, reference, request)
        able = [worker for worker in who if worker.contender.name in compared]
        found = self.in_turn(
            {worker.contender: lambda w=worker: w.ask(do=do, **request) for worker in able},
            key,
            rounds,
        )
        for name, replies in found.items():
            self.add(key, name, replies, compared[name], halves)

    def sweep(
        self, who: Sequence[Worker], reference: Worker, keys: Sequence[Record], texts: Texts
    ) -> None:
        """Time a new object each round, which goes through all the texts."""
        requests = [asked(key, texts[key["text"]]) for key in keys]
        compared = [self.compare(who, reference, request) for request in requests]
        found: dict[tuple[int, str], list[Reply]] = {}
        for _ in range(self.rounds):
            for worker in who:
                self.tried(worker, {"do": "renew"})
            for (number, request), worker in itertools.product(enumerate(requests), who):
                name = worker.contender.name
                if name in compared[number]:
                    reply = self.tried(worker, {**request, "do": "passes", "kept": True})
                    found.setdefault((number, name), []).extend(reply)
        found = {place: replies for place, replies in found.items() if replies}
        for (number, name), replies in found.items():
            key = keys[number]
            self.add(key, name, replies, compared[number][name], texts[key["text"]])

    def tried(self, worker: Worker, request: Record) -> list[Reply]:
        """Ask; if that fails, note it and answer nothing."""
        try:
            return [worker.ask(**request)]
        except Failed as reason:
            self.skip(worker.contender, str(request), reason)
            return []

    def compare(
        self, who: Sequence[Worker], reference: Worker, request: Record
    ) -> dict[str, Record]:
        """Ask who gives the reference's answers; who cannot be asked is left out."""
        path = str(self.folder / "answers.npz")
        asked = {**request, "do": "check", "answers": path}
        reference.ask(**{**asked, "form": "list", "reference": True})
        compared = {}
        for worker in who:
            for reply in self.tried(worker, {**asked, "reference": False}):
                if "missing" not in reply:
                    compared[worker.contender.name] = reply
        return compared

    def in_turn(
        self, work: dict[Contender, Callable[[], Reply]], key: Record, rounds: int
    ) -> dict[str, list[Reply]]:
        """Ask each once a round, A B C A B C; who is far behind is asked less often."""
        found: dict[str, list[Reply]] = {who.name: [] for who in work}
        spent = dict.fromkeys(found, 0.0)
        failed = set()
        for number in range(rounds):
            speeds = {
                name: median(map(timed, replies)) for name, replies in found.items() if replies
            }
            for who, ask in work.items():
                behind = number and speeds.get(who.name, 0) > NEAR * min(speeds.values())
                if who in failed or (behind and spent[who.name] > self.budget):
                    continue
                if key.get("threads", 1) > 1:
                    time.sleep(SETTLE)
                start = time.perf_counter()
                try:
                    reply = ask()
                except Failed as reason:
                    self.skip(who, str(key), reason)
                    failed.add(who)
                    continue
                spent[who.name] += time.perf_counter() - start
                if "missing" in reply:
                    failed.add(who)
                else:
                    found[who.name].append(reply)
        return {name: replies for name, replies in found.items() if replies}

    def skip(self, who: Contender, what: str, reason: Failed) -> None:
        """Note that somebody failed."""
        self.skipped[f"{who.name}: {what}"] = str(reason)
        print(f"{who.name} fails at {what}: {reason}", flush=True)

    def add(
        self, key: Record, name: str, replies: list[Reply], compared: Record, halves: Halves | None
    ) -> None:
        """Keep one contender's rounds in one cell."""
        sizes = {"bytes": list(halves.sizes)} if halves else {}
        day = dt.datetime.now(tz=dt.timezone.utc).isoformat(timespec="seconds")
        self.records.append(
            {**key, "peer": name, **sizes, **compared, "rounds": replies, "at": day}
        )

    def fresh_processes(
        self, who: Sequence[Contender], vocabulary: Vocabulary, key: Record, halves: Halves | None
    ) -> None:
        """Start new processes in turn, to encode a text or but a line."""
        paths = [halves.first, halves.second] if halves else []
        wrong = {
            (record["peer"], record["text"], record["form"]): record["differ"]
            for record in self.records
            if record.get("vocabulary") == vocabulary.name and record.get("unit") == "text"
        }
        found = self.in_turn(
            {
                each: lambda each=each: fresh_process(
                    each, vocabulary, key["form"], paths, "" if paths else LINE
                )
                for each in who
            },
            key,
            self.rounds,
        )
        for name, replies in found.items():
            compared = {"differ": wrong.get((name, key["text"], key["form"]), 0)}
            self.add(key, name, replies, compared, halves)
