"""Where memory is not to be had, a call raises `MemoryError`, and everything goes on."""

import subprocess
import sys

import pytest

# Each call is made with so many bytes more than there are, and then with all: what came of it. (A
# process that ends tells nothing.)
LIMITED = """
import resource, sys
import digram, digram.components

def bytes_in_use():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

line = "The quick brown fox, Съешь же ещё, jumps over 中文字符 the lazy dog. "
tok = digram.train([line * 3], num_merges=40)
spaced = tok.with_(normalizer=digram.components.NFC())
text = line * 20_000
texts = [text[at : at + 3_000] for at in range(0, len(text), 3_000)]
ids = tok.encode_array(text)
rows = [ids[at : at + 1_000] for at in range(0, len(ids), 1_000)]
calls = {
    "encode": lambda: tok.encode(text),
    "encode_array": lambda: tok.encode_array(text).tolist(),
    "normalized": lambda: spaced.encode(text),
    "special tokens": lambda: tok.encode(text, special="token"),
    "one word": lambda: tok.encode("ab" * 700_000),
    "count": lambda: tok.count(text),
    "encode_batch": lambda: tok.encode_batch(texts),
    "encode_ragged": lambda: tok.encode_ragged(texts).ids.tolist(),
    "offsets": lambda: tok.encode_with_offsets(text)[1].tolist(),
    "decode": lambda: tok.decode(ids),
    "decode_batch": lambda: tok.decode_batch(rows),
    "list": lambda: tok.decode(ids.tolist()),
    "other ints": lambda: tok.decode(ids.astype("int64")),
    "feed": lambda: tok.decoder().feed(ids),
    "inputs": lambda: tok(text),
    "tokenize": lambda: tok.tokenize(text),
    "words": lambda: tok.words(text),
    "explain": lambda: len(tok.explain(text[: len(text) // 8]).words),
}
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
for name, call in calls.items():
    found = []
    for more in map(int, sys.argv[1].split(",")):
        resource.setrlimit(resource.RLIMIT_AS, (bytes_in_use() + more * 1_000_000, hard))
        try:
            found.append(call())
        except MemoryError:
            found.append(None)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    expected = call()
    told = ("none" if each is None else "same" if each == expected else "differs" for each in found)
    print(name, *told, sep=",", flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere limits do not hold")
def test_what_does_not_fit_into_memory_is_an_error_and_ends_nothing():
    pytest.importorskip("numpy")
    command = [sys.executable, "-c", LIMITED, "4,28,50,2000"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout, done.stderr[-500:])
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert len(rows) == 18
    for name, *told, enough in rows:
        assert enough == "same", name
        assert {*told} <= {"same", "none"}, (name, told)
    assert rows[0][:2] == ["encode", "none"], "its ids alone need more"
