"""The door of the package: what it shows, and what walking through it costs."""

import ast
import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

# Run in a fresh process, because the tests around this one have imported everything.
LIST_NAMES = """
import sys
before = set(sys.modules)
import digram
modules = sorted(set(sys.modules) - before)
import json
shown = [n for n in dir(digram) if not n.startswith("_")]
print(json.dumps({"all": list(digram.__all__), "shown": shown, "modules": modules}))
"""
# What a fresh process has come to import when the first ids are there.
FIRST_IDS = """
import binascii, sys
before = set(sys.modules)
import digram
tokens = [*(bytes([byte]) for byte in range(256)), b"aa"]
written = [binascii.b2a_base64(token, newline=False) for token in tokens]
ranks = b"".join(b"%b %d\\n" % (token, rank) for rank, token in enumerate(written))
ids = digram.load(ranks, pattern="cl100k").encode("aaa")
print(*ids, *sorted(set(sys.modules) - before))
"""
LIBRARIES = (
    "numpy",
    "typer",
    "rich",
    "regex",
    "huggingface_hub",
    "pyarrow",
    "fsspec",
    "zstandard",
)
# Of the standard library, what takes the longest to import.
SLOW = ("re", "json", "dataclasses", "inspect", "hashlib", "tempfile", "pathlib", "urllib.parse")
# Names that are modules; and a class that a module shows lives in a module of its own.
PARTS = ("components", "errors", "patterns")
INNER = ("digram._check.findings", "builtins")


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, encoding="utf-8"
    ).stdout


@pytest.fixture(scope="module")
def door():
    return json.loads(python(LIST_NAMES))


def test_every_public_name_is_listed_and_nothing_else(door):
    assert sorted(door["all"]) == sorted(door["shown"])


def test_type_checkers_know_every_listed_name(door):
    import digram

    (block,) = (
        node
        for node in ast.parse(Path(digram.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    known = {alias.asname or alias.name for each in block.body for alias in each.names}
    assert known - {"__version__"} == set(door["all"])


def test_every_listed_name_has_a_docstring(door):
    import digram

    assert [name for name in door["all"] if not getattr(digram, name).__doc__] == []


def test_every_listed_name_lives_where_its_home_says(door):
    import digram

    for name in door["all"]:
        module = importlib.import_module(f"digram.{digram._HOME_OF[name]}")
        value = getattr(digram, name)
        assert value is (module if name in PARTS else getattr(module, name))
        assert getattr(value, "__module__", module.__name__) in (module.__name__, *INNER)


def test_a_name_that_is_not_there_is_refused_as_python_does():
    import digram

    with pytest.raises(AttributeError, match=r"^module 'digram' has no attribute 'trian'$"):
        digram.trian  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'trian' from 'digram'"):
        from digram import trian  # noqa: F401


@pytest.mark.parametrize("way", ["import digram; digram.{0}", "from digram import {0}; {0}"])
@pytest.mark.parametrize(
    "name", ["train", "components.NFC", "errors.FormatError", "patterns.NAMED", "Model"]
)
def test_a_name_is_there_in_a_fresh_process(way, name):
    head, dot, rest = name.partition(".")
    assert python(f"{way.format(head)}{dot}{rest}") == ""


def test_classes_are_pickled_by_the_names_they_had():
    import digram

    for value in (digram.Limits(), digram.components.NFC(), digram.Greedy("longest-first")):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301
    assert digram.Limits.__module__ == "digram._limits"
    assert digram.components.NFC.__module__ == "digram._normalizers"


@pytest.mark.parametrize("library", [*LIBRARIES, "digram.cli", "digram._core", *SLOW])
def test_importing_digram_does_not_import(door, library):
    assert library not in door["modules"]


def test_the_first_ids_need_no_dataclass_and_no_library():
    first, second, *modules = python(FIRST_IDS).split()
    assert (first, second) == ("256", "97")
    unneeded = {*LIBRARIES, "digram.cli", *SLOW, "digram.components", "digram._model"}
    assert unneeded.intersection(modules) == set()
