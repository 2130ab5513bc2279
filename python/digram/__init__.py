"""Byte-pair encoding, whole: train, encode, decode, read and write every format, explain."""

# Type checkers take it for true. The name is typing's, which takes longer to import than this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from digram import components, errors, patterns
    from digram._around import AddedToken
    from digram._charsmap import charsmap
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
    from digram._from_ranks import from_ranks
    from digram._limits import Limits
    from digram._load import load
    from digram._model import Greedy, Merges, Model, Ranks, Scores
    from digram._pretrained import from_pretrained
    from digram._prune import Pruned, prune
    from digram._ragged import Ragged
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
    "AddedToken",
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
    "Pruned",
    "Ragged",
    "Ranks",
    "Scores",
    "SpecialTokenError",
    "StreamDecoder",
    "Tokenizer",
    "TrainingReport",
    "UnknownTokenError",
    "WordCounts",
    "charsmap",
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
    "from_ranks",
    "get_encoding",
    "list_encoding_names",
    "load",
    "patterns",
    "prune",
    "train",
]

# Where each name lives. A module is imported when a name of it is first used (PEP 562), so that
# who loads a tokenizer does not wait for what trains, checks and converts them. A name that is
# that of its module stands for the module.
_HOMES = {
    "components": ("components",),
    "errors": (
        "errors",
        "DigramError",
        "FormatError",
        "LimitError",
        "MissingFileError",
        "SpecialTokenError",
        "UnknownTokenError",
    ),
    "patterns": ("patterns",),
    "_around": ("AddedToken",),
    "_charsmap": ("charsmap",),
    "_check": ("Finding", "check"),
    "_convert": ("Proof", "convert"),
    "_core": ("UNICODE_VERSION", "__version__"),
    "_corpus": ("Corpus", "corpus"),
    "_counts": ("WordCounts", "count"),
    "_diff": ("Change", "Difference", "diff"),
    "_directory": ("Directory",),
    "_encodings": ("encoding_for_model", "get_encoding", "list_encoding_names"),
    "_explain": ("Explanation",),
    "_from_merges": ("from_merges",),
    "_from_ranks": ("from_ranks",),
    "_limits": ("Limits",),
    "_load": ("load",),
    "_model": ("Greedy", "Merges", "Model", "Ranks", "Scores"),
    "_pretrained": ("from_pretrained",),
    "_prune": ("Pruned", "prune"),
    "_ragged": ("Ragged",),
    "_report": ("TrainingReport",),
    "_stream": ("StreamDecoder",),
    "_tokenizer": ("Tokenizer",),
    "_train": ("train",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # who checks types is to miss what does not exist

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        home = import_module(f"{__name__}.{_HOME_OF[name]}")
        value = home if name == _HOME_OF[name] else getattr(home, name)
        globals()[name] = value  # found at once from now on
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
