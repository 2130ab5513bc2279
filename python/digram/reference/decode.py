"""Decoding: from ids back to text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from digram._model import Merges, Model
from digram.components import (
    BPEDecoder,
    ByteLevel,
    Decoder,
    DecoderSequence,
    Fuse,
    SentencePieceDecoder,
)
from digram.errors import UnknownTokenError
from digram.reference.blanks import decode_pieces
from digram.reference.spelling import END, Units, spell, split, token_units
from digram.reference.tables import apart
from digram.reference.words import normalize, not_executed


def decode(model: Model, ids: Iterable[int], errors: str = "replace") -> str:
    r"""Decode ids to text; `errors` says what becomes of bytes that are not UTF-8.

    >>> from digram.components import ByteLevel
    >>> model = Model({0: b"na", 1: b"\xc3", 2: b"\xaf"}, rule=..., decoder=ByteLevel())
    >>> decode(model, [0, 1, 2]), decode(model, [0, 1])
    ('naï', 'na\ufffd')
    """
    if isinstance(model.decoder, SentencePieceDecoder):
        return decode_pieces(model, ids, replaces=errors == "replace").decode(errors=errors)
    return decode_bytes(model, ids).decode(errors=errors)


def decode_bytes(model: Model, ids: Iterable[int]) -> bytes:
    """Decode ids to bytes: their tokens joined, as the model's decoder says.

    A marker becomes one space, except at the end. Without any decoder there is a space between
    all tokens, and only `ByteLevel` makes bytes of their spellings, as Hugging Face has it.

    >>> tokens = {0: b"wid", 1: b"est</w>"}
    >>> model = Model(tokens, rule=..., end_of_word="</w>", word_ends=frozenset({1}),
    ...               decoder=BPEDecoder("</w>"))
    >>> decode_bytes(model, [0, 1, 0, 1])
    b'widest widest'
    """
    if isinstance(model.decoder, SentencePieceDecoder):
        return decode_pieces(model, ids, replaces=False)
    ids = list(ids)
    shown = normalized_contents(model)
    if model.decoder is None or (model.units == "bytes" and is_fuse(model.decoder)):
        between = b" " if model.decoder is None else b""
        return between.join(shown.get(id_, spelled_bytes(model, id_)) for id_ in ids)
    endings = word_ends(model) - shown.keys() if spaces(model.decoder) else frozenset()
    last = len(ids) - 1
    return b"".join(
        unmarked(model, token_id, b" " if place < last else b"")
        if token_id in endings
        else shown.get(token_id, token_bytes(model, token_id))
        for place, token_id in enumerate(ids)
    )


def word_ends(model: Model) -> frozenset[int]:
    """Return the ids that end words: also of a unit and the text of the marker, attached to it.

    That token stands for the unit at a word's end too where no other does.

    >>> tokens = {0: b"a", 1: b"$", 2: b"a$", 3: b"$$"}
    >>> model = Model(tokens, ..., end_of_word="$", marker="attached", word_ends=frozenset({3}))
    >>> sorted(word_ends(model))
    [2, 3]
    """
    if model.end_of_word is None or model.marker != "attached":
        return model.word_ends
    marker = split(model.end_of_word, model.units)
    units = {id_: token_units(model, id_) for id_ in model.tokens.keys() - apart(model)}
    known = set(units.values())
    both = {id_ for id_, token in units.items() if token[1:] == marker}
    ends = model.word_ends | {id_ for id_ in both if (units[id_][0], END) not in known}
    # and what merges make of one behind another token
    while more := {merged for right, merged in rights(model, units) if right in ends} - ends:
        ends |= more
    return ends


def rights(model: Model, units: Mapping[int, Units]) -> list[tuple[int, int]]:
    """Return the right part of each merge, and what it makes; by rank, of all that may be."""
    if isinstance(model.rule, Merges):
        return [(right, merged) for _, right, merged in model.rule.pairs]
    ids = {token: id_ for id_, token in units.items()}
    return [
        (ids[token[start:]], id_)
        for id_, token in units.items()
        for start in range(1, len(token))
        if token[start:] in ids
    ]


def normalized_contents(model: Model) -> dict[int, bytes]:
    """Return what is shown for added tokens that are found in normalized text, as files have it.

    >>> from digram.components import AddedToken, Lowercase
    >>> added = (AddedToken(0, "LOW", normalized=True),)
    >>> normalized_contents(Model({0: b"LOW"}, ..., added_tokens=added, normalizer=Lowercase()))
    {0: b'low'}
    """
    found = {}
    for token in model.added_tokens:
        if token.normalized:
            content = normalize(token.content, model.normalizer)
            if content != token.content:
                found[token.id] = content.encode()
    return found


def spaces(decoder: Decoder) -> bool:
    """Say whether a decoder writes spaces for markers.

    >>> spaces(DecoderSequence((BPEDecoder(), Fuse())))
    True
    """
    if isinstance(decoder, DecoderSequence) and all(map(is_fuse, decoder.decoders[1:])):
        return spaces(decoder.decoders[0]) if decoder.decoders else False
    if not isinstance(decoder, BPEDecoder | ByteLevel | Fuse):
        raise not_executed(decoder)
    return isinstance(decoder, BPEDecoder)


def is_fuse(decoder: Decoder) -> bool:
    """Say whether a decoder only joins tokens.

    >>> is_fuse(DecoderSequence((Fuse(),))), is_fuse(BPEDecoder())
    (True, False)
    """
    if isinstance(decoder, DecoderSequence):
        return all(map(is_fuse, decoder.decoders))
    return isinstance(decoder, Fuse)


def token_bytes(model: Model, token_id: int) -> bytes:
    """Return a token's bytes, or raise an error that names the id."""
    if token_id not in model.tokens:
        raise UnknownTokenError(
            f"id {token_id} is not in the vocabulary of {len(model.tokens)} tokens;"
            " decode with the tokenizer that encoded"
        )
    return model.tokens[token_id]


