"""Tables of replacements, as SentencePiece's models have them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

from digram import _core
from digram._kinds import of_kind, unbroken

__all__ = ["charsmap"]

RULE = "'nmt_nfkc', 'nfkc', 'nmt_nfkc_cf' or 'nfkc_cf', or a mapping of texts to texts"


def charsmap(rules: str | Mapping[str, str]) -> str:
    """Return the table of replacements for a `SentencePieceNormalizer`, or for `Precompiled`.

    `rules` is one of SentencePiece's `normalization_rule_name`: `"nmt_nfkc"` (its trainer's
    default), `"nfkc"`, `"nmt_nfkc_cf"` or `"nfkc_cf"`, with the replacements of version 0.2.3
    (Unicode 17); or the texts to look for, of at most 255 bytes, and what stands there instead. The
    longest that begins at a place is replaced. Raises `ValueError`
    for another name, and for a text that is empty or has U+0000; `LimitError` where a table cannot
    hold them.

    >>> import digram
    >>> from digram.components import SentencePieceNormalizer
    >>> normalizer = SentencePieceNormalizer(digram.charsmap({"colour": "color"}))
    >>> tok = digram.train(["a color"], num_merges=4, units="chars", normalizer=normalizer)
    >>> tok.tokenize("a colour") == tok.tokenize("a color")
    True
    """
    of_kind("rules", rules, (str, Mapping), RULE)
    if isinstance(rules, str):
        return b64encode(_core.charsmap_named(rules)).decode()
    texts: dict[str, str] = {}
    for text, other in rules.items():
        for name, value in (("a text that rules look for", text), ("what rules put", other)):
            unbroken(name, of_kind(name, value, str, "a str"))
        texts[text] = other
    return b64encode(_core.charsmap_of(texts)).decode()
