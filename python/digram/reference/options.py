"""What learning is asked for, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from digram import patterns
from digram._kinds import choice, many, of_kind, whole
from digram.components import Normalizer, PreTokenizer
from digram.reference.spelling import Kind, Pair, Units, split
from digram.reference.ties import Ties
from digram.reference.words import normalize, pre_tokenize

Word = str | bytes
Alphabet = Iterable[str | bytes] | Literal["seen"] | None
# The least that each number may be.
LEAST = {"vocab_size": 1, "num_merges": 0, "min_frequency": 0, "max_token_length": 1}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The arguments of `learn`; making one checks them.

    >>> Options(num_merges=-1)
    Traceback (most recent call last):
    ValueError: num_merges is -1; give 0 or more
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
        choice("units", self.units, get_args(Kind))
        choice("ties", of_kind("ties", self.ties, str, "the name of a rule"), get_args(Ties))
        choice("marker", self.marker, ("separate", "attached"))
        for name, least in LEAST.items():
            if getattr(self, name) is not None or name == "min_frequency":
                whole(name, getattr(self, name), least)
        for name in ("end_of_word", "unk_token"):
            of_kind(name, getattr(self, name), str | None, "a str, or None")
        of_kind("fuse_unk", self.fuse_unk, bool, "True or False")
        if self.end_of_word == "":
            raise ValueError("end_of_word is empty; give a text such as '</w>', or None for none")
        if self.marker == "attached" and self.end_of_word is None:
            raise ValueError("marker says how end_of_word is meant, and there is none; give it too")
        if self.fuse_unk and self.unk_token is None:
            raise ValueError("fuse_unk says how unk_token is meant, and there is none; give it too")
        check_special_tokens(self.specials)
        check_required(self)

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
        listed = tuple(self.special_tokens)
        if self.unk_token is None or self.unk_token in listed:
            return listed
        return (self.unk_token, *listed)


def wanted_units(initial: Alphabet, kind: Kind) -> Units:
    r"""List the units that are wanted whether they are seen or not.

    >>> wanted_units("xyz", "chars"), wanted_units([b"\x00", b"\xff"], "bytes")
    ((b'x', b'y', b'z'), (b'\x00', b'\xff'))
    """
    if initial == "seen" or (initial is None and kind == "chars"):
        return ()
    if initial is None:
        return split(bytes(range(256)), kind)
    rule = "an iterable of str and bytes, 'seen', or None"
    symbols = [base_symbol(symbol) for symbol in many("initial_alphabet", initial, rule)]
    return tuple(unit for symbol in symbols for unit in split(symbol, kind))


def base_symbol(symbol: Word) -> Word:
    """Return a base symbol, which is a single character or a single byte.

    >>> base_symbol("ab")
    Traceback (most recent call last):
    ValueError: initial_alphabet holds 'ab', and base symbols are single characters, or single bytes
    """
    of_kind("what initial_alphabet holds", symbol, str | bytes, "str or bytes")
    if len(symbol) != 1 and (isinstance(symbol, str) or len(split(symbol, "chars")) != 1):
        raise ValueError(
            f"initial_alphabet holds {symbol!r}, and base symbols are single characters, or single"
            " bytes"
        )
    return symbol


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


def check_required(options: Options) -> None:
    """Refuse required tokens that no word can be, because text is split inside them, or changed.

    >>> check_required(Options(required=["low", "so low"]))
    Traceback (most recent call last):
    ValueError: the required token 'so low' is never one word: the text is split into 'so', ' low'
    """
    splitter = patterns.pre_tokenizer(options.pattern, "chars", options.end_of_word)
    for token, (text, _) in zip(options.required, options.required_words, strict=True):
        if not text:
            raise ValueError("required holds a token without a character; leave it out")
        words = pre_tokenize(normalize(text, options.normalizer), splitter)
        if words != [text]:
            pieces = ", ".join(map(repr, words)) or "nothing"
            raise ValueError(
                f"the required token {token!r} is never one word: the text is split into {pieces}"
            )


def check_counts(counts: Mapping[Word, int]) -> dict[Word, int]:
    """Return word counts as a dict, unless nothing can be learned from them.

    >>> check_counts({"low": 5, "lower": -2})
    Traceback (most recent call last):
    ValueError: the count of 'lower' is -2; give 1 or more
    """
    if not of_kind("counts", counts, Mapping, "a mapping of words to counts"):
        raise ValueError("there are no words to learn from; give at least one word and its count")
    for word in counts:
        if not of_kind("a word", word, str | bytes, "str or bytes"):
            raise ValueError("a word is empty; leave it out, there is nothing to learn from it")
    return {word: whole(f"the count of {word!r}", count, 1) for word, count in counts.items()}


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
