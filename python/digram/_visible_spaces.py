"""Spaces written as a visible character, and the decoders that make them spaces again."""

from __future__ import annotations

from digram._parts import parts_of
from digram.components import (
    BertPreTokenizer,
    Decoder,
    Fuse,
    Metaspace,
    Normalizer,
    Prepend,
    PreTokenizer,
    Replace,
    SentencePieceNormalizer,
    StripDecoder,
    Whitespace,
    WhitespaceSplit,
)

__all__ = ["VISIBLE", "spaces_again"]

# SentencePiece's character. Others, such as "_", may stand in a text as themselves.
VISIBLE = "\u2581"
# What drops spaces, behind which none is written.
DROPPING = (BertPreTokenizer, Whitespace, WhitespaceSplit)


def spaces_again(
    pre_tokenizer: PreTokenizer | None, normalizer: Normalizer | None, *, joined: bool
) -> tuple[Decoder, ...]:
    """Return the steps that make visible spaces spaces again; none where there are no such.

    `joined` says that the steps before join all tokens. `Metaspace` goes with tokens of one word:
    it leaves out all spaces of the first.

    >>> spaces_again(Metaspace("_"), None, joined=False)
    (Metaspace(replacement='_', prepend_scheme='always', split=True),)
    >>> spaces_again(None, Replace(" ", "\u2581"), joined=True)
    (Replace(pattern='▁', content=' '),)
    """
    visible = next((part for part in parts_of(pre_tokenizer) if isinstance(part, Metaspace)), None)
    if visible is None:
        return _of_normalizer(normalizer, joined=joined)
    if visible.prepend_scheme == "never" and isinstance(next(parts_of(pre_tokenizer)), DROPPING):
        return ()  # no space is left that it could write
    if visible.split and not joined:
        return (visible,)
    before = visible.prepend_scheme != "never"
    return _replaced(visible.replacement, before=before, after=False, joined=joined)


def _of_normalizer(normalizer: Normalizer | None, *, joined: bool) -> tuple[Decoder, ...]:
    steps = [*parts_of(normalizer)]
    before, after = Prepend(VISIBLE) in steps, False
    is_written = any(isinstance(step, Replace) and step.content == VISIBLE for step in steps)
    for step in steps:
        if isinstance(step, SentencePieceNormalizer) and step.escape_whitespaces:
            is_written = True
            before = step.add_dummy_prefix and not step.treat_whitespace_as_suffix
            after = step.add_dummy_prefix and step.treat_whitespace_as_suffix
    return _replaced(VISIBLE, before=before, after=after, joined=joined) if is_written else ()


def _replaced(sign: str, *, before: bool, after: bool, joined: bool) -> tuple[Decoder, ...]:
    """Return the steps that replace a sign; one was put before the text, or after it."""
    join = () if joined else (Fuse(),)
    strip = (StripDecoder(" ", int(before), int(after)),) if before or after else ()
    return (Replace(sign, " "), *join, *strip)
