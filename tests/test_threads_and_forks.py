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
    for _ in range(3000):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            failed += status != 0
            break
        time.sleep(0.01)
    else:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        print("the child hangs", flush=True)
        failed += 1
        break
stop.set()
for thread in threads:
    thread.join()
assert tok.encode_batch(texts) == expected
print("failed:", failed)
"""


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
    tok.encode_batch(texts, threads=1)
    took = time.perf_counter() - start
    stop.set()
    beside.join()
    return max(after - before for before, after in pairwise(ticks)), took


def test_python_goes_on_while_a_batch_is_encoded(tok):
    """Were the interpreter's lock held, the other thread would wait for as long as it takes."""
    texts = ["the cat sat on the mat " * 2000] * 200
    waits = (longest_wait(tok, texts) for _ in range(10))
    assert any(wait < took / 3 for wait, took in waits)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_forked_while_threads_encode_can_encode_and_train():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, "15"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=200,
    )
    assert done.stdout == "failed: 0\n"


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
