"""One format in, another out, and the proof that both give the same ids and the same text."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from digram._atomic import replace_files
from digram._kinds import in_order, of_kind, shown
from digram._limits import Limits
from digram._load import load
from digram._probes import rows, special_probes, unicode_probes, vocabulary_probes
from digram._save import format_of, is_directory
from digram._tokenizer import Tokenizer
from digram.errors import DigramError, FormatError

if TYPE_CHECKING:
    from digram._coding import Special

__all__ = ["Proof", "convert"]

# Texts are tried in batches of so many.
BATCH = 20_000
# Shrinking a text that differs is given up after so many tries.
TRIES = 2_000
# Of the ids of a difference, so many are shown.
SHOWN = 12


@dataclass(frozen=True)
class Proof:
    """What a conversion has written, and what it has compared before.

    `probes` and `texts` were encoded and decoded by both, `compared` bytes in all. `options` are
    the keywords that `digram.load` needs to read the files again. The fingerprints are of the
    original and of what the files read as; two that differ tell of two rules that gave the same
    ids.
    """

    files: tuple[str, ...]
    probes: int
    texts: int
    compared: int
    fingerprint: str
    fingerprint_read: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unequal:
    """A text that two tokenizers treat differently, and how."""

    text: str
    special: Special
    first: Any
    second: Any


def convert(
    source: Tokenizer | str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    texts: Iterable[str] = (),
) -> Proof:
    """Write a tokenizer in another format, if what is written gives the same ids and texts.

    `format` and `target` are those of `Tokenizer.save`. Before anything is written, the files are
    read back and both are compared on texts made of the vocabulary (each token alone, after a
    letter, after a blank and before the next; special tokens as text and as tokens), on texts
    from all over Unicode, and on each of `texts`, as a whole and by line. What reading needs and
    the format does not hold is taken from the source.

    Raises `FormatError` where the format cannot hold the tokenizer, for all reasons at once, and
    where a text differs, naming a smallest piece of it; the target is then as it was. About ten
    seconds for 100,000 tokens.

    >>> import digram, tempfile
    >>> tok = digram.train(["low lower lowest"], num_merges=3, pattern="gpt2")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     proof = digram.convert(tok, folder + "/low.tiktoken")
    >>> proof.probes > 1000, proof.options["pattern"] is not None
    (True, True)
    """
    tok = source if isinstance(source, Tokenizer) else load(source)
    format_of(target, format)
    place = Path(target)
    if isinstance(texts, str):
        raise TypeError(f"texts is the text {shown(texts)}; give a list of texts: [{shown(texts)}]")
    in_order("texts", texts, "an iterable of str")
    with tempfile.TemporaryDirectory(prefix="digram-") as folder:
        written = Path(folder, place.name or "tokenizer")
        if is_directory(target):
            written.mkdir()
        tok.save(written, format=format)
        again, options = _read_back(tok, written, place)
        proof = _proven(tok, again, texts, place)
        contents = _contents(written, place)
    for parent in {path.parent for path in contents if place in path.parents}:
        parent.mkdir(parents=parent != place, exist_ok=True)
    replace_files(contents)
    files = tuple(map(str, contents))
    prints = (tok.fingerprint, again.fingerprint)
    return Proof(files, *proof, *prints, options)


def _contents(written: Path, place: Path) -> dict[Path, bytes]:
    """Return what belongs where, from what was written for a trial."""
    if written.is_file():
        return {place: written.read_bytes()}
    files = sorted(path for path in written.rglob("*") if path.is_file())
    return {place / path.relative_to(written): path.read_bytes() for path in files}


def _read_back(tok: Tokenizer, written: Path, place: Path) -> tuple[Tokenizer, dict[str, Any]]:
    """Read what was written, with as little of what the source knows as gives the same again."""
    known = _known(tok)
    times, _ = tok._engine.bounds()
    needed = {} if times == Limits().expansion else {"limits": Limits(expansion=times)}
    best: tuple[Tokenizer, dict[str, Any]] | None = None
    refusal: Exception | None = None
    for names in chain.from_iterable(combinations(known, size) for size in range(len(known) + 1)):
        options = needed | {name: known[name] for name in names}
        try:
            again = load(written, **options)
        except (DigramError, ValueError) as error:
            refusal = refusal or error
            continue
        if again.fingerprint == tok.fingerprint:
            return again, options
        best = (again, options)  # the more is known, the closer
    if best is None:
        reason = str(refusal).replace(str(written), str(place))
        raise FormatError(f"{place}: it could not be read again, so nothing is written: {reason}")
    return best


def _known(tok: Tokenizer) -> dict[str, Any]:
    """Return what the source knows and a format may not hold."""
    model = tok.model
    known: dict[str, Any] = {}
    if model.pre_tokenizer is not None:
        known["pattern"] = model.pre_tokenizer
    if tok.special_tokens:
        known["special_tokens"] = dict(tok.special_tokens)
    if model.unk_token is not None:
        known["unk_token"] = model.unk_token
    if model.units == "chars" and model.end_of_word is not None:
        known["initial_alphabet"] = _alphabet(tok)
    return known


def _alphabet(tok: Tokenizer) -> str:
    """Return the characters that no merge shows: tokens of one that are part of none."""
    model = tok.model
    shown = {id_ for merge in tok.merges for id_ in merge[:2]}
    marker = (model.end_of_word or "").encode()
    chars = dict.fromkeys(
        char
        for id_, token in model.tokens.items()
        if id_ not in shown
        for char in token.removesuffix(marker if id_ in model.word_ends else b"").decode("utf-8")
        if len(token.removesuffix(marker).decode("utf-8")) == 1
    )
    return "".join(chars)


def _proven(
    tok: Tokenizer, again: Tokenizer, texts: Iterable[str], place: Path
) -> tuple[int, int, int]:
    """Compare both on all there is; return how many probes and texts, and how many bytes."""
    model = tok.model
    counts = []
    size = 0
    for made, specials in (
        (vocabulary_probes(model), ("text",)),
        (chain(special_probes(model), unicode_probes()), ("text", "token")),
        (whole_and_lines(texts), ("text", "token")),
    ):
        counts.append(0)
        for batch in rows(made, BATCH):
            for special in specials:
                _refuse_unequal(first_unequal(tok, again, batch, special), tok, again, place)
            counts[-1] += len(batch)
            size += sum(len(text.encode()) for text in batch)
    return counts[0] + counts[1], counts[2], size


def whole_and_lines(texts: Iterable[str]) -> Iterator[str]:
    r"""Return each text, and each of its lines.

    >>> list(whole_and_lines(["a\nb"]))
    ['a\nb', 'a\n', 'b']
    """
    for place, text in enumerate(texts):
        yield of_kind(f"texts[{place}]", text, str, "a str")
        lines = text.splitlines(keepends=True)
        yield from lines if len(lines) > 1 else ()


def first_unequal(
    one: Tokenizer, two: Tokenizer, texts: Sequence[str], special: Any
) -> Unequal | None:
    """Return the first text whose ids, or the text of them, are not the same for both."""
    first, second = _encoded(one, texts, special), _encoded(two, texts, special)
    for text, ids, others in zip(texts, first, second, strict=True):
        if ids != others:
            return Unequal(text, special, ids, others)
        if isinstance(ids, list):
            decoded, other = one.decode(ids), two.decode(ids)
            if decoded != other:
                return Unequal(text, special, decoded, other)
    return None


def _encoded(tok: Tokenizer, texts: Sequence[str], special: Any) -> list[Any]:
    """Return the ids of each text, or what is said where there are none."""
    try:
        return [*tok.encode_batch(texts, special=special)]
    except DigramError:
        return [_outcome(tok, text, special) for text in texts]


def _outcome(tok: Tokenizer, text: str, special: Special) -> Any:
    try:
        return tok.encode(text, special=special)
    except DigramError as error:
        return type(error).__name__


def _refuse_unequal(found: Unequal | None, one: Tokenizer, two: Tokenizer, place: Path) -> None:
    if found is None:
        return

    def differs(text: str) -> Unequal | None:
        return first_unequal(one, two, [text], found.special)

    least = shrunk(found.text, lambda text: differs(text) is not None)
    unequal = differs(least) or found
    at = ", with special tokens matched" if found.special == "token" else ""
    raise FormatError(
        f"{place}: nothing is written, because {unequal.text!r}{at} would become another thing:"
        f" {_shown(unequal.first)} before, and {_shown(unequal.second)} after"
    )


def shrunk(text: str, differs: Callable[[str], bool]) -> str:
    """Return a part of a text that still differs, and no longer does with any piece less.

    >>> shrunk("the cat sat", lambda text: "ca" in text)
    'ca'
    """
    tries, step = 0, max(len(text) // 2, 1)
    while tries < TRIES:
        place, shorter = 0, False
        while place < len(text) and tries < TRIES:
            tries += 1
            less = text[:place] + text[place + step :]
            if differs(less):
                text, shorter = less, True
            else:
                place += step
        if step == 1 and not shorter:
            break
        step = max(step // 2, 1)
    return text


def _shown(outcome: Any) -> str:
    if isinstance(outcome, list) and len(outcome) > SHOWN:
        return f"[{', '.join(map(str, outcome[:SHOWN]))}, … {len(outcome)} ids]"
    return str(outcome) if isinstance(outcome, list) else repr(outcome)
