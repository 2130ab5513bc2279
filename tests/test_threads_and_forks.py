"""One tokenizer in many threads, and in children forked while they run."""

import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

import digram

THREADS = 8

# Waits for a child: whether it ended by itself, and whether it was content.
WAIT = """
import os, time

def wait(pid, seconds):
    for _ in range(100 * seconds):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return True, status == 0
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    print("the child hangs", flush=True)
    return False, False
"""

# Run in a program of its own: newer Pythons warn of any fork beside threads.
FORK = """
import os, sys, threading, time, digram
texts = [f"the cat number {number} sat on mat {number % 7}\\n" * 20 for number in range(400)]
tok = digram.train(texts, num_merges=200)
expected = tok.encode_batch(texts)
stop = threading.Event()

def work():
    while not stop.is_set():
        tok.encode_batch(texts)
        tok.encode(texts[0] * 50)

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()

def child():
    assert tok.encode_batch(texts) == expected
    assert tok.encode_batch(texts, threads=3) == expected
    assert tok.decode_batch(expected) == texts
    again = digram.train(texts, num_merges=200)
    assert again == tok, "trained otherwise"

failed = 0
for _ in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException as error:
            print("in the child:", repr(error)[:500], flush=True)
            os._exit(1)
        os._exit(0)
    ended, good = wait(pid, 30)
    failed += not good
    if not ended:
        break
stop.set()
for thread in threads:
    thread.join()
assert tok.encode_batch(texts) == expected
print("failed:", failed)
"""

# What a vocabulary tells of its tokens is made by the first call that needs it, here as it forks.
FIRST = """
import base64, os, sys, threading, time, digram
tokens = [bytes([byte]) for byte in range(256)] + [b"token %d" % n for n in range(200_000)]
lines = [base64.b64encode(token) + b" %d" % rank for rank, token in enumerate(tokens)]
data, ids, failed = b"\\n".join(lines), [97, 300] * 20_000, 0
for attempt in range(int(sys.argv[1])):
    tok = digram.load(data, format="tiktoken", pattern=r"\\S+", special_tokens=[])
    thread = threading.Thread(target=tok.decode, args=(ids,))
    thread.start()
    time.sleep(attempt % 8 / 2000)
    pid = os.fork()
    if pid == 0:
        good = len(tok.decode(ids)) == 180_000 and len(tok.encode_with_offsets("aé")[0]) == 3
        os._exit(0 if good else 1)
    failed += not wait(pid, 10)[1]
    thread.join()
print("failed:", failed)
"""

# The text is as long before and after, and not as wide. (A `str` that is wider than its kind says
# ends the process.)
WRITTEN = """
import sys, threading, time, numpy as np, digram
tok = digram.train(["words"], vocab_size=258)
narrow, wide = ([tok.token_id(bytes([byte])) for byte in text] for text in (b"ab", b"\\xc3\\xa9"))
ids = np.array((narrow[:1] + wide) * 20_000, dtype=np.uint32)
ids[: len(ids) // 2] = narrow[0]
narrow_ids, wide_ids = np.full_like(ids, narrow[0]), ids.copy()
stop = threading.Event()

def write():
    while not stop.is_set():
        ids[:] = narrow_ids
        ids[-3:] = [narrow[0], *wide]
        ids[:] = wide_ids

thread = threading.Thread(target=write)
thread.start()
end = time.monotonic() + float(sys.argv[1])
calls = odd = 0
while time.monotonic() < end:
    text = tok.decode(ids)
    again = "".join(map(chr, map(ord, text)))
    odd += text != again or hash(text) != hash(again) or text.isascii() != again.isascii()
    calls += 1
stop.set()
thread.join()
print("odd:", odd, "calls:", calls)
"""

# Nobody may have more threads than there are. Root may, so it becomes somebody else, who need not
# be able to read the modules.
ALONE = """
import base64, os, resource, sys, tempfile, threading, digram
from random import Random

text = " ".join(map(str, Random(5).choices(range(70_000), k=400_000)))
letters = [bytes([65 + n // 64, 65 + n % 64, 65 + m]) for n in range(4096) for m in range(3)]
tokens = [bytes([byte]) for byte in range(256)] + letters
lines = b"\\n".join(base64.b64encode(token) + b" %d" % rank for rank, token in enumerate(tokens))
file = tempfile.NamedTemporaryFile("w")
file.write(10 * text)
file.flush()
os.chmod(file.name, 0o644)

def work():
    tok = digram.train([text[:100_000]], num_merges=50)
    by_rank = digram.load(lines, format="tiktoken", pattern=r"\\S+", special_tokens=[])
    ids = tok.encode(text)
    return [
        ids,
        tok.encode("1" * 1_000_000),
        tok.count(text),
        tok.encode_batch([text[at : at + 3000] for at in range(0, len(text), 3000)]),
        tok.encode_batch([text, text]),
        tok.decode_batch([ids] * 50),
        digram.train([text] * 3, num_merges=50).fingerprint,
        digram.train(file.name, num_merges=50, threads=int(sys.argv[1])).fingerprint,
        by_rank.encode("ABCDEF"),
    ]

before = work()
if os.geteuid() == 0:
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
try:
    threading.Thread(target=lambda: None).start()
except RuntimeError:
    print("same" if work() == before else "differs")
else:
    print("has more")
"""


