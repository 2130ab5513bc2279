"""Reading tokenizers: any format, recognized by content; a file, a pair, or a directory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from digram._arguments import distinct
from digram._files import PAIRS, content_of, with_partner
from digram._filter import allowed, counted
from digram._kinds import id_of, many, of_kind, whole
from digram._opening import opened
from digram._tokenizer import Tokenizer
from digram.errors import MissingFileError
from digram.patterns import as_the_engine_takes_it

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from digram._limits import Limits
    from digram.components import PreTokenizer

__all__ = ["contents_of", "load"]

Path_ = str | os.PathLike[str]

# Longer than any path that systems allow.
MAX_PATH = 4096


def load(
    source: Path_ | tuple[Path_, Path_] | bytes | tuple[bytes, bytes],
    *,
    format: str | None = None,
    pattern: str | PreTokenizer | None = None,
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    unk_token: str | None = None,
    initial_alphabet: str = "",
    vocabulary: Path_ | Mapping[str, int] | Iterable[str] | None = None,
    vocabulary_threshold: int | None = None,
    glossaries: Iterable[str] = (),
    limits: Limits | None = None,
) -> Tokenizer:
    """Read a tokenizer, of any format that digram knows.

    These are `tokenizer.json`, `.tiktoken`, `tekken.json`, `vocab.json` with `merges.txt`, and
    the codes of subword-nmt, OpenNMT and fastBPE, SentencePiece's `.model`, and llama.cpp's GGUF.
    The format is recognized by content unless `format` names it. `source` is a file, a pair of
    files (`vocab.json`, `merges.txt`), a directory, or the bytes of a file or of a pair. A
    directory is read with what stands beside the tokenizer, as `from_pretrained` does. What the
    format cannot hold is given by keyword: the `pattern` that splits text and the `special_tokens`
    (with their ids, or in the order of ids) of a `.tiktoken` file, the `unk_token` of
    `vocab.json` or of codes, and the `initial_alphabet`, characters that codes need not hold.

    `vocabulary` is for subword-nmt's codes, and filters as `subword-nmt apply-bpe --vocabulary`
    does: a token that is not in it, `@@` included where it does not end a word, is taken apart
    again. It is a file of tokens and counts, a mapping of tokens to counts, or the tokens; those
    with counts below `vocabulary_threshold` are left out of it. `glossaries` are for
    these codes too: texts, or patterns of Python, and what they find in words is kept whole, as
    `subword-nmt apply-bpe --glossaries` keeps it.

    A file may be anybody's: whatever is in it, it gives a tokenizer, or an error, and asks for no
    more than `limits` allow, the defaults of `Limits` if none are given.

    Raises `MissingFileError` for a missing file, `OSError` for one that the system does not let
    read, and `FormatError`, naming the place and the reason, for one that is no tokenizer or
    damaged; `LimitError` for what is beyond `limits`; `ValueError` for
    a keyword that the format has no use for.

    >>> import digram, tempfile
    >>> tok = digram.train(["abc abc"], num_merges=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tok.save(folder + "/tokenizer.json")
    ...     digram.load(folder + "/tokenizer.json") == tok
    True
    """
    if limits is not None:
        from digram._limits import Limits

        of_kind("limits", limits, Limits, "a digram.Limits, or None")
    known: dict[str, Any] = {
        "format": of_kind("format", format, (str, type(None)), "the name of a format, or None"),
        "pattern": None if pattern is None else as_the_engine_takes_it(pattern),
        "special_tokens": _special(special_tokens),
        "unk_token": of_kind("unk_token", unk_token, (str, type(None)), "a str, or None"),
        "initial_alphabet": list(
            many("initial_alphabet", initial_alphabet, "a str, or an iterable of characters")
        ),
        "vocabulary": _vocabulary(vocabulary, vocabulary_threshold, limits),
        "glossaries": _glossaries(glossaries),
        "limits": limits,
    }
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        from digram._load_directory import load_directory  # only here: it reads settings too

        return load_directory(source, os.fsdecode(source), **known)
    names, files = contents_of(source, limits)
    return Tokenizer._of(*opened(files, names, known))


def contents_of(source: Any, limits: Limits | None) -> tuple[str, list[bytes]]:
    """Return how to name the source in errors, and the content of its file or files."""
    if isinstance(source, bytes | bytearray | memoryview):
        return "<bytes>", [bytes(source)]
    if isinstance(source, tuple):
        if len(source) != len(PAIRS[0]):
            raise ValueError(
                f"a pair of files is vocab.json and merges.txt, not {len(source)} files"
            )
        if all(isinstance(content, bytes) for content in source):
            return "<bytes>", list(source)
        paths = tuple(os.fsdecode(path) for path in source)
    elif isinstance(source, str | os.PathLike):
        _refuse_content(source)
        paths = _paths(os.fsdecode(source))
    else:
        kind = type(source).__name__
        remedy = "; digram.from_ranks takes ranks" if isinstance(source, Mapping) else ""
        if hasattr(source, "read"):
            remedy = "; give its name, or what it holds: load(file.read()) of one opened with 'rb'"
        raise TypeError(f"load takes a path, a pair of paths, or bytes, not {kind}{remedy}")
    return " + ".join(paths), [content_of(path, limits) for path in paths]


def _refuse_content(source: Path_) -> None:
    """Refuse a text that must be that of a file where its path is meant."""
    if not isinstance(source, str) or os.path.exists(source):
        return
    is_object = source.lstrip().startswith("{") and source.rstrip().endswith("}")
    if is_object or "\n" in source.strip() or len(source) > MAX_PATH:
        raise MissingFileError(
            f"{source[:40]!r}… looks like what a file holds, and a str is a path; to load it, pass"
            " bytes: text.encode()"
        )


def _paths(path: str) -> tuple[str, ...]:
    """Return the file, with the one that belongs to it, or those of a directory."""
    if not os.path.isdir(path):
        return with_partner(path)
    from digram._folder import chosen, regular

    files = regular(path)
    return tuple(str(files[name]) for name in chosen(files, path))


def _vocabulary(
    vocabulary: Path_ | Mapping[str, int] | Iterable[str] | None,
    threshold: int | None,
    limits: Limits | None,
) -> list[str] | None:
    if vocabulary is None:
        if threshold is not None:
            raise ValueError(f"vocabulary_threshold is {threshold}, but there is no vocabulary")
        return None
    if isinstance(vocabulary, str | os.PathLike):
        path = os.fsdecode(vocabulary)
        vocabulary = counted(content_of(path, limits), path)
    rule = "a path, a mapping of str to counts, an iterable of str, or None"
    if threshold is not None:
        threshold = whole("vocabulary_threshold", threshold)
    return allowed(many("vocabulary", vocabulary, rule), threshold)


def _glossaries(glossaries: Iterable[str]) -> list[str]:
    if isinstance(glossaries, str):
        raise TypeError(f"glossaries is the text {glossaries!r}; pass a list: [{glossaries!r}]")
    listed = list(many("glossaries", glossaries, "an iterable of str"))
    for glossary in listed:
        of_kind("each of glossaries", glossary, str, "a str, a text or the pattern itself")
    return listed


def _special(tokens: Iterable[str] | Mapping[str, int]) -> list[tuple[str, int | None]]:
    if isinstance(tokens, Mapping):
        texts = distinct("special_tokens", tokens)
        return [(text, id_of(text, tokens[text])) for text in texts]
    return [(text, None) for text in distinct("special_tokens", tokens)]
