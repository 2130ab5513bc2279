"""What one training tells of all smaller ones: tokens, compression, vocabularies; and as tables."""

import copy
import csv
import dataclasses
import io
import json
import pickle
import re

import pytest
from command_line import run
from drawn import MARKERS, TIES, UNITS, counts, learn_options
from hypothesis import given, settings
from hypothesis import strategies as st

import digram
from digram import reference

CORPUS = "the lowest of the low, the newest of the new; aaaaaaa hahahaha 東京 naïve " * 3


def trained(words, options):
    try:
        return digram.train(words, **options)
    except ValueError:
        return None


@pytest.mark.parametrize("marker", MARKERS, ids=["unmarked", "separate", "attached"])
@pytest.mark.parametrize("units", UNITS)
def test_the_tokens_after_every_merge_are_counted_exactly(units, marker):
    @settings(max_examples=60)
    @given(counts(), learn_options(units), st.sampled_from(TIES))
    def exact(words, options, ties):
        options = {**options, **marker, "units": units, "ties": ties}
        tok = trained(words, options)
        if tok is None:
            return
        steps = reference.steps(words, **options)
        symbols = [
            sum(words[word] * len(parts) for word, parts in step.words.items()) for step in steps
        ]
        report = tok.training
        assert list(report.corpus_tokens[1:]) == symbols
        assert report.corpus_tokens[0] == report.symbols_at_start
        assert report.corpus_tokens[-1] == report.symbols_at_end
        total = sum(n * len(word.encode()) for word, n in words.items())
        assert report.text_bytes == total
        assert [point[2] for point in report.compression()] == [
            total / n for n in report.corpus_tokens
        ]

    exact()


@pytest.mark.parametrize("units", UNITS)
@given(counts(), st.data())
def test_the_first_merges_are_what_training_stopped_there_gives(units, words, data):
    options = data.draw(learn_options(units)) | data.draw(st.sampled_from(MARKERS))
    options |= {"units": units, "ties": data.draw(st.sampled_from(TIES))}
    tok = trained(words, options)
    if tok is None:
        return
    n = data.draw(st.integers(0, len(tok.merges)))
    small = tok.at(n)
    if n == len(tok.merges):
        assert small == tok
        assert small.training == tok.training
        return
    stopped = digram.train(words, **{**options, "num_merges": n})
    assert small == stopped
    assert small.model == stopped.model
    expected = stopped.training
    assert small.training == expected
    assert tok.training.at(n) == expected
    assert tok.at(vocab_size=small.vocab_size) == small


@pytest.fixture(scope="module")
def tok():
    return digram.train([CORPUS], vocab_size=290, special_tokens=["<|end|>"])


def test_a_smaller_tokenizer_is_saved_and_loaded_as_any_other(tok, tmp_path):
    small = tok.at(vocab_size=270)
    small.save(tmp_path / "t.json")
    again = digram.load(tmp_path / "t.json")
    assert again == small
    assert again.training == small.training
    assert again.vocab_size == 270
    assert again.special_tokens == tok.special_tokens


def test_a_loaded_tokenizer_keeps_its_ids_when_cut(tok):
    further = tok.with_(special_tokens=["<|user|>"], added_tokens=["[tool]"])
    small = further.at(5)
    assert small.training is None
    assert small.special_tokens == further.special_tokens
    assert small.added_tokens == further.added_tokens
    assert small.vocab_size == 257 + 5 + 2
    text = "the lowest<|user|>naïve [tool]"
    assert small.decode(small.encode(text, special="token")) == text
    assert small.encode(text) == tok.at(5).with_(
        special_tokens={"<|user|>": 290}, added_tokens={"[tool]": 291}
    ).encode(text)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "the number of merges, or else vocab_size="),
        ({"n": 3, "vocab_size": 260}, TypeError, "one of them"),
        ({"n": -1}, ValueError, "n is -1, but there are 33 merges; give 0 to 33"),
        ({"n": 34}, ValueError, "give 0 to 33"),
        ({"vocab_size": 256}, ValueError, "give sizes from 257 to 290"),
        ({"vocab_size": 291}, ValueError, "give sizes from 257 to 290"),
    ],
)
def test_sizes_that_no_first_merges_give_are_refused(tok, arguments, error, message):
    with pytest.raises(error, match=message):
        tok.at(**arguments)


