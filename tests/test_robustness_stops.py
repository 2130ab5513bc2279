"""Stopped by force at any moment: files stay whole, and a tokenizer stays usable."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

import digram

PATIENCE = 60  # seconds for a program that starts, works and ends in about one

SAVE_FOREVER = """
import sys, digram
one = digram.train(["the cat sat on the mat " * 50], vocab_size=1200)
two = digram.train([open(digram.__file__).read()], vocab_size=1500, special_tokens=["<|end|>"])
print("ready", flush=True)
while True:
    one.save(sys.argv[1])
    two.save(sys.argv[1])
"""

# Each works far longer than the test waits, then shows that the tokenizer still works.
INTERRUPTED = """
import random, string, sys, threading, digram
rng = random.Random(5)
tok = digram.train(["the cat sat on the mat"], num_merges=20)
word = lambda: "".join(rng.choices(string.ascii_letters, k=rng.randint(3, 12)))
corpus = [" ".join(word() for _ in range(100_000))] * 40
from digram.components import StripAccents
small = tok.with_(normalizer=StripAccents())
tok.encode_array("NumPy is imported")
work = {
    "train": lambda: digram.train(corpus),
    "count": lambda: digram.count(corpus, pattern=r"(?<!q)\\w+|\\W"),
    "encode_batch": lambda: [tok.encode_batch(corpus) for _ in range(1000)],
    "encode": lambda: tok.encode("".join(corpus) * 5),
    "decode": lambda: [tok.decode(list(range(256)) * 20_000) for _ in range(1000)],
    "feed": lambda: [tok.decoder().feed(list(range(256)) * 20_000) for _ in range(1000)],
    "tokenize": lambda: tok.tokenize("".join(corpus)),
    "words": lambda: tok.words("".join(corpus)),
    "explain": lambda: tok.explain("".join(corpus)),
    "explain a word": lambda: tok.explain(word() * 8_000_000),
    "offsets": lambda: tok.encode_with_offsets("".join(corpus) * 20),
    "offsets of many": lambda: [tok(corpus, offsets=True) for _ in range(1000)],
    "offsets through changes": lambda: small.encode_with_offsets("".join(corpus) * 20),
}[sys.argv[1]]
print("ready", flush=True)
try:
    work()
    print("it was not interrupted")
except KeyboardInterrupt:
    assert tok.decode(tok.encode("the cat")) == "the cat"
    assert tok.encode_batch(["the cat"] * 100) == [tok.encode("the cat")] * 100
    digram.train(["the cat sat"], num_merges=3)
    print("interrupted, and usable")
"""

# All that calls these is C code, which runs no handler: so the second has a signal pending.
PENDING = """
import _thread, operator, functools, digram
tok = digram.train(["abc"], vocab_size=256)
calls = [_thread.interrupt_main, functools.partial(tok.encode_array, "abc")]
try:
    list(map(operator.methodcaller("__call__"), calls))
    print("it was not interrupted")
except KeyboardInterrupt:
    print(*tok.encode_array("abc"))
"""

RAISING = """
import digram
class Stop(Exception): pass
def stop(stage, done, total): raise Stop(stage)
try:
    digram.train(["the cat sat on the mat"] * 1000, progress=stop)
except Stop as error:
    print("stopped in", error)
"""


def start(code, *arguments):
    """Start a program and wait until it says that it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of POSIX")
def test_a_program_killed_while_saving_never_leaves_a_broken_file(tmp_path):
    path = tmp_path / "tokenizer.json"
    rng = random.Random(11)
    sizes = set()
    for _ in range(12):
        process = start(SAVE_FOREVER, path)
        while not path.exists():
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.05))
        process.kill()
        process.communicate(timeout=PATIENCE)
        sizes.add(digram.load(path).vocab_size)
    assert len(sizes) <= 2
    assert all(size > 256 for size in sizes)


@pytest.mark.skipif(sys.platform == "win32", reason="a signal cannot be sent to one process")
@pytest.mark.parametrize(
    "work",
    [
        *("train", "count", "encode_batch", "encode", "decode", "feed"),
        *("tokenize", "words", "explain", "explain a word"),
        *("offsets", "offsets of many", "offsets through changes"),
    ],
)
def test_ctrl_c_ends_the_work_and_everything_stays_usable(work):
    process = start(INTERRUPTED, work)
    time.sleep(0.3)  # into the work, wherever that is
    process.send_signal(signal.SIGINT)
    written, _ = process.communicate(timeout=PATIENCE)
    assert (written, process.returncode) == ("interrupted, and usable\n", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such timers")
def test_a_signal_is_heard_where_a_lone_surrogate_ends_the_call():
    class HeardError(Exception):
        pass

    def hear(_number, _frame):
        raise HeardError

    def encode_often():
        for _ in range(1000):
            with suppress(UnicodeEncodeError):
                tok.encode_batch(texts)

    tok = digram.train(["the cat sat on the mat"], num_merges=20)
    texts = ["the cat sat on the mat " * 20_000, "\ud800"]
    before = signal.signal(signal.SIGALRM, hear)
    try:
        for milliseconds in range(1, 21):
            signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
            with pytest.raises(HeardError):
                encode_often()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_ctrl_c_in_the_first_call_for_an_array_is_one():
    """NumPy is imported there; it was a panic."""
    done = subprocess.run(
        [sys.executable, "-c", PENDING], capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("64 65 66\n", "")


def test_an_error_in_progress_ends_training_and_comes_back():
    done = subprocess.run(
        [sys.executable, "-c", RAISING], stdout=subprocess.PIPE, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("stopped in ")


def test_progress_never_goes_back_and_ends_at_its_total():
    told = []
    digram.train(["the cat sat on the mat"] * 1000, progress=lambda *each: told.append(each))
    for stage in dict.fromkeys(stage for stage, _, _ in told):
        steps = [done for each, done, _ in told if each == stage]
        assert steps == sorted(steps)
        assert all(done <= total for each, done, total in told if each == stage and total)


WAITING = """
import os, sys, digram
ways = {
    "no writer": lambda path: None,
    "a silent writer": lambda path: os.open(path, os.O_RDWR),
}
path, way = sys.argv[1:]
held = ways[way](path)
digram.train(["all that it takes is imported"], num_merges=1)
print("ready", flush=True)
try:
    digram.train(path, vocab_size=300)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize("way", ["no writer", "a silent writer"])
def test_ctrl_c_ends_waiting_for_a_pipe(way, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = start(WAITING, pipe, way)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    written, _ = process.communicate(timeout=PATIENCE)
    assert (written, process.returncode) == ("interrupted\n", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_read_as_a_file_is(tmp_path):
    text = "low lower lowest é\n" * 40_000
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(text, encoding="utf-8"))
    writer.start()
    trained = digram.train(pipe, vocab_size=300)
    writer.join()
    assert trained == digram.train([text], vocab_size=300)
