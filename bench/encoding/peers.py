"""The peers: how each loads a vocabulary, and what it offers.

Whatever a peer offers is asked for in its quickest public way. What it does not offer is None: a
call that is missing is not timed, and many texts are then encoded one by one.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from encoding.vocabularies import Vocabulary

Ids = list[int]


class Unfit(Exception):  # noqa: N818  it is no error that a peer knows some vocabularies only
    """A peer does not have this vocabulary."""


def parts_at(found: tuple[Any, Any]) -> list[Any]:
    """Part flat ids at offsets, the first of which is 0."""
    ids, offsets = found
    return [ids[start:end] for start, end in itertools.pairwise(offsets)]


@dataclass(frozen=True)
class Adapter:
    """What one peer offers, loaded with one vocabulary."""

    list: Callable[[str], Ids]
    array: Callable[[str], Any] | None = None
    # Many texts, on some threads: lists, and arrays in whatever form the peer gives them.
    lists: Callable[[Sequence[str], int], Any] | None = None
    arrays: Callable[[Sequence[str], int], Any] | None = None
    parted: Callable[[Any], Sequence[Any]] = parts_at
    count: Callable[[str], int] | None = None
    offsets: Callable[[str], tuple[Ids, Sequence[Any]]] | None = None
    text: Callable[[Ids], str] | None = None
    text_of_array: Callable[[Any], str] | None = None


@dataclass(frozen=True)
class Peer:
    """A package, what is imported of it, and how it is loaded."""

    distribution: str
    imports: tuple[str, ...]
    load: Callable[[Vocabulary], Adapter]
    threads: bool = True  # its batches can use several
    own_environment: bool = False


def digram(vocabulary: Vocabulary) -> Adapter:
    """Load digram from the file as published."""
    import digram as package

    path = vocabulary.ranks or vocabulary.model or vocabulary.json
    known: dict[str, Any] = {}
    if vocabulary.ranks:
        known = {"pattern": vocabulary.pattern, "special_tokens": dict(vocabulary.special)}
    tok = package.load(path, **known)
    return Adapter(
        list=tok.encode,
        array=tok.encode_array,
        lists=lambda texts, threads: tok.encode_batch(texts, threads=threads),
        arrays=lambda texts, threads: tok.encode_ragged(texts, threads=threads),
        parted=lambda found: parts_at((found.ids, found.offsets)),
        count=tok.count,
        offsets=tok.encode_with_offsets,
        text=tok.decode,
        text_of_array=tok.decode,
    )


def tiktoken(vocabulary: Vocabulary) -> Adapter:
    """Load tiktoken from ranks."""
    from tiktoken import Encoding
    from tiktoken.load import load_tiktoken_bpe

    if not (vocabulary.ranks and vocabulary.regex):
        raise Unfit("reads rank files alone")
    tok = Encoding(
        vocabulary.name,
        pat_str=vocabulary.regex,
        mergeable_ranks=load_tiktoken_bpe(vocabulary.ranks),
        special_tokens=dict(vocabulary.special),
    )

    def offsets(text: str) -> tuple[Ids, Sequence[Any]]:
        ids = tok.encode_ordinary(text)
        return ids, tok.decode_with_offsets(ids)[1]

    return Adapter(
        list=tok.encode_ordinary,
        array=lambda text: tok.encode_to_numpy(text, disallowed_special=()),
        lists=lambda texts, threads: tok.encode_ordinary_batch(list(texts), num_threads=threads),
        offsets=offsets,
        text=tok.decode,
    )


def tokenizers(vocabulary: Vocabulary) -> Adapter:
    """Load Hugging Face's tokenizers; threads are set by its environment variables."""
    from tokenizers import Tokenizer

    tok = Tokenizer.from_file(vocabulary.json)
    tok.encode_special_tokens = True

    def offsets(text: str) -> tuple[Ids, Sequence[Any]]:
        found = tok.encode(text, add_special_tokens=False)
        return found.ids, found.offsets

    def lists(texts: Sequence[str], _threads: int) -> list[Ids]:
        return [x.ids for x in tok.encode_batch_fast(list(texts), add_special_tokens=False)]

    return Adapter(
        list=lambda text: tok.encode(text, add_special_tokens=False).ids,
        lists=lists,
        offsets=offsets,
        text=lambda ids: tok.decode(ids, skip_special_tokens=False),
    )


