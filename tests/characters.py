"""Characters to try things on: all that are assigned, but for a part of those that are alike."""

import os

# Ideographs, private ones and such as are not assigned come in ranges of thousands.
ALIKE = range(0x20000, 0x110000)
SPECIAL_PURPOSE = range(0xE0000, 0xE0200)
EXHAUSTIVE = "DIGRAM_EXHAUSTIVE" in os.environ


def is_taken(code):
    """Whether a code point is tried: of those that are alike one of seven, and where planes end."""
    if 0xD800 <= code < 0xE000:
        return False
    ends_plane = not 2 <= code & 0xFFFF < 0xFFFD
    return EXHAUSTIVE or code not in ALIKE or code in SPECIAL_PURPOSE or ends_plane or not code % 7


ALL = [chr(code) for code in range(0x110000) if is_taken(code)]
