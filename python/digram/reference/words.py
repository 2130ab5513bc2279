"""From text to words: normalize, cut, pre-tokenize, count."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from digram import patterns
from digram.components import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    ByteLevel,
    Lowercase,
    Normalizer,
    NormalizerSequence,
    PreTokenizer,
    PreTokenizerSequence,
    Regex,
    SentencePieceNormalizer,
    Split,
    Whitespace,
    WhitespaceSplit,
)
from digram.errors import FormatError
from digram.reference.blanks import normalize_blanks
from digram.reference.classes import Compiled, any_of, compiled

FORMS: dict[type, Literal["NFC", "NFD", "NFKC", "NFKD"]] = {
    NFC: "NFC",
    NFD: "NFD",
    NFKC: "NFKC",
    NFKD: "NFKD",
}
GPT2 = compiled(patterns.GPT2)
WORDS = compiled(r"\w+|[^\w\s]+")
BLANK = compiled(r"\s")
NOTHING = any_of([])


def normalize(text: str, normalizer: Normalizer | None) -> str:
    """Change a text as the normalizer says; Python's own Unicode tables decide how.

    >>> normalize("ＡÉ", NormalizerSequence((NFKC(), Lowercase())))
    'aé'
    """
    match normalizer:
        case None:
            return text
        case NormalizerSequence(parts):
            for part in parts:
                text = normalize(text, part)
            return text
        case SentencePieceNormalizer():
            return normalize_blanks(text, normalizer)
        case Lowercase():
            # character by character: the last letter of a word is no exception, as it is in Greek
            return "".join(char.lower() for char in text)
    if type(normalizer) not in FORMS:
        raise not_executed(normalizer)
    return unicodedata.normalize(FORMS[type(normalizer)], text)


def not_executed(component: object) -> FormatError:
    """Make the error for a component that files know and the reference does not execute."""
    return FormatError(f"the reference does not execute {component!r}; digram.Tokenizer does")


def pre_tokenize(text: str, pre_tokenizer: PreTokenizer | None) -> list[str]:
    """Split a text into words.

    >>> pre_tokenize("Hello, world", ByteLevel(add_prefix_space=True))
    [' Hello', ',', ' world']
    >>> pre_tokenize("Hello, world", Whitespace())
    ['Hello', ',', 'world']
    """
    match pre_tokenizer:
        case None:
            return [text] if text else []
        case PreTokenizerSequence(parts):
            words = [text] if text else []
            for part in parts:
                words = [word for whole in words for word in pre_tokenize(whole, part)]
            return words
        case ByteLevel(add_prefix_space, _, use_regex):
            text = f" {text}" if add_prefix_space and text and text[0] != " " else text
            return [word for word, _ in pieces(text, GPT2 if use_regex else NOTHING)]
        case Whitespace():
            return [word for word, matched in pieces(text, WORDS) if matched]
        case WhitespaceSplit():
            return [word for word, matched in pieces(text, BLANK) if not matched]
        case Split(pattern, "Isolated" | "Removed" as behavior, invert):
            found = compiled(pattern.regex) if isinstance(pattern, Regex) else any_of([pattern])
            kept = (True, False) if behavior == "Isolated" else (invert,)
            return [word for word, matched in pieces(text, found) if matched in kept]
    raise not_executed(pre_tokenizer)


def pieces(text: str, pattern: Compiled) -> Iterator[tuple[str, bool]]:
    r"""Cut a text at the matches of a pattern, telling which pieces matched.

    >>> list(pieces("ab12", compiled(r"\d")))
    [('ab', False), ('1', True), ('2', True)]
    """
    end = start = 0
    while start <= len(text) and (match := pattern.search(text, start)):
        if end < match.start():
            yield text[end : match.start()], False
        if match[0]:
            yield match[0], True
        end = match.end()
        start = end if match[0] else end + 1  # where nothing matched, nothing else is tried
    if end < len(text):
        yield text[end:], False


def cut_special_tokens(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Cut special tokens out of a text, and return what lies between; the longest goes first.

    >>> cut_special_tokens("one<s>two<s>/", ["<s>", "<s>/"])
    ['one', 'two']
    """
    return [between for between, matched in pieces(text, any_of(special_tokens)) if not matched]


def count_words(
    texts: Iterable[str],
    *,
    pattern: str | PreTokenizer | None = None,
    normalizer: Normalizer | None = None,
    special_tokens: Iterable[str] = (),
) -> dict[str, int]:
    """Count the words of texts, in the order first seen; special tokens are cut out first.

    >>> count_words(["the cat, the<|end|>hat"], special_tokens=["<|end|>"])
    {'the': 1, ' cat': 1, ',': 1, ' the': 1, 'hat': 1}
    """
    splitter = patterns.pre_tokenizer(pattern)
    counts: dict[str, int] = {}
    for text in texts:
        for between in cut_special_tokens(text, special_tokens):
            for word in pre_tokenize(normalize(between, normalizer), splitter):
                counts[word] = counts.get(word, 0) + 1
    return counts
