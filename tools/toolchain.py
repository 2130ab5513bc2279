"""Check that the machine can build digram, and say what to do where it cannot.

This file is read by whichever Python is there, so it keeps to what Python 3.6 understands.
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEAST_PYTHON = (3, 10)


def main() -> None:
    """Exit with a message if Python or Rust is missing or too old."""
    problem = python_problem() or rust_problem()
    if problem:
        sys.exit("cannot build digram: " + problem)


def python_problem() -> "str | None":
    """Say what is wrong with the running Python."""
    if sys.version_info < LEAST_PYTHON:
        return "python3 is {}, and {} or newer is needed; name a newer one: make PYTHON=...".format(
            dotted(sys.version_info[:3]), dotted(LEAST_PYTHON)
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as missing:
        return (
            "this Python has no module {!r}; install it (Debian: apt install python3-venv)".format(
                missing.name
            )
        )
    return None


def rust_problem() -> "str | None":
    """Say what is wrong with the Rust toolchain on PATH."""
    least = least_rust()
    remedy = "install Rust {} or newer with rustup or your system's packages".format(dotted(least))
    if not shutil.which("cargo") or not shutil.which("rustc"):
        return "Rust's compiler is missing (no cargo or no rustc on PATH); " + remedy
    found = rust_version()
    if found is None:
        return "`rustc --version` fails (see above); run `rustup default stable`, or " + remedy
    if found < least:
        return "rustc is {}, too old; run `rustup update stable`, or {}".format(
            dotted(found), remedy
        )
    return None


def least_rust() -> "tuple[int, ...]":
    """Read the oldest supported compiler from Cargo.toml, the one place that says it."""
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as manifest:
        return numbers(re.findall(r'^rust-version = "([\d.]+)"', manifest.read(), re.M)[0])


def rust_version() -> "tuple[int, ...] | None":
    """Ask rustc for its version; None if it cannot run, as rustup's shim without a toolchain."""
    try:
        said = subprocess.check_output(["rustc", "--version"], cwd=ROOT, universal_newlines=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return numbers(said.split()[1])


def numbers(version: str) -> "tuple[int, ...]":
    """Turn `1.88.0-nightly` into `(1, 88, 0)`."""
    return tuple(int(part) for part in version.split("-")[0].split("."))


def dotted(version: "tuple[int, ...]") -> str:
    """Turn `(1, 88)` into `1.88`."""
    return ".".join(str(part) for part in version)


if __name__ == "__main__":
    main()
