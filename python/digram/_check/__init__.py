"""Checking a tokenizer or its file: what is wrong with it, under codes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from digram._check.codes import CODES
from digram._check.findings import Finding
from digram._tokenizer import Tokenizer
from digram.components import PreTokenizer

__all__ = ["CODES", "Finding", "check"]

ORDER = ("error", "warning", "note")

Path_ = str | os.PathLike[str]


def check(
    source: Tokenizer | Path_ | tuple[Path_, Path_] | bytes | tuple[bytes, bytes],
    *,
    notes: bool = False,
    format: str | None = None,
    pattern: str | PreTokenizer | None = None,
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    unk_token: str | None = None,
    initial_alphabet: str = "",
    vocabulary: Path_ | Mapping[str, int] | Iterable[str] | None = None,
    vocabulary_threshold: int | None = None,
    glossaries: Iterable[str] = (),
) -> tuple[Finding, ...]:
    """Look for what is wrong with a tokenizer, or with a file that holds one; errors come first.

    Of a file, all that can be seen is told, also where it cannot be opened. The keywords are
    those of `load`. Sound files have no findings. With `notes`, there is also what is usual and
    worth knowing: such findings have the severity `"note"`. docs/checking.md lists the codes.

    Raises `MissingFileError` for a missing file, `ValueError` for a keyword that the format has
    no use for, and, as `load` does, for one that it cannot be read without. About a second for
    100,000 tokens.

    >>> import digram
    >>> tok = digram.train(["low lower lowest"], num_merges=3)
    >>> digram.check(tok)
    ()
    >>> for found in digram.check(tok.with_(rule=digram.Merges(tok.merges[:1] + tok.merges[2:]))):
    ...     print(found)
    warning token-without-merge: b'low' by itself becomes 'lo' + 'w'
    warning unreachable-token: b' low' by itself becomes ' ' + 'lo' + 'w'
    """
    from digram._check.run import check_file, check_tokenizer  # only here: a dozen modules

    if isinstance(source, Tokenizer):
        found = check_tokenizer(source, notes=notes)
    else:
        known = {
            "format": format,
            "pattern": pattern,
            "special_tokens": special_tokens,
            "unk_token": unk_token,
            "initial_alphabet": initial_alphabet,
            "vocabulary": vocabulary,
            "vocabulary_threshold": vocabulary_threshold,
            "glossaries": glossaries,
        }
        found = check_file(source, known, notes=notes)
    kept = dict.fromkeys(each for each in found if notes or each.severity != "note")
    return tuple(sorted(kept, key=lambda each: ORDER.index(each.severity)))
