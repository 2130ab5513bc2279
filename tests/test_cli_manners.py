"""The manners of the command line: exit codes, pipes, signals, locales, terminals."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from command_line import CLI, on_terminal, posix_only, refusal, run

import digram
from digram.cli import output
from digram.cli.failures import answering

ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


# How it ends


@pytest.mark.parametrize(
    "arguments",
    [
        ["encode"],
        ["encode", "-t", "x", "--special", "maybe"],
        ["nonsense"],
        ["train", "--units", "words"],
        ["train", "--threads", "0"],
        ["train", "--vocab-size", "0"],
        ["train", "--max-token-length", "0"],
        ["train", "--json"],
        ["inspect"],
        ["inspect", "x", "--special", "token"],
        ["demo", "--vocab-size", "many"],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(arguments):
    said = run(*arguments, check=False)
    assert said.returncode == 2
    assert said.stdout == b""
    assert "Usage: digram" in said.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--special-token", f"<|x|>={2**70}"], "the id of '<|x|>' is "),
        (["--special-token", "<|x|>=99999999999"], "the id of '<|x|>' is 99999999999; give"),
        (["train", "--threads", 2**70], f"threads is {2**70}; give"),
        (["train", "--limit-bytes", 2**70], f"limit_bytes is {2**70}; give"),
        (["train", "--limit-bytes", "9" * 400 + "TB"], "limit_bytes is 999"),
        (["train", "--seed", 2**70], f"seed is {2**70}; give"),
        (["train", "--min-frequency", 2**70], f"min_frequency is {2**70}; give"),
    ],
)
def test_numbers_too_large_are_refused_by_name(folder, tmp_path, options, told):
    """They were tracebacks."""
    if options[0] == "train":
        refused = refusal(*options, folder / "corpus.txt", "-o", tmp_path / "t.json")
    else:
        (tmp_path / "a.tiktoken").write_bytes(b"YQ== 0\n")
        known = (*options, "--pattern", "gpt2")
        refused = refusal("count", "-t", tmp_path / "a.tiktoken", *known, folder / "corpus.txt")
    assert refused.startswith(told)


def test_the_package_runs_as_its_command_line():
    said = [
        subprocess.run([sys.executable, "-m", name, "--help"], capture_output=True, check=True)
        for name in ("digram", "digram.cli")
    ]
    assert said[0].stdout == said[1].stdout
    assert said[0].stdout.startswith(b"Usage: digram ")


@pytest.mark.parametrize("command", ["encode", "decode", "count", "inspect"])
def test_a_missing_tokenizer_is_told(command):
    assert "there is no file 'nothing.json'" in refusal(command, "-t", "nothing.json")


@pytest.mark.parametrize("command", ["encode", "count", "decode"])
def test_an_empty_name_is_told(file, command):
    """It was `.: Is a directory`."""
    assert refusal(command, "-t", file, "").startswith("a name of a file is empty; give that of")


@pytest.mark.parametrize("content", [b"", b"{}", b"YQ== 0\nYQ== 1\n"])
def test_a_tokenizer_on_stdin_is_called_so(tmp_path, content):
    """It was `<bytes>`."""
    said = refusal("convert", "-", tmp_path / "t.json", "--pattern", "gpt2", stdin=content)
    assert said.startswith("stdin: ")
    assert "<bytes>" not in said


@pytest.mark.parametrize("content", [b"", b"{}", b'{"model": {"type": "Unigram"}}', b"\xff\xfe"])
def test_a_file_that_is_no_tokenizer_is_told(tmp_path, content):
    (tmp_path / "bad.json").write_bytes(content)
    refusal("encode", "-t", tmp_path / "bad.json", stdin="a")
    refusal("inspect", tmp_path / "bad.json")


def test_help_and_version_are_for_the_asking():
    assert run("--version").out == f"digram {version('digram')}\n"
    assert "digram demo" in run("--help").out
    for command in (
        "train",
        "words",
        "encode",
        "decode",
        "count",
        "inspect",
        "convert",
        "check",
        "diff",
        "demo",
    ):
        assert "\n  $ " in run(command, "--help").out


@posix_only
@pytest.mark.parametrize("options", [[], ["--lines"], ["--json", "--tokens"]], ids=str)
def test_a_closed_pipe_ends_in_silence(file, tmp_path, options):
    (tmp_path / "long.txt").write_text("the lowest\n" * 200_000, encoding="utf-8")
    with subprocess.Popen(
        [*CLI, "encode", "-t", file, *options, tmp_path / "long.txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as encoder:
        assert encoder.stdout.read(10)
        encoder.stdout.close()
        assert encoder.stderr.read() == b""
    assert encoder.returncode == 0


def with_closed_pipe(*arguments, closed="stdout"):
    """Run with a pipe that nobody reads for one of the outputs; return the ended process."""
    reader, writer = os.pipe()
    os.close(reader)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, closed: writer}
    said = subprocess.run([*CLI, *map(str, arguments)], check=False, timeout=120, **pipes)
    os.close(writer)
    assert b"Error" not in (said.stderr or b"")
    return said


@posix_only
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
@pytest.mark.parametrize("options", [[], ["--json"], ["--all"]], ids=str)
def test_a_closed_pipe_is_no_answer_of_diff_and_check(folder, file, tmp_path, options, closed):
    """It was success: the exit code said that nothing had changed."""
    broken = tmp_path / "broken.json"
    broken.write_text(file.read_text().replace('"merges": [', '"merges": [["q","q"],'))
    for code, arguments in (
        (0, ("diff", file, file)),
        (1, ("diff", file, folder / "gpt2.json")),
        (0, ("check", file)),
        (1, ("check", broken)),
    ):
        said = with_closed_pipe(*arguments, *options, closed=closed)
        assert said.returncode == code, arguments


def test_a_pipe_that_closes_before_the_answer_is_known_is_no_answer(monkeypatch):
    monkeypatch.setattr(output, "abandon", lambda: None)

    @answering
    def warn_and_compare():
        raise BrokenPipeError

    with pytest.raises(typer.Exit) as left:
        warn_and_compare()
    assert left.value.exit_code == 141


@posix_only
def test_a_failure_keeps_its_code_where_nobody_reads_why(file, tmp_path):
    none = tmp_path / "none.json"
    assert with_closed_pipe("diff", file, none, closed="stderr").returncode == 2
    assert with_closed_pipe("count", "-t", none, closed="stderr").returncode == 1


def test_trouble_of_diff_and_check_is_told_apart_from_their_answers(file, tmp_path):
    """It was 1, as where something has changed, and where there are errors."""
    none, bad, ranks = (tmp_path / name for name in ("none.json", "bad.json", "a.tiktoken"))
    bad.write_bytes(b"{}")
    digram.train(["low"], num_merges=1, pattern="gpt2").save(ranks)
    assert "there is no file" in refusal("diff", file, none, code=2)
    assert "there is no file" in refusal("diff", "--json", none, file, code=2)
    assert "bad.json: " in refusal("diff", bad, file, code=2)
    assert "there is no file" in refusal("check", none, code=2)
    assert "there is no file" in refusal("check", "--json", none, code=2)
    assert "split pattern" in refusal("check", ranks, code=2)
    assert run("check", bad, check=False).returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("options", [["--version"], ["--help"], ["encode", "--help"]])
def test_a_full_disk_is_told_of_help_and_version(options):
    with Path("/dev/full").open("wb") as full:
        said = subprocess.run([*CLI, *options], stdout=full, stderr=subprocess.PIPE, check=False)
    assert said.returncode == 1
    assert said.stderr == b"digram: error: No space left on device\n"


@posix_only
@pytest.mark.parametrize(
    "command", ["--version", "--help", "inspect -t {file} abc", "encode -t {file}"]
)
def test_a_closed_stdout_is_told(file, command):
    line = shlex.join([*CLI, *command.format(file=file).split()])
    said = subprocess.run(
        ["/bin/sh", "-c", f"{line} >&-"],
        input=b"a",
        stderr=subprocess.PIPE,
        check=False,
    )
    assert said.returncode == 1
    assert said.stderr.startswith(b"digram: error: stdout is closed")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_told(file):
    with Path("/dev/full").open("wb") as full:
        said = subprocess.run(
            [*CLI, "encode", "-t", file],
            input=b"a",
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert said.returncode == 1
    assert said.stderr == b"digram: error: No space left on device\n"
    with Path("/dev/full").open("wb") as full:
        said = subprocess.run(
            [*CLI, "diff", file, file, "--json"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert said.returncode == 2
    assert said.stderr == b"digram: error: No space left on device\n"


def interrupted(arguments, *, after, **pipes):
    """Run, press Ctrl-C after some seconds, and return the ended process and how long it took."""
    command = [*CLI, *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **pipes
    ) as working:
        try:
            time.sleep(after)
            assert working.poll() is None
            pressed = time.monotonic()
            working.send_signal(signal.SIGINT)
            _, said = working.communicate(timeout=30)
        finally:
            working.kill()
    assert said.decode() == "digram: interrupted\n"
    return working.returncode, time.monotonic() - pressed


@posix_only
def test_ctrl_c_while_reading_ends_with_130(tmp_path):
    target = tmp_path / "t.json"
    code, _ = interrupted(["train", "-o", target], after=1.5, stdin=subprocess.PIPE)
    assert code == 130
    assert not target.exists()


@posix_only
def test_ctrl_c_while_training_ends_with_130_at_once(tmp_path):
    # Four million different words, each of ten letters: learned until no pair is left, they take
    # far longer than the test waits.
    (tmp_path / "random.txt").write_text(os.urandom(20_000_000).hex(" ", 5), encoding="ascii")
    target = tmp_path / "t.json"
    train = ["train", tmp_path / "random.txt", "--pattern", "whitespace", "-o", target]
    code, took = interrupted(train, after=1.5)
    assert code == 130
    assert took < 2
    assert not target.exists()


# The locale has no say


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
def test_the_locale_cannot_be_observed(file, tmp_path, environment):
    text = "naïve سلام 東京 🙂\n"
    for command in (["inspect", "-t", file], ["inspect", "-t", file, "--json"]):
        by_argument = run(*command, text, **environment)
        assert by_argument.stdout == run(*command, stdin=text).stdout
    (tmp_path / "東京.txt").write_text(text, encoding="utf-8")
    said = run("count", "-t", file, tmp_path / "東京.txt", **environment)
    assert "東京.txt" in said.out
    arguments = ("train", "--special", "«é»", "--pattern", "[é ]+", "--num-merges", 0)
    trained = run(*arguments, stdin=text, **environment)
    assert digram.load(trained.stdout).special_tokens == {"«é»": 0}
    assert digram.load(trained.stdout).pattern == "[é ]+"


# On a terminal, and not


@posix_only
def test_tokens_are_coloured_on_a_terminal_alone(file):
    inspect = ("inspect", "-t", file, "the lowest")
    shown = on_terminal(*inspect, stream="stdout")
    assert COLOUR.search(shown)
    assert "|" not in shown.splitlines()[0]
    assert ESCAPE not in run(*inspect).out
    assert run(*inspect).out.startswith("the|")


@posix_only
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_no_colour_where_none_is_wanted(file, environment):
    shown = on_terminal("inspect", "-t", file, "the lowest", stream="stdout", **environment)
    assert ESCAPE not in shown
    assert shown.startswith("the|")


@posix_only
def test_progress_is_shown_on_a_terminal_alone(folder, file, tmp_path):
    train = ("train", folder / "corpus.txt", "-o", tmp_path / "t.json", "--vocab-size", 300)
    for command in (train, ("encode", "-t", file, folder / "corpus.txt")):
        assert "━" in on_terminal(*command, stream="stderr")
        assert "━" not in run(*command).err
        assert not COLOUR.search(on_terminal(*command, stream="stderr", NO_COLOR="1"))
    assert on_terminal(*train, "--quiet", stream="stderr") == ""


@posix_only
def test_the_distinct_words_are_shown_while_words_are_counted(folder, tmp_path):
    corpus = folder / "corpus.txt"
    words = len(digram.count(corpus))
    for command in ("train", "words"):
        to_file = (command, corpus, "-o", tmp_path / "out.tsv")
        shown = on_terminal(*to_file, stream="stderr", COLUMNS="120")
        assert f" {words:,} distinct words" in shown


@posix_only
def test_a_tokenizer_is_not_poured_over_a_terminal(folder):
    shown = on_terminal("train", folder / "corpus.txt", stream="stdout", code=2)
    assert shown == ""


def test_a_tokenizer_is_not_converted_into_itself(file):
    before = file.read_bytes()
    assert "which is read too" in refusal("convert", file, file)
    assert "which is read too" in refusal("convert", file, file.parent / "." / file.name)
    assert file.read_bytes() == before


def test_ids_that_python_reads_no_more_are_told_with_their_place(file):
    for line in ("9" * 5_000, "[" * 100_000, "[" + "9" * 5_000 + "]"):
        assert "stdin, line 1" in refusal("decode", "-t", file, stdin=line)


@pytest.mark.parametrize(
    "command", [["words", "-o", "-"], ["train", "--vocab-size", "300", "-o", "t"]]
)
def test_stdin_is_named_once(command):
    """What it gave was counted twice."""
    said = run(*command, "-", "-", check=False)
    assert said.returncode != 0
    assert "'-' is given twice" in said.err
