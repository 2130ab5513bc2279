"""A stream of ids says what the whole list says, with every decoder."""

import json
import random

import pytest
from test_components_peers import DECODERS, TOKENS

import digram
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


def test_byte_pieces_are_told_as_soon_as_they_are_characters():
    """They waited for the end of their run, which in a text of rare characters is its own."""
    pytest.importorskip("sentencepiece")
    import pieces

    tok = digram.load(pieces.trained(byte_fallback=True))
    ids = {bytes([b]): tok.token_id(f"<0x{b:02X}>") for b in range(256)}
    for text in ("\n\n\n", "ฎฏ\nฐ", "a ฎ🙂"):
        stream = tok.decoder()
        shown = [(stream.feed(ids[bytes([byte])])) for byte in text.encode()]
        assert "".join(shown) == text
        assert [len(part) for part in shown if part] == [1] * len(text)
    rng = random.Random(SEED)
    peer = pieces.peer(tok.to_bytes(format="sentencepiece"))
    cut = ["🙂".encode(), b"\xff", b"\x82", b"\xe2", b"a", "é".encode(), b"\xf0\x9f"]
    for _ in range(300):
        run = b"".join(rng.choice(cut) for _ in range(rng.randrange(7)))
        row = [ids[bytes([byte])] for byte in run] + rng.choice([[], tok.encode("the")])
        row = rng.choice([[], tok.encode("a b")]) + row
        stream = tok.decoder()
        told = [stream.feed(id_) for id_ in row]
        assert "".join(told) + stream.finish() == tok.decode(row)
        assert tok.decode(row) == peer.decode(row)


def without_peers(decoder):
    """Ours alone: bytes that are tokens, and pieces of SentencePiece's kind."""
    if decoder is None:
        pieces = pytest.importorskip("pieces")
        scored = [(text, -at, pieces.NORMAL) for at, text in enumerate(["a", "▁", "é"])]
        return digram.load(pieces.made([*pieces.CONTROLS, *scored], byte_fallback=True))
    vocab = {token: id_ for id_, token in enumerate(dict.fromkeys(["?", *TOKENS, *BYTES]))}
    return both(decoder=decoder, model={"vocab": vocab})[0]


def outcome(decode):
    try:
        return decode()
    except UnicodeDecodeError:
        return "refused"


@pytest.mark.parametrize("decoder", [None, MORE[1], MORE[3]], ids=json.dumps)
@pytest.mark.parametrize(
    "errors", ["strict", "ignore", "replace", "backslashreplace", "surrogateescape"]
)
def test_a_stream_treats_what_is_no_text_as_the_whole_does(decoder, errors):
    tok = without_peers(decoder)
    drawn = random.Random(SEED)
    bytes_ = [tok.token_id(f"<0x{byte:02X}>") for byte in "aé€b".encode() + b"\xff\xf0"]
    for _ in range(500):
        ids = drawn.choices([*bytes_, *tok.tokens], k=drawn.randrange(9))
        stream = tok.decoder(errors=errors)
        said = outcome(lambda: "".join(map(stream.feed, ids)) + stream.finish())  # noqa: B023
        assert said == outcome(lambda: tok.decode(ids, errors=errors))  # noqa: B023


def test_a_handler_of_errors_must_exist():
    with pytest.raises(LookupError, match="nosuch"):
        digram.train(["a"], vocab_size=256).decoder(errors="nosuch")
