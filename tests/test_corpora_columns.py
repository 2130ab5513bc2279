"""Texts in columns and texts that are bytes count as the same texts as `str` do, bad ones too."""

import sys

import pytest
from drawn import texts
from hypothesis import given
from hypothesis import strategies as st

import digram

pa = pytest.importorskip("pyarrow")

ROWS = ["the lowest of the low", "", "naïve, “東京”\n", None, "سلام دنیا 🙂", "low", None, " low\n"]


def dictionary(rows):
    return pa.array(rows, pa.string()).dictionary_encode()


def views(rows):
    return pa.array(rows, pa.string()).cast(pa.string_view())


KINDS = {
    "string": lambda rows: pa.array(rows, pa.string()),
    "large_string": lambda rows: pa.array(rows, pa.large_string()),
    "binary": lambda rows: pa.array(rows, pa.string()).cast(pa.binary()),
    "large_binary": lambda rows: pa.array(rows, pa.string()).cast(pa.large_binary()),
    "dictionary": dictionary,
    "views": views,
}
if not hasattr(pa, "string_view"):
    del KINDS["views"]


def listed(counts):
    return list(counts.items())


def outcome(corpus, **options):
    """Return the words in their order, and which records were skipped."""
    found = digram.corpus(corpus, errors="skip")
    counts = digram.count(found, **options)
    return listed(counts), found.skipped.count, [str(bad) for bad in found.skipped.first]


def table_of(*chunks):
    return pa.table({"text": pa.chunked_array([*chunks])})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_columns_count_as_their_texts_do(tmp_path, kind, threads):
    rows = ROWS * 700
    make = KINDS[kind]
    present = [row for row in rows if row is not None]
    expected = listed(digram.count(present, threads=threads))
    bad = [f"<Table>: row {n + 1} has no value in 'text'" for n in range(999) if rows[n] is None]
    missing = rows.count(None)
    whole, half = make(rows), len(rows) // 2 + 3
    for table in (
        table_of(whole),
        table_of(make(rows[:half]), make([]), make(rows[half:])),
        table_of(make(["before", None, *rows, "behind"]).slice(2, len(rows))),
        table_of(whole.slice(0, 5), whole.slice(5, 1), whole.slice(6)),
    ):
        assert outcome(table, threads=threads) == (expected, missing, bad[:100])
        assert outcome(table, threads=threads, max_memory="4MiB")[0] == expected
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    if kind != "views":  # which parquet has not
        pq.write_table(table_of(whole), path, row_group_size=1500)
        of_file = [line.replace("<Table>", str(path)) for line in bad[:100]]
        assert outcome(path, threads=threads) == (expected, missing, of_file)


@given(
    st.lists(st.one_of(st.none(), texts()), max_size=12),
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 12),
    st.integers(1, 3),
)
def test_columns_of_any_texts_count_as_those_do(rows, kind, cut, threads):
    made = KINDS[kind](rows)
    table = table_of(made.slice(0, cut), made.slice(cut))
    found = digram.corpus(table, errors="skip")
    counts = digram.count(found, threads=threads)
    assert listed(counts) == listed(digram.count([row for row in rows if row is not None]))
    # going through the texts one by one skips the same
    skipped = found.skipped.count, found.skipped.first[:]
    assert list(found) == [row for row in rows if row is not None]
    assert (found.skipped.count, found.skipped.first) == skipped


def test_nulls_alone_and_no_rows_are_columns_too():
    assert outcome(table_of(pa.nulls(3)))[:2] == ([], 3)
    for kind in KINDS.values():
        assert outcome(table_of(kind([]))) == ([], 0, [])


def test_arrays_and_batches_of_records_are_corpora_too():
    rows = pa.array(["low", " lower"])
    batch = pa.record_batch({"text": rows})
    expected = [("low", 1), (" lower", 1)]

    class Exporting:
        """What exports one array, and no stream."""

        def __init__(self, value):
            self.value = value

        def __arrow_c_array__(self, requested_schema=None):
            return self.value.__arrow_c_array__(requested_schema)

    for corpus in (rows, batch, pa.chunked_array([rows]), Exporting(rows), Exporting(batch)):
        assert listed(digram.count(corpus)) == expected


