"""Training: from text, or from counted words, to a tokenizer."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

from digram import _core
from digram._checkpoint import Checkpoint
from digram._corpus import Source
from digram._counts import WordCounts, count
from digram._edit import NewTokens, first_tokens
from digram._extending import counted_for, refuse_beside_extend, words_of
from digram._feeding import Progress, progress_of
from digram._forbidden import Apart, Forbidden, constraints
from digram._kinds import choice, many, of_kind, shown, whole
from digram._report import TrainingReport
from digram._required import refuse_split, refuse_split_in_text, required_tokens
from digram._splitting import refuse_other_splitting
from digram._tokenizer import Tokenizer
from digram._tokens import unspelled
from digram.components import Normalizer, PreTokenizer, from_json, to_json
from digram.patterns import decoder, pre_tokenizer

__all__ = ["Ties", "train"]

ALL_BYTES = 256

Ties: TypeAlias = Literal[
    "smallest-ids", "first-seen", "largest-strings", "smallest-strings", "shortest"
]


def train(
    corpus: Source | Mapping[str, int] | Mapping[bytes, int],
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    units: Literal["bytes", "chars"] = "bytes",
    pattern: str | PreTokenizer | None = None,
    normalizer: str | Normalizer | None = None,
    special_tokens: NewTokens = (),
    min_frequency: int = 2,
    ties: Ties = "smallest-ids",
    end_of_word: str | None = None,
    marker: Literal["separate", "attached"] = "separate",
    unk_token: str | None = None,
    fuse_unk: bool = False,
    byte_fallback: bool = False,
    max_token_length: int | None = None,
    forbidden: Iterable[Forbidden] = (),
    required: Iterable[str] = (),
    apart: Iterable[Apart] = (),
    max_digits: int | None = None,
    initial_alphabet: Literal["seen"] | Iterable[str | bytes] | None = None,
    limit_alphabet: int | None = None,
    character_coverage: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    extend: Tokenizer | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    max_memory: int | str | None = None,
) -> Tokenizer:
    """Learn a tokenizer from text. The same text and options give the same file, on any machine.

    Args:
        corpus: A path, folder, glob or address; an iterable of texts (`str`, or bytes of UTF-8)
            and files (`Path`); a table with a column `text`; a `digram.corpus`, which names others
            and how to read them; or words already counted, a `WordCounts` or a mapping
            word → count, which are never split again.
        vocab_size: How many tokens there shall be, special tokens and base symbols included.
        num_merges: How many merges there shall be. The first limit that is reached stops; with
            neither, training goes on until no pair is frequent enough.
        units: What a word is first split into: bytes of UTF-8, or characters.
        pattern: What splits text into words: a name of `digram.patterns.NAMED` or `COMPONENTS`, a
            regular expression, or a component. Default: o200k's; with an end-of-word marker, white
            space.
        normalizer: `"NFC"`, `"NFD"`, `"NFKC"`, `"NFKD"`, `"Lowercase"`, or a component.
        special_tokens: Tokens that are cut out of the text and get the first ids, behind an
            `unk_token` that is none of them; an `AddedToken` may have flags, such as `lstrip`.
        min_frequency: A pair is learned only if it occurs so often; 0 and 1: no limit.
        ties: Which of several equally frequent pairs is merged.
        end_of_word: A marker at the end of each word, such as `"</w>"`.
        marker: The marker is a symbol of its own, or attached to the last one from the start.
        unk_token: The token for characters outside the vocabulary.
        fuse_unk: One unknown token for a run of such characters, instead of one each.
        byte_fallback: Characters outside the vocabulary are spelled in their bytes, whose tokens,
            `<0x00>` to `<0xFF>`, follow the special tokens. For `units="chars"` without a marker.
        max_token_length: No merge makes a token of more units; a marker counts as one.
        forbidden: What no merge makes a token of: texts, compared whole and with the marker, and
            compiled patterns (`re.compile`), which are found in no new token.
        required: Texts that are tokens for certain. Their merges come first: of the pairs in them
            the most frequent in the words, again and again, until each is one token. With a marker,
            a text that ends in it ends words.
        apart: What no merge joins with anything else: `"spaces"` (white space), `"digits"`,
            `"scripts"`, or `"characters"`: a new token is whole characters or lies within one, as
            it does with any of the others too. `"sentencepiece"`, `"sentencepiece-scripts"` and
            `"sentencepiece-scripts-with-digits"` are what SentencePiece keeps apart.
        max_digits: No merge makes a token with more digits.
        initial_alphabet: Base symbols: `None` for all 256 bytes or the characters seen, `"seen"`
            for those seen, or further ones: a text of characters, or a list of single ones.
            Over bytes, the characters of Hugging Face's `ByteLevel.alphabet()` are all 256.
        limit_alphabet: How many characters are base symbols at most: the most frequent, of equals
            those with the lower code point, and all of `initial_alphabet` and `required`. Words
            learn nothing across the others, which `unk_token` stands for (one for each, also where
            `fuse_unk` makes one of several), or their bytes. For `units="chars"`.
        character_coverage: The same by a part of the text, such as 0.9995: the most frequent
            characters are base symbols, until they are so much of it. As in SentencePiece, with
            whose rounding a coverage of 1.0 leaves out what is less than 0.000003 % of a text.
        threads: How many threads count; `None` for one per core. Nobody can observe it.
        progress: Called with `(stage, done, total)`, every 20 ms or so; a total that is not known
            is 0. The stages are `"count"` (bytes of text), then `"words"`, `"symbols"`, `"pairs"`
            and `"merges"`; `"pairs"` may come once more between merges. Between steps of
            `"count"`, `"distinct"` tells how many distinct words there are so far, ten times a
            second at most: exactly up to 4096; beyond, an estimate from the hashes of the words,
            with a standard error of 1.6 %, whatever the threads; and once all are counted the exact
            number, with itself as the total. An error that it raises ends training.
        extend: A tokenizer to go on from. Its tokens keep their ids, new ones come after the last,
            and text is split as it splits it, or at visible spaces (▁) where it does not; where it
            falls back to bytes, a character gets a token only if its bytes are several and it
            occurs `min_frequency` times; `num_merges` counts the new merges, `vocab_size` all
            tokens, and the report tells of what is new. Of the other arguments only
            `min_frequency`, `ties`, `threads`, `progress`, `max_memory` and what limits tokens
            (`max_token_length`, `forbidden`, `required`, `apart`, `max_digits`) may be given, and
            a `checkpoint`.
        checkpoint: A file in which the merges so far are kept: every second while learning, and
            when it ends, by Ctrl-C too. If it is there, learning goes on from it, and the result
            is that of a training that was never stopped. `vocab_size` and `num_merges` may be
            larger than before; the words and other options must be the same.
        max_memory: How many bytes the words that are counted and their tables may take together,
            as a number or as `"512MB"` or `"2GiB"`; what there is no room for goes to temporary
            files (in `TMPDIR`, without names, so nothing is left of them). Nobody can observe it.
            The list of all distinct words, and learning from it, come on top.

    Raises `ValueError` for arguments that contradict each other (before the corpus is read, where
    no word is needed to tell), for an empty corpus, and for a checkpoint of other words or options,
    `MissingFileError` for a missing file, `FormatError` for what is no whole checkpoint,
    `LimitError` where counts leave 64 bits.

    O(n) in the bytes of text, and O(m log m) in the symbols of its distinct words.

    >>> tok = train(["low lower lowest low"], vocab_size=258, special_tokens=["<|end|>"])
    >>> tok.merges[0], tok.training.stopped
    ((76, 79, 257), 'vocab_size')
    >>> more = train(["low lower lowest low"], num_merges=2, extend=tok)
    >>> more.merges[1:], more.training.stopped
    (((257, 87, 258), (221, 258, 259)), 'num_merges')
    >>> tok = train({"10 km": 9, "10 kg": 5}, units="chars", forbidden=["kg"], apart=["spaces"])
    >>> tok.training.tokens[tok.training.base_size :]
    ('10', 'km')
    >>> tok = train({"low": 5, "lower": 2}, units="chars", required=["west"], num_merges=4)
    >>> tok.training.tokens[tok.training.base_size :]
    ('we', 'st', 'west', 'lo')
    """
    of_kind("extend", extend, Tokenizer | None, "a Tokenizer, or None")
    first, flagged = first_tokens("special_tokens", special_tokens)
    options: dict[str, Any] = {
        "vocab_size": _natural("vocab_size", vocab_size),
        "num_merges": _natural("num_merges", num_merges),
        "units": choice("units", units, ("bytes", "chars")),
        "special_tokens": first,
        "min_frequency": whole("min_frequency", min_frequency),
        "ties": of_kind("ties", ties, str, f"one of {', '.join(map(repr, get_args(Ties)))}"),
        "end_of_word": of_kind("end_of_word", end_of_word, str | None, "a str, or None"),
        "attached": choice("marker", marker, ("separate", "attached")) == "attached",
        "unk_token": of_kind("unk_token", unk_token, str | None, "a str, or None"),
        "fuse_unk": of_kind("fuse_unk", fuse_unk, bool, "True or False"),
        "byte_fallback": of_kind("byte_fallback", byte_fallback, bool, "True or False"),
        "max_token_length": _natural("max_token_length", max_token_length),
        **constraints(forbidden, apart),
        "required": required_tokens(required),
        "max_digits": _natural("max_digits", max_digits),
        "initial_alphabet": _alphabet(initial_alphabet, units),
        "limit_alphabet": _natural("limit_alphabet", limit_alphabet),
        "character_coverage": _part("character_coverage", character_coverage),
    }
    if extend is None:
        _refuse_what_goes_with_nothing(options)
    else:
        refuse_beside_extend({**options, "pattern": pattern, "normalizer": normalizer})
    checked = _core.LearnOptions(**options, extend=None if extend is None else extend._engine)
    kept = _checkpoint(checkpoint, options, extend)
    counting = _counting(corpus, threads, progress, max_memory)
    asked = _Asked(
        options, checked, kept, progress_of(progress), given=not isinstance(corpus, WordCounts)
    )
    if extend is not None:
        return _extended(extend, counted_for(extend, corpus, counting)._counts, asked)
    splitting = {"pattern": pattern, "normalizer": normalizer, "end_of_word": end_of_word}
    counts = _counted(corpus, splitting, first, counting)
    learned = _learned(counts, asked)
    if not flagged:
        return learned
    return Tokenizer._of(learned.with_(special_tokens=flagged)._engine, learned.training)


@dataclass(frozen=True)
class _Asked:
    """What is asked for, as given and as the engine has it; who is told, and where it is kept."""

    options: dict[str, Any]
    checked: _core.LearnOptions
    kept: Checkpoint | None
    progress: Progress | None
    given: bool
    """Whether nobody needs the counts again."""


def _checkpoint(
    path: str | os.PathLike[str] | None, options: dict[str, Any], extend: Tokenizer | None
) -> Checkpoint | None:
    """Open the file to keep learning in; a tokenizer to extend is one of the options."""
    if path is None:
        return None
    told = options if extend is None else {**options, "extend": extend.fingerprint}
    return Checkpoint(path, told)


def _counting(
    corpus: Any, threads: int | None, progress: Progress | None, max_memory: int | str | None
) -> dict[str, Any]:
    """Return what counting takes of the arguments."""
    if max_memory is not None and isinstance(corpus, Mapping):
        raise ValueError(
            f"max_memory is {max_memory!r}, but the words are counted already; leave it out"
        )
    return {"threads": threads, "progress": progress, "max_memory": max_memory}


def _counted(
    corpus: Any, splitting: dict[str, Any], special_tokens: list[str], counting: Mapping[str, Any]
) -> WordCounts:
    """Count words; or take words that are counted, and were split no other way."""
    if isinstance(corpus, WordCounts):
        refuse_other_splitting(corpus._splitting, **splitting)
        return corpus
    if isinstance(corpus, Mapping):
        return WordCounts.of(corpus, **splitting)
    return count(
        corpus,
        pattern=pre_tokenizer(splitting["pattern"], "chars", splitting["end_of_word"]),
        normalizer=splitting["normalizer"],
        special_tokens=special_tokens,
        **counting,
    )


def _learned(counts: WordCounts, asked: _Asked) -> Tokenizer:
    """Learn from counted words, and make the tokenizer."""
    units, end_of_word = asked.options["units"], asked.options["end_of_word"]
    if asked.options["required"]:
        refuse_split_in_text(
            asked.options["required"], end_of_word, counts._split, counts._normalizer
        )
    split, normal = pre_tokenizer(counts.split, units, end_of_word), counts._normalizer
    form = None if normal is None else from_json(json.loads(normal), "normalizer")
    fallback = asked.options["byte_fallback"]
    text_bytes = counts._counts.text_bytes()
    engine, told = _engine_and_report(
        counts._counts,
        asked,
        normalizer=normal,
        pre_tokenizer=_json(split),
        decoder=_json(decoder(units, end_of_word, split, form, byte_fallback=fallback)),
    )
    report = TrainingReport(*(*told, 0))
    return Tokenizer._of(engine, replace(report, text_bytes=text_bytes))


def _engine_and_report(
    counts: _core.WordCounts, asked: _Asked, **around: Any
) -> tuple[_core.Engine, tuple[Any, ...]]:
    """Learn, from where the checkpoint tells, and tell where what was learned is kept."""
    if len(counts) == 0:
        raise ValueError("the corpus is empty: it holds no word, so there is nothing to learn")
    kept = asked.kept
    begin = {} if kept is None else kept.begin(counts)
    begin = {**begin, "progress": asked.progress, "given": asked.given}
    try:
        return _core.learn(counts, asked.checked, **around, **begin)
    except KeyboardInterrupt as stop:
        if kept is not None and (merges := kept.told()) is not None:
            stop.args = (merges,)
        raise


# Options that say how another is meant, and what they are called.
OF_OTHERS = {"attached": ("marker", "end_of_word"), "fuse_unk": ("fuse_unk", "unk_token")}


def _refuse_what_goes_with_nothing(given: Mapping[str, Any]) -> None:
    for name, (called, other) in OF_OTHERS.items():
        if given[name] and given[other] is None:
            raise ValueError(
                f"{called} says how {other} is meant, and there is none; give {other}, or leave"
                f" {called} out"
            )


def _extended(tokenizer: Tokenizer, counts: _core.WordCounts, asked: _Asked) -> Tokenizer:
    end_of_word = tokenizer._settings["end_of_word"] or ""
    refuse_split(asked.options["required"], end_of_word, partial(words_of, tokenizer))
    engine, told = _engine_and_report(
        counts, asked, normalizer=None, pre_tokenizer=None, decoder=None
    )
    report = TrainingReport(*(*told, 0))
    size = len if tokenizer.units == "bytes" else _bytes_of
    base = zip(report.tokens, report.frequencies[: report.base_size], strict=False)
    spelled = sum(size(token) * frequency for token, frequency in base)
    text_bytes = spelled - size(end_of_word) * report.occurrences
    return Tokenizer._of(engine, replace(report, text_bytes=text_bytes), tokenizer.directory)


def _bytes_of(text: str) -> int:
    return len(text.encode())


def _natural(name: str, value: int | None) -> int | None:
    return None if value is None else whole(name, value)


def _part(name: str, value: float | None) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; it must be a number above 0 and at most 1, or None")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _alphabet(initial: Any, kind: str) -> list[bytes] | None:
    """Return the base symbols wanted: `None` for the default, none at all for those seen.

    Over bytes the 256 characters that Hugging Face's `ByteLevel.alphabet()` gives are all bytes.
    """
    if initial is None:
        return None
    if initial == "seen":
        return []
    units = list(many("initial_alphabet", initial, "an iterable of str and bytes, 'seen', or None"))
    for unit in units:
        if not isinstance(unit, str | bytes):
            kind = type(unit).__name__
            raise TypeError(f"initial_alphabet holds str or bytes, not {kind}: {shown(unit)}")
        if not _is_symbol(unit):
            raise ValueError(
                f"initial_alphabet holds {shown(unit)}, and base symbols are single characters, or"
                " single bytes; give each on its own, and a longer text as one of special_tokens or"
                " required"
            )
    if kind == "bytes" and len(set(units)) == ALL_BYTES and all(isinstance(u, str) for u in units):
        meant = unspelled("".join(units))
        if meant is not None and len(set(meant)) == ALL_BYTES:
            return None
    return [unit.encode() if isinstance(unit, str) else unit for unit in units]


def _is_symbol(unit: str | bytes) -> bool:
    """Whether it is one character, as text or in UTF-8, or one byte."""
    try:
        return len(unit) == 1 or (isinstance(unit, bytes) and len(unit.decode()) == 1)
    except UnicodeDecodeError:
        return False


def _json(component: Any) -> str | None:
    return None if component is None else json.dumps(to_json(component))
