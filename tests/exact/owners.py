"""Every vocabulary, opened by digram and by the peer that owns its format."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sentencepiece
import tiktoken
import tokenizers
from subword_nmt.apply_bpe import BPE

import digram
from digram.components import BertNormalizer, BertPreTokenizer
from digram.patterns import NAMED
from tests.exact import mistral, opennmt
from tests.exact.peers import HUGGING_FACE, TIKTOKEN, ranks, tiktoken_encoding
from tests.exact.shared import Shared

Texts = Sequence[str]
Encode = Callable[[Texts], Sequence[Any]]
Decode = Callable[[Sequence[Any]], Sequence[str]]


@dataclass(frozen=True)
class Side:
    """One of the two that are compared: texts to ids (or tokens), and those to texts."""

    encode: Encode
    decode: Decode


@dataclass(frozen=True)
class Owned:
    """A vocabulary and its owner; `open` gives digram's side and the owner's."""

    vocabulary: str
    peer: str
    open: Callable[[Shared], tuple[Side, Side]]


def owned() -> list[Owned]:
    """All vocabularies of the shared data."""
    return [
        *(Owned(f"tiktoken/{name}", "tiktoken", _tiktoken(name)) for name in PUBLISHED),
        *(Owned(path, "tiktoken", _ranks(path, pattern)) for path, pattern in RANKS.items()),
        Owned("mistral-tekken", "tiktoken", _tekken),
        *([Owned("mistral-tekken", "mistral-common", _mistral)] if mistral.is_there() else []),
        *(
            Owned(f"{name}/tokenizer.json", "tokenizers", _hugging_face(name))
            for name in HUGGING_FACE
        ),
        *(
            Owned(f"{folder}/{pair[0]}", "tokenizers", _pair(folder, pair))
            for folder, pair in PAIRS
        ),
        Owned("openai-gpt", "tokenizers", _gpt1),
        *(Owned(path, "sentencepiece", _sentencepiece(path)) for path in SENTENCEPIECE),
        *(Owned(path, "subword-nmt", _codes(path)) for path in CODES),
        Owned(f"{FILTERED[0]} (vocabulary)", "subword-nmt", _codes(*FILTERED)),
        Owned(f"{KEPT[0]} (glossaries)", "subword-nmt", _codes(KEPT[0], glossaries=KEPT[1])),
        *(Owned(path, "pyonmttok", _opennmt(path)) for path in OPENNMT if opennmt.is_there()),
    ]


# p50k_edit has the ranks and the pattern of p50k_base.
PUBLISHED = tuple(name for name in TIKTOKEN if name != "p50k_edit")
# Files of ranks, and the patterns that belong to them.
RANKS = {
    "tiktoken/whisper_multilingual.tiktoken": "gpt2",
    "llama3/tokenizer.model": "cl100k-converted",
    "llama4/tokenizer.model": "o200k",
    "qwen/qwen.tiktoken": "qwen2",
}
PAIRS = (("gpt2", ("encoder.json", "vocab.bpe")), ("roberta-base", ("vocab.json", "merges.txt")))
SENTENCEPIECE = (
    "llama2/tokenizer.model",
    "mistral-v1/tokenizer.model",
    "bpemb-en/en.wiki.bpe.vs100000.model",
    "sentencepiece-bpe/en_4k_nmt_nfkc.model",
    "sentencepiece-bpe/ar_8k_bytefallback_identity.model",
    "sentencepiece-bpe/de_4k_suffix_userdef.model",
)
CODES = (
    "subword-nmt/bpe.ref",
    "subword-nmt/tinyshakespeare_5k.codes",
    "opennmt-bpe/bpe_code.v0.2",
    "opennmt-bpe/testcode.v0.1",
)
# Codes with a vocabulary filter: the part of the texts in which tokens are counted, and how often
# one must occur there to be kept.
FILTERED = ("subword-nmt/tinyshakespeare_5k.codes", "tinyshakespeare.txt", 20)
# Codes with glossaries: texts, which are tokens then, and patterns of single characters.
KEPT = ("subword-nmt/tinyshakespeare_5k.codes", ("the", "lord", "o'", "http", r"\d", r"[^\w\s]"))
OPENNMT = (
    "opennmt-bpe/codes_prefix.fr",
    "opennmt-bpe/codes_bothfix.fr",
    "opennmt-bpe/codes_nofix.fr",
    "opennmt-bpe/fr500",
)


def _ours(tok: digram.Tokenizer, **options: Any) -> Side:
    return Side(lambda texts: tok.encode_batch(texts, **options), tok.decode_batch)


def _of_tiktoken(theirs: tiktoken.Encoding, first: int = 0) -> Side:
    """Ids count from `first`; tiktoken's own from 0."""

    def encode(texts: Texts) -> list[list[int]]:
        batch = theirs.encode_ordinary_batch(list(texts))
        return batch if first == 0 else [[id_ + first for id_ in ids] for ids in batch]

    def decode(batch: Sequence[Sequence[int]]) -> list[str]:
        return theirs.decode_batch([[id_ - first for id_ in ids] for ids in batch])

    return Side(encode, decode)


