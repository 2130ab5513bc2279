"""A stream of ids says what the whole list says, with every decoder."""

import json
import random

import pytest
from test_components_peers import DECODERS, TOKENS

from tests.described import BYTES, both, metaspace

SEED = 5
MORE = [
    {"type": "Strip", "content": "a", "start": 2, "stop": 1},
    {
        "type": "Sequence",
        "decoders": [
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 2},
        ],
    },
    {
        "type": "Sequence",
        "decoders": [
            {"type": "Fuse"},
            {"type": "Replace", "pattern": {"String": "ab"}, "content": "x"},
        ],
    },
    {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, metaspace()]},
    {"type": "Sequence", "decoders": [{"type": "BPEDecoder", "suffix": "a"}, metaspace()]},
]


def their_text(theirs, ids, otherwise):
    """Their text; `otherwise` where they panic: stripping more than a token has."""
    try:
        return theirs.decode(ids)
    except BaseException as panic:
        if type(panic).__name__ != "PanicException":
            raise
        return otherwise


@pytest.mark.parametrize("decoder", [*DECODERS, *MORE], ids=json.dumps)
def test_a_stream_says_what_the_whole_says(decoder):
    vocab = {token: id_ for id_, token in enumerate(dict.fromkeys(["?", *TOKENS, *BYTES]))}
    ours, theirs = both(decoder=decoder, model={"vocab": vocab})
    drawn = random.Random(SEED)
    for _ in range(1_500):
        ids = drawn.choices(range(len(TOKENS) + 1), k=drawn.randrange(12))
        ids += drawn.choices(range(len(vocab)), k=drawn.randrange(3))
        stream, position, said = ours.decoder(), 0, ""
        while position < len(ids):
            taken = drawn.randrange(4)
            said += stream.feed(ids[position : position + taken])
            assert ours.decode(ids).startswith(said)
            position += taken
        whole = ours.decode(ids)
        assert said + stream.finish() == whole
        assert whole == their_text(theirs, ids, whole), ids
        assert stream.finish() == ""


def test_a_stream_leaves_out_what_decode_leaves_out():
    tokens = dict.fromkeys(["?", *TOKENS, *BYTES])
    vocab = {token: id_ for id_, token in enumerate(tokens)}
    flags = ("single_word", "lstrip", "rstrip")
    added = [
        {"content": content, "special": special, "normalized": normalized, "id": len(vocab) + place}
        | dict.fromkeys(flags, False)
        for place, (content, special, normalized) in enumerate(
            [("<S>", True, True), ("<s>", True, False), ("<E>", False, True), ("<e>", True, True)]
        )
    ]
    ours, theirs = both(
        model={"vocab": vocab}, added_tokens=added, normalizer={"type": "Lowercase"}
    )
    drawn = random.Random(SEED)
    for _ in range(300):
        ids = drawn.choices(range(len(vocab) - 5, len(vocab) + len(added)), k=drawn.randrange(12))
        stream = ours.decoder(skip_special_tokens=True)
        said = "".join(stream.feed(id_) for id_ in ids[:5]) + stream.feed(ids[5:])
        whole = ours.decode(ids, skip_special_tokens=True)
        assert said + stream.finish() == whole == theirs.decode(ids, skip_special_tokens=True)
