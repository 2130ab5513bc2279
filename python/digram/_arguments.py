"""Components by the names that people call them, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from digram._kinds import many, of_kind, shown, whole
from digram.patterns import COMPONENTS, NAMED

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from digram.components import Normalizer

__all__ = [
    "byte_count",
    "distinct",
    "first_ids",
    "listed",
    "normalizer_of",
    "ordered",
    "pattern_name",
    "refuse_set",
    "thread_count",
]

# A number of bytes: decimal units, and binary ones with an i.
SIZE = r"(?ia)(\d+(?:\.\d+)?)\s*([KMGT]?)((?<=[KMGT])I)?B?"
PER_CORE = ", or None for one per core"
NORMALIZERS = ("NFC", "NFD", "NFKC", "NFKD", "Lowercase")
# The patterns of pre-tokenizers that do not write them; others split without one.
UNWRITTEN = {**{name: name for name in COMPONENTS}, "WhitespaceSplit": "whitespace"}


def listed(name: str, texts: Iterable[str]) -> list[str]:
    """Return a list of texts, refusing a lone text, which would be taken apart.

    >>> listed("special_tokens", ("<s>", "</s>"))
    ['<s>', '</s>']
    """
    if isinstance(texts, str):
        raise TypeError(f"{name} is the text {texts!r}; give a list of tokens: [{texts!r}]")
    found = list(many(name, texts, "an iterable of str"))
    for text in found:
        if not isinstance(text, str):
            raise TypeError(f"{name} holds str, not {type(text).__name__}: {shown(text)}")
    return found


def ordered(name: str, tokens: Iterable[str]) -> list[str]:
    """Return a list of tokens that get ids in their order, refusing a set, which has none.

    >>> ordered("special_tokens", {"<s>"})
    Traceback (most recent call last):
    TypeError: special_tokens is a set, whose order is by chance, and ids follow it; give a list
    """
    refuse_set(name, tokens)
    return listed(name, tokens)


def refuse_set(name: str, tokens: object) -> None:
    """Refuse a set where ids follow the order."""
    if isinstance(tokens, set | frozenset):
        raise TypeError(
            f"{name} is a set, whose order is by chance, and ids follow it; give a list"
        )


def first_ids(name: str, tokens: Iterable[str]) -> list[str]:
    """Return a list of tokens that get the first ids, which a mapping may say, and no others.

    >>> first_ids("special_tokens", {"<s>": 0, "</s>": 1})
    ['<s>', '</s>']
    >>> first_ids("special_tokens", {"<s>": 5})
    Traceback (most recent call last):
    ValueError: special_tokens gives '<s>' the id 5; training gives it 0, in order: give a list
    """
    found = ordered(name, tokens)
    if isinstance(tokens, Mapping):
        for place, token in enumerate(found):
            if tokens[token] != place:
                raise ValueError(
                    f"{name} gives {token!r} the id {tokens[token]!r}; training gives it {place},"
                    " in order: give a list"
                )
    return found


def distinct(name: str, tokens: Iterable[str]) -> list[str]:
    """Return a list of tokens, each of which is there once.

    >>> distinct("special_tokens", ["<s>", "<s>"])
    Traceback (most recent call last):
    ValueError: special_tokens lists '<s>' twice; a vocabulary holds each token once
    """
    found = ordered(name, tokens)
    if len(set(found)) < len(found):
        twice = next(token for place, token in enumerate(found) if token in found[:place])
        raise ValueError(f"{name} lists {twice!r} twice; a vocabulary holds each token once")
    return found


def thread_count(threads: int | None) -> int | None:
    """Return how many threads were asked for; `None` means one per core."""
    return None if threads is None else whole("threads", threads, 1, or_else=PER_CORE)


def byte_count(name: str, given: int | str | None) -> int | None:
    """Return a size in bytes: a number, or a text such as `"512MB"` or `"1.5 GiB"`.

    >>> byte_count("max_memory", "512MB"), byte_count("max_memory", "1.5 gib")
    (512000000, 1610612736)
    """
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | str):
        raise TypeError(f"{name} must be an int or a str, not {type(given).__name__}")
    size = given
    if isinstance(size, str):
        import re  # only here, as below: it takes longer to import than all else

        found = re.fullmatch(SIZE, size.strip())
        if found is None:
            raise ValueError(
                f"{name} is {given!r}; give a number of bytes, or one with kB, MB, GB, TB, KiB,"
                " MiB, GiB or TiB, as '512MB'"
            )
        from fractions import Fraction

        unit = 1024 if found[3] else 1000
        size = int(Fraction(found[1]) * unit ** " KMGT".index(found[2].upper() or " "))
    if not 0 <= size < 2**63:
        raise ValueError(f"{name} is {given!r}; it must be 0 or more, and below 2**63 bytes")
    return size


def normalizer_of(given: str | Normalizer | None) -> Normalizer | None:
    """Return the component that a `normalizer=` argument stands for.

    >>> normalizer_of("NFC")
    NFC()
    """
    if given is None:
        return None
    from digram.components import SLOTS, from_json

    if not isinstance(given, str):
        rule = "a name, a normalizer of digram.components, or None"
        component: Normalizer = of_kind("normalizer", given, SLOTS["normalizer"][0], rule)
        return component
    if given not in NORMALIZERS:
        known = ", ".join(map(repr, NORMALIZERS))
        raise ValueError(f"normalizer is {given!r}; it is one of {known}, or a component")
    found: Normalizer = from_json({"type": given}, "normalizer")
    return found


def pattern_name(pre_tokenizer: Mapping[str, Any] | None) -> str | None:
    """Return the name of the pattern that a pre-tokenizer (as JSON) splits with, or the pattern.

    >>> pattern_name({"type": "ByteLevel", "use_regex": True})
    'gpt2'
    """
    if pre_tokenizer is None:
        return None
    if pre_tokenizer["type"] == "Sequence":
        names = [pattern_name(part) for part in pre_tokenizer["pretokenizers"]]
        return next((name for name in names if name is not None), None)
    if pre_tokenizer["type"] == "ByteLevel":
        return "gpt2" if pre_tokenizer["use_regex"] else None
    if "pattern" not in pre_tokenizer:
        return UNWRITTEN.get(pre_tokenizer["type"])
    pattern = pre_tokenizer["pattern"]
    regex = str(pattern["Regex"] if "Regex" in pattern else pattern["String"])
    return next((name for name, known in NAMED.items() if known == regex), regex)
