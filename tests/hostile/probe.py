"""One hostile file in a process of its own: load, encode four texts, decode; tell what came of it.

`python -m tests.hostile.probe LIBRARY FILE` prints one line of JSON. The process may use 4 GB of
address space; a panic is told from an exception, and what ends the process the caller sees.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ADDRESSES = 4 << 30
TEXTS = ("", "a", "aab aé漢 \0 ab" * 3, " a  b\tab!? <x>\n" * 20)

# Encodes a text, and decodes ids.
Codec = tuple[Callable[[str], Any], Callable[[Any], Any]]


def digram_codec(path: Path) -> Codec:
    """Load with digram; what files of ranks do not hold is given."""
    import digram

    known: Any = {"pattern": "gpt2"} if path.suffix == ".tiktoken" else {}
    tok = digram.load(path, **known)
    return lambda text: tok.encode(text, special="token"), tok.decode


def tokenizers_codec(path: Path) -> Codec:
    """Load with Hugging Face's tokenizers."""
    from tokenizers import Tokenizer

    tok = Tokenizer.from_file(str(path))
    return lambda text: tok.encode(text).ids, tok.decode


def tiktoken_codec(path: Path) -> Codec:
    """Load with tiktoken."""
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    ranks = load_tiktoken_bpe(str(path))
    tok = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return tok.encode, tok.decode


def sentencepiece_codec(path: Path) -> Codec:
    """Load with SentencePiece."""
    from sentencepiece import SentencePieceProcessor

    tok = SentencePieceProcessor(model_file=str(path))
    return tok.encode, tok.decode


CODECS: dict[str, Callable[[Path], Codec]] = {
    "digram": digram_codec,
    "tokenizers": tokenizers_codec,
    "tiktoken": tiktoken_codec,
    "sentencepiece": sentencepiece_codec,
}


def outcome(library: str, path: Path) -> dict[str, Any]:
    """Return what came of it: kind, message, CPU seconds of loading, peak in bytes."""
    __import__(library)
    if library == "digram":
        __import__("numpy")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    before = peak()
    start = time.process_time()
    loaded = None
    try:
        encode, decode = CODECS[library](path)
        loaded = time.process_time() - start
        ids = [encode(text) for text in TEXTS]
        decode(ids[-1])
        kind, message = "ran", ""
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        kind, message = kind_of(error), f"{type(error).__name__}: {error}"[:300]
    except BaseException as error:  # noqa: BLE001 - PyO3's panics are no exceptions
        kind, message = "panic", f"{type(error).__name__}: {error}"[:300]
    seconds = time.process_time() - start if loaded is None else loaded
    return {
        "kind": kind,
        "message": message,
        "load": round(seconds, 3),
        "all": round(time.process_time() - start, 3),
        "peak": peak() - before,
    }


def kind_of(error: Exception) -> str:
    """Tell an exception that digram promises from another."""
    import digram

    return "refused" if isinstance(error, digram.DigramError) else "exception"


def peak() -> int:
    """Return the most memory that the process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    print(json.dumps(outcome(sys.argv[1], Path(sys.argv[2]))))