def _tiktoken(name: str) -> Callable[[Shared], tuple[Side, Side]]:
    def opened(shared: Shared) -> tuple[Side, Side]:
        folder = shared.vocab("tiktoken")
        ours = digram.get_encoding(name, directory=folder)
        return _ours(ours), _of_tiktoken(tiktoken_encoding(folder, name))

    return opened


def _ranks(path: str, pattern: str) -> Callable[[Shared], tuple[Side, Side]]:
    def opened(shared: Shared) -> tuple[Side, Side]:
        file = shared.vocab(path)
        theirs = tiktoken.Encoding(
            path, pat_str=NAMED[pattern], mergeable_ranks=ranks(file), special_tokens={}
        )
        return _ours(digram.load(file, pattern=pattern)), _of_tiktoken(theirs)

    return opened


def _tekken(shared: Shared) -> tuple[Side, Side]:
    content = mistral.content(shared)
    file = json.loads(content)
    config = file["config"]
    first = config["default_num_special_tokens"]
    used = file["vocab"][: config["default_vocab_size"] - first]
    mergeable = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in used}
    theirs = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=mergeable, special_tokens={}
    )
    return _ours(digram.load(content)), _of_tiktoken(theirs, first)


def _mistral(shared: Shared) -> tuple[Side, Side]:
    content = mistral.content(shared)
    theirs = mistral.opened(content)
    return _ours(digram.load(content)), Side(
        lambda texts: [theirs.encode(text, bos=False, eos=False) for text in texts],
        lambda batch: [theirs.decode(list(ids)) for ids in batch],
    )


def _of_hugging_face(theirs: tokenizers.Tokenizer) -> Side:
    def encode(texts: Texts) -> list[list[int]]:
        encodings = theirs.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def decode(batch: Sequence[Sequence[int]]) -> list[str]:
        return theirs.decode_batch(list(batch), skip_special_tokens=False)

    return Side(encode, decode)


def _hugging_face(name: str) -> Callable[[Shared], tuple[Side, Side]]:
    def opened(shared: Shared) -> tuple[Side, Side]:
        path = shared.vocab(name, "tokenizer.json")
        theirs = tokenizers.Tokenizer.from_file(str(path))
        # Hugging Face always finds special tokens in a text.
        return _ours(digram.load(path), special="token"), _of_hugging_face(theirs)

    return opened


def _pair(folder: str, pair: tuple[str, str]) -> Callable[[Shared], tuple[Side, Side]]:
    def opened(shared: Shared) -> tuple[Side, Side]:
        paths = (shared.vocab(folder, pair[0]), shared.vocab(folder, pair[1]))
        theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*map(str, paths)))
        theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        theirs.decoder = tokenizers.decoders.ByteLevel()
        return _ours(digram.load(paths)), _of_hugging_face(theirs)

    return opened


