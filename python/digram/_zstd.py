"""Unpacking .zst: frame after frame, and an error where the last is cut off."""

from __future__ import annotations

import io
from typing import IO, Any

from digram._extras import missing

__all__ = ["unpacked"]

# Packed bytes at a time: unpacked they may be a hundred times as many.
CHUNK = 1 << 16


def unpacked(stream: IO[bytes], name: str) -> io.BufferedReader:
    """Read what a stream of zstandard frames holds."""
    try:
        import zstandard
    except ImportError:
        raise missing("zstandard", "zstd", f"reading {name}") from None
    return io.BufferedReader(_Frames(stream, zstandard.ZstdDecompressor()), 2 * CHUNK)


class _Frames(io.RawIOBase):
    """The frames of a stream, unpacked; the library's own reader takes a cut stream for whole."""

    def __init__(self, stream: IO[bytes], library: Any) -> None:
        self._stream, self._library = stream, library
        self._frame: Any = None
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
        """Unpack some more; tell whether there was any."""
        packed = self._packed or self._stream.read(CHUNK)
        if not packed:
            if self._frame is not None:
                raise EOFError("the last frame ends too early")
            return False
        if self._frame is None:
            self._frame = self._library.decompressobj()
        self._held = memoryview(self._frame.decompress(packed))
        self._packed = self._frame.unused_data
        if self._frame.eof:
            self._frame = None
        return True
