"""Training as SentencePiece does gives its pieces, in its order."""

import random
import re

import pytest
from exact.learned_pieces import compare_lines, drawn, our_training, their_training
from exact.tally import Tally
from pieces import SENTENCES

import digram
from digram.components import Regex, Split

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
    ],
    ids=[
        "defaults",
        "scripts joined",
        "digits alone",
        "short pieces",
        "across blanks, scripts joined",
        "across blanks",
        "numbers joined",
    ],
)
def test_each_rule_of_sentencepiece_has_an_option(theirs, ours):
    lines = [*SENTENCES * 3, "x" * 5000, "a line with \u2585 in it", *["a1б ２a 3.x字4か"] * 5]
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


def test_a_normalization_table_is_that_of_a_model(tmp_path):
    model = their_training(SENTENCES, 500, normalization_rule_name="nmt_nfkc")
    (tmp_path / "a.model").write_bytes(model.serialized_model_proto())
    normalizer = digram.load(tmp_path / "a.model").model.normalizer
    tok = our_training(SENTENCES, num_merges=len(learned(model)), normalizer=normalizer)
    assert same_pieces(tok, model)
    assert all(tok.tokenize(line) == model.encode(line, out_type=str) for line in SENTENCES)