def run(program, argument):
    """Run a program of its own, and return what it prints."""
    command = [sys.executable, "-W", "ignore", "-c", program, argument]
    return subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, timeout=200
    ).stdout


@pytest.fixture(scope="module")
def tok():
    return digram.train(
        ["the cat sat on the mat, the dog did not"], num_merges=30, special_tokens=["<s>"]
    )


def test_one_tokenizer_serves_many_threads_at_once(tok):
    rng = random.Random(8)
    texts = ["".join(rng.choices("the cat<s> 漢字\n'", k=rng.randint(0, 200))) for _ in range(300)]
    expected = [tok.encode(text, special="token") for text in texts]

    def work(seed):
        order = random.Random(seed).sample(range(len(texts)), len(texts))
        for at in order:
            assert tok.encode(texts[at], special="token") == expected[at]
            assert tok.count(texts[at], special="token") == len(expected[at])
            assert tok.decode(expected[at]) == texts[at]
        assert tok.encode_batch(texts, special="token", threads=2) == expected
        return True

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(work, range(THREADS * 3)))


def test_training_in_many_threads_at_once_gives_one_tokenizer():
    texts = [f"the cat number {number} sat" for number in range(300)]
    with ThreadPoolExecutor(THREADS) as pool:
        trained = list(pool.map(lambda _: digram.train(texts, num_merges=40), range(THREADS)))
    assert len({each.fingerprint for each in trained}) == 1


def test_a_stream_decoder_belongs_to_one_thread_and_many_may_run_at_once(tok):
    ids = tok.encode("the cat 漢字 sat")

    def write(_):
        decoder = tok.decoder()
        return "".join(map(decoder.feed, ids)) + decoder.finish()

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(write, range(200))) == {"the cat 漢字 sat"}


def longest_wait(tok, texts):
    """Encode beside a thread that never rests: its longest wait, and how long encoding took."""
    stop, ticks = threading.Event(), []

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())

    beside = threading.Thread(target=tick)
    beside.start()
    start = time.perf_counter()
    lists = tok.encode_batch(texts, threads=1)
    took = time.perf_counter() - start
    stop.set()
    beside.join()
    del lists  # which takes as long as many a call
    return max(after - before for before, after in pairwise(ticks)), took


def test_python_goes_on_while_a_batch_is_encoded(tok):
    """Were the interpreter's lock held, the other thread would wait for as long as it takes."""
    texts = ["the cat sat on the mat " * 2000] * 200
    waits = (longest_wait(tok, texts) for _ in range(10))
    assert any(wait < took / 3 for wait, took in waits)


def test_where_no_more_threads_are_to_be_had_one_does_all():
    pytest.importorskip("resource")
    told = run(ALONE, "3")
    if told == "has more\n":
        pytest.skip("this system does not limit threads so")
    assert told == "same\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_forked_while_threads_encode_can_encode_and_train():
    assert run(WAIT + FORK, "15") == "failed: 0\n"


WORKER = """
import multiprocessing, sys, digram

def work(text):
    return TOK.encode_batch([text] * 5), digram.train([text], num_merges=5).fingerprint

TOK = digram.train(["the cat sat on the mat"] * 10, num_merges=10)
if __name__ == "__main__":
    texts = ["the cat", "sat on", "the mat"] * 5
    TOK.encode_batch(texts)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map(work, texts) == list(map(work, texts))
    print("same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_forked_in_a_first_call_can_decode():
    assert run(WAIT + FIRST, "12") == "failed: 0\n"


def test_ids_that_are_written_to_while_they_are_decoded_are_one_text_or_another():
    pytest.importorskip("numpy")
    told = run(WRITTEN, "3")
    assert told.startswith("odd: 0 calls: ")
    assert int(told.split()[-1]) > 10


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_pools_of_processes_encode_and_train(how, tmp_path):
    if how == "fork" and not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    program = tmp_path / "work.py"
    program.write_text(WORKER, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program), how],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=200,
    )
    assert done.stdout == "same\n"
