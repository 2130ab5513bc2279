"""The engine, as the binding gives it. Private: what is public is in `digram`."""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, final

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, disjoint_base

__all__ = [
    "UNICODE_VERSION",
    "Counter",
    "Engine",
    "LearnOptions",
    "Stream",
    "Tokenizer",
    "WordCounts",
    "__version__",
    "charsmap_named",
    "charsmap_of",
    "fingerprint",
    "learn",
    "untracked",
]

__version__: str
UNICODE_VERSION: str

_Special: TypeAlias = Literal["text", "token", "error"] | Collection[str]
_Progress: TypeAlias = Callable[[str, int, int], object]
_Ids: TypeAlias = Sequence[int] | npt.NDArray[np.integer[Any]]
_Merge: TypeAlias = tuple[int, int, int]
_Kind: TypeAlias = Literal["normal", "unknown", "control", "user-defined", "unused", "byte"]
_Piece: TypeAlias = tuple[int, float, _Kind]
_Buffers: TypeAlias = tuple[memoryview | None, memoryview | None, memoryview | None, bool, int, int]
_BadRow: TypeAlias = tuple[int, int, tuple[int, int] | None]
_Pairs: TypeAlias = tuple[list[int], list[tuple[int, int]]]
_Step: TypeAlias = tuple[int, int, int, int, int]

@final
class Engine:
    @staticmethod
    def from_parts(
        tokens: Sequence[tuple[int, bytes]],
        word_ends: Sequence[int],
        added_only: Sequence[int],
        literal: Sequence[int],
        merges: Sequence[_Merge],
        pieces: Sequence[_Piece],
        settings: str,
        bounds: tuple[int, int] | None,
    ) -> Engine: ...
    @staticmethod
    def load(
        files: Sequence[bytes],
        place: str,
        format: str | None,
        pattern: str | tuple[str, bool] | None,
        special_tokens: Sequence[tuple[str, int | None]],
        unk_token: str | None,
        initial_alphabet: Sequence[str],
        vocabulary: Sequence[str] | None,
        glossaries: Sequence[str],
        limits: str,
    ) -> tuple[Engine, str | None]: ...
    def files(self, format: str, training: str | None) -> list[tuple[str, bytes]]: ...
    def parts(
        self,
    ) -> tuple[
        list[tuple[int, bytes]],
        list[int],
        list[int],
        list[int],
        list[_Merge],
        list[_Piece],
        str,
    ]: ...
    def bounds(self) -> tuple[int, int]: ...
    def settings(self) -> str: ...
    def merges(self) -> list[_Merge]: ...
    def encode_batch(
        self, texts: Sequence[str], special: _Special, threads: int | None
    ) -> list[list[int]]: ...
    def encode_flat(
        self, texts: Sequence[str], special: _Special, threads: int | None
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]: ...
    def encode_with_offsets(
        self, text: str, special: _Special
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]: ...
    def encode_with_pairs(self, text: str, special: _Special) -> _Pairs: ...
    def encode_batch_with_pairs(self, texts: Sequence[str], special: _Special) -> list[_Pairs]: ...
    def words(self, text: str) -> list[tuple[str, int, int]]: ...
    def explain(
        self, text: str, special: _Special
    ) -> list[tuple[str, list[int], list[_Step], list[int], str]]: ...
    def decode_bytes(self, ids: _Ids, skip_special_tokens: bool) -> bytes: ...
    def decode_batch(
        self,
        batch: Iterable[_Ids],
        errors: str,
        skip_special_tokens: bool,
        threads: int | None,
    ) -> list[str]: ...
    def feed(self, stream: Stream, ids: _Ids) -> bytes: ...
    def finish(self, stream: Stream) -> bytes: ...
    def process(
        self, first: Sequence[int], second: Sequence[int] | None
    ) -> list[tuple[int, int]]: ...
    def token_id(self, token: bytes) -> int | None: ...
    def token_bytes(self, id: int) -> bytes: ...
    def spell(self, ids: _Ids, marker: bool) -> list[str]: ...
    def ids(self) -> list[int]: ...
    def __len__(self) -> int: ...

@disjoint_base
class Tokenizer:
    _engine: Engine
    def __new__(cls, *_given: object, **_named: object) -> Self: ...
    def encode(self, text: str, *, special: _Special = "text") -> list[int]: ...
    def encode_array(self, text: str, *, special: _Special = "text") -> npt.NDArray[np.uint32]: ...
    def count(self, text: str, *, special: _Special = "text") -> int: ...
    def decode(
        self, ids: _Ids, *, errors: str = "replace", skip_special_tokens: bool = False
    ) -> str: ...

@final
class Stream:
    def __new__(cls, replaces: bool) -> Self: ...
    def copied(self) -> Stream: ...

@final
class Counter:
    def __new__(
        cls,
        pre_tokenizer: str | None,
        normalizer: str | None,
        special_tokens: Sequence[str],
        threads: int | None,
        part: int | None = None,
        max_memory: int | None = None,
    ) -> Counter: ...
    def add(
        self,
        texts: Sequence[str | bytes | bytearray],
        expected: int,
        progress: _Progress | None,
    ) -> list[_BadRow]: ...
    def add_columns(
        self,
        columns: Sequence[_Buffers],
        progress: _Progress | None,
        sample: tuple[int, int] | None = None,
        left: int | None = None,
    ) -> tuple[list[_BadRow], int | None]: ...
    def add_file(
        self,
        path: str | os.PathLike[str],
        lines: bool,
        expected: int,
        progress: _Progress | None,
    ) -> None: ...
    def spilled(self) -> int: ...
    def finish(self, progress: _Progress | None = None) -> WordCounts: ...

@final
class WordCounts:
    def __new__(cls, words: Iterable[tuple[str | bytes, int]]) -> WordCounts: ...
    def items(self) -> list[tuple[bytes, int]]: ...
    def total(self) -> int: ...
    def text_bytes(self) -> int: ...
    def __len__(self) -> int: ...

_Row = TypeVar("_Row", list[int], list[tuple[int, int]])

def untracked(ints: _Row) -> _Row: ...
def charsmap_named(name: str) -> bytes: ...
def charsmap_of(rules: dict[str, str]) -> bytes: ...
def fingerprint(counts: WordCounts, ordered: bool) -> str: ...

@final
class LearnOptions:
    def __new__(
        cls,
        *,
        vocab_size: int | None,
        num_merges: int | None,
        units: str,
        special_tokens: Sequence[str],
        min_frequency: int,
        ties: str,
        end_of_word: str | None,
        attached: bool,
        unk_token: str | None,
        fuse_unk: bool,
        byte_fallback: bool,
        max_token_length: int | None,
        forbidden: Sequence[bytes],
        forbidden_patterns: Sequence[str],
        required: Sequence[str],
        apart: Sequence[str],
        max_digits: int | None,
        initial_alphabet: Sequence[bytes] | None,
        limit_alphabet: int | None,
        character_coverage: float | None,
        extend: Engine | None = None,
    ) -> LearnOptions: ...

def learn(
    counts: WordCounts,
    options: LearnOptions,
    *,
    normalizer: str | None,
    pre_tokenizer: str | None,
    decoder: str | None,
    progress: _Progress | None,
    done: bytes | None = None,
    keep: Callable[[bytes, int], object] | None = None,
    every: int = 1000,
    given: bool = False,
) -> tuple[Engine, tuple[Any, ...]]: ...
