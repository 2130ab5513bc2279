"""What one training tells of all smaller ones: tokens, compression, vocabularies; and as tables."""

import csv
import io

import pytest
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
