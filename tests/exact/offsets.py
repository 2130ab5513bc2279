"""Where each token stands, beside Hugging Face and SentencePiece."""

from __future__ import annotations

from itertools import chain

import sentencepiece
import tokenizers

import digram
from tests.exact.peers import HUGGING_FACE
from tests.exact.pieces import MODELS
from tests.exact.shared import Shared
from tests.exact.tally import Tally

Offsets = list[tuple[int, int]]

# Leaves out control characters, for want of tokens. Hugging Face counts on as if they were not
# there: the token of the "c" in "\4c" stands at (0, 1) then. Such texts are not compared.
LEAVES_OUT = ("falcon",)


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    data = shared.sample().brief()
    for name in HUGGING_FACE:
        path = shared.vocab(name, "tokenizer.json")
        ours, theirs = digram.load(path), tokenizers.Tokenizer.from_file(str(path))
        with tally.row(f"offsets, Hugging Face {name}"):
            for batch in data.batches():
                both = zip(*batch, strict=True)
                kept = [(place, text) for place, text in both if is_whole(ours, text, name)]
                places, texts = ([each[at] for each in kept] for at in (0, 1))
                encoded = theirs.encode_batch(texts, add_special_tokens=False)
                expected = [encoding.offsets for encoding in encoded]
                tally.all_same(places, [our_offsets(ours, text) for text in texts], expected)
    for parts in MODELS:
        path = shared.vocab(*parts)
        ours = digram.load(path)
        model = sentencepiece.SentencePieceProcessor(model_file=str(path))
        name = parts[0] if parts[1].startswith("tokenizer") else path.stem
        with tally.row(f"offsets, SentencePiece {name}"):
            for places, texts in data.batches():
                expected = [offsets_of_pieces(model, text) for text in texts]
                found = [our_offsets(ours, text, special="text") for text in texts]
                tally.all_same(places, found, expected)


def is_whole(tok: digram.Tokenizer, text: str, name: str) -> bool:
    """Tell whether no character is left out."""
    return name not in LEAVES_OUT or tok.decode(tok.encode(text)) == text


def our_offsets(tok: digram.Tokenizer, text: str, special: str = "token") -> Offsets:
    """Give the start and the end of each token of a text."""
    return [
        (start, end) for start, end in tok.encode_with_offsets(text, special=special)[1].tolist()
    ]


def offsets_of_pieces(model: sentencepiece.SentencePieceProcessor, text: str) -> Offsets:
    """Give those of SentencePiece in characters; it counts bytes."""
    pieces = model.encode(text, return_type="proto").pieces
    starts = chain.from_iterable([at] * len(char.encode()) for at, char in enumerate(text))
    characters = [*starts, len(text)]
    return [(characters[piece.begin], characters[piece.end]) for piece in pieces]
