"""The build backend that pip calls: maturin, behind a check of the Rust toolchain.

Left alone, maturin answers a missing compiler by downloading one. A build should not fetch a
compiler that nobody asked for, and without a network that ends in a traceback; so the check comes
first and its message is all that pip shows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import maturin

import toolchain

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

os.environ["MATURIN_NO_INSTALL_RUST"] = "1"

build_editable = maturin.build_editable
build_sdist = maturin.build_sdist
build_wheel = maturin.build_wheel
prepare_metadata_for_build_editable = maturin.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = maturin.prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: Mapping[str, Any] | None = None) -> list[str]:
    """Name what else a build needs: the first question pip asks, so the check is here."""
    problem = toolchain.rust_problem()
    if problem:
        sys.exit(f"cannot build digram: {problem}")
    return list(maturin.get_requires_for_build_wheel(config_settings))


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel
