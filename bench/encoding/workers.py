"""The driver's side of workers: starting them, asking them, and outliving their failures."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from encoding.peers import PEERS
from encoding.vocabularies import Vocabulary

BENCH = Path(__file__).resolve().parents[1]
PATIENCE = 180  # seconds for one answer; then the worker is stopped and named
COMPILED = tempfile.TemporaryDirectory()
Reply = dict[str, Any]


class Failed(Exception):  # noqa: N818  said of the peer, who fails
    """A peer cannot be had, or does not answer."""


@dataclass(frozen=True)
class Contender:
    """Who is measured: a peer, in one of the environments, with a kernel forced or not."""

    name: str
    peer: str
    python: str
    kernel: str | None = None

    @property
    def ours(self) -> bool:
        """Whether it is digram, with whatever kernel."""
        return self.peer == "digram"

    def environment(self, threads: int) -> dict[str, str]:
        """Set all that decides how many threads anyone uses, before anything is imported."""
        kept = {k: v for k, v in os.environ.items() if k not in DROPPED}
        forced = {"DIGRAM_KERNEL": self.kernel} if self.kernel else {}
        return (
            kept
            | forced
            | {
                "PYTHONPYCACHEPREFIX": COMPILED.name,
                "RAYON_NUM_THREADS": str(threads),
                "OMP_NUM_THREADS": str(threads),
                "TOKENIZERS_PARALLELISM": "false" if threads == 1 else "true",
                "TIKTOKEN_CACHE_DIR": "",  # read the file given, and copy it nowhere
                "HF_HUB_OFFLINE": "1",
            }
        )

    def command(self, vocabulary: Vocabulary, threads: int, **more: Any) -> list[str]:
        """Say how its worker is started."""
        job = {"peer": self.peer, "vocabulary": asdict(vocabulary), "threads": threads, **more}
        return [self.python, "-m", "encoding.worker", json.dumps(job)]


DROPPED = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "DIGRAM_KERNEL")


def contenders(
    names: Sequence[str], kernels: Sequence[str], python: str, second: str | None
) -> list[Contender]:
    """List who is measured; digram comes first, then digram with each kernel."""
    found = [Contender("digram", "digram", python)]
    found += [Contender(f"digram ({kernel})", "digram", python, kernel) for kernel in kernels]
    for name in names or PEERS:
        if name not in PEERS:
            sys.exit(f"there is no peer {name!r}; there are {', '.join(PEERS)}")
        where = second if PEERS[name].own_environment else python
        if name != "digram" and where:
            found.append(Contender(name, name, where))
        elif name != "digram":
            print(f"skipped {name}: its own environment is not there (--second PYTHON)")
    return found


class Worker:
    """One process that works for one contender."""

    def __init__(self, contender: Contender, vocabulary: Vocabulary, threads: int) -> None:
        self.contender = contender
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  closed with this object
        self.process = subprocess.Popen(
            contender.command(vocabulary, threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            cwd=BENCH,
            env=contender.environment(threads),
        )
        self.started = self.answer()

    def ask(self, **request: Any) -> Reply:
        """Ask for work, wait for the answer."""
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise Failed(self.last_words()) from None
        return self.answer()

    def answer(self) -> Reply:
        """Wait for an answer, but not for ever."""
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready and self.process.stdout else ""
        if not line:
            self.stop()
            raise Failed(f"no answer in {PATIENCE} s" if not ready else self.last_words())
        reply: Reply = json.loads(line)
        if "error" in reply:
            raise Failed(reply["error"])
        return reply

    def last_words(self) -> str:
        """Read what a process wrote before it died."""
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").strip().splitlines()
        return f"its process ended: {lines[-1][:150] if lines else self.process.poll()}"

    def stop(self) -> None:
        """End this process."""
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def workers(
    who: Sequence[Contender], vocabulary: Vocabulary, threads: int, skipped: dict[str, str]
) -> Iterator[list[Worker]]:
    """Start a worker for each who can load the vocabulary; note why others cannot."""
    started = []
    for contender in who:
        try:
            started.append(Worker(contender, vocabulary, threads))
        except Failed as reason:  # noqa: PERF203  starting a process is no tight loop
            skipped[f"{contender.name}, {vocabulary.name}"] = str(reason)
            print(f"skipped {contender.name} for {vocabulary.name}: {reason}", flush=True)
    try:
        yield started
    finally:
        for worker in started:
            worker.stop()


def fresh_process(
    contender: Contender, vocabulary: Vocabulary, form: str, paths: Sequence[Path], text: str = ""
) -> Reply:
    """Start a process that imports, loads, encodes once, and ends."""
    fresh = {"form": form, "paths": [str(path) for path in paths], "text": text}
    try:
        done = subprocess.run(
            contender.command(vocabulary, 1, fresh=fresh),
            capture_output=True,
            text=True,
            cwd=BENCH,
            env=contender.environment(1),
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"no answer in {PATIENCE} s") from None
    if not done.stdout.strip():
        raise Failed(f"its process ended: {done.stderr.strip().splitlines()[-1:] or ''}")
    reply: Reply = json.loads(done.stdout)
    if "error" in reply:
        raise Failed(reply["error"])
    return reply
