"""Text to ids and back: the engine's calls, with their documentation and defaults."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence

from digram._arguments import thread_count
from digram._core import Tokenizer as OneText
from digram._kinds import in_order, of_kind
from digram._places import of_ids, of_texts

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

# What encoding and decoding do without is imported where it is used.
if TYPE_CHECKING:
    from typing import Any, Literal

    import numpy as np
    import numpy.typing as npt

    from digram._explain import Explanation
    from digram._ragged import Ragged
    from digram._stream import StreamDecoder

    Ids = Sequence[int] | npt.NDArray[np.integer[Any]]
    Special = Literal["text", "token", "error"] | Collection[str]

__all__ = ["Coder"]

TEXTS = "an iterable of str"


class Coder(OneText):
    """What a tokenizer does with texts and ids; `Tokenizer` adds what it is.

    `encode`, `encode_array`, `count` and `decode` are the engine's own.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def _settings(self) -> dict[str, Any]: ...

    def __setattr__(self, name: str, value: object) -> None:
        # What a tokenizer says of itself follows from its engine; a subclass may have more to say.
        if not name.startswith("_"):
            if any(name in vars(kind) for kind in self._kinds()):
                raise AttributeError(
                    f"{name!r} of a tokenizer cannot be set; with_ makes changed copies"
                )
            if type(self) in self._kinds():
                raise AttributeError(
                    f"a tokenizer has no attribute {name!r}, and cannot be changed; with_ makes"
                    " changed copies, and a subclass may have attributes of its own"
                )
        super().__setattr__(name, value)

    @classmethod
    def _kinds(cls) -> list[type]:
        """Return the classes of digram's own that this one is of."""
        return [kind for kind in cls.__mro__ if kind.__module__.startswith("digram.")]

    def _own(self) -> dict[str, Any]:
        """Return the attributes that a subclass has added."""
        kinds = self._kinds()
        given = vars(self).items()
        return {name: v for name, v in given if not any(name in vars(kind) for kind in kinds)}

    # Encoding

    def encode_batch(
        self, texts: Iterable[str], *, special: Special = "text", threads: int | None = None
    ) -> list[list[int]]:
        """Return the ids of each text; on all cores, or on as many threads as given.

        Lists of ids hold ints alone, so Python's garbage collector does not look through them: many
        of them do not slow it down. It will not find a cycle that leads through one. Raises as
        `encode`, and says of which text.
        """
        if isinstance(texts, str):
            raise TypeError("encode_batch takes an iterable of texts; pass [text]")
        given = list(in_order("texts", texts, TEXTS))
        try:
            return self._engine.encode_batch(given, special, thread_count(threads))
        except (TypeError, UnicodeEncodeError) as error:
            raise of_texts(error, given) from None

    def encode_ragged(
        self, texts: Iterable[str], *, special: Special = "text", threads: int | None = None
    ) -> Ragged:
        """Return the ids of all texts in one array, and where those of each begin.

        The same ids as `encode_batch`, without a list for each text: for many texts, or large ones.
        Raises as it does.

        >>> import digram
        >>> tok = digram.train(["aaaa"], num_merges=1)
        >>> tok.encode_ragged(["aaab", "b"]).ids
        array([256,  64,  65,  65], dtype=uint32)
        """
        if isinstance(texts, str):
            raise TypeError("encode_ragged takes an iterable of texts; pass [text]")
        from digram._ragged import Ragged

        given = list(in_order("texts", texts, TEXTS))
        try:
            return Ragged(*self._engine.encode_flat(given, special, thread_count(threads)))
        except (TypeError, UnicodeEncodeError) as error:
            raise of_texts(error, given) from None

    def encode_with_offsets(
        self, text: str, *, special: Special = "text"
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the ids of a text, and an array with the start and end of each.

        Positions count code points of the text as it was given, whatever normalizers make of it,
        so that `text[start:end]` is what became the token; a character that several tokens share
        belongs to each. They are those of Hugging Face, and of SentencePiece for its models.
        Blanks that a token begins with belong to it, unless the post-processor says that they
        are left out (`trim_offsets`). Raises as `encode`. O(n log n).

        >>> import digram
        >>> tok = digram.train(["aaaa"], num_merges=1)
        >>> ids, offsets = tok.encode_with_offsets("aaé")
        >>> ids.tolist(), offsets.tolist()
        ([256, 127, 102], [[0, 2], [2, 3], [2, 3]])
        """
        return self._engine.encode_with_offsets(text, special)

    # Looking at how it encodes

    def tokenize(
        self,
        text: str,
        *,
        special: Special = "text",
        marker: bool = True,
        joiner: str | None = None,
    ) -> list[str]:
        """Return the tokens of a text as `tokenizer.json` spells them (`Ġis`, `est</w>`).

        Without `marker` the end-of-word marker is left out, and with it a token that is nothing
        else. With a `joiner` it is left out too, the joiner stands behind each token that does not
        end its word, and an unknown token is spelled as the text: what `subword-nmt apply-bpe`
        writes, `" ".join` of it. Raises as `encode`, and `ValueError` for a joiner where there is
        no such marker.

        >>> import digram
        >>> tok = digram.train({"low": 5}, end_of_word="</w>", units="chars")
        >>> tok.tokenize("low"), tok.tokenize("low", marker=False)
        (['low</w>'], ['low'])
        >>> tok.tokenize("wlow", joiner="@@")
        ['w@@', 'low']
        """
        if joiner is not None:
            from digram._joined import joined

            return joined(self._engine, self._settings, text, special, joiner)
        spelled = self._engine.spell(self.encode(text, special=special), marker)
        return [token for token in spelled if token] if not marker else spelled

    def spell(self, ids: Ids) -> list[str]:
        """Return the tokens of ids as `tokenizer.json` spells them, as `tokenize` those of a text.

        `token_id` leads back, from a token's text or its bytes (`tokens[id]`). Raises
        `UnknownTokenError` for an id outside the vocabulary.

        >>> import digram
        >>> tok = digram.train(["it is is"], num_merges=2, pattern="gpt2")
        >>> tok.spell([72, 257]), tok.tokens[257]
        (['i', 'Ġis'], b' is')
        """
        return self._engine.spell(ids, marker=True)

    def words(self, text: str) -> list[tuple[str, int, int]]:
        """Return the words that the pre-tokenizer makes, each with its start and end.

        Positions count code points. Where a normalizer changes the text, words and positions are
        those of the normalized text.

        >>> import digram
        >>> digram.train(["a"], vocab_size=256, pattern="gpt2").words("I'm here")
        [('I', 0, 1), ("'m", 1, 3), (' here', 3, 8)]
        """
        return self._engine.words(of_kind("text", text, str, "a str"))

    def explain(self, text: str, *, special: Special = "text") -> Explanation:
        """Tell how a text becomes its ids. Raises as `encode`. O(n log n).

        >>> import digram
        >>> print(digram.train({"low": 5, "lower": 2}, num_merges=2).explain("lowly"))
        'lowly'
        ├── l o w l y
        ├── l + o = lo  (rank 0)
        ├── lo + w = low  (rank 1)
        └── low 257  l 75  y 88  (no pair merges)
        """
        from digram._explain import explanation

        return explanation(self._engine, of_kind("text", text, str, "a str"), special)

    # Decoding

    def decode_bytes(self, ids: Ids, *, skip_special_tokens: bool = False) -> bytes:
        """Return the bytes of ids. Raises `UnknownTokenError` for an id outside the vocabulary."""
        return self._engine.decode_bytes(ids, skip_special_tokens)

    def decode_batch(
        self,
        batch: Iterable[Ids],
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        threads: int | None = None,
    ) -> list[str]:
        """Return the text of each list of ids; on all cores, or on as many threads as given.

        Raises as `decode`, and says of which list.

        >>> import digram
        >>> tok = digram.train(["abc"], vocab_size=256)
        >>> tok.decode_batch(tok.encode_ragged(["ab", "c"]))
        ['ab', 'c']
        """
        given = list(in_order("batch", batch, "an iterable of sequences of ids", "input_ids"))
        of_kind("errors", errors, str, "the name of an error handler")
        asked = (errors, skip_special_tokens, thread_count(threads))
        try:
            return self._engine.decode_batch(given, *asked)
        except (TypeError, UnicodeDecodeError) as error:
            alone = functools.partial(
                self.decode, errors=errors, skip_special_tokens=skip_special_tokens
            )
            raise of_ids(error, given, alone) from None

    def decoder(
        self, errors: str = "replace", *, skip_special_tokens: bool = False
    ) -> StreamDecoder:
        """Return a decoder that takes ids as they come and never shows half a character.

        >>> import digram
        >>> tok = digram.train(["abc"], vocab_size=257, special_tokens=["<|end|>"])
        >>> decoder = tok.decoder(skip_special_tokens=True)
        >>> [decoder.feed(id) for id in tok.encode("ab<|end|>", special="token")]
        ['a', 'b', '']
        """
        from digram._stream import StreamDecoder

        return StreamDecoder(
            self._engine, errors, self._skipped if skip_special_tokens else frozenset()
        )

    @functools.cached_property
    def _skipped(self) -> frozenset[int]:
        from digram._stream import skipped_ids

        return skipped_ids(self._engine)
