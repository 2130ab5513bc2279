"""OpenNMT's codes, beside its own tokenizer: the tokens, each with whether a word begins with it.

OpenNMT takes a letter with its marks as one symbol, has signs of its own, and splits at every
blank; so both sides get words without such characters, with a space between.
"""

from __future__ import annotations

import importlib.util
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import digram

# What stands before a word in OpenNMT's tokens, where asked for; words have none themselves.
SPACER = "▁"
# Signs of OpenNMT: the spacer, the joiner, features, placeholders and escapes.
SIGNS = frozenset(f"{SPACER}￭￨｟｠％＃")
# Marks, controls, and blanks; and what the two may know from different versions of Unicode.
LEFT_OUT = ("M", "C")

Tokens = Callable[[Sequence[str]], list[list[str]]]


def is_there() -> bool:
    """Whether OpenNMT's tokenizer is installed."""
    return importlib.util.find_spec("pyonmttok") is not None


def prepared(text: str) -> str:
    """Return the words of a text that both read alike."""
    odd = {c for c in set(text) if c in SIGNS or unicodedata.category(c)[0] in LEFT_OUT}
    text = text.translate({ord(c): None if c.strip() else " " for c in odd})
    return " ".join(text.split())


def both(file: Path, alphabet: str) -> tuple[Tokens, Tokens]:
    """Open codes by both; return what makes tokens of texts, digram's and OpenNMT's."""
    import pyonmttok

    theirs = pyonmttok.Tokenizer(
        "space", bpe_model_path=str(file), spacer_annotate=True, no_substitution=True
    )
    marks = file.read_text(encoding="utf-8").split(";", 3)[1:3]
    unmarked = marks == ["false", "false"]
    # codes without marks do not tell words apart: each is then encoded by itself
    tok = digram.load(file, initial_alphabet=alphabet, pattern="spaces" if unmarked else None)

    model = tok.model  # a copy, made once

    def ours(texts: Sequence[str]) -> list[list[str]]:
        texts = [prepared(text) for text in texts]
        if unmarked:
            return [list(by_word(tok, model, text)) for text in texts]
        return [spaced(model, marks, ids) for ids in tok.encode_batch(texts)]

    return ours, lambda texts: [theirs(prepared(text)) for text in texts]


def by_word(tok: digram.Tokenizer, model: digram.Model, text: str) -> Iterator[str]:
    """Yield the tokens of each word, the first with a spacer where it is not the text's first."""
    for place, ids in enumerate(tok.encode_batch(text.split())):
        first, *others = [model.tokens[id_].decode() for id_ in ids]
        yield first if place == 0 else SPACER + first
        yield from others


def spaced(model: digram.Model, marks: Sequence[str], ids: Sequence[int]) -> list[str]:
    """Spell ids as OpenNMT does: the marks of words are no tokens, spacers stand between words."""
    begins, ends = (mark == "true" for mark in marks)
    marker = len((model.end_of_word or "").encode())
    found, begun = [], True
    for id_ in ids:
        is_end = id_ in model.word_ends
        token = model.tokens[id_][: -marker if is_end else None].decode()
        begun = begun or (begins and token.startswith(SPACER))
        token = token.removeprefix(SPACER) if begins else token
        if token:
            found.append(SPACER + token if begun and found else token)
            begun = False
        begun = begun or (ends and is_end)
    return found
