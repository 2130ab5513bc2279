"""The door of the package: what it shows, and what walking through it costs."""

import json
import subprocess
import sys

import pytest

# Run in a fresh process, because the tests around this one have imported everything.
LIST_NAMES = """
import json, sys, digram
shown = [n for n in vars(digram) if not n.startswith("_") and n != "annotations"]
print(json.dumps({"all": list(digram.__all__), "shown": shown, "modules": list(sys.modules)}))
"""


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, encoding="utf-8"
    ).stdout


@pytest.fixture(scope="module")
def door():
    return json.loads(python(LIST_NAMES))


def test_every_public_name_is_listed_and_nothing_else(door):
    assert sorted(door["all"]) == sorted(door["shown"])


def test_every_listed_name_has_a_docstring(door):
    import digram

    assert [name for name in door["all"] if not getattr(digram, name).__doc__] == []


@pytest.mark.parametrize(
    "library", ["numpy", "typer", "rich", "regex", "huggingface_hub", "digram.cli"]
)
def test_importing_digram_does_not_import(door, library):
    assert library not in door["modules"]
