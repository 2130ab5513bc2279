"""Hostile files, each in a process of its own: a tokenizer that works, or an error of digram's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.make import BOMBS, PROBES, write

ROOT = Path(__file__).resolve().parents[1]
# What a file may make the process hold: so many times its size, and so much besides.
TIMES, BESIDES = 20, 64 << 20
# Seconds: for loading, and for the whole process.
LOADING, PATIENCE = 1.0, 20

# What the 31 come to: the rest is refused.
RUN = {
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
