"""Every example in README.md and docs/ runs as it stands there.

The `python` blocks of a page are one program, run in a folder where `docs/` and `README.md` lie,
as in a fresh clone; its `pycon` blocks are one session of doctests there. The `console` blocks are
a session at the shell in such a folder: each line after `$ ` is run, and what is printed below it
must come out, `...` standing for anything.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from digram._core import Tokenizer as OneText

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """Find the code blocks of a language, each with the line that it begins at."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, block.start(2)), block.group(2))
        for block in BLOCK.finditer(text)
        if block.group(1) == language
    ]


def pages_with(language: str) -> list[object]:
    """Name the pages to test after their paths."""
    pages = [page for page in PAGES if blocks(page, language)]
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with what the examples read."""
    shutil.copy(ROOT / "README.md", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("page", pages_with("python"))
def test_the_python_of_a_page_runs(page):
    names = {"__name__": "__main__"}
    for line, code in blocks(page, "python"):
        # Blank lines in front, so that a traceback shows the page's own line numbers.
        program = compile("\n" * line + code, str(page), "exec")
        exec(program, names)  # noqa: S102 - the page is ours, and running it is the test


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("page", pages_with("pycon"))
def test_the_sessions_of_a_page_answer_as_shown(page):
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names: dict[str, object] = {}
    for line, session in blocks(page, "pycon"):
        test = parser.get_doctest(session, names, page.name, str(page), line)
        said: list[str] = []
        assert runner.run(test, out=said.append, clear_globs=False).failed == 0, "".join(said)
        names = test.globs


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("page", pages_with("console"))
def test_the_shell_of_a_page_prints_what_it_shows(page):
    for line, session in blocks(page, "console"):
        for command, expected in commands(session):
            said = run(command)
            assert said.returncode == 0, f"{page.name}:{line}: {command}\n{said.stdout}"
            problem = difference(expected, said.stdout)
            assert not problem, f"{page.name}:{line}: {command}\n{problem}"


def commands(session: str) -> list[tuple[str, str]]:
    """Split a session into commands and what each is shown to print."""
    parts = re.split(r"^\$ (.+)\n", session, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def run(command: str) -> subprocess.CompletedProcess[str]:
    """Run a line at the shell, with the environment that runs the tests first on PATH."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def difference(expected: str, said: str) -> str:
    """Show where an output is not what the page shows; a page may show nothing of it."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF
    checker = doctest.OutputChecker()
    if not expected or checker.check_output(expected, said, options):
        return ""
    return checker.output_difference(doctest.Example("", expected), said, options)


def test_a_session_is_split_into_commands_and_their_output():
    assert commands("$ one\n$ two\n2\n") == [("one", ""), ("two", "2\n")]


def test_a_page_that_shows_another_output_is_caught():
    assert difference("a ... c\n", "a b c\n") == ""
    assert difference("a ... c\n", "a b d\n") != ""


@pytest.mark.parametrize("page", [pytest.param(p, id=str(p.relative_to(ROOT))) for p in PAGES])
def test_a_link_to_a_file_leads_somewhere(page):
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_examples_of_calls_that_the_engine_documents_answer_as_shown():
    found = [each for each in doctest.DocTestFinder().find(OneText, globs={}) if each.examples]
    assert {each.name for each in found} >= {
        "Tokenizer.encode",
        "Tokenizer.count",
        "Tokenizer.decode",
    }
    for test in found:
        said: list[str] = []
        assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)