def test_the_report_as_csv_and_arrow_says_what_it_says_in_python(tok, tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    report = tok.training
    table = report.to_arrow()
    rows = table.to_pylist()
    assert len(rows) == len(report.merges) == 33
    for row, merge in zip(rows, report.merges, strict=True):
        assert {name: row[name] for name in vars(merge)} == vars(merge)
    assert [row["applied"] for row in rows] == list(report.applied)
    assert [row["corpus_tokens"] for row in rows] == list(report.corpus_tokens[1:])
    assert [row["bytes_per_token"] for row in rows] == [p[2] for p in report.compression()[1:]]
    report.to_parquet(tmp_path / "r.parquet")
    assert pq.read_table(tmp_path / "r.parquet") == table
    report.to_csv(tmp_path / "r.csv")
    said = (tmp_path / "r.csv").read_bytes().decode()
    read = list(csv.DictReader(io.StringIO(said, newline="")))
    assert [{k: str(v) for k, v in row.items()} for row in rows] == read


def test_the_report_of_no_merges_is_a_table_without_rows(tmp_path):
    pytest.importorskip("pyarrow")
    report = digram.train(["abc"], num_merges=0).training
    assert report.to_arrow().num_rows == 0
    report.to_csv(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").count("\n") == 1
    assert len(report.compression()) == 1


def test_counts_beyond_32_bits_are_exact_in_the_tables():
    report = digram.train({"aaa": 2**61, "b": 1}, num_merges=1).training
    assert report.applied == (2**61,)
    assert report.merges[0].frequency == 2**62
    assert report.corpus_tokens == (3 * 2**61 + 1, 2**62 + 1)


def test_reports_of_both_engines_are_equal_and_can_be_hashed():
    words = {"low": 5, "lower": 2}
    report = digram.train(words, num_merges=3).training
    _, theirs = reference.learn(words, num_merges=3)
    assert (report, hash(report)) == (theirs, hash(theirs))
    assert report.at(2) == theirs.at(2) != report
    assert pickle.loads(pickle.dumps(report)) == copy.deepcopy(report) == report  # noqa: S301


def test_a_report_made_of_lists_is_the_same_value(tok):
    values = {name: value for name, value in vars(tok.training).items() if name in FIELDS}
    lists = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
    assert digram.TrainingReport(**lists) == tok.training


FIELDS = {field.name for field in dataclasses.fields(digram.TrainingReport)}


def recorded(tok, **changes):
    """The content of a file in which something of the record of training is another."""
    file = json.loads(tok.to_bytes())
    file["model"]["digram"]["training"].update(changes)
    return json.dumps(file).encode()


DAMAGED = {
    "a number too few": ({"tied": [1]}, "tied is of length 1; with 290 tokens and 33 merges"),
    "a list of one": ({"frequencies": [1]}, "frequencies is of length 1; .* of length 290"),
    "no list": ({"places": None}, "places has None, which is no list"),
    "texts for numbers": ({"places": ["x"] * 33}, "places has 'x', which is no count"),
    "truth for numbers": ({"places": [True] * 33}, "places has True, which is no count"),
    "a number below none": ({"words": -1}, "words has -1, which is no count"),
    "a number of 65 bits": ({"words": 2**64}, "words has 18446744073709551616"),
    "a text for a number": ({"text_bytes": "x"}, "text_bytes has 'x', which is no count"),
    "no reason": ({"stopped": "x"}, "stopped is 'x', which is no reason"),
    "a list for a reason": ({"stopped": []}, r"stopped is \[\], which is no reason"),
    "numbers for tokens": ({"tokens": [1] * 290}, "tokens has 1, which is no text"),
    "pairs of two": ({"pairs": [[1, 2]] * 33}, "pairs are not three ids each"),
    "no pairs": ({"pairs": []}, "live_symbols is of length 34; .* 0 merges"),
    "a merge of later tokens": ({"pairs": [[289, 1, 257]] * 33}, "do not make the last tokens"),
    "a merge of texts": ({"pairs": [["a", "b", "ab"]] * 33}, "pairs has 'a', which is no count"),
    "live symbols of chance": ({"live_symbols": [*range(0, 68, 2)]}, "do not add up"),
    "frequencies of chance": ({"live_frequencies": [7] * 290}, "do not add up"),
    "none left": ({"frequencies": [0] * 290, "live_frequencies": [0] * 290}, "do not add up"),
    "another field": ({"epochs": 3}, "it has not the fields tokens, pairs"),
    "other tokens": ({"tokens": ["x"] * 290}, "id 0 is 'x', and in the vocabulary it is '<|end|>'"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_record_tells_nothing_and_check_says_why(tok, name, tmp_path):
    """The file opened, and the report failed with an error of Python's when it was asked for."""
    changes, message = DAMAGED[name]
    content = recorded(tok, **changes)
    opened = digram.load(content)
    assert opened == tok
    assert (opened.training, opened.at(3).training) == (None, None)
    (finding,) = digram.check(content)
    assert (finding.code, finding.place) == ("training-mismatch", "model.digram.training")
    assert re.search(message, finding.message), finding.message
    assert digram.check(opened) == (finding,)
    assert digram.check(opened.to_bytes()) == ()
    if name == "a number too few":
        (tmp_path / "t.json").write_bytes(content)
        assert "stopped" not in run("inspect", tmp_path / "t.json").out


def test_numbers_that_python_does_not_read_are_no_record(tok):
    content = recorded(tok, words=77_777).replace(b"77777", b"7" * 5000)
    assert digram.load(content).training is None
    assert "training-mismatch" in {found.code for found in digram.check(content)}


def test_a_record_of_merges_that_are_not_there_any_more_tells_nothing(tok):
    """By hand the last merges were taken out of a file, and the report told of all of them."""
    file = json.loads(tok.to_bytes())
    del file["model"]["merges"][-2:]
    opened = digram.load(json.dumps(file).encode())
    assert (len(opened.merges), opened.training) == (31, None)
    codes = {found.code: found.message for found in digram.check(opened)}
    assert codes["training-mismatch"] == "its 33 merges are not the last of the model's 31"


def test_a_tokenizer_that_was_extended_comes_back_with_what_it_learned_last(tok):
    more = tok.with_(special_tokens=["<|user|>"], added_tokens={"[tool]": 300})
    more = digram.train([CORPUS], extend=more, num_merges=2)
    for each in (more, more.at(34), more.at(34).with_(table_bytes=0)):
        again = digram.load(each.to_bytes())
        copied = pickle.loads(pickle.dumps(digram.load(each.to_bytes())))  # noqa: S301
        assert again.training == copied.training == each.training is not None
