"""Decoding as ids arrive, never showing half a character."""

from __future__ import annotations

import codecs
import contextlib
import json
import operator
from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

from digram._core import Engine, Stream
from digram._kinds import of_kind
from digram.errors import DigramError

__all__ = ["StreamDecoder", "skipped_ids"]

# What the engine refuses: text, and what has its items in no order of theirs.
NO_IDS = (str, bytes, bytearray, Mapping, set, frozenset)


class StreamDecoder:
    """Turns ids into text as they come; `Tokenizer.decoder()` makes one.

    What is written so far, joined, is always a beginning of what `decode` says of all ids; a
    character whose bytes are not all there yet waits for the rest, and so does what the decoder
    cannot know yet: where tokens are bytes (`<0xE2>`), a whole run of them. `copy.copy` makes one
    that has seen the same ids, where several ways to go on are tried.

    >>> import digram
    >>> tok = digram.train(["नमस्ते"], vocab_size=256)
    >>> decoder = tok.decoder()
    >>> [decoder.feed(id) for id in tok.encode("नम")]
    ['', '', 'न', '', '', 'म']
    >>> decoder.finish()
    ''
    """

    def __init__(
        self, engine: Engine, errors: str = "replace", skipped: frozenset[int] = frozenset()
    ) -> None:
        self._engine = engine
        self._skipped = skipped
        codecs.lookup_error(of_kind("errors", errors, str, "the name of an error handler"))
        self._text = codecs.getincrementaldecoder("utf-8")(errors)
        self._errors = errors
        # what others than "replace" are to be told of passes as it is
        self._stream = Stream(errors == "replace")
        self._finished = False

    def __copy__(self) -> StreamDecoder:
        copied = StreamDecoder(self._engine, self._errors, self._skipped)
        copied._text.setstate(self._text.getstate())
        copied._stream, copied._finished = self._stream.copied(), self._finished
        return copied

    def __deepcopy__(self, _memo: object) -> StreamDecoder:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a StreamDecoder cannot be pickled; keep its ids, and feed a new one")

    def feed(self, ids: SupportsIndex | Iterable[int]) -> str:
        """Return the text that is complete with these ids.

        `ids` is one id or many, as Python's ints or NumPy's. Raises `UnknownTokenError` for one
        outside the vocabulary; nothing is taken in then. Raises `DigramError` once it is finished.
        """
        if self._finished:
            raise DigramError("the decoder is finished; make a new one with tok.decoder()")
        if type(ids) is int:  # as nearly always: each step here is a part of what an id takes
            if ids in self._skipped:
                return ""
            new: Any = [ids]
        else:
            new = self._listed(ids)
        made = self._engine.feed(self._stream, new)
        if made.isascii() and not self._text.buffer:
            return made.decode()
        return self._text.decode(made)

    def _listed(self, ids: Any) -> Any:
        with contextlib.suppress(TypeError):
            ids = [operator.index(ids)]
        return self._kept(ids) if self._skipped else ids

    def _kept(self, ids: Any) -> Any:
        """Return ids without those that are skipped; what are no ids the engine refuses."""
        held = ids.__array__() if hasattr(ids, "__array__") else ids
        if not isinstance(held, Iterable) or isinstance(held, NO_IDS):
            return ids
        listed = list(held)
        try:
            return [id_ for id_ in map(operator.index, listed) if id_ not in self._skipped]
        except TypeError:
            return listed

    def finish(self) -> str:
        """Return what is left: replaced or refused, as `errors` says, where it is no character."""
        rest = b"" if self._finished else self._engine.finish(self._stream)
        self._finished = True
        return self._text.decode(rest, final=True)


def skipped_ids(engine: Engine) -> frozenset[int]:
    """Return the ids that `skip_special_tokens` leaves out.

    A token that is matched in normalized text is left out if what is shown for it is special, which
    `decode` knows: it is asked for each between two others, where it is shown whatever it is.
    """
    added = json.loads(engine.settings())["added_tokens"]
    found = {token["id"] for token in added if token["special"]}
    ids = {token["id"] for token in added}
    others = [id_ for id_ in engine.ids() if id_ not in ids][:1]
    for id_ in (token["id"] for token in added if token["normalized"] and others):
        among = [*others, id_, *others]
        shown = engine.decode_bytes(among, skip_special_tokens=False)
        if shown != engine.decode_bytes(others * 2, skip_special_tokens=False):
            is_skipped = engine.decode_bytes(among, skip_special_tokens=True) != shown
            found = found | {id_} if is_skipped else found - {id_}
    return frozenset(found)
