"""Unpacking .bz2, .xz and .zst: frame after frame, and an error where one is cut off or damaged."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, Any

__all__ = ["unpacked"]

# Packed bytes at a time: unpacked they may be a hundred times as many.
CHUNK = 1 << 16


def unpacked(
    stream: IO[bytes], new_frame: Callable[[], Any], padding: bytes = b""
) -> io.BufferedReader:
    """Read what a stream of frames holds, each unpacked by an object of its own.

    That object is one as `bz2.BZ2Decompressor()` makes it. Bytes of `padding` may stand behind a
    frame.

    >>> import bz2
    >>> two = io.BytesIO(bz2.compress(b"low ") + bz2.compress(b"lower"))
    >>> unpacked(two, bz2.BZ2Decompressor).read()
    b'low lower'
    """
    return io.BufferedReader(_Frames(stream, new_frame, padding), 2 * CHUNK)


class _Frames(io.RawIOBase):
    """The frames of a stream, unpacked.

    The libraries' own readers take for whole what ends within a frame, or is damaged where one
    begins: what follows would be lost in silence.
    """

    def __init__(self, stream: IO[bytes], new_frame: Callable[[], Any], padding: bytes) -> None:
        self._stream, self._new_frame, self._padding = stream, new_frame, padding
        self._frame: Any = None
        self._is_first = True
        self._packed = b""
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        while not self._held and self._next():
            pass
        count = min(len(room), len(self._held))
        room[:count], self._held = self._held[:count], self._held[count:]
        return count

    def _next(self) -> bool:
        """Unpack some more; tell whether there may be more still."""
        packed = self._packed or self._stream.read(CHUNK)
        self._packed = b""
        if not packed:
            if self._frame is not None:
                raise EOFError("the last frame ends too early")
            return False
        if self._frame is None:
            packed = packed if self._is_first else packed.lstrip(self._padding)
            self._is_first = False
            if not packed:
                return True
            self._frame = self._new_frame()
        self._held = memoryview(self._frame.decompress(packed))
        if self._frame.eof:
            self._packed = self._frame.unused_data
            self._frame = None
        return True
