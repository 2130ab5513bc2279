"""The tokenizer: a model ready to use."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping, Sequence

from digram._arguments import pattern_name
from digram._calling import Caller
from digram._core import Engine
from digram._kinds import of_kind, whole
from digram._tokens import Tokens, added, unknown

# As typing's, which takes longer to import than all this; so does what else is imported below.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from digram._directory import Directory
    from digram._model import Model
    from digram._report import TrainingReport

__all__ = ["Tokenizer"]

SHOWN_SPECIALS = 3  # in a repr, which is a line; more are counted only
# Kept with a tokenizer, and applied by nothing that it does.
NOT_COMPARED = {"truncation": None, "padding": None, "self_test": None}


class Tokenizer(Caller):
    """A model ready to use: immutable, hashable, comparable, and safe in any number of threads.

    `special` says what becomes of special tokens that stand in a text: `"text"` (they are text),
    `"token"`, `"error"` (they are refused), or a set of those that are tokens. A subclass may have
    attributes of its own, kept in pickles unless in slots; changed copies are plain tokenizers.

    >>> import digram
    >>> tok = digram.train(["low lower lowest"], num_merges=3)
    >>> tok.tokenize("lowest low")
    ['low', 'e', 's', 't', 'Ġlow']
    >>> tok.decode(tok.encode("lowest low"))
    'lowest low'
    """

    __slots__ = ("__dict__", "_directory", "_training")

    def __init__(self, model: Model) -> None:
        """Make a tokenizer of a model. Raises `FormatError` where the model contradicts itself."""
        from digram._engine import engine_of_given

        self._engine = engine_of_given(model)
        self._training: TrainingReport | str | None = None  # a file's record, until it is read
        self._directory: Directory | None = None

    @classmethod
    def _of(
        cls,
        engine: Engine,
        training: TrainingReport | str | None = None,
        directory: Directory | None = None,
    ) -> Tokenizer:
        tokenizer = Caller.__new__(cls)
        tokenizer._engine = engine
        tokenizer._training = training
        tokenizer._directory = directory
        return tokenizer

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, special tokens included."""
        return len(self._engine)

    @functools.cached_property
    def tokens(self) -> Mapping[int, bytes]:
        """The vocabulary: id → bytes, the marker's text included."""
        return Tokens(self._engine)

    @functools.cached_property
    def embedding_size(self) -> int:
        """How many rows an embedding needs: the largest id, and one. Ids may have gaps."""
        return max(self._engine.ids(), default=-1) + 1

    def padded_size(self, multiple: int) -> int:
        """Return `embedding_size`, rounded up to a multiple, as matrix hardware likes it.

        >>> import digram
        >>> digram.train(["abc"], vocab_size=256).padded_size(100)
        300
        """
        multiple = whole("multiple", multiple, 1)
        return -(-self.embedding_size // multiple) * multiple

    def token_id(self, token: str | bytes) -> int:
        """Return the id of a token, given as its bytes or as their text.

        It is the text itself that is meant, `" is"`, and not its spelling in a file, `Ġis`. Raises
        `UnknownTokenError` where there is none.

        >>> import digram
        >>> tok = digram.train(["it is is"], num_merges=2, pattern="gpt2")
        >>> tok.token_id(" is"), tok.spell([tok.token_id(" is")])
        (257, ['Ġis'])
        """
        of_kind("token", token, (str, bytes), "a str or bytes")
        found = self._engine.token_id(token.encode() if isinstance(token, str) else token)
        if found is None:
            raise unknown(self._engine, token)
        return found

    @functools.cached_property
    def merges(self) -> Sequence[tuple[int, int, int]]:
        """(left id, right id, merged id) in rank order.

        By rank and by scores, where no merges are listed, they are what merging each token's own
        text ends with: tiktoken's vocabularies and SentencePiece's have one for each token that
        can be made. Empty where the rule merges nothing (`Greedy`). Raises `ValueError` for pieces
        of characters that are no pieces.

        >>> import digram
        >>> tok = digram.Tokenizer(
        ...     digram.Model({0: b"l", 1: b"o", 2: b"w", 3: b"lo", 4: b"low"}, digram.Ranks())
        ... )
        >>> tok.merges
        ((0, 1, 3), (3, 2, 4))
        """
        return tuple(self._engine.merges())

    @functools.cached_property
    def special_tokens(self) -> Mapping[str, int]:
        """The special tokens and their ids."""
        return added(self._settings, special=True)

    @functools.cached_property
    def added_tokens(self) -> Mapping[str, int]:
        """The added tokens that are not special, found in every text, and their ids."""
        return added(self._settings, special=False)

    @property
    def units(self) -> str:
        """What a word is first split into: `"bytes"` or `"chars"`."""
        return str(self._settings["units"])

    @property
    def pattern(self) -> str | None:
        """The name of the pattern that splits text into words, or the pattern itself."""
        return pattern_name(self._settings["pre_tokenizer"])

    @property
    def model(self) -> Model:
        """A copy of the model, as plain values; `digram.reference` takes it."""
        from digram._engine import model_of

        return model_of(self._engine)

    @property
    def training(self) -> TrainingReport | None:
        """What training told, where this tokenizer was trained, or loaded from such a file.

        Of a file whose record is damaged, or of another model, there is none; `check` says why.
        """
        if isinstance(self._training, str):
            from digram._training_record import fitting

            self._training = fitting(self._training, self._engine) or self._training
        return None if isinstance(self._training, str) else self._training

    @property
    def directory(self) -> Directory | None:
        """What stood beside this tokenizer, where it was loaded from a directory or the hub.

        Comparing and the fingerprint leave it out; copies and pickles have it.
        """
        return self._directory

    @property
    def chat_template(self) -> str | None:
        """The chat template of the directory, as text; digram does not run it."""
        return None if self._directory is None else self._directory.chat_template

    @functools.cached_property
    def fingerprint(self) -> str:
        """SHA-256 of what affects ids and nothing else.

        That is the vocabulary, the rule, the added tokens, the normalizer, the pre-tokenizer, and
        what the post-processor puts around texts; not the decoder, the training record, truncation
        and padding, nor the layout of a file (`digram._fingerprint` has all). With one fingerprint
        two give the same ids for every text; by other rules it is another even if ids never differ.

        >>> import digram
        >>> tok = digram.train(["abc abc"], num_merges=2)
        >>> tok.with_(decoder=None).fingerprint == tok.fingerprint
        True
        >>> tok.with_(ignore_merges=True).fingerprint == tok.fingerprint
        False
        """
        from digram._fingerprint import fingerprint_of

        return fingerprint_of(self._engine)

    @functools.cached_property
    def _settings(self) -> dict[str, Any]:
        import json  # only here: it takes longer to import than this module

        return dict(json.loads(self._engine.settings()))

    # Making others

    def with_(self, **changes: Any) -> Tokenizer:
        """Return a changed copy; the keywords are the fields of `Model`, and five more.

        `special_tokens` and `added_tokens` add to those there are: texts, `AddedToken`s, or a
        mapping of texts to ids. A text that is a token keeps its id where files spell it so (of
        byte-level ones visible ASCII); others get the next ids after the largest. `pattern` is what
        `train` takes, and `normalizer` may be a name. A new `end_of_word` spells the marker anew in
        every token. `directory` is what `save` writes beside the tokenizer; None drops it. Raises
        `TypeError` for what is no field, and `ValueError` or `FormatError` where a change
        contradicts what there is.

        >>> import digram
        >>> tok = digram.train(["abc"], vocab_size=256)
        >>> tok.with_(normalizer="NFC").model.normalizer
        NFC()
        >>> chat = tok.with_(special_tokens=["<|user|>", "<|end|>"])
        >>> chat.encode("a<|end|>", special="token")
        [64, 257]
        """
        from digram._edit import changed, directory_in

        directory = directory_in(changes, self._directory)
        if not changes:
            return Tokenizer._of(self._engine, self._training, directory)
        report = self._training if changes.keys() == {"table_bytes"} else None
        return Tokenizer._of(changed(self._engine, changes), report, directory)

    @property
    def table_bytes(self) -> int:
        """How many bytes each thread may use to remember words, lines and their ids: 16 MiB.

        The tables begin with some 0.4 MB and grow while new words come; ids are the same with any
        size. For many languages at once more helps; with 0 nothing is remembered to speak of.
        `with_` takes a number or a text such as `"4MB"`, and the tables of the copy are empty.

        >>> import digram
        >>> tok = digram.train(["abc"], vocab_size=256)
        >>> tok.table_bytes, tok.with_(table_bytes="4MB").table_bytes
        (16777216, 4000000)
        """
        return self._engine.bounds()[1]

    def without(self, added_tokens: Iterable[str]) -> Tokenizer:
        """Return a copy in which some added tokens, special or not, are text like any other.

        One that only was added goes, and its id with it; one of the vocabulary proper stays. Raises
        `ValueError` for what is no added token, or what the model needs.

        >>> import digram
        >>> tok = digram.train(["abc"], vocab_size=257, special_tokens=["<|end|>"])
        >>> tok.without(["<|end|>"]).vocab_size
        256
        """
        from digram._edit import without

        return Tokenizer._of(without(self._engine, added_tokens), directory=self._directory)

    def at(self, n: int | None = None, *, vocab_size: int | None = None) -> Tokenizer:
        """Return the tokenizer with the first n merges, or with so many that it has a size.

        Of a tokenizer that was trained it is the one that training with `num_merges=n` gives, ids
        and report included; of one that was extended, all merges count, the old ones first. Special
        and base tokens stay, and every id that stays is the same.
        By rank and by scores a token that no merge makes stays if it comes before the next merge.
        Raises `ValueError` for more merges than there are, and for a size that none gives.

        >>> import digram
        >>> tok = digram.train(["low lower lowest newest widest"], vocab_size=266)
        >>> small = tok.at(vocab_size=260)
        >>> small == digram.train(["low lower lowest newest widest"], vocab_size=260)
        True
        >>> small.vocab_size, len(small.merges), tok.at(2).vocab_size
        (260, 4, 258)
        """
        from digram._smaller import first_merges, report_of_first

        engine, n = first_merges(self._engine, n, vocab_size)
        report = self.training and report_of_first(self.training, n, len(self.merges))
        return Tokenizer._of(engine, report, self._directory)

    def save(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Write the tokenizer to a file, replaced at once and whole, or to a directory.

        A directory is one that exists, or a name that ends with a separator (`"model/"`). It gets
        `tokenizer.json` and what stood beside it, or a `tokenizer_config.json`. Other names are
        files. `format` is `"tokenizer.json"` (the default), `"tiktoken"`, `"tekken"`, `"gpt2"`
        (`path` is then a directory, for `vocab.json` and `merges.txt`), `"subword-nmt"` or
        `"sentencepiece"`; the name tells, and one of anything else (`.gguf`, `.gz`) is refused.
        Raises `FormatError` where it cannot hold this tokenizer; nothing is written then.
        """
        from digram._save import save

        save(self._engine, self.training, self._directory, path, format)

    def to_bytes(self, *, format: str = "tokenizer.json") -> bytes:
        """Return what `save` writes into a file, which `digram.load` takes.

        `format` is one of those of `save`, but `"gpt2"`, which is two files.

        >>> import digram
        >>> tok = digram.train(["abc abc"], num_merges=2)
        >>> digram.load(tok.to_bytes()) == tok
        True
        """
        from digram._save import content

        return content(self._engine, self.training, format)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, _: object) -> Tokenizer:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (*self._engine.parts(), self._engine.bounds())
        kept = (parts, self._training, self._directory, type(self))
        return _unpickle, kept, self._own() or None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return NotImplemented
        mine, others = ({**each._settings, **NOT_COMPARED} for each in (self, other))
        return mine == others and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __len__(self) -> int:
        return self.vocab_size

    def __repr__(self) -> str:
        specials = list(self.special_tokens)
        shown = specials if len(specials) <= SHOWN_SPECIALS else f"[{len(specials)} of them]"
        return (
            f"Tokenizer(vocab_size={self.vocab_size}, units={self.units!r},"
            f" pattern={self.pattern!r}, special_tokens={shown})"
        )


def _unpickle(parts: Any, training: Any, directory: Any, kind: type[Tokenizer]) -> Tokenizer:
    return kind._of(Engine.from_parts(*parts), training, directory)
