"""Counting in bounded memory: the same words, and nothing left of what went to files."""

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest

import digram

MIB = 1 << 20
SPECIAL = "<|end|>"


def corpus_text():
    """Make words of all lengths, more than a small budget holds, some of them again and again."""
    rng = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyzé漢"
    words = ["".join(rng.choices(letters, k=1 + n % 23)) for n in range(60_000)]
    seen = [*words, *rng.choices(words[:900], k=60_000)]
    rng.shuffle(seen)
    ends = [" ", " ", " ", " ", "\n", "\n\n", f"{SPECIAL}", "  \n"]
    return "".join(word + rng.choice(ends) for word in seen)


@pytest.fixture(scope="module")
def text():
    return corpus_text()


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """Give a folder for temporary files, where nothing may be left."""
    folder = tmp_path / "spilled"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def counted(text, pattern, threads, part, memory):
    split = digram.count([], pattern=pattern)._split
    counter = digram._core.Counter(split, None, [SPECIAL], threads, part, memory)
    counter.add([text[: len(text) // 2], "a b", text[len(text) // 2 :]], 0, None)
    return counter


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("pattern", ["gpt2", "o200k", r"\p{L}+|\s"])
def test_what_went_to_files_cannot_be_observed(text, pattern):
    expected = counted(text, pattern, 1, None, None).finish().items()
    for threads in (1, 2, 3, 7):
        for part in (5_000, None):
            for memory in (MIB, 3 * MIB):
                counter = counted(text, pattern, threads, part, threads * memory)
                if threads <= 2 and memory == MIB:
                    assert counter.spilled() > MIB
                assert counter.finish().items() == expected, (threads, part, memory)


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("documents", ["file", "line"])
def test_one_tokenizer_comes_of_a_file_whatever_the_memory(tmp_path, text, documents):
    """The file has several windows; a word, a special token or a line crosses none of them."""
    path = tmp_path / "corpus.txt"
    path.write_text(text * 8, "utf-8", newline="")
    options = {"num_merges": 200, "ties": "first-seen", "special_tokens": [SPECIAL]}
    saved = set()
    for threads, memory in ((1, None), (1, "1MiB"), (2, "2MiB"), (3, 3 * MIB), (2, "1GB")):
        corpus = digram.corpus(path, documents=documents)
        tok = digram.train(corpus, threads=threads, max_memory=memory, **options)
        saved.add((tok.fingerprint, tuple(tok.training.frequencies)))
    assert len(saved) == 1
    if documents == "file":
        whole = digram.train([text * 8], **options)
        assert {(whole.fingerprint, tuple(whole.training.frequencies))} == saved


@pytest.mark.filterwarnings("ignore:words are")
@pytest.mark.parametrize("pattern", ["gpt2", "o200k", "whitespace", r"\w+|\W"])
@pytest.mark.parametrize("text", ["漢字 ", "a\n\n b ", "word<|end|>word  \n", "é", "1234 \n"])
def test_windows_of_a_file_cannot_be_observed(tmp_path, pattern, text):
    """Texts with and without places where a word begins for certain, larger than two windows."""
    path = tmp_path / "corpus.txt"
    whole = (text * 1000 + "x y") * (9 * MIB // (len(text.encode()) * 1000))
    path.write_text(whole, "utf-8", newline="")
    options = {"pattern": pattern, "special_tokens": [SPECIAL], "threads": 2}
    from_file = digram.count(path, **options)
    assert list(from_file.items()) == list(digram.count([whole], **options).items())


def test_bytes_that_are_no_text_are_named_in_any_window(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"a word " * (3 * MIB) + b"\xff" + b" and more")
    with pytest.raises(ValueError, match=f"byte {21 * MIB} is 0xFF, which is not UTF-8"):
        digram.count(path)
    path.write_bytes(b"a word " * (3 * MIB) + b"\xc3")
    with pytest.raises(ValueError, match=f"byte {21 * MIB} is 0xC3, which is not UTF-8"):
        digram.count(path)


@pytest.mark.parametrize(
    ("memory", "error", "message"),
    [
        (2 * MIB - 1, ValueError, r"2097151 bytes, .* 2 threads needs 2097152 at least"),
        ("1MB", ValueError, "max_memory is 1000000 bytes"),
        ("much", ValueError, "max_memory is 'much'; give a number of bytes"),
        (-1, ValueError, "max_memory is -1"),
        (1.5, TypeError, "must be an int or a str, not float"),
        (True, TypeError, "not bool"),
    ],
)
def test_a_memory_that_is_none_is_refused(memory, error, message):
    for run in (digram.count, digram.train):
        with pytest.raises(error, match=message):
            run(["a word"], threads=2, max_memory=memory)


def test_counted_words_take_no_memory_limit():
    with pytest.raises(ValueError, match="counted already; leave it out"):
        digram.train({"low": 5}, max_memory="1GB")


def test_a_folder_that_takes_no_files_is_told_before_counting(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    with pytest.raises(OSError, match="set TMPDIR to another folder") as told:
        digram.count(["a word"], max_memory="1GB")
    assert (told.value.errno, Path(told.value.filename).name) == (errno.ENOENT, "none")
    assert digram.count(["a word"]).total == 2


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_full_disk_is_told_with_the_remedy_and_nothing_is_left(empty, text):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (MIB // 2, limits[1]))
        with pytest.raises(OSError, match="make room, set TMPDIR") as told:
            digram.count([text], threads=1, max_memory=MIB)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert told.value.errno == errno.EFBIG
    assert os.fspath(told.value.filename) == str(empty)


def test_an_error_while_counting_leaves_nothing(empty, text):
    def fail(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        digram.count([text * 40], threads=1, max_memory=MIB, progress=fail)
    assert list(empty.iterdir()) == []


def test_progress_is_told_while_texts_are_counted(tmp_path, text):
    path = tmp_path / "corpus.txt"
    path.write_text(text * 12, "utf-8", newline="")
    told = []
    digram.count(path, progress=lambda *step: step[0] == "count" and told.append(step))
    size = path.stat().st_size
    assert told[-1] == ("count", size, size)
    assert len({done for _, done, _ in told}) > 1
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_a_text_that_is_hardly_split_is_warned_of_once(text):
    with pytest.warns(UserWarning, match="words are [0-9]+ bytes long on average") as told:
        digram.count(["ACGT" * MIB, "ACGT" * MIB], pattern="whitespace")
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        digram.count([text])
        digram.count(["ACGT"], pattern="whitespace")
        with pytest.raises(UserWarning, match="choose a pattern that splits this text"):
            digram.count(["ACGT" * MIB], pattern="whitespace")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="ends a program at once")
def test_a_program_that_is_killed_leaves_nothing(empty):
    program = """
        import digram, os, signal
        from digram import _core
        letters = str.maketrans("0123456789", "abcdefghij")
        words = [" ".join(map(str, range(k, 90_000, 9))).translate(letters) for k in range(9)]
        counter = _core.Counter(digram.count([])._split, None, [], 1, None, 1 << 20)
        counter.add(words, 0, None)
        assert counter.spilled() > 1 << 20
        os.kill(os.getpid(), signal.SIGKILL)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, env={**os.environ, "TMPDIR": str(empty)}, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory a program took at most")
def test_learning_takes_little_memory_for_each_word(tmp_path):
    """Half a million words as long as real ones, and 20,000 merges of them.

    By one thread: with two it depends on which words both have met, from 184 to 213 bytes each.
    """
    syllables = [a + b for a in "bcdfgklmnprstvwz" for b in "aeiouyhx"]
    rng = random.Random(7)
    words = [
        "".join(rng.choices(syllables, weights=range(128, 0, -1), k=4)) for _ in range(10**6 // 2)
    ]
    path = tmp_path / "corpus.txt"
    path.write_text(" ".join([*words, *words[: 10**4]]), "utf-8")
    program = """
        import re, sys, digram
        def most():
            with open("/proc/self/status") as file:
                return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]) * 1024
        digram.train(["a little text"], vocab_size=260)
        before = most()
        tok = digram.train(sys.argv[1], vocab_size=20_000, max_memory="32MB", threads=1)
        print((most() - before) // tok.training.words, tok.vocab_size, tok.training.words)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), path]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    each, size, count = map(int, told.split())
    assert (size, count > 450_000) == (20_000, True)
    assert each < 200