def spelled_bytes(model: Model, token_id: int) -> bytes:
    """Return a token as it is spelled, or raise an error that names the id."""
    token = token_bytes(model, token_id)
    is_text = token_id in model.added_only or token_id in model.literal
    return token if is_text else spell(model, token_id).encode()


def unmarked(model: Model, token_id: int, instead: bytes) -> bytes:
    """Return a token's bytes with `instead` where the marker's text was."""
    return token_bytes(model, token_id).removesuffix((model.end_of_word or "").encode()) + instead


def join_tokens(model: Model, ids: Sequence[int], *, after_marker: str = "") -> str:
    """Join tokens as they are spelled, markers and all, with a text after each marker but the last.

    >>> model = Model({0: b"the</w>", 1: b"high", 2: b"est</w>"}, rule=..., units="chars",
    ...               end_of_word="</w>", word_ends=frozenset({0, 2}))
    >>> join_tokens(model, [0, 1, 2]), join_tokens(model, [0, 1, 2], after_marker=" ")
    ('the</w>highest</w>', 'the</w> highest</w>')
    """
    last = len(ids) - 1
    return "".join(
        spell(model, i) + (after_marker if i in model.word_ends and place < last else "")
        for place, i in enumerate(ids)
    )


def decode_words(model: Model, words: Mapping[tuple[int, ...], int]) -> dict[str, int]:
    """Decode a whole dictionary of segmented words and their counts.

    Two segmentations of one word add up.

    >>> from digram.components import ByteLevel
    >>> model = Model({0: b"a", 1: b"b", 2: b"ab"}, rule=..., decoder=ByteLevel())
    >>> decode_words(model, {(0, 1): 2, (2,): 3})
    {'ab': 5}
    """
    counts: dict[str, int] = {}
    for ids, count in words.items():
        word = decode(model, ids)
        counts[word] = counts.get(word, 0) + count
    return counts
