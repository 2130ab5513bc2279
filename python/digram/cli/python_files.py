"""Real text that every machine with Python has: the source of its standard library."""

from __future__ import annotations

import io
import sysconfig
import tokenize
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PythonFiles", "python_files"]

# Installed packages differ from machine to machine, and tests hold odd text on purpose.
LEFT_OUT = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test"})
UTF8 = frozenset({"utf-8", "utf-8-sig"})


@dataclass(frozen=True)
class PythonFiles:
    """The files below a folder, sorted: those of UTF-8 text, and those that are something else."""

    folder: Path
    paths: list[Path]
    texts: list[str]
    others: dict[Path, str]
    """Why each of the other files is left out."""

    @property
    def size(self) -> int:
        """The bytes of all texts."""
        return sum(path.stat().st_size for path in self.paths)


def python_files(folder: Path | None = None) -> PythonFiles:
    """Read the Python files below a folder, the standard library's unless another is given."""
    folder = folder or Path(sysconfig.get_path("stdlib"))
    found = PythonFiles(folder, [], [], {})
    for path in sorted(folder.rglob("*.py")):
        if path.is_file() and LEFT_OUT.isdisjoint(path.relative_to(folder).parts[:-1]):
            _sort_in(found, path)
    if not found.paths:
        raise FileNotFoundError(f"{folder}: no Python file of UTF-8 text is below this folder")
    return found


def _sort_in(found: PythonFiles, path: Path) -> None:
    """Read a file and put it where it belongs."""
    try:
        content = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        if encoding not in UTF8:
            found.others[path] = f"declares {encoding}"
            return
        found.texts.append(content.decode("utf-8"))
        found.paths.append(path)
    except UnicodeDecodeError as error:
        found.others[path] = f"byte {error.start} is not UTF-8"
    except (SyntaxError, OSError) as error:  # no such encoding; not ours to read
        found.others[path] = str(error.msg if isinstance(error, SyntaxError) else error.strerror)
