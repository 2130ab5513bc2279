"""`digram demo` does what it shows, and fails where it should."""

import json
import re

import pytest
from command_line import run
from typer.testing import CliRunner

import digram
from digram.cli.app import app
from digram.cli.python_files import python_files


@pytest.fixture(scope="module")
def stdlib():
    return python_files()


def test_the_demo_shows_that_it_works_and_how_to_go_on(tmp_path, monkeypatch, stdlib):
    monkeypatch.chdir(tmp_path)
    said = run("demo", "--vocab-size", 1000)
    tok = digram.load(tmp_path / "digram-demo" / "tokenizer.json")
    assert tok.vocab_size == 1000
    for promised in (
        f"corpus   {len(stdlib.paths):,} files of Python",
        "trained  1,000 tokens, 744 of them by merges",
        "saved    digram-demo/tokenizer.json",
        "loaded again, and the same",
        "bytes per token",
        "every byte as it was",
        "first merges",
        "last merges",
    ):
        assert promised in said.out
    assert [entry.name for entry in tmp_path.iterdir()] == ["digram-demo"]
    assert said.stderr == b""
    tries = re.findall(r"^  digram (inspect .*)$", said.out, re.MULTILINE)
    assert len(tries) == 2
    for command in tries:
        assert run(*command.replace("'any text you like'", "text").split()).stdout


def test_the_demo_works_a_second_time_and_tells_json(tmp_path, stdlib):
    told = [
        json.loads(run("demo", "--vocab-size", 400, "-o", tmp_path, "--json").out) for _ in range(2)
    ]
    for each in told:
        each.pop("seconds")
    assert told[0] == told[1]
    assert told[0]["bytes"] == sum(len(text.encode()) for text in stdlib.texts)
    assert told[0]["round_trip"] == "exact"
    tok = digram.load(tmp_path / "tokenizer.json")
    assert told[0]["tokens"] == sum(map(tok.count, stdlib.texts))


def test_the_demo_fails_where_a_byte_comes_back_changed(tmp_path, monkeypatch):
    decode = digram.Tokenizer.decode_bytes
    monkeypatch.setattr(digram.Tokenizer, "decode_bytes", lambda *of: decode(*of)[:-1])
    said = CliRunner().invoke(app, ["demo", "--vocab-size", "300", "-o", str(tmp_path)])
    assert said.exit_code == 1
    assert "comes back changed" in said.stderr
    assert "every byte as it was" not in said.stdout


def test_the_demo_that_cannot_save_says_so(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    said = run("demo", "-o", tmp_path / "file", check=False)
    assert said.returncode == 1
    assert said.err.startswith("digram: error: ")


def test_files_in_other_encodings_are_named_and_tests_left_out(tmp_path):
    files = {
        "b.py": "é = 1\n".encode(),
        "a/a.py": b"\xef\xbb\xbfa = 1\n",
        "latin.py": "# coding: latin-1\n# é\n".encode("latin-1"),
        "latin_in_utf8.py": "# coding: latin-1\n# é\n".encode(),
        "unknown.py": b"# coding: klingon\n",
        "broken.py": b"a = 1\n\n\n\n# \xff\n",
        "text.txt": b"a",
        **{f"{name}/x.py": b"x" for name in ("test", "tests", "idle_test")},
        **{f"lib/{name}/x.py": b"x" for name in ("site-packages", "dist-packages", "tests")},
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    found = python_files(tmp_path)
    assert [str(path.relative_to(tmp_path).as_posix()) for path in found.paths] == [
        "a/a.py",
        "b.py",
    ]
    assert [text.encode() for text in found.texts] == [files["a/a.py"], files["b.py"]]
    assert {path.name: why for path, why in found.others.items()} == {
        "latin.py": "declares iso-8859-1",
        "latin_in_utf8.py": "declares iso-8859-1",
        "unknown.py": "unknown encoding: klingon",
        "broken.py": "byte 11 is not UTF-8",
    }


def test_a_folder_without_python_files_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="no Python file of UTF-8 text"):
        python_files(tmp_path)
