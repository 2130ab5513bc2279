"""Byte-pair encoding, whole: train, encode, decode, read and write every format, explain."""

from digram import components, errors, patterns
from digram._check import Finding, check
from digram._convert import Proof, convert
from digram._core import UNICODE_VERSION
from digram._core import __version__ as __version__
from digram._corpus import Corpus, corpus
from digram._counts import WordCounts, count
from digram._diff import Change, Difference, diff
from digram._directory import Directory
from digram._encodings import encoding_for_model, get_encoding, list_encoding_names
from digram._explain import Explanation
from digram._from_merges import from_merges
from digram._limits import Limits
from digram._load import load
from digram._model import Greedy, Merges, Model, Ranks, Scores
from digram._pretrained import from_pretrained
from digram._report import TrainingReport
from digram._stream import StreamDecoder
from digram._tokenizer import Tokenizer
from digram._train import train
from digram.errors import (
    DigramError,
    FormatError,
    LimitError,
    MissingFileError,
    SpecialTokenError,
    UnknownTokenError,
)

__all__ = [
    "UNICODE_VERSION",
    "Change",
    "Corpus",
    "Difference",
    "DigramError",
    "Directory",
    "Explanation",
    "Finding",
    "FormatError",
    "Greedy",
    "LimitError",
    "Limits",
    "Merges",
    "MissingFileError",
    "Model",
    "Proof",
    "Ranks",
    "Scores",
    "SpecialTokenError",
    "StreamDecoder",
    "Tokenizer",
    "TrainingReport",
    "UnknownTokenError",
    "WordCounts",
    "check",
    "components",
    "convert",
    "corpus",
    "count",
    "diff",
    "encoding_for_model",
    "errors",
    "from_merges",
    "from_pretrained",
    "get_encoding",
    "list_encoding_names",
    "load",
    "patterns",
    "train",
]
