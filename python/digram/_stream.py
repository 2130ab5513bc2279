"""Decoding as ids arrive, never showing half a character."""

from __future__ import annotations

import codecs
from collections.abc import Iterable

from digram._core import Engine
from digram.errors import DigramError

__all__ = ["StreamDecoder"]


class StreamDecoder:
    """Turns ids into text as they come; `Tokenizer.decoder()` makes one.

    What is written so far, joined, is always a beginning of what `decode` says of all ids; a
    character whose bytes are not all there yet waits for the rest.

    >>> import digram
    >>> tok = digram.train(["नमस्ते"], vocab_size=256)
    >>> decoder = tok.decoder()
    >>> [decoder.feed(id) for id in tok.encode("नम")]
    ['', '', 'न', '', '', 'म']
    >>> decoder.finish()
    ''
    """

    def __init__(self, engine: Engine, errors: str = "replace") -> None:
        self._engine = engine
        self._text = codecs.getincrementaldecoder("utf-8")(errors)
        self._last: list[int] = []
        self._finished = False

    def feed(self, ids: int | Iterable[int]) -> str:
        """Return the text that is complete with these ids.

        Raises `UnknownTokenError` for an id outside the vocabulary; nothing is taken in then.
        """
        if self._finished:
            raise DigramError("the decoder is finished; make a new one with tok.decoder()")
        new = [ids] if isinstance(ids, int) else list(ids)
        # What stands between two tokens can depend on both, so one token of context is decoded
        # again and its bytes are left out.
        before = self._engine.decode(self._last, skip_special_tokens=False)
        after = self._engine.decode(self._last + new, skip_special_tokens=False)
        self._last = (self._last + new)[-1:]
        return self._text.decode(after[len(before) :])

    def finish(self) -> str:
        """Return what is left: replaced or refused, as `errors` says, where it is no character."""
        self._finished = True
        return self._text.decode(b"", final=True)
