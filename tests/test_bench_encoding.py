"""The bench of encoding cannot flatter: halves are apart, wrong answers have no rank."""

import random
import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

import numpy as np
from encode import names
from encoding.cells import timed
from encoding.compare import Answers, difference, differing
from encoding.losses import differing as those_that_differ
from encoding.losses import losses
from encoding.report import Results, kernels_table, speed_table
from encoding.summary import merged
from encoding.texts import FAMILIES, LONG_LINE, pieces, write_halves
from readme import FRONT, shortened


def record(peer, seconds, differ=0, text="English", **more):
    rounds = [{"fresh": seconds, "unseen": seconds, "again": seconds, "calls": 1}]
    cell = {"vocabulary": "cl100k", "text": text, "unit": "text", "form": "array", "threads": 1}
    counted = {"differ": differ, "of": 100, "bytes": [1_000_000, 1_000_000], "at": "2026"}
    return {**cell, "peer": peer, "rounds": rounds, **counted, **more}


def test_no_long_line_of_the_second_half_stands_in_the_first(tmp_path, monkeypatch):
    rng = random.Random(3)
    lines = ["x" * 60, "y" * 50, *(str(rng.random()) * 3 for _ in range(300))]
    rng.shuffle(lines)
    (tmp_path / "a.txt").write_text("\n".join(lines * 2) + "\n", encoding="utf-8")
    monkeypatch.setattr("encoding.texts.FAMILIES", {"a": ("a.txt",)})
    halves = write_halves(tmp_path, "a", 1 << 20, tmp_path)
    first, second = (path.read_text().splitlines() for path in (halves.first, halves.second))
    assert not {line for line in second if len(line) >= LONG_LINE} & set(first)
    assert halves.left_out > 0.5
    assert halves.sizes == (halves.first.stat().st_size, halves.second.stat().st_size)


def test_pieces_are_the_same_each_time_and_none_is_empty():
    text = "some words and\n   blanks " * 2_000
    for unit in ("text", "documents", "lines", "requests", "20", "200", "4096"):
        assert pieces(unit, text) == pieces(unit, text)
        assert all(pieces(unit, text))


@pytest.mark.parametrize("edits", [0, 1, 40])
def test_every_place_that_differs_is_counted(edits):
    rng = random.Random(edits)
    expected = [rng.randrange(5_000) for _ in range(20_000)]
    found = list(expected)
    for at in sorted(rng.sample(range(100, 19_900, 50), edits), reverse=True):
        found[at : at + rng.randrange(2)] = [9_999] * rng.randrange(1, 3)
    counted = differing(np.array(found, np.uint32), np.array(expected, np.uint32))
    assert edits <= counted <= 2 * edits


def test_ids_in_other_pieces_are_a_difference():
    expected = Answers.of([[1, 2], [3]])
    assert difference("list", [[1, 2], [3]], expected, ["ab", "c"])["differ"] == 0
    assert difference("list", [[1], [2, 3]], expected, ["ab", "c"])["differ"] > 0
    assert difference("count", [2, 2], expected, ["ab", "c"])["differ"] == 1
    assert difference("offsets", [([1, 2], [0]), ([3], [0])], expected, ["ab", "c"])["differ"] == 1
    assert difference("text", ["ab", "d"], expected, ["ab", "c"])["differ"] == 1


def test_who_differs_is_not_ranked_but_named():
    found = [record("digram", 0.01), record("exact", 0.02), record("wrong", 0.001, differ=7)]
    results = Results(found)
    row = speed_table(results, "array")["rows"][0]
    assert "exact" in row[-1]
    assert "wrong" not in str(row)
    assert those_that_differ(results)["rows"] == [
        ["wrong", "cl100k", "NumPy", "English 7 of 100"],
    ]


def test_a_lower_kernel_has_rows_of_its_own_and_is_nobodys_peer():
    found = [record("digram", 0.01), record("digram (avx2)", 0.02), record("peer", 0.03)]
    rows = kernels_table(Results(found))["rows"]
    assert rows == [["digram (avx2)", "English", *["**1.50×** 50 : 33 peer"] * 3]]
    assert "peer" in speed_table(Results(found), "array")["rows"][0][-1]
    assert not losses(Results(found))["rows"]
    assert not kernels_table(Results(found[::2]))["rows"]


def test_every_cell_where_a_peer_is_better_is_listed():
    found = [record("digram", 0.01), record("peer", 0.02)]
    found += [record("digram", 0.01, text="Thai"), record("peer", 0.009, text="Thai")]
    shown = losses(Results(found))
    assert [row[2:] for row in shown["rows"]] == [
        [column, "Thai 0.90× peer"]
        for column in ("fresh object, first pass", "unseen", "same text again")
    ]
    assert shown["notes"].startswith("3 of 6 cells")


def test_a_wrong_answer_of_ours_is_a_loss():
    shown = losses(Results([record("digram", 0.001, differ=1), record("peer", 0.02)]))
    assert all("≠" in row[-1] for row in shown["rows"])
    assert shown["notes"].startswith("3 of 3 cells")


def test_a_cell_measured_again_replaces_the_whole_of_it():
    earlier = [record("digram", 1), record("gone", 1), record("digram", 1, text="Thai")]
    now = [record("digram", 2), record("digram", 3, text="German")]
    assert merged(earlier, now) == [now[0], earlier[2], now[1]]


def test_who_is_far_behind_is_told_by_unseen_text():
    assert timed({"fresh": 3, "unseen": 1, "again": 2}) == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_texts_can_be_asked_for_alone(family):
    assert names(FAMILIES)(family) == (family,)


def test_readme_shows_tables_that_there_are():
    page = Path(__file__).resolve().parents[1].joinpath("docs", "benchmarks.md").read_text("utf-8")
    titles = [title for titles in FRONT.values() for title in titles]
    assert all(f"\n**{title}.** " in page for title in titles)
    tables = [{"title": title} for title in ("another", *FRONT["encode"])]
    assert shortened("encode", {"tables": tables})["tables"] == tables[1:]
    assert shortened("train", {"rows": []}) == {"rows": []}