def tokenizers_1(vocabulary: Vocabulary) -> Adapter:
    """Load the pre-release of tokenizers 1.0: another engine, another API, no offsets."""
    from tokenizers import Tokenizer

    tok = Tokenizer.from_file(vocabulary.json)
    plain = {"add_special_tokens": False, "encode_special_tokens": True}

    def decode(ids: Any) -> str:
        text: str = tok.decode(ids, skip_special_tokens=False)
        return text

    return Adapter(
        list=lambda text: tok.encode(text, **plain).ids,
        array=lambda text: tok.encode(text, **plain).ids_array,
        lists=lambda texts, _: [x.ids for x in tok.encode_batch(list(texts), **plain)],
        arrays=lambda texts, _: [x.ids_array for x in tok.encode_batch(list(texts), **plain)],
        parted=list,
        text=decode,
        text_of_array=decode,
    )


def gigatoken(vocabulary: Vocabulary) -> Adapter:
    """Load gigatoken; its lists are its arrays' `tolist`, which measures best."""
    from gigatoken import Tokenizer

    if vocabulary.ranks:
        tok = Tokenizer.from_tiktoken(vocabulary.ranks)
    elif vocabulary.model:
        tok = Tokenizer.from_sentencepiece(vocabulary.model)
    else:
        tok = Tokenizer(vocabulary.json)
    decode = lambda ids: tok.decode(ids).decode()  # noqa: E731
    return Adapter(
        list=lambda text: tok.encode(text).tolist(),
        array=tok.encode,
        lists=lambda texts, threads: tok.encode_batch_list(list(texts), parallel=threads > 1),
        arrays=lambda texts, threads: tok.encode_batch(list(texts), parallel=threads > 1),
        parted=lambda found: found.to_list(),
        text=decode,
        text_of_array=decode,
    )


def fastokens(vocabulary: Vocabulary) -> Adapter:
    """Load fastokens; it makes no offsets, and its arrays come from its batches."""
    import numpy as np
    from fastokens._native import Tokenizer

    preset = {"cl100k": "cl100k_base", "o200k": "o200k_base"}.get(vocabulary.name)
    if preset:
        tok = Tokenizer.from_tiktoken(vocabulary.ranks, encoding=preset)
    else:
        tok = Tokenizer.from_file(vocabulary.json)

    def parted(found: tuple[bytes, bytes]) -> list[Any]:
        return parts_at((np.frombuffer(found[0], np.uint32), np.frombuffer(found[1], np.uint64)))

    return Adapter(
        list=lambda text: tok.encode_ordinary(text).ids,
        array=lambda text: np.frombuffer(tok.encode_batch_flat([text], False)[0], np.uint32),
        lists=lambda texts, _: [x.ids for x in tok.encode_batch(list(texts), False)],
        arrays=lambda texts, _: tok.encode_batch_flat(list(texts), False),
        parted=parted,
        text=lambda ids: tok.decode(ids, False),
    )


def toktok(vocabulary: Vocabulary) -> Adapter:
    """Load toktok from its own data; its module-level cache is passed by."""
    import toktok as package

    name = {"cl100k": "cl100k_base", "o200k": "o200k_base"}.get(vocabulary.name)
    if name is None:
        raise Unfit("has cl100k, o200k and qwen3.5 alone")
    tok = package._Tokenizer(name)

    def lists(texts: Sequence[str], threads: int) -> list[Ids]:
        return [x.tolist() for x in parts_at(tok.encode_batch_to_numpy(texts, threads=threads))]

    return Adapter(
        list=tok.encode_ordinary,
        array=lambda text: tok.encode_to_numpy(text, disallowed_special=()),
        lists=lists,
        arrays=lambda texts, threads: tok.encode_batch_to_numpy(texts, threads=threads),
        count=tok.count,
        offsets=lambda text: tok.encode_with_offsets(text, unit="char"),
        text=tok.decode,
        text_of_array=tok.decode,
    )


QUICKTOK_SHORT = 2_000  # characters


def quicktok(vocabulary: Vocabulary) -> Adapter:
    """Load quicktok from its own data; its cache of encodings is emptied first."""
    import numpy as np
    import quicktok as package

    names = {"cl100k": "cl100k_base", "o200k": "o200k_base", "llama3": "llama3"}
    name = (names | {"qwen2.5": "qwen2.5"}).get(vocabulary.name)
    if name is None:
        raise Unfit("has no grammar for it")
    package._CACHE.clear()
    tok = package.get_encoding(name)

    def array(text: str) -> Any:
        # Its batches start a thread; a list is sooner turned into an array.
        if len(text) < QUICKTOK_SHORT:
            return np.array(tok.encode_ordinary(text), dtype=np.uint32)
        return tok.encode_batch([text], 1)[0]

    def lists(texts: Sequence[str], threads: int) -> list[Ids]:
        return [x.tolist() for x in parts_at(tok.encode_batch(list(texts), threads))]

    return Adapter(
        list=tok.encode_ordinary,
        array=array,
        lists=lists,
        arrays=lambda texts, threads: tok.encode_batch(list(texts), threads),
        count=tok.count,
        text=tok.decode,
    )