def test_a_tokenizer_of_a_column_is_that_of_its_texts():
    rows = [row for row in ROWS if row is not None] * 9
    table = pa.table({"text": rows})
    of_texts = digram.train(rows, vocab_size=280)
    for threads in (1, 2, 3):
        of_table = digram.train(table, vocab_size=280, threads=threads)
        assert of_table == of_texts
        assert of_table.fingerprint == of_texts.fingerprint


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "part",
    [
        {"limit_bytes": 40},
        {"limit_bytes": 30_001},
        {"sample": 0.5, "seed": 3},
        {"sample": 1.0, "seed": 2**64 - 1},
        {"sample": 0.3, "limit_bytes": 9_999},
    ],
    ids=str,
)
def test_a_part_of_a_column_is_that_of_its_texts(tmp_path, monkeypatch, kind, part):
    rows = [row and f"{row}{n}" for n, row in enumerate(ROWS * 300)]
    long = [row and row * 40 for row in rows[:40]]  # of several blocks of the hash
    make, rows = KINDS[kind], rows + long
    half = len(rows) // 2 + 3
    tables = [
        table_of(make(rows)),
        table_of(make(rows[:half]), make([]), make(rows[half:])),
        table_of(make(["before", None, *rows, "behind"]).slice(2, len(rows))),
    ]
    if kind != "views":  # which parquet has not
        import pyarrow.parquet as pq

        tables.append(tmp_path / "a.parquet")
        pq.write_table(tables[0], tables[-1], row_group_size=500)
    expected = listed(digram.count([*digram.corpus(texts=filter(None, rows), **part)]))
    assert expected
    for table in tables:
        found = digram.corpus(table, errors="skip", **part)
        list(found)
        skipped = found.skipped.count, found.skipped.first[:]
        with monkeypatch.context() as patched:
            # no text of a column becomes a Python object
            patched.setattr("digram._corpus.column_texts", None)
            for threads in (1, 3):
                assert listed(digram.count(found, threads=threads)) == expected
                assert (found.skipped.count, found.skipped.first) == skipped


@given(
    st.lists(st.one_of(st.none(), texts(), st.just(b"\xff")), max_size=12),
    st.integers(0, 12),
    st.one_of(st.none(), st.floats(0.01, 1)),
    st.integers(0, 2**64 - 1),
    st.one_of(st.none(), st.integers(1, 60)),
)
def test_a_part_of_any_columns_is_that_of_their_texts(rows, cut, share, seed, most):
    made = pa.array([row.encode() if isinstance(row, str) else row for row in rows], pa.binary())
    part = {"sample": share, "seed": seed, "limit_bytes": most}
    found = digram.corpus(table_of(made.slice(0, cut), made.slice(cut)), errors="skip", **part)
    counts = digram.count(found, pattern="whitespace")
    skipped = found.skipped.count, found.skipped.first[:]
    # going through the texts one by one reads, keeps and skips the same
    assert listed(counts) == listed(digram.count([*found], pattern="whitespace"))
    assert (found.skipped.count, found.skipped.first) == skipped


def test_nothing_behind_the_limit_of_a_corpus_is_read():
    schema = pa.schema({"text": pa.string()})

    def batches():
        yield pa.record_batch([["low", " lower"]], schema)
        yield pa.record_batch([[" new"]], schema)
        raise AssertionError("it was read on")

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    counts = digram.count(digram.corpus(reader, limit_bytes=13))
    assert dict(counts) == {"low": 1, " lower": 1, " new": 1}
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(pa.ArrowInvalid, match="read on"):
        digram.count(digram.corpus(reader, limit_bytes=14))


def test_a_limit_goes_on_from_file_to_file(tmp_path):
    import pyarrow.parquet as pq

    for name in "abc":
        pq.write_table(pa.table({"text": [f"{name}1", f" {name}2"]}), tmp_path / f"{name}.parquet")
    counts = digram.count(digram.corpus(tmp_path, limit_bytes=9), pattern="whitespace")
    assert list(counts) == ["a1", "a2", "b1", "b"]


def test_rows_that_are_no_utf8_are_named_wherever_they_are():
    rows = [b"ok", b"a\xff", None, "東".encode()[:2], b"\x80", b"end"] * 400
    made = pa.array(rows, pa.binary())
    broken = pa.Array.from_buffers(pa.string(), len(rows), made.buffers())
    for column in (made, broken, made.cast(pa.large_binary()), made.dictionary_encode()):
        found = digram.corpus(table_of(column.slice(0, 601), column.slice(601)), errors="skip")
        counts = digram.count(found)
        of_count = found.skipped.count, found.skipped.first[:]
        assert dict(counts) == {"ok": 400, "end": 400}
        assert of_count[0] == 1600
        assert [*found] == ["ok", "end"] * 400
        assert (found.skipped.count, found.skipped.first) == of_count
        assert str(found.skipped.first[2]) == (
            "<Table>: row 4 is not UTF-8: byte 0 of 'text' is 0xE6"
        )
        with pytest.raises(ValueError, match=r"row 2 is not UTF-8: byte 1 .*0xFF; mend it"):
            digram.count(table_of(column))


