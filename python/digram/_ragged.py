"""Rows of different lengths in one array: the ids of many texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

from digram._extras import missing
from digram._kinds import shown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Ragged"]


@dataclass(frozen=True, eq=False, repr=False)
class Ragged:
    """The ids of many texts, one behind the other: `Tokenizer.encode_ragged` makes it.

    It is a sequence of rows, each a view of `ids` and no copy. `ids` is a NumPy array of `uint32`;
    `offsets`, of `int64`, tells where each row begins, and last where all end.

    >>> import digram
    >>> tok = digram.train(["abc"], vocab_size=256)
    >>> rows = tok.encode_ragged(["ab", "", "c"])
    >>> rows
    Ragged([[64, 65], [], [66]])
    >>> rows.offsets
    array([0, 2, 2, 3])
    >>> rows[0], len(rows), rows[1:].to_lists()
    (array([64, 65], dtype=uint32), 3, [[], [66]])
    """

    ids: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> npt.NDArray[np.uint32]: ...
    @overload
    def __getitem__(self, index: slice) -> Ragged: ...
    def __getitem__(self, index: int | slice) -> npt.NDArray[np.uint32] | Ragged:
        if isinstance(index, slice):
            return self._rows(index)
        try:
            row = range(len(self))[index]
        except IndexError:
            raise IndexError(f"there is no row {index}; there are {len(self)} rows") from None
        except TypeError:
            kind = type(index).__name__
            raise TypeError(f"a row is named by an int, not {kind}: {shown(index)}") from None
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    def _rows(self, index: slice) -> Ragged:
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise ValueError(f"rows are sliced with a step of 1, not {step}; take them one by one")
        offsets = self.offsets[start : max(start, stop) + 1]
        return Ragged(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def __iter__(self) -> Iterator[npt.NDArray[np.uint32]]:
        ends = self.offsets.tolist()
        return (self.ids[start:end] for start, end in pairwise(ends))

    def __repr__(self) -> str:
        first = ", ".join(str(row.tolist()) for row in self[:3])
        rest = f", … {len(self) - 3} more" if len(self) > 3 else ""  # noqa: PLR2004 - as above
        return f"Ragged([{first}{rest}])"

    def to_lists(self) -> list[list[int]]:
        """Return the rows as lists of ints: what `encode_batch` returns at once, and faster."""
        return [row.tolist() for row in self]

    def to_arrow(self) -> Any:
        """Return the rows as an Arrow array of lists, which shares the memory of `ids`.

        The rows are a `list` of `uint32`, or a `large_list` beyond 2**31 ids. Raises `ImportError`
        without pyarrow.
        """
        import numpy as np

        try:
            import pyarrow as pa
        except ImportError:
            raise missing("pyarrow", "arrow", "to_arrow") from None
        if len(self.ids) > np.iinfo(np.int32).max:
            return pa.LargeListArray.from_arrays(self.offsets, self.ids)
        return pa.ListArray.from_arrays(self.offsets.astype(np.int32), self.ids)