def tokie(vocabulary: Vocabulary) -> Adapter:
    """Load tokie from a `tokenizer.json`."""
    import numpy as np
    from tokie import Tokenizer

    tok = Tokenizer.from_json(vocabulary.json)
    plain = {"add_special_tokens": False}

    def parted(found: tuple[Any, Any]) -> list[Any]:
        return parts_at((found[0], np.concatenate([[0], np.cumsum(found[1])]).astype(int)))

    def offsets(text: str) -> tuple[Ids, Sequence[Any]]:
        found = tok.encode_with_offsets(text, **plain)
        return found.ids, found.offsets

    return Adapter(
        list=lambda text: tok.encode(text, **plain).ids,
        array=lambda text: tok.encode_batch_flat([text], **plain)[0],
        lists=lambda texts, _: [x.ids for x in tok.encode_batch(list(texts), **plain)],
        arrays=lambda texts, _: tok.encode_batch_flat(list(texts), **plain),
        parted=parted,
        count=tok.count_tokens,
        offsets=offsets,
        text=tok.decode,
    )


def riptoken(vocabulary: Vocabulary) -> Adapter:
    """Load riptoken from ranks."""
    from riptoken import CoreBPE, load_tiktoken_bpe

    if not (vocabulary.ranks and vocabulary.regex):
        raise Unfit("reads rank files alone")
    ranks = load_tiktoken_bpe(vocabulary.ranks)
    tok = CoreBPE(ranks, dict(vocabulary.special), vocabulary.regex)
    return Adapter(
        list=tok.encode_ordinary,
        lists=lambda texts, _: tok.encode_ordinary_batch(list(texts)),
        text=tok.decode,
    )


def rs_bpe(vocabulary: Vocabulary) -> Adapter:
    """Load rs_bpe from its own data, which it keeps for the whole process."""
    from rs_bpe import openai

    name = {"cl100k": "cl100k_base", "o200k": "o200k_base"}.get(vocabulary.name)
    if name is None:
        raise Unfit("has cl100k and o200k alone")
    tok = getattr(openai, name)()

    def lists(texts: Sequence[str], threads: int) -> list[Ids]:
        if threads == 1:
            return tok.encode_batch(list(texts))[0]
        options = openai.ParallelOptions(2, max(1, len(texts) // (4 * threads)), threads)
        return tok.encode_batch_parallel(list(texts), options)[0]

    return Adapter(list=tok.encode, lists=lists, count=tok.count, text=tok.decode)


def sentencepiece(vocabulary: Vocabulary) -> Adapter:
    """Load SentencePiece from its model."""
    from sentencepiece import SentencePieceProcessor

    if not vocabulary.model:
        raise Unfit("reads SentencePiece models alone")
    tok = SentencePieceProcessor(model_file=vocabulary.model)
    return Adapter(
        list=tok.encode,
        lists=lambda texts, threads: tok.encode(list(texts), num_threads=threads),
        text=tok.decode,
    )


PEERS = {
    "digram": Peer("digram", ("digram",), digram),
    "tiktoken": Peer("tiktoken", ("tiktoken",), tiktoken),
    "tokenizers": Peer("tokenizers", ("tokenizers",), tokenizers),
    "tokenizers 1.0": Peer("tokenizers", ("tokenizers",), tokenizers_1, own_environment=True),
    "sentencepiece": Peer("sentencepiece", ("sentencepiece",), sentencepiece),
    "gigatoken": Peer("gigatoken", ("gigatoken",), gigatoken),
    "fastokens": Peer("fastokens", ("fastokens",), fastokens),
    "toktok": Peer("toktok-rs", ("toktok",), toktok),
    "quicktok": Peer("quicktok-v1", ("quicktok",), quicktok),
    "tokie": Peer("tokie", ("tokie",), tokie),
    "riptoken": Peer("riptoken", ("riptoken",), riptoken),
    "rs-bpe": Peer("rs-bpe", ("rs_bpe",), rs_bpe),
}


def import_peer(peer: Peer) -> None:
    """Import what a peer needs, so that loading can be timed apart."""
    for name in peer.imports:
        importlib.import_module(name)
