"""What learning is asked for, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from digram.components import Normalizer, PreTokenizer
from digram.reference.spelling import Kind, Pair, Units, split
from digram.reference.ties import Ties

Word = str | bytes
Alphabet = Iterable[str | bytes | int] | Literal["seen"] | None


@dataclass(frozen=True, kw_only=True)
class Options:
    """The arguments of `learn`; making one checks them.

    >>> Options(num_merges=-1)
    Traceback (most recent call last):
    ValueError: num_merges is -1; it counts merges, so give 0 or more
    """

    vocab_size: int | None = None
    num_merges: int | None = None
    units: Kind = "bytes"
    pattern: str | PreTokenizer | None = None
    normalizer: Normalizer | None = None
    special_tokens: Sequence[str] = ()
    min_frequency: int = 2
    ties: Ties = "smallest-ids"
    end_of_word: str | None = None
    marker: Literal["separate", "attached"] = "separate"
    unk_token: str | None = None
    fuse_unk: bool = False
    max_token_length: int | None = None
    required: Sequence[str] = ()
    initial_alphabet: Alphabet = None

    def __post_init__(self) -> None:
        for name, kind in (
            ("units", Kind),
            ("ties", Ties),
            ("marker", Literal["separate", "attached"]),
        ):
            if getattr(self, name) not in get_args(kind):
                known = ", ".join(map(repr, get_args(kind)))
                raise ValueError(f"{name} is {getattr(self, name)!r}; it is one of {known}")
        for name, least, what in (
            ("vocab_size", 1, "tokens"),
            ("num_merges", 0, "merges"),
            ("min_frequency", 0, "occurrences"),
            ("max_token_length", 1, self.units),
        ):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; it counts {what}, so give {least} or more")
        if self.end_of_word == "":
            raise ValueError("end_of_word is empty; give a text such as '</w>', or None for none")
        check_special_tokens(self.specials)
        if isinstance(self.required, str):
            raise TypeError(f"required is the text {self.required!r}; give a list of tokens")
        if not all(token for token, _ in self.required_words):
            raise ValueError("required holds a token without a character; leave it out")

    @property
    def required_words(self) -> tuple[tuple[str, bool], ...]:
        """The required tokens without their marker, and whether they have what ends a word.

        >>> Options(required=["lo", "low</w>"], end_of_word="</w>").required_words
        (('lo', False), ('low', True))
        """
        marker = self.end_of_word
        if marker is None:
            return tuple((token, True) for token in self.required)
        return tuple((t.removesuffix(marker), t.endswith(marker)) for t in self.required)

    @property
    def attached(self) -> bool:
        """Whether the marker is part of a word's last symbol from the start."""
        return self.end_of_word is not None and self.marker == "attached"

    @property
    def specials(self) -> tuple[str, ...]:
        """The special tokens in the order of their ids: an unknown token not listed goes first.

        >>> Options(special_tokens=["<|end|>"], unk_token="[UNK]").specials
        ('[UNK]', '<|end|>')
        """
        if isinstance(self.special_tokens, str):
            raise TypeError(
                f"special_tokens is the text {self.special_tokens!r}; give a list of tokens"
            )
        listed = tuple(self.special_tokens)
        if self.unk_token is None or self.unk_token in listed:
            return listed
        return (self.unk_token, *listed)


def wanted_units(initial: Alphabet, kind: Kind) -> Units:
    r"""List the units that are wanted whether they are seen or not.

    >>> wanted_units("xyz", "chars"), wanted_units([0, 255], "bytes")
    ((b'x', b'y', b'z'), (b'\x00', b'\xff'))
    """
    if initial == "seen" or (initial is None and kind == "chars"):
        return ()
    items = range(256) if initial is None else initial
    return tuple(
        unit
        for item in items
        for unit in split(bytes([item]) if isinstance(item, int) else item, kind)
    )


def check_special_tokens(specials: Sequence[str]) -> None:
    """Refuse a special token that is empty or listed twice.

    >>> check_special_tokens(["<s>", "<s>"])
    Traceback (most recent call last):
    ValueError: special token '<s>' is listed twice; a vocabulary holds each token once
    """
    for place, token in enumerate(specials):
        if not token:
            raise ValueError("a special token is empty; nothing in a text could match it")
        if token in specials[:place]:
            raise ValueError(
                f"special token {token!r} is listed twice; a vocabulary holds each token once"
            )


def check_counts(counts: Mapping[Word, int]) -> None:
    """Refuse word counts that nothing can be learned from.

    >>> check_counts({"low": 5, "lower": -2})
    Traceback (most recent call last):
    ValueError: the count of 'lower' is -2; a counted word occurs at least once, so leave it out
    """
    if not counts:
        raise ValueError("there are no words to learn from; give at least one word and its count")
    for word, count in counts.items():
        if not word:
            raise ValueError("a word is empty; leave it out, there is nothing to learn from it")
        if not isinstance(count, int):
            raise TypeError(f"the count of {word!r} is {count!r}; counts are whole numbers")
        if count < 1:
            raise ValueError(
                f"the count of {word!r} is {count}; a counted word occurs at least once,"
                " so leave it out"
            )


def check_vocabulary(options: Options, base: Sequence[bytes]) -> None:
    """Refuse a vocabulary too small for its base, or with a token in it twice.

    >>> check_vocabulary(Options(vocab_size=2, special_tokens=["<s>"]), [b"a", b"b"])
    Traceback (most recent call last):
    ValueError: vocab_size is 2, but the 1 special tokens and 2 base symbols alone need 3
    """
    for special in options.specials:
        if special.encode() in base:
            raise ValueError(
                f"special token {special!r} is also a base symbol, and a vocabulary holds each"
                " token once; give another name to the special token"
            )
    least = len(options.specials) + len(base)
    if options.vocab_size is not None and options.vocab_size < least:
        raise ValueError(
            f"vocab_size is {options.vocab_size}, but the {len(options.specials)} special tokens"
            f" and {len(base)} base symbols alone need {least}"
        )


def check_room(options: Options, tokens: int, merges: int) -> None:
    """Refuse limits that the required tokens alone go beyond.

    >>> check_room(Options(num_merges=2), 300, 3)
    Traceback (most recent call last):
    ValueError: num_merges is 2, but with the required tokens 3 is the least
    """
    for name, value, least in (
        ("vocab_size", options.vocab_size, tokens),
        ("num_merges", options.num_merges, merges),
    ):
        if value is not None and value < least:
            raise ValueError(
                f"{name} is {value}, but with the required tokens {least} is the least"
            )


def check_possible(options: Options, pairs: Sequence[Pair]) -> None:
    """Refuse required tokens of which no pair may be merged.

    >>> check_possible(Options(required=["low"], max_token_length=2), [])
    Traceback (most recent call last):
    ValueError: the required tokens ['low'] cannot be made: what their parts make is too long, or \
a special token; leave such tokens out
    """
    if not pairs:
        raise ValueError(
            f"the required tokens {options.required!r} cannot be made: what their parts make is too"
            " long, or a special token; leave such tokens out"
        )
