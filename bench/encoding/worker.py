"""One process that works for one peer, with one vocabulary: what it is told, when it is told.

Requests come as lines of JSON, answers go back the same way. Nothing but `seconds` is timed, and
nothing is read, made, checked or freed while the clock runs.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from encoding.peers import PEERS, Adapter, import_peer
from encoding.texts import MANY, pieces, read_text
from encoding.vocabularies import Vocabulary

REQUESTERS = 8
CPU_TIME = "BENCH_CPU_TIME"  # set by --cpu-time
Clock = time.process_time if os.environ.get(CPU_TIME) else time.perf_counter


class Job:
    """What a worker was started for: a peer, a vocabulary, and how many threads it may use."""

    def __init__(self, described: dict[str, Any]) -> None:
        self.peer = PEERS[described["peer"]]
        self.vocabulary = Vocabulary(**described["vocabulary"])
        self.threads: int = described["threads"]
        if self.threads == 1:
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    def load(self) -> Adapter:
        """Make a new object."""
        return self.peer.load(self.vocabulary)

    def start(self) -> dict[str, Any]:
        """Import and load for the first time; tell how long both took."""
        start = Clock()
        import_peer(self.peer)
        imported = Clock()
        self.loaded = self.kept = self.load()
        loaded = Clock()
        return {"import": imported - start, "load": loaded - imported}


def call(adapter: Adapter, unit: str, form: str, threads: int) -> Callable[[Any], Any] | None:
    """Return what works through a half, or None if the peer has no such call."""
    one = single(adapter, form)
    if unit in MANY:
        many = adapter.lists if form == "list" else adapter.arrays
        if many:
            return lambda given: many(given, threads)
    if one is None:
        return None
    if unit == "text":
        return lambda given: one(given[0])

    def each(given: Sequence[Any]) -> None:
        for piece in given:
            one(piece)

    return each


def single(adapter: Adapter, form: str) -> Callable[[Any], Any] | None:
    """Return a peer's call for one text, or for the ids of one."""
    found: Callable[[Any], Any] | None = {
        "list": adapter.list,
        "array": adapter.array,
        "count": adapter.count,
        "offsets": adapter.offsets,
        "text": adapter.text,
        "text of array": adapter.text_of_array,
    }[form]
    return found


def given(adapter: Adapter, form: str, parts: Sequence[str]) -> list[Any]:
    """Turn texts into what the call takes: they themselves, or their ids."""
    if not form.startswith("text"):
        return list(parts)
    ids = [adapter.list(part) for part in parts]
    if form == "text":
        return ids
    import numpy as np

    return [np.asarray(each, dtype=np.uint32) for each in ids]


def passes(job: Job, request: dict[str, Any]) -> dict[str, Any]:
    """Work through both halves with a new object: fresh, unseen, and again.

    One object may go through many texts: that is `kept`, and `fresh` is its first pass over this
    one. An object of its own for each text is the rule.
    """
    unit, form = request["unit"], request["form"]
    # Decoding remembers nothing.
    adapter = job.kept if request.get("kept") or form.startswith("text") else job.load()
    work = call(adapter, unit, form, job.threads)
    if work is None:
        return {"missing": True}
    first, second = (given(adapter, form, halves) for halves in both(request))
    fresh, unseen = timed(work, first), timed(work, second)
    # The quickest that a warm cache gives: some caches want to see a word twice.
    again = min(timed(work, second) for _ in range(2 if unseen < 1 else 1))
    found = {"fresh": fresh, "unseen": unseen, "again": again}
    return found | {"calls": len(second)}


def both(request: dict[str, Any]) -> list[list[str]]:
    """Read both halves and cut them into pieces."""
    return [pieces(request["unit"], read_text(request[half])) for half in ("first", "second")]


def timed(work: Callable[[Any], Any], half: Any) -> float:
    """Time one pass; what it returns is freed after the clock has stopped."""
    gc.collect()
    start = Clock()
    result = work(half)
    seconds = Clock() - start
    del result
    return seconds


