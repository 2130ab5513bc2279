"""Added tokens beside the texts that become them, measured on the open tokenizer."""

from __future__ import annotations

from digram._check.findings import Findings, finding
from digram._tokenizer import Tokenizer
from digram.errors import DigramError

__all__ = ["check_special_text"]


def check_special_text(tok: Tokenizer) -> Findings:
    """Look whether each added token is found where it stands, and nowhere else."""
    model = tok.model
    for token in model.added_tokens:
        if not token.content:
            continue
        if token.id not in _ids(tok, token.content, "token"):
            message = f"{token.content!r} becomes {_ids(tok, token.content, 'token')[:8]}"
            yield finding("added-never-matched", message, ids=(token.id,))
        as_text = _ids(tok, token.content, "text")
        if token.special and token.content != model.unk_token and token.id in as_text:
            message = f"the text {token.content!r} becomes {as_text[:8]}"
            yield finding("special-from-text", message, ids=(token.id,))


def _ids(tok: Tokenizer, text: str, special: str) -> list[int]:
    try:
        return tok.encode(text, special=special)
    except DigramError:
        return []
