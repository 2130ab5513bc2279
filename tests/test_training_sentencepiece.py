"""Training as SentencePiece does gives its pieces, in its order."""

import random
import re
import struct
from base64 import b64decode
from collections import defaultdict
from functools import partial

import pytest
from exact.learned_pieces import compare_lines, drawn, our_training, their_training
from exact.tally import Tally
from pieces import SENTENCES, edited, peer, trained
from sentencepiece import sentencepiece_model_pb2 as protocol

import digram
from digram import charsmap
from digram.components import Regex, SentencePieceNormalizer, Split

WHOLE = Split(Regex("[^\n]+"), "Isolated")


def learned(processor):
    """The pieces of a model that were merged."""
    pieces = [processor.id_to_piece(id_) for id_ in range(3, processor.get_piece_size())]
    return [piece for piece in pieces if len(piece) > 1]


def same_pieces(ours, theirs):
    made = [ours.tokens[merged].decode() for _, _, merged in ours.merges]
    expected = learned(theirs)
    return (
        made
        and made == expected[: len(made)]
        and ours.training.stopped in ("no-pairs", "num_merges")
    )


def test_small_corpora_give_the_same_pieces_in_the_same_order(capsys):
    tally, rng = Tally(), random.Random(3)
    with tally.row("small corpora"):
        for number in range(150):
            compare_lines(tally, f"corpus {number}", drawn(rng), rng.choice((40, 80, 300)))
    assert (tally.differences, tally.rows[0].comparisons > 3_000) == (0, True), capsys.readouterr()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({}, {}),
        ({"split_by_unicode_script": False}, {"apart": []}),
        ({"split_digits": True}, {"forbidden": [re.compile("[0-9０-９]")]}),
        ({"max_sentencepiece_length": 4}, {"max_token_length": 4}),
        (
            {"split_by_unicode_script": False, "split_by_whitespace": False},
            {
                "apart": [],
                "forbidden": [re.compile(".\u2581$")],
                "pattern": WHOLE,
            },
        ),
        (
            {"split_by_whitespace": False},
            {
                "apart": ["sentencepiece-scripts"],
                "forbidden": [re.compile(".\u2581$")],
                "pattern": WHOLE,
            },
        ),
        (
            {"split_by_number": False},
            {"apart": ["sentencepiece-scripts-with-digits"]},
        ),
        (
            {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
            {
                "apart": ["sentencepiece-scripts"],
                "forbidden": [re.compile("\u2581\u2581[^\u2581]")],
                "normalizer": SentencePieceNormalizer(remove_extra_whitespaces=False),
                "pattern": Split(Regex("\u2581+[^\u2581]*|[^\u2581]+"), "Isolated"),
            },
        ),
    ],
    ids=[
        "defaults",
        "scripts joined",
        "digits alone",
        "short pieces",
        "across blanks, scripts joined",
        "across blanks",
        "numbers joined",
        "blanks together",
    ],
)
def test_each_rule_of_sentencepiece_has_an_option(theirs, ours):
    lines = [
        *SENTENCES * 3,
        "x" * 5000,
        "a line with \u2585 in it",
        *["a1б ２a 3.x字4か", "  if  x:    y "] * 5,
    ]
    model = their_training(lines, 600, **theirs)
    tok = our_training(lines, num_merges=len(learned(model)), **ours)
    assert same_pieces(tok, model)


RARE = [*SENTENCES * 3, "A line with \u00e6, and one with \u00f8 and \u00e6"]