def requests(job: Job, request: dict[str, Any]) -> dict[str, Any]:
    """Send requests of many sizes from eight threads at once; return the time that each took."""
    adapter = job.load()
    first, second = both(request)
    for piece in first:
        adapter.list(piece)
    latencies: list[list[float]] = [[] for _ in range(REQUESTERS)]
    ready = threading.Barrier(REQUESTERS + 1)

    def ask(number: int) -> None:
        ready.wait()
        for piece in second[number::REQUESTERS]:
            start = time.perf_counter()
            adapter.list(piece)
            latencies[number].append(time.perf_counter() - start)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(REQUESTERS)]
    gc.collect()
    for thread in threads:
        thread.start()
    ready.wait()
    start = Clock()
    for thread in threads:
        thread.join()
    seconds = Clock() - start
    sorted_ = sorted(itertools.chain.from_iterable(latencies))
    at = {name: sorted_[int(share * (len(sorted_) - 1))] for name, share in SHARES.items()}
    return {"seconds": seconds, **at, "requests": len(sorted_)}


SHARES = {"p50": 0.5, "p99": 0.99}


def check(job: Job, request: dict[str, Any]) -> dict[str, Any]:
    """Compare the answers for both halves with the reference's, or be the reference."""
    from encoding.compare import Answers, difference

    parts = [part for half in both(request) for part in half]
    found = answers(job, request["form"], request["unit"], parts)
    if found is None:
        return {"missing": True}
    path = Path(request["answers"])
    if request["reference"]:
        Answers.of(found).write(path)
        return {"ids": sum(map(len, found))}
    return difference(request["form"], found, Answers.read(path), parts)


def answers(job: Job, form: str, unit: str, parts: Sequence[str]) -> list[Any] | None:
    """Ask for the answer to each piece, in the very way that will be timed."""
    many = {"list": job.loaded.lists, "array": job.loaded.arrays}.get(form)
    if unit in MANY and many:
        found = many(parts, job.threads)
        return list(found) if form == "list" else list(job.loaded.parted(found))
    one = single(job.loaded, form)
    return None if one is None else [one(part) for part in given(job.loaded, form, parts)]


def fresh(job: Job, request: dict[str, Any]) -> dict[str, Any]:
    """Be a fresh process: import, load, encode one text; tell seconds and memory."""
    text = "".join(read_text(path) for path in request["paths"]) or request["text"]
    gc.collect()
    before = memory()
    started = job.start()
    after = memory()
    encode = job.loaded.array if request["form"] == "array" else job.loaded.list
    if encode is None:
        return {"missing": True}
    first = Clock()
    result = encode(text)
    seconds = Clock()
    end = memory()
    del result
    return started | {
        "encode": seconds - first,
        "process": seconds - first + started["import"] + started["load"],
        "memory": {"bare": before, "loaded": after, "encoded": end},
    }


def memory() -> tuple[int, int]:
    """Return kilobytes in memory, now and at most so far."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="ignore").splitlines()
    fields = dict(line.split(":", 1) for line in lines if line.startswith("Vm"))
    return int(fields["VmRSS"].split()[0]), int(fields["VmHWM"].split()[0])


def release(distribution: str) -> str:
    """Return a version; digram is used where it lies, and need not be installed."""
    if distribution == "digram":
        import digram

        return digram.__version__
    return version(distribution)


def renew(job: Job, _request: dict[str, Any]) -> dict[str, Any]:
    """Put a new object in the place of the one that is kept."""
    job.kept = job.load()
    return {}


REQUESTS = {"renew": renew, "passes": passes, "requests": requests, "check": check}


def main() -> None:
    """Answer requests until there are no more."""
    # Peers may print; the answers go where only this file writes.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    described = json.loads(sys.argv[1])
    job = Job(described)

    def reply(work: Callable[[], dict[str, Any]]) -> None:
        try:
            answer = work()
        except BaseException as error:  # noqa: BLE001  Rust panics are no Exception
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(answer), file=replies, flush=True)

    if "fresh" in described:
        reply(lambda: fresh(job, described["fresh"]))
        return
    reply(lambda: job.start() | {"version": release(job.peer.distribution)})
    for line in sys.stdin:
        request = json.loads(line)
        reply(lambda: REQUESTS[request["do"]](job, request))  # noqa: B023  done at once


if __name__ == "__main__":
    main()