def test_characters_cut_between_rows_are_no_text():
    places = b"".join(n.to_bytes(4, sys.byteorder) for n in (0, 1, 3, 4))
    buffers = [None, pa.py_buffer(places), pa.py_buffer("éab".encode())]
    cut = pa.Array.from_buffers(pa.string(), 3, buffers)
    found = digram.corpus(pa.table({"text": cut}), errors="skip")
    assert dict(digram.count(found)) == {"b": 1}
    assert [bad.line for bad in found.skipped.first] == [1, 2]


@pytest.mark.parametrize(
    ("places", "rule"),
    [
        # the first and the last place are looked at by pyarrow
        ((0, 2, 9, 3), "an offset of row 2 is 9, and it must be from 2 to 3"),
        ((0, 3, 1, 3), "an offset of row 2 is 1, and it must be from 3 to 3"),
        ((0, -1, 2, 3), "an offset of row 1 is -1, and it must be from 0 to 3"),
    ],
)
def test_damaged_columns_are_refused(places, rule):
    offsets = b"".join(n.to_bytes(4, sys.byteorder, signed=True) for n in places)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"low")]
    table = pa.table({"text": pa.Array.from_buffers(pa.string(), 3, buffers)})
    for errors in ("refuse", "skip"):
        with pytest.raises(ValueError, match=f"the column is damaged: {rule}"):
            digram.count(digram.corpus(table, errors=errors))


def test_memory_that_changes_meanwhile_is_checked_as_it_then_is():
    # more rows than are copied at once
    rows = 1 << 18
    data = bytearray(b"low " * rows)
    places = b"".join((4 * n).to_bytes(4, sys.byteorder) for n in range(rows + 1))
    buffers = [None, pa.py_buffer(places), pa.py_buffer(data)]
    column = pa.Array.from_buffers(pa.string(), rows, buffers)
    assert digram.count(column, pattern="whitespace").total == rows

    def spoil(*_):
        data[:] = b"\xff" * len(data)

    with pytest.raises(ValueError, match=r"row \d\d+ is not UTF-8: byte 0 of 'text' is 0xFF"):
        digram.count(column, pattern="whitespace", progress=spoil)


def test_counting_columns_tells_how_far_it_is_and_stops_when_asked():
    table = pa.table({"text": [" low lower lowest\n" * 20] * 60_000})
    told = []
    digram.count(table, progress=lambda *step: step[0] == "count" and told.append(step))
    assert told[-1] == ("count", 60_000 * 18 * 20, 0)
    assert len(told) > 1

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        digram.count(table, progress=stop)


# Bytes


@given(st.lists(texts(), max_size=8), st.sampled_from([bytes, bytearray, memoryview]))
def test_texts_that_are_bytes_count_as_their_texts_do(found, kind):
    as_bytes = [kind(text.encode()) for text in found]
    expected = listed(digram.count(digram.corpus(texts=found)))
    assert listed(digram.count(as_bytes)) == expected
    assert listed(digram.count(iter(as_bytes), threads=2)) == expected
    assert listed(digram.count(digram.corpus(texts=as_bytes))) == expected
    assert list(digram.corpus(texts=as_bytes)) == found


def test_bytes_that_are_no_utf8_are_named_by_the_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("low", encoding="utf-8")
    given = ["a", b"b", path, memoryview(b"c"), b"d\xc3", "e"]
    with pytest.raises(
        ValueError, match=r"text 5 is not UTF-8: byte 1 is 0xC3; convert it to UTF-8"
    ):
        digram.count(given)
    with pytest.raises(ValueError, match=r"<texts>: row 2 is not UTF-8: byte 0 is 0xFF; mend it"):
        digram.count(digram.corpus(texts=["a", b"\xff"]))
    found = digram.corpus(texts=["a", b"\xff", b"b"], errors="skip")
    assert dict(digram.count(found)) == {"a": 1, "b": 1}
    assert found.skipped.count == 1


def test_a_tokenizer_of_bytes_is_that_of_their_texts():
    rows = [row for row in ROWS if row is not None] * 9
    assert digram.train([row.encode() for row in rows], vocab_size=280) == digram.train(
        rows, vocab_size=280
    )
