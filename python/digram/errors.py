"""What can go wrong, as a tree to catch from.

DigramError
├── FormatError (ValueError)               a file or model that cannot be read or written
├── MissingFileError (FileNotFoundError)   a file that is not there, or a glob that matches none
├── SpecialTokenError (ValueError)         a special token that is refused, or not known
├── UnknownTokenError (KeyError)           an id, a token or a character outside the vocabulary
└── LimitError (ValueError)                a size beyond what is supported

Wrong arguments stay `TypeError` and `ValueError`, other failures of the file system `OSError`.
"""

__all__ = [
    "DigramError",
    "FormatError",
    "LimitError",
    "MissingFileError",
    "SpecialTokenError",
    "UnknownTokenError",
]


class DigramError(Exception):
    """The base of every error that is digram's own."""


class FormatError(DigramError, ValueError):
    """A file or a model that a format cannot hold: names the file, the place and the reason."""


class MissingFileError(DigramError, FileNotFoundError):
    """A file that does not exist, or a glob that matches none."""


class SpecialTokenError(DigramError, ValueError):
    """A special token in a text that refuses it, or the name of one that does not exist."""


class UnknownTokenError(DigramError, KeyError):
    """An id, a token or a character that the vocabulary does not hold."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; a message is meant to be read.
        return str(self.args[0]) if self.args else ""


class LimitError(DigramError, ValueError):
    """A size beyond what is supported."""
