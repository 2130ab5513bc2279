"""From the contents of files to the engine, with what their format cannot hold."""

from __future__ import annotations

from collections.abc import Mapping

from digram._bounds import BOUNDS
from digram._core import Engine

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

__all__ = ["NOTHING_KNOWN", "opened"]

# The limits where none are given, as JSON, which the engine takes; to write this needs no `json`.
USUAL_LIMITS = "{" + ",".join(f'"{name}":{most}' for name, most in BOUNDS.items()) + "}"
# What the engine takes beside the files.
NOTHING_KNOWN: Mapping[str, Any] = {
    "format": None,
    "pattern": None,
    "special_tokens": [],
    "unk_token": None,
    "initial_alphabet": [],
    "vocabulary": None,
    "glossaries": [],
    "limits": None,
}


def opened(files: list[bytes], place: str, known: Mapping[str, Any]) -> tuple[Engine, str | None]:
    """Open files, `place` by name in errors; return the record of training in them as it stands."""
    limits = known["limits"]
    text = USUAL_LIMITS if limits is None else limits.to_json()
    # names of files may hold bytes that are no text
    place = place.encode(errors="surrogateescape").decode(errors="replace")
    return Engine.load(files, place, **{**known, "limits": text})