@pytest.mark.parametrize("coverage", [0.98, 0.985, 0.99, 0.995, 0.9995, 1.0])
def test_a_coverage_below_all_leaves_out_the_same_characters(coverage):
    model = their_training(RARE, 600, character_coverage=coverage)
    known = set(map(model.id_to_piece, range(3, model.get_piece_size())))
    special = {"special_tokens": ["<unk>", "<s>", "</s>"], "unk_token": "<unk>"}
    tok = our_training(RARE, num_merges=len(learned(model)), character_coverage=coverage, **special)
    assert same_pieces(tok, model)
    base = {tok.tokens[id_].decode() for id_ in range(3, tok.training.base_size)}
    assert base == {piece for piece in known if len(piece) == 1}
    for line in RARE:
        assert tok.with_(fuse_unk=True).encode(line) != []
        rare = [character for character in line if character not in base and character != " "]
        assert tok.encode(line).count(tok.token_id("<unk>")) == len(rare)


RULES = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"]


@pytest.mark.parametrize("rules", RULES)
def test_a_named_table_replaces_what_sentencepieces_own_does(rules):
    model = their_training(SENTENCES, 500, normalization_rule_name=rules)
    proto = protocol.ModelProto.FromString(model.serialized_model_proto())
    theirs = entries(proto.normalizer_spec.precompiled_charsmap)
    assert len(theirs) > 200_000
    assert entries(b64decode(charsmap(rules))) == theirs


@pytest.mark.parametrize("rules", RULES)
def test_training_with_a_named_table_gives_the_same_pieces(rules):
    model = their_training(SENTENCES, 500, normalization_rule_name=rules)
    normalizer = SentencePieceNormalizer(charsmap(rules))
    tok = our_training(SENTENCES, num_merges=len(learned(model)), normalizer=normalizer)
    assert same_pieces(tok, model)
    assert all(tok.tokenize(line) == model.encode(line, out_type=str) for line in SENTENCES)


def test_sentencepiece_reads_tables_of_ones_own_rules():
    dice = random.Random(7)
    for _ in range(40):
        texts = ["".join(dice.choices("abé漢😀", k=dice.randint(1, 6))) for _ in range(30)]
        rules = {text: dice.choice(["", "x", "yz", "漢字", text]) for text in texts}
        table = charsmap(rules)
        assert entries(b64decode(table)) == rules
        raw = edited(trained(), partial(with_table, b64decode(table)))
        line = "".join(dice.choices("abé漢😀 ", k=200))
        assert digram.load(raw).encode(line) == peer(raw).encode(line)


def with_table(table, proto):
    proto.normalizer_spec.precompiled_charsmap = table


def entries(table):
    """What a table replaces, read from its double array."""
    (size,) = struct.unpack_from("<I", table)
    units = struct.unpack_from(f"<{size // 4}I", table, 4)
    replacements = table[4 + size :]
    children = defaultdict(list)
    for place, unit in enumerate(units):
        byte = unit & 0x800000FF
        if 0 < byte < 256:
            children[place ^ byte].append((byte, place))
    found = {}
    open_ = [(0, b"")]
    while open_:
        place, text = open_.pop()
        unit = units[place]
        base = place ^ (unit >> 10 << ((unit & 1 << 9) >> 6))
        if unit >> 8 & 1:
            start = units[base] & 0x7FFFFFFF
            end = replacements.index(b"\0", start)
            found[text.decode()] = replacements[start:end].decode()
        open_ += [(place, text + bytes([byte])) for byte, place in children[base]]
    return found


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("NFKC", r"rules are 'NFKC'; they are one of 'nmt_nfkc', "),
        ({"": "a"}, r"rules replace the empty text; give a text to look for"),
        ({"a\0": ""}, r'rules replace "a\\0" by ""; the table cannot hold U\+0000'),
        ({"a": "\ud800"}, r"what rules put is '\\ud800', and its character 0 is a lone surrogate"),
        ({"x" * 256: ""}, r'rules replace "x{20}"… of 256 bytes; at most 255 bytes'),
    ],
)
def test_rules_that_no_table_holds_are_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        charsmap(rules)


def test_rules_that_are_no_texts_are_refused():
    with pytest.raises(TypeError, match="what rules put must be a str, not int: 5"):
        charsmap({"a": 5})
