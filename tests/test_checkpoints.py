"""Training that is stopped, by force or otherwise, goes on from its checkpoint to the same file."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest
from command_line import run
from drawn import MARKERS, TIES, UNITS, counts
from hypothesis import given, settings
from hypothesis import strategies as st

import digram
from digram import _checkpoint

WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
KILLS = 20
PATIENCE = 60  # seconds for a program that works for about one

# Learns for about a second; the file is written as often as may be.
PROGRAM = """
import random, sys, digram
from digram import _checkpoint
_checkpoint.EVERY = 0
rng = random.Random(5)
words = {"".join(rng.choices("abcdefgh", k=rng.randint(4, 14))): n + 1 for n in range(60_000)}
print("ready", flush=True)
try:
    tok = digram.train(words, vocab_size=30_000, required=["headache"], checkpoint=sys.argv[1])
except KeyboardInterrupt as stop:
    print("interrupted:", *stop.args)
else:
    tok.save(sys.argv[2])
"""
LIMITED = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (3000, -1))\n"


def start(*arguments, program=PROGRAM):
    """Start the program and wait until it begins to learn."""
    process = subprocess.Popen(
        [sys.executable, "-W", "always", "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture(scope="module")
def never_stopped(tmp_path_factory):
    """What the program writes when nothing stops it, and how long it takes."""
    folder = tmp_path_factory.mktemp("whole")
    process = start(folder / "checkpoint", folder / "tokenizer.json")
    began = time.monotonic()
    assert process.communicate(timeout=PATIENCE) == ("", "")
    return (folder / "tokenizer.json").read_bytes(), time.monotonic() - began


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of POSIX")
def test_training_killed_at_any_moment_ends_with_the_same_file(tmp_path, never_stopped):
    expected, whole = never_stopped
    path, target = tmp_path / "checkpoint", tmp_path / "tokenizer.json"
    rng = random.Random(7)
    resumed = 0
    for _ in range(KILLS):
        process = start(path, target)
        time.sleep(rng.uniform(0, 0.6 * whole))
        process.kill()
        process.communicate()
        if path.exists():
            resumed += _checkpoint.Checkpoint(path, told_options(path)).merges > 0
        if target.exists():
            assert target.read_bytes() == expected
            target.unlink()
            path.unlink()
    assert start(path, target).communicate(timeout=PATIENCE) == ("", "")
    assert target.read_bytes() == expected
    assert resumed > KILLS // 4


def told_options(path):
    """The options that a checkpoint tells, as if they were given."""
    told = json.loads(path.read_bytes().split(b"\n")[1])["options"]
    return {name: Shown(value) for name, value in told.items()}


class Shown:
    """A value that shows itself as it was written."""

    def __init__(self, written):
        self.written = written

    def __repr__(self):
        return self.written


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is of POSIX")
def test_an_interrupt_keeps_what_was_learned_and_tells_where(tmp_path, never_stopped):
    path, target = tmp_path / "checkpoint", tmp_path / "tokenizer.json"
    process = start(path, target)
    while not path.exists():
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    told, errors = process.communicate(timeout=PATIENCE)
    merges = json.loads(path.read_bytes().split(b"\n")[1])["merges"]
    kept = f"{merges} merges are kept in {str(path)!r}; the same call goes on from there"
    assert told == f"interrupted: {kept}\n"
    assert (errors, target.exists()) == ("", False)
    assert start(path, target).communicate(timeout=PATIENCE) == ("", "")
    assert target.read_bytes() == never_stopped[0]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are of POSIX")
def test_a_checkpoint_that_cannot_be_written_stops_nothing_and_loses_nothing(
    tmp_path, never_stopped
):
    path, target = tmp_path / "checkpoint", tmp_path / "tokenizer.json"
    program = PROGRAM.replace("try:", f"{LIMITED}try:").replace(
        "tok.save", "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1)); tok.save"
    )
    told, errors = start(path, target, program=program).communicate(timeout=PATIENCE)
    assert told == ""
    assert errors.count("RuntimeWarning") == 1
    assert f"{path}: the checkpoint could not be written (File too large)" in errors
    assert target.read_bytes() == never_stopped[0]
    assert {found.name for found in tmp_path.iterdir()} <= {"checkpoint", "tokenizer.json"}


def test_the_last_good_checkpoint_stays_where_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint"
    digram.train(WORDS, num_merges=3, checkpoint=path)
    good = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_checkpoint, "replace_files", full)
    with pytest.warns(RuntimeWarning, match="it holds 3 merges, and learning goes on with 6"):
        tok = digram.train(WORDS, num_merges=6, checkpoint=path)
    assert tok == digram.train(WORDS, num_merges=6)
    assert path.read_bytes() == good
    monkeypatch.undo()
    assert digram.train(WORDS, num_merges=6, checkpoint=path) == tok


def test_an_error_in_the_callback_keeps_what_was_learned(tmp_path):
    path = tmp_path / "checkpoint"
    rng = random.Random(1)
    words = {"".join(rng.choices("abcd", k=9)): 1 for _ in range(20_000)}

    class StoppedError(Exception):
        pass

    def stop(stage, done, _total):
        if stage == "merges" and done:
            raise StoppedError

    with pytest.raises(StoppedError):
        digram.train(words, min_frequency=1, progress=stop, checkpoint=path)
    assert json.loads(path.read_bytes().split(b"\n")[1])["merges"] > 0
    tok = digram.train(words, min_frequency=1, checkpoint=path)
    whole = digram.train(words, min_frequency=1)
    assert (tok, tok.training) == (whole, whole.training)


@pytest.mark.parametrize("marker", MARKERS, ids=["unmarked", "separate", "attached"])
@pytest.mark.parametrize("ties", TIES)
def test_going_on_after_any_number_of_merges_is_never_having_stopped(tmp_path, ties, marker):
    path = tmp_path / "checkpoint"

    @settings(max_examples=10)
    @given(counts(), st.sampled_from(UNITS), st.integers(0, 9), st.integers(0, 9), st.booleans())
    def agree(words, units, first, more, extends):
        path.unlink(missing_ok=True)
        options = {"ties": ties, "min_frequency": 1}
        if extends:
            begun = digram.train(words, units=units, num_merges=2, **options, **marker)
            options["extend"] = begun
        else:
            options |= {"units": units, "required": ["ab", "xyz"], **marker}
            first += 3
        digram.train(words, num_merges=first, checkpoint=path, **options)
        later = digram.train(words, num_merges=first + more, checkpoint=path, **options)
        whole = digram.train(words, num_merges=first + more, **options)
        assert (later.model, later.training) == (whole.model, whole.training)

    agree()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"min_frequency": 3}, "min_frequency was 2 and is 3"),
        ({"ties": "shortest"}, "ties was 'smallest-ids' and is 'shortest'"),
        ({"forbidden": ["x"]}, r"forbidden was \[\] and is \[b'x'\]"),
        (
            {"units": "chars", "required": ["we"]},
            "required was .*; units was 'bytes' and is 'chars'",
        ),
    ],
)
def test_other_options_are_refused_by_name(tmp_path, changed, told):
    path = tmp_path / "checkpoint"
    digram.train(WORDS, num_merges=3, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"learned under other options: {told}"):
        digram.train(WORDS, num_merges=5, checkpoint=path, **changed)
    with pytest.raises(ValueError, match=r"extend was None and is '[0-9a-f]{64}'"):
        digram.train(WORDS, num_merges=5, checkpoint=path, extend=digram.train(WORDS))
    assert path.read_bytes() == before


def test_other_words_are_refused(tmp_path):
    path = tmp_path / "checkpoint"
    digram.train(WORDS, num_merges=3, checkpoint=path)
    for words in ({**WORDS, "new": 1}, {**WORDS, "low": 6}, {**WORDS, "lox": 5}):
        with pytest.raises(ValueError, match="was learned from 4 words, 16 in all, and not"):
            digram.train(words, num_merges=5, checkpoint=path)
    turned = dict(reversed(WORDS.items()))
    assert digram.train(turned, num_merges=5, checkpoint=path).merges  # order does not matter
    path.unlink()
    digram.train(WORDS, num_merges=3, ties="first-seen", checkpoint=path)
    with pytest.raises(ValueError, match="in another order"):
        digram.train(turned, num_merges=5, ties="first-seen", checkpoint=path)


def test_fewer_merges_than_are_kept_are_refused(tmp_path):
    path = tmp_path / "checkpoint"
    digram.train(WORDS, num_merges=5, checkpoint=path)
    with pytest.raises(ValueError, match="num_merges is 4, but 5 merges are learned already"):
        digram.train(WORDS, num_merges=4, checkpoint=path)
    with pytest.raises(ValueError, match="vocab_size is 260, but 5 merges are learned already"):
        digram.train(WORDS, vocab_size=260, checkpoint=path)


def test_a_checkpoint_cut_off_or_changed_anywhere_is_refused(tmp_path):
    path = tmp_path / "checkpoint"
    digram.train(WORDS, num_merges=5, units="chars", checkpoint=path)
    content = path.read_bytes()
    rng = random.Random(3)
    broken = [content[:end] for end in range(0, len(content), 7)]
    for place in range(0, len(content), 5):
        changed = bytearray(content)
        changed[place] ^= 1 << rng.randrange(8)
        broken.append(bytes(changed))
    for bad in [*broken, content + b"x", b"", b"a text\n"]:
        path.write_bytes(bad)
        with pytest.raises(digram.FormatError, match=str(path)):
            digram.train(WORDS, num_merges=6, units="chars", checkpoint=path)
        assert path.read_bytes() == bad


@pytest.mark.parametrize("about", ["", "[]", "{}", '{"merges": "many"}', '{"merges": 1}'])
def test_a_whole_checkpoint_of_other_content_is_refused(tmp_path, about):
    kept = tmp_path / "kept"
    content = _checkpoint.FIRST_LINE + about.encode() + b"\n"
    kept.write_bytes(content + _checkpoint.digest_of(content))
    with pytest.raises(digram.FormatError, match="not as this version"):
        digram.train(["abab"], checkpoint=kept)


def test_a_file_that_cannot_be_made_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(digram.MissingFileError, match="there is no folder"):
        digram.train("no such corpus", checkpoint=tmp_path / "none" / "checkpoint")
    with pytest.raises(IsADirectoryError):
        digram.train("no such corpus", checkpoint=tmp_path)


def test_the_command_line_goes_on_from_a_checkpoint(tmp_path):
    corpus, path = tmp_path / "corpus.txt", tmp_path / "checkpoint"
    corpus.write_text("low lower lowest new newer newest " * 20)
    make = ["train", str(corpus), "--checkpoint", str(path), "--vocab-size"]
    run(*make, "262", "-o", tmp_path / "small.json")
    run(*make, "268", "-o", tmp_path / "one.json")
    run("train", str(corpus), "--vocab-size", "268", "-o", tmp_path / "other.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()
    assert json.loads(path.read_bytes().split(b"\n")[1])["merges"] == 12


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is of POSIX")
def test_the_command_line_tells_after_an_interrupt_how_to_go_on(tmp_path):
    corpus, path = tmp_path / "corpus.tsv", tmp_path / "checkpoint"
    rng = random.Random(5)
    words = {"".join(rng.choices("abcdefgh", k=rng.randint(4, 14))) for _ in range(150_000)}
    corpus.write_text("".join(f"{word}\t{n + 1}\n" for n, word in enumerate(sorted(words))))
    code = "import digram._checkpoint as c; c.EVERY = 0; from digram.cli import main; main()"
    arguments = ["train", "--counts", corpus, "--checkpoint", path, "-o", tmp_path / "t.json"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stderr=subprocess.PIPE, text=True
    )
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors.startswith("digram: interrupted: ")
    assert f"merges are kept in {str(path)!r}; the same call goes on from there" in errors
    assert not (tmp_path / "t.json").exists()
