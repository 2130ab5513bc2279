"""Running the command line as a shell does, and as a terminal does."""

import os
import subprocess
import sys

import pytest

import digram

CORPUS = "the lowest of the low, the newest of the new; سلام دنیا سلام 東京 naïve\n" * 20
CLI = [sys.executable, "-m", "digram.cli"]

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and terminals as in POSIX")


def run(*arguments, stdin=b"", check=True, **environment):
    """Run the command line; `check` wants success. Nobody ever sees a traceback."""
    said = subprocess.run(
        [*CLI, *map(str, arguments)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )
    said.out, said.err = said.stdout.decode(), said.stderr.decode()
    assert "Traceback" not in said.err
    assert "Exception ignored" not in said.err
    assert not check or said.returncode == 0, said.err
    return said


def refusal(*arguments, code=1, **options):
    """Run what must fail, and return what it says."""
    said = run(*arguments, check=False, **options)
    assert said.returncode == code, said
    assert said.stdout == b""
    assert said.err.startswith("digram: error: ")
    assert said.err.count("\n") == 1
    return said.err.removeprefix("digram: error: ").strip()


def on_terminal(*arguments, stream, code=0, **environment):
    """Run with one of the output streams on a terminal, and return what that shows."""
    master, slave = os.openpty()
    others = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: slave}
    with subprocess.Popen(
        [*CLI, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
        **others,
    ) as working:
        os.close(slave)
        shown = b"".join(iter(lambda: _read(master), b""))
    os.close(master)
    assert working.returncode == code, shown
    return shown.decode()


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that nobody writes to it any more
        return b""


def trained_folder(folder):
    """Fill a folder with a corpus, and tokenizers trained from it."""
    (folder / "corpus.txt").write_bytes(CORPUS.encode())
    tok = digram.train(folder / "corpus.txt", vocab_size=290, special_tokens=["<|end|>"])
    tok.save(folder / "tokenizer.json")
    gpt2 = digram.train(folder / "corpus.txt", vocab_size=280, pattern="gpt2")
    gpt2.save(folder / "gpt2.json")
    return folder
