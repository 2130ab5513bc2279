"""Check that the binding compiles for every Python that it is for, without having them.

Runs the command that it is given, once for each, with a description of that Python for pyo3.

    python tools/check_pythons.py cargo check --package digram-python
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

# The oldest that pyproject.toml names; the oldest that pyo3 knows free-threaded ("t"); and the
# newest that it knows. What lies between differs for pyo3 alone, but for ints, which are as in the
# newest from 3.12 on.
VERSIONS = ("3.10", "3.14t", "3.15")


def main(command: list[str]) -> int:
    """Run the command for each; tell for which it fails."""
    with tempfile.TemporaryDirectory() as folder:
        failed = [version for version in VERSIONS if not compiles(version, Path(folder), command)]
    if failed:
        print(f"the binding does not compile for Python {', '.join(failed)}")
    return 1 if failed else 0


def compiles(version: str, folder: Path, command: list[str]) -> bool:
    """Tell whether the command succeeds for one Python."""
    described = folder / f"{version}.txt"
    described.write_text(description(version), encoding="utf-8")
    environment = {**os.environ, "PYO3_CONFIG_FILE": str(described)}
    return subprocess.run(command, env=environment, check=False).returncode == 0


def description(version: str) -> str:
    """Describe a Python as pyo3 reads it."""
    fields = {
        "implementation": "CPython",
        "version": version.removesuffix("t"),
        "shared": "true",
        "pointer_width": "64",
        "build_flags": "Py_GIL_DISABLED" if version.endswith("t") else "",
        "suppress_build_script_link_lines": "true",
    }
    return "".join(f"{field}={value}\n" for field, value in fields.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
