"""How soon Ctrl-C ends training and encoding: from the signal to `KeyboardInterrupt`."""

from __future__ import annotations

import random
import signal
import statistics
import subprocess
import sys
import time

from measure import corpus, shared, write

import digram

MOMENTS = 20
WORK = ("train", "train, learning", "count", "encode_batch", "encode", "decode", "load")


def be_interrupted(work: str) -> None:
    """Work until the signal comes, then tell when it was noticed."""
    english = corpus("english_prose.txt")
    tok = digram.train([english[:500_000]], vocab_size=4000)
    ids = tok.encode(english[:3_000_000])
    # One word of many symbols, and merges without end: learning, not counting.
    word = {"".join(random.Random(2).choices("abcdefgh", k=3_000_000)): 1}
    texts = [english] * 8
    path = shared() / "vocab" / "llama3" / "tokenizer.json"
    runs = {
        "train": lambda: digram.train(texts, vocab_size=200_000),
        "train, learning": lambda: digram.train(word, min_frequency=0),
        "count": lambda: digram.count(texts, pattern=r"(?<!q)\w+|\W"),
        "encode_batch": lambda: tok.encode_batch(texts),
        "encode": lambda: tok.encode(english),
        "decode": lambda: tok.decode(ids),
        "load": lambda: digram.load(path),
    }
    print("ready", flush=True)
    try:
        while True:
            runs[work]()
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    # What it was about to do is still done rightly.
    if tok.decode(tok.encode("the cat")) != "the cat":
        sys.exit("the tokenizer is broken")


def latency(work: str, rng: random.Random) -> float:
    """Interrupt a process at a random moment; return the milliseconds it took to notice."""
    command = [sys.executable, __file__, work]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    if process.stdout is None or process.stdout.readline() != "ready\n":
        sys.exit(f"{work}: the process did not start")
    time.sleep(rng.uniform(0.01, 1.2))
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=60)
    if process.returncode != 0:
        sys.exit(f"{work}: the process ended with {process.returncode}")
    return (float(told) - sent) * 1000


def main() -> None:
    """Measure, and write the results."""
    rng = random.Random(7)
    rows, raw = [], []
    for work in WORK:
        found = [latency(work, rng) for _ in range(MOMENTS)]
        rows.append([work, MOMENTS, f"{statistics.median(found):.0f} ms", f"{max(found):.0f} ms"])
        raw.append([work, found])
        print(rows[-1], flush=True)
    write(
        "interrupts",
        "Ctrl-C, from the signal to KeyboardInterrupt",
        ("work", "moments", "median", "longest"),
        rows,
        peers=[],
        notes=f"A process is interrupted at {MOMENTS} random moments of its work on English prose.",
        raw=raw,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        be_interrupted(sys.argv[1])
    else:
        main()
