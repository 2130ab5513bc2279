"""Hostile files, each in a process of its own: a tokenizer that works, or an error of digram's."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import digram
from tests.hostile.corpora import FILES
from tests.hostile.make import BOMBS, PROBES, write

ROOT = Path(__file__).resolve().parents[1]
# What a file may make the process hold: so many times its size, and so much besides.
TIMES, BESIDES = 20, 64 << 20
# CPU seconds for loading; and for the whole process, however busy the machine is.
LOADING, PATIENCE = 1.0, 120

# What the 31 come to: the rest is refused.
RUN = {
    "added-empty",
    "added-within-itself",
    "charsmap-garbage",
    "nul",
    "prefix-inside-character",
    "regex-catastrophic",
    "replace-empty",
    "strip-longer-than-token",
}


def probed(path):
    """What the process of a file tells."""
    command = [sys.executable, "-m", "tests.hostile.probe", "digram", str(path)]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False, encoding="utf-8"
    )
    assert ended.returncode == 0, f"{path.name}: ended with {ended.returncode}: {ended.stderr}"
    return json.loads(ended.stdout)


def check(path):
    """Probe a file, and hold it to what is promised; returns whether it ran."""
    told = probed(path)
    assert told["kind"] in {"ran", "refused"}, told
    assert told["load"] < LOADING, told
    assert told["peak"] <= TIMES * path.stat().st_size + BESIDES, told
    return told


def test_there_are_31():
    assert len(PROBES) == 31
    assert set(PROBES) >= RUN


@pytest.mark.parametrize("name", PROBES)
def test_a_hostile_file_gives_a_tokenizer_or_an_error(tmp_path, name):
    [path] = write(tmp_path, {name: PROBES[name]})
    told = check(path)
    # what grows is loaded, and refuses the text
    bombs = {"replace-times-ten"}
    assert (told["kind"] == "ran") == (name in RUN), told
    if told["kind"] == "refused" and name not in bombs:
        assert str(path) in told["message"]


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_does_not_go_off(tmp_path, name):
    [path] = write(tmp_path, {name: BOMBS[name]})
    check(path)


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Cut a file, or set, repeat or remove some of its bytes."""
    place, other = draw.randrange(len(content)), draw.randrange(len(content))
    length = draw.randrange(1, 20)
    return draw.choice(
        [
            content[:place],
            content[:place] + bytes([draw.randrange(256)]) + content[place + 1 :],
            content[:place] + content[other : other + length] + content[place:],
            content[:place] + content[place + length :],
        ]
    )


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("encode")])
def test_a_damaged_file_gives_python_a_tokenizer_or_an_error(name):
    draw = random.Random(name)  # the same from run to run
    known = {"pattern": "gpt2"} if name.startswith("tiktoken") else {}
    models = 0
    for _ in range(150):
        content = damaged(FILES[name], draw)
        vocab, between, merges = content.partition(b"\x1e")
        try:
            tok = digram.load((vocab, merges) if between else content, **known)
            models += 1
            ids = tok.encode(" ab  é漢 <s>\0", special="token")
            tok.decode(ids)
            digram.Tokenizer(tok.model)
            repr(tok)
        except digram.DigramError:
            pass
        except ValueError as error:  # the call, not the file: it does not say how text is split
            assert "pattern=" in str(error)  # noqa: PT017 - others are let through
    assert models < 150
