"""Findings on normalizer, pre-tokenizer and decoder, most of them measured on small texts."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable

from digram._check.blow_up import blow_up
from digram._check.findings import Finding, Findings, finding
from digram._check.listing import is_byte_level
from digram._load import load
from digram._model import Model
from digram._parts import parts_of
from digram._tokenizer import Tokenizer
from digram.components import (
    CTC,
    ByteLevel,
    Component,
    Metaspace,
    Normalizer,
    Prepend,
    PreTokenizer,
    Regex,
    Replace,
    SentencePieceNormalizer,
    StripDecoder,
    to_json,
)
from digram.errors import DigramError, LimitError

__all__ = ["alone", "check_decoder", "check_normalizer", "check_pre_tokenizer"]

# Every printable character of ASCII, and some of each kind beyond.
PROBES = "".join(map(chr, range(33, 127))) + "£©«°²½¿ÀßéñŁſİΩЖשعाก漢かカ한…“”€→∑①ﬁＡ😀"
# What a normalizer may make of a text, as the engine's own bound has it.
MOST = 64
# A character of three bytes that normal forms leave as it is.
BYTES = "€"
# So often a text stands in a row, that a few characters before it do not count.
ROW = 32


def alone(slot: str, described: object) -> Tokenizer:
    """Return a tokenizer that has nothing but one component, as a file describes it.

    >>> alone("normalizer", {"type": "Lowercase"}).words("A")
    [('a', 0, 1)]
    """
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    file = {"version": "1.0", "model": model, slot: described}
    return load(json.dumps(file).encode(), format="tokenizer.json")


def check_normalizer(normalizer: Normalizer | None) -> Findings:
    """Look at what a normalizer does to texts."""
    if normalizer is None:
        return
    place = "normalizer"
    yield from _patterns(normalizer, place)
    only = alone(place, to_json(normalizer))
    replaced = [p.pattern for p in parts_of(normalizer) if isinstance(p, Replace)]
    probes = [text for text in replaced if isinstance(text, str) and text]
    bomb = _bomb(only, [*probes, "a", " ", "0", "漢"])
    if bomb is not None:
        yield bomb
        return
    kept = _normalized(only, "aa")
    for text in (*PROBES, *filter(_is_seen, probes)):
        if _normalized(only, f"a{text}a") == kept:
            yield finding("normalizer-deletes", f"{text!r} becomes nothing", place=place)
    lossy = [text for text in (*PROBES, *probes) if _normalized(only, f"a{text}a") != f"a{text}a"]
    if lossy:
        to = _normalized(only, f"a{lossy[0]}a")
        yield finding("normalizer-lossy", f"{f'a{lossy[0]}a'!r} becomes {to!r}", place=place)


def check_pre_tokenizer(pre_tokenizer: PreTokenizer | None) -> Findings:
    """Look at how text is split."""
    if pre_tokenizer is None:
        return
    place = "pre_tokenizer"
    yield from _patterns(pre_tokenizer, place)
    only = alone(place, to_json(pre_tokenizer))
    # bytes in the middle of a pre-tokenizer are spelled; ASCII is the same, spelled or not
    probes = [text for text in PROBES if text.isascii() or not is_byte_level(pre_tokenizer)]
    dropped = [text for text in probes if text not in _normalized(only, f"a{text}a")]
    if dropped:
        some = " ".join(dropped[:10])
        yield finding("pattern-drops-text", f"lost from every text: {some}", place=place)


def check_decoder(tok: Tokenizer, model: Model) -> Findings:
    """Look at what a decoder puts into texts that encoding did not take out."""
    place, decoder = "decoder", model.decoder
    before = model.normalizer, model.pre_tokenizer
    if is_byte_level(*before) and not is_byte_level(decoder) and not _reads_bytes(tok):
        yield finding("decoder-missing", "there is no ByteLevel", place=place)
    yield from _patterns(decoder, place)
    written = "".join([*_written(*before), model.end_of_word or ""])
    for part in parts_of(decoder):
        message = _rewritten(part, written)
        if message is not None:
            yield finding("decoder-rewrites", message, place=place)


def _reads_bytes(tok: Tokenizer) -> bool:
    """Say whether bytes come back as text: over bytes, the decoder of the marker reads them too."""
    try:
        return BYTES in tok.decode(tok.encode(BYTES))
    except DigramError:  # bytes are missing, and that is told
        return False


def _rewritten(part: Component, written: str) -> str | None:
    """Say what a step of a decoder changes of what encoding did not write."""
    match part:
        case Replace(Regex(regex), content):
            return f"what {regex!r} matches becomes {content!r}"
        case Replace(str(text), content) if text not in written:
            return f"{text!r} becomes {content!r}, and no step of encoding writes {text!r}"
        case StripDecoder(char, start, stop) if char not in f"{written} ":
            return f"{char!r} is cut off, up to {start} before and {stop} after each token"
        case CTC():
            return "a token that follows itself is left out"
    return None


def _written(*components: Component | None) -> Iterable[str]:
    """List the texts that encoding writes instead of others."""
    for part in (part for whole in components for part in parts_of(whole)):
        match part:
            case Replace(_, content):
                yield content
            case Prepend(prepend):
                yield prepend
            case Metaspace():
                yield part.replacement
            case SentencePieceNormalizer(escape_whitespaces=True):
                yield "\u2581"
            case ByteLevel():
                yield "Ġ"


def _patterns(component: Component | None, place: str) -> Findings:
    for part in parts_of(component):
        pattern = getattr(part, "pattern", None)
        if isinstance(pattern, Regex) and (proof := blow_up(pattern.regex)):
            yield finding("pattern-blow-up", f"{pattern.regex!r}: {proof}", place=place)


def _bomb(only: Tokenizer, probes: Iterable[str]) -> Finding | None:
    for text in probes:
        before = text * ROW
        try:
            after = _normalized(only, before)
        except LimitError as error:
            return finding("expansion-bomb", f"{text!r}: {error}", place="normalizer")
        times = len(after.encode()) / len(before.encode())
        if times > MOST:
            message = f"{text!r} in a row becomes {times:.0f} times as long"
            return finding("expansion-bomb", message, place="normalizer")
    return None


def _normalized(only: Tokenizer, text: str) -> str:
    return "".join(word for word, _, _ in only.words(text))


def _is_seen(text: str) -> bool:
    return any(unicodedata.category(char)[0] not in "CMZ" for char in text)


def refusal(slot: str, described: object) -> Finding | None:
    """Find out whether a component is what keeps a file from being opened."""
    try:
        alone(slot, described)
    except ValueError as error:
        reason = str(error).removeprefix("<bytes>: ")
        is_pattern = any(word in reason for word in ("regex", "pattern", "empty text"))
        return finding("pattern-refused" if is_pattern else "component-refused", reason, place=slot)
    return None
