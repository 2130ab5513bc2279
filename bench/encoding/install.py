"""Install a dependency group into the environment that runs this; name what cannot be had.

A peer without a wheel for this machine must not keep the others from being measured.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10: pip brings its own
    from pip._vendor import tomli as tomllib  # type: ignore[no-redef]

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Install all at once, or else one by one; then make digram importable where it lies."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted: list[str] = described["dependency-groups"][sys.argv[1]]
    if not installed(*wanted, told=False):
        missing = [each for each in wanted if not installed(each, told=True)]
        print(f"cannot be had here, and is left out: {', '.join(missing) or 'nothing'}")
    site = Path(sysconfig.get_paths()["purelib"])
    (site / "digram.pth").write_text(f"{ROOT / 'python'}\n", encoding="utf-8")


def installed(*requirements: str, told: bool) -> bool:
    """Ask pip for some packages; wheels only, since building a peer needs its whole toolchain."""
    command = [sys.executable, "-m", "pip", "install", "--only-binary", ":all:", *requirements]
    done = subprocess.run(command, check=False, capture_output=not told)
    return done.returncode == 0


if __name__ == "__main__":
    main()