def _gpt1(shared: Shared) -> tuple[Side, Side]:
    folder = shared.vocab("openai-gpt")
    files = [str(folder / name) for name in ("encoder_bpe_40000.json", "vocab_40000.bpe")]
    model = tokenizers.models.BPE.from_file(*files, unk_token="<unk>", end_of_word_suffix="</w>")
    theirs = tokenizers.Tokenizer(model)
    theirs.normalizer = tokenizers.normalizers.BertNormalizer()
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    theirs.decoder = tokenizers.decoders.BPEDecoder()
    ours = digram.load(folder, pattern=BertPreTokenizer(), unk_token="<unk>")
    return _ours(ours.with_(normalizer=BertNormalizer())), _of_hugging_face(theirs)


def _sentencepiece(path: str) -> Callable[[Shared], tuple[Side, Side]]:
    def opened(shared: Shared) -> tuple[Side, Side]:
        file = shared.vocab(path)
        theirs = sentencepiece.SentencePieceProcessor(model_file=str(file))
        return _ours(digram.load(file)), Side(
            lambda texts: theirs.encode(list(texts)), lambda batch: theirs.decode(list(batch))
        )

    return opened


def segments(model: digram.Model, ids: list[int]) -> Iterator[str]:
    """Spell ids as subword-nmt does."""
    marker = len((model.end_of_word or "").encode())
    word = []
    for id_ in ids:
        is_end = id_ in model.word_ends
        word.append(model.tokens[id_][: -marker if is_end else None].decode())
        if is_end:
            # A marker on its own, as version 0.1 has it, is not shown.
            *others, last = filter(None, word)
            yield from (f"{other}{SEPARATOR}" for other in others)
            yield last
            word = []


def filtered(bpe: BPE, text: str, threshold: int) -> dict[str, Any]:
    """Let the tokens of a text be the vocabulary; returns how digram is told the same."""
    counts = Counter(split(bpe, text))
    bpe.vocab = {token for token, count in counts.items() if count >= threshold}
    bpe.cache.clear()
    return {"vocabulary": counts, "vocabulary_threshold": threshold}


def split(bpe: BPE, text: str) -> list[str]:
    """Segment a text line by line."""
    return [t for line in LINE.split(text) for t in bpe.segment(line).split(" ") if t]


# What subword-nmt puts after a token that does not end a word, and undoing that.
SEPARATOR = "@@"
JOINED = re.compile(f"{SEPARATOR} |{SEPARATOR}$")


def _codes(
    path: str, counted: str | None = None, threshold: int = 0, glossaries: Sequence[str] = ()
) -> Callable[[Shared], tuple[Side, Side]]:
    """Codes have no ids, so tokens are compared; a text is a line there, and has one blank."""

    def opened(shared: Shared) -> tuple[Side, Side]:
        file = shared.vocab(path)
        with file.open(encoding="utf-8") as lines:
            bpe = BPE(lines, glossaries=list(glossaries))
        known = {} if counted is None else filtered(bpe, shared.part(counted), threshold)
        tok = digram.load(file, initial_alphabet=alphabet(shared), glossaries=glossaries, **known)

        model = tok.model  # a copy, made once

        def ours(texts: Texts) -> list[list[str]]:
            return [list(segments(model, ids)) for ids in tok.encode_batch(texts)]

        def theirs(texts: Texts) -> list[list[str]]:
            return [split(bpe, text) for text in texts]

        def joined(batch: Sequence[Sequence[str]]) -> list[str]:
            return [JOINED.sub("", " ".join(each)) for each in batch]

        return Side(ours, joined), Side(theirs, joined)

    return opened


def alphabet(shared: Shared) -> str:
    """Return all characters of the corpora that may stand in words."""
    characters = {character for name in shared.names() for character in shared.part(name)}
    return "".join(sorted(characters - set(" \r\n")))


def _opennmt(path: str) -> Callable[[Shared], tuple[Side, Side]]:
    """Texts are compared without what OpenNMT reads in ways of its own."""

    def opened(shared: Shared) -> tuple[Side, Side]:
        ours, theirs = opennmt.both(shared.vocab(path), alphabet(shared))

        def joined(batch: Sequence[Sequence[str]]) -> list[str]:
            return ["".join(each).replace(opennmt.SPACER, " ") for each in batch]

        return Side(ours, joined), Side(theirs, joined)

    return opened


# Lines of subword-nmt end where Python's do when it reads a file.
LINE = re.compile("\r\n|\r|\n")
