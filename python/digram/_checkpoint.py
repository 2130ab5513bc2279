"""A checkpoint: what learning has done so far, in a file, so that it can go on after a stop.

The file is a first line, a line of JSON that says what was learned from and how, the merges and
their frequencies as the engine writes them, and the SHA-256 of all that. It is replaced at once
and whole, so whatever stops the program, the last good one is there.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from digram import _core
from digram._atomic import replace_files
from digram._kinds import of_kind
from digram.errors import FormatError, MissingFileError

__all__ = ["Checkpoint"]

FIRST_LINE = b"digram checkpoint 1\n"
DIGEST_SIZE = 32
# Written at most so often, in milliseconds: little is lost, and the disk hardly notices.
EVERY = 1000
# What changes no merge, only how many there are.
FREE = frozenset({"vocab_size", "num_merges", "fuse_unk"})
# What an option was, where a file is older than it; others were None.
YOUNGER = {"byte_fallback": str(False)}
# What the engine calls otherwise than `digram.train`.
NAMES = {"attached": "marker", "forbidden_patterns": "forbidden"}


class Checkpoint:
    """The file that one training is kept in.

    Making one reads the file, if it is there, and refuses one that was written under other
    options. Then `begin` gives the engine what it needs.
    """

    def __init__(self, path: str | os.PathLike[str], options: Mapping[str, Any]) -> None:
        self.path = Path(of_kind("checkpoint", path, (str, os.PathLike), "a path, or None"))
        self.options = {name: repr(value) for name, value in options.items() if name not in FREE}
        self.about: dict[str, Any] = {}
        self.done: bytes | None = None
        self.merges: int | None = None
        """How many merges the file holds; `None` where there is no file."""
        self.failed = False
        if self.path.exists():
            self._read()
        else:
            self._refuse_impossible()

    def begin(self, counts: _core.WordCounts) -> dict[str, Any]:
        """Return the keywords of the engine, now that the words are counted.

        Refuses a file that was written while learning from other words.
        """
        ordered = self.options.get("ties") == repr("first-seen")
        found = {
            "words": len(counts),
            "occurrences": counts.total(),
            "fingerprint": _core.fingerprint(counts, ordered),
        }
        if self.done is not None and self.about["counts"] != found:
            theirs = self.about["counts"]
            raise ValueError(
                f"{self.path}: was learned from {theirs['words']} words,"
                f" {theirs['occurrences']} in all, and not from these {found['words']},"
                f" {found['occurrences']} in all{', or these in another order' if ordered else ''};"
                " give the same words to go on, or another file to begin anew"
            )
        self.about = {"options": self.options, "counts": found}
        return {"done": self.done, "keep": self.keep, "every": EVERY}

    def keep(self, done: bytes, merges: int) -> None:
        """Write what is done; where that fails, warn and let learning go on."""
        about = json.dumps({**self.about, "merges": merges}, ensure_ascii=False).encode()
        content = FIRST_LINE + about + b"\n" + done
        try:
            replace_files({self.path: content + digest_of(content)})
        except OSError as error:
            if not self.failed:
                self.failed = True
                warnings.warn(
                    f"{self.path}: the checkpoint could not be written ({error.strerror or error});"
                    f" it holds {self.merges or 0} merges, and learning goes on with {merges}",
                    RuntimeWarning,
                    stacklevel=4,
                )
        else:
            self.merges, self.failed = merges, False

    def told(self) -> str | None:
        """Say where an interrupted training can go on from; `None` where nothing is kept."""
        if self.merges is None:
            return None
        return (
            f"{self.merges} merges are kept in {str(self.path)!r}; the same call goes on from there"
        )

    def _read(self) -> None:
        content = self.path.read_bytes()
        if not content.startswith(FIRST_LINE):
            raise FormatError(f"{self.path}: is no checkpoint of digram; name another file")
        body, digest = content[:-DIGEST_SIZE], content[-DIGEST_SIZE:]
        if digest_of(body) != digest:
            raise FormatError(
                f"{self.path}: is cut off or changed, its checksum is not that of its content;"
                " remove it to begin anew"
            )
        line, _, self.done = body[len(FIRST_LINE) :].partition(b"\n")
        try:
            self.about = json.loads(line)
            self.merges = int(self.about["merges"])
            options, _ = dict(self.about["options"]), dict(self.about["counts"])
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(
                f"{self.path}: is whole, but not as this version of digram writes it ({error!r});"
                " remove it to begin anew"
            ) from error
        self._refuse_other_options(options)

    def _refuse_other_options(self, theirs: Mapping[str, str]) -> None:
        names = sorted({*theirs, *self.options})
        # an option that is younger than the file was not given
        theirs = {name: theirs.get(name, YOUNGER.get(name, str(None))) for name in names}
        differing = [name for name in names if theirs[name] != self.options.get(name)]
        if differing:
            told = "; ".join(
                f"{NAMES.get(name, name)} was {theirs.get(name)} and is {self.options.get(name)}"
                for name in differing
            )
            raise ValueError(
                f"{self.path}: was learned under other options: {told}; give the same to go on,"
                " or another file to begin anew"
            )

    def _refuse_impossible(self) -> None:
        """Refuse a file that cannot be made, before hours of work are to be kept in it."""
        folder = self.path.resolve().parent
        if not folder.is_dir():
            raise MissingFileError(
                f"{self.path}: there is no folder {str(folder)!r}; make it first"
            )
        if not os.access(folder, os.W_OK):
            raise PermissionError(
                f"{self.path}: nothing can be written in the folder {str(folder)!r}"
            )


def digest_of(content: bytes) -> bytes:
    """Return the SHA-256 of the content of a file."""
    import hashlib  # only here: it loads a library of its own

    return hashlib.sha256(content).digest()
