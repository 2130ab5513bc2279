"""Corpora as they are: every kind of file and table gives its texts; bad records are named."""

import bz2
import gzip
import io
import json
import lzma
import re
import sys

import pytest
from drawn import texts
from hypothesis import given
from hypothesis import strategies as st

import digram
from digram import _records as records
from digram.errors import FormatError, MissingFileError

pa = pytest.importorskip("pyarrow")
zstandard = pytest.importorskip("zstandard")

TEXTS = ["the lowest of the low", "naïve, “東京”\n", 'a "quoted" one\twith a tab', "سلام دنیا 🙂"]
PACKERS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    # in two frames, as it is where a file is written in parts
    ".zst": lambda data: zstandard.compress(data[:30]) + zstandard.compress(data[30:]),
}


def as_csv(rows, delimiter=","):
    import csv

    out = io.StringIO(newline="")
    plain = {"quoting": csv.QUOTE_NONE, "quotechar": None} if delimiter == "\t" else {}
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n", **plain)
    writer.writerows([("id", "text"), *enumerate(rows)])
    return out.getvalue().encode()


def as_parquet(rows):
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"id": range(len(rows)), "text": rows}), out, row_group_size=2)
    return out.getvalue()


def as_arrow(rows, opening="new_file"):
    out = io.BytesIO()
    table = pa.table({"text": rows})
    with getattr(pa.ipc, opening)(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def as_json_lines(rows):
    return b"".join(json.dumps({"id": 1, "text": row}).encode() + b"\n" for row in rows)


FLAT = [text.replace("\t", " ").replace("\n", " ") for text in TEXTS]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize(
    "kind",
    [
        ("a.txt", "".join(TEXTS).encode(), ["".join(TEXTS)], {}),
        ("a", b"x\ny\r\nz", ["x\n", "y\r\n", "z"], {"documents": "line"}),
        ("a.md", "<|e|>".join(TEXTS).encode(), TEXTS, {"separator": "<|e|>"}),
        ("a.jsonl", as_json_lines(TEXTS), TEXTS, {}),
        ("a.ndjson", b"\xef\xbb\xbf" + as_json_lines(TEXTS) + b"\n \n", TEXTS, {}),
        ("a.csv", as_csv(TEXTS), TEXTS, {}),
        ("a.csv", b"\xef\xbb\xbftext\n1\n\n2\n", ["1", "2"], {}),
        ("a.tsv", as_csv(FLAT, "\t"), FLAT, {}),
        ("a.parquet", as_parquet(TEXTS), TEXTS, {}),
        ("a.arrow", as_arrow(TEXTS), TEXTS, {}),
        ("a.feather", as_arrow(TEXTS, "new_stream"), TEXTS, {}),
        ("text", as_json_lines(TEXTS), TEXTS, {"format": "jsonl"}),
        ("a.json", as_json_lines(TEXTS), TEXTS, {}),
        ("a.JSON", json.dumps([{"text": text} for text in TEXTS], indent=2).encode(), TEXTS, {}),
        ("text", json.dumps(TEXTS).encode(), TEXTS, {"format": "json"}),
    ],
    ids=lambda kind: kind[0],
)
def test_every_kind_of_file_gives_its_texts(tmp_path, kind, packing):
    name, made, expected, options = kind
    path = tmp_path / (name + packing)
    path.write_bytes(PACKERS[packing](made))
    corpus = digram.corpus(path, **options)
    assert list(corpus) == expected
    assert list(corpus) == expected  # and again
    assert digram.count(corpus) == digram.count(expected)
    assert not corpus.skipped


@pytest.mark.parametrize("documents", ["file", "line"])
@given(found=st.lists(texts(), max_size=5))
def test_the_engine_and_python_read_plain_text_alike(tmp_path_factory, documents, found):
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_bytes("\n".join(found).encode())
    corpus = digram.corpus(path, documents=documents)
    skipping = digram.corpus(path, documents=documents, errors="skip")
    assert corpus.is_for_the_engine(str(path))
    assert not skipping.is_for_the_engine(str(path))
    assert list(digram.count(corpus).items()) == list(digram.count(skipping).items())
    assert list(digram.count(corpus).items()) == list(digram.count([*corpus]).items())


@given(
    found=st.lists(st.one_of(texts(6), st.sampled_from(["a", "aa", "|", "\n"])), max_size=12),
    mark=st.sampled_from(["aa", "|", "aba", "\n\n", "é漢"]),
    chunk=st.integers(1, 9),
)
def test_how_a_file_is_read_in_parts_cannot_be_observed(found, mark, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", chunk)
        text = "".join(found)
        stream = io.BytesIO(text.encode())
        split = list(records.split_texts(stream, "a", mark, pytest.fail))
        stream.seek(0)
        lines = list(records.line_texts(stream, "a", pytest.fail))
    assert split == [part for part in text.split(mark) if part]
    assert lines == [line for line in re.split(r"(?<=\n)", text) if line]


def test_the_places_of_bad_lines_are_those_of_the_file(monkeypatch):
    content = b"".join(b"%d\xff\n" % n if n % 7 == 3 else b"%d\n" % n for n in range(200))
    for chunk in (1, 10, 1000):
        monkeypatch.setattr(records, "CHUNK", chunk)
        bad = []
        list(records.line_texts(io.BytesIO(content), "a", bad.append))
        assert [each.line for each in bad] == [n + 1 for n in range(200) if n % 7 == 3]
        assert all(content[each.byte] == 0xFF for each in bad)
    assert len({each.byte for each in bad}) == len(bad) == 29


def test_a_folder_gives_its_files_with_known_endings_sorted(tmp_path):
    for name in ("b.txt", "a/z.jsonl.gz", "a/b/c.txt", ".hidden.txt", ".git/x.txt", "x.json", "y"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = as_json_lines([name]) if "jsonl" in name else name.encode()
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert list(digram.corpus(tmp_path)) == ["a/b/c.txt", "a/z.jsonl.gz", "b.txt"]
    assert list(digram.corpus(f"{tmp_path}/**/*.txt")) == ["a/b/c.txt", "b.txt"]
    assert digram.count(tmp_path, pattern="whitespace").total == 3
    (tmp_path / "none").mkdir()
    with pytest.raises(MissingFileError, match=r"no file in the folder .*none.* ends with \.txt"):
        digram.corpus(tmp_path / "none")


def test_stdin_is_a_file_too(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_json_lines(TEXTS))))
    assert list(digram.corpus("-", format="jsonl")) == TEXTS
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_parquet(TEXTS))))
    assert list(digram.corpus("-", format="parquet")) == TEXTS


def test_addresses_are_read_through_fsspec():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe("/digram/a.jsonl.gz", gzip.compress(as_json_lines(TEXTS[:2])))
    system.pipe("/digram/b.parquet", as_parquet(TEXTS[2:]))
    for address in ("memory://digram", "memory://digram/*"):
        assert list(digram.corpus(address)) == TEXTS
    assert list(digram.corpus("memory://digram/b.parquet")) == TEXTS[2:]
    assert digram.count("memory://digram/*") == digram.count(TEXTS)
    with pytest.raises(MissingFileError, match=r"no file matches 'memory://digram/\*\.x'"):
        digram.corpus("memory://digram/*.x")


def test_anything_with_an_arrow_stream_is_a_corpus():
    class Stranger:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, schema=None):
            return self.table.__arrow_c_stream__(schema)

    table = pa.table({"text": TEXTS, "title": ["a", "b", "c", "d"]})
    for found in (table, table.to_reader(), Stranger(table)):
        assert digram.count(found) == digram.count(TEXTS)
    assert list(digram.corpus(table, field="title")) == ["a", "b", "c", "d"]
    for column in (table["text"], Stranger(table["text"])):
        assert list(digram.corpus(column)) == TEXTS


@pytest.mark.parametrize("kind", ["large_string", "binary", "large_binary", "dictionary"])
def test_a_column_may_hold_its_texts_in_any_way(kind):
    column = pa.array(TEXTS)
    kinds = {"dictionary": pa.dictionary(pa.int32(), pa.string())}
    table = pa.table({"text": column.cast(kinds.get(kind) or getattr(pa, kind)())})
    assert list(digram.corpus(table)) == TEXTS


def test_a_dotted_path_goes_into_records(tmp_path):
    records = [{"a": {"b": {"c": text}}, "a.b": {"c": "no"}} for text in TEXTS]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert list(digram.corpus(tmp_path / "x.jsonl", field="a.b.c")) == TEXTS
    table = pa.Table.from_pylist(records)
    assert list(digram.corpus(table, field="a.b.c")) == TEXTS
    import pyarrow.parquet as pq

    pq.write_table(table, tmp_path / "x.parquet")
    assert list(digram.corpus(tmp_path / "x.parquet", field="a.b.c")) == TEXTS
    assert list(digram.corpus(texts=iter(records), field="a.b.c")) == TEXTS
    assert list(digram.corpus(texts=[{"a.b": "whole"}], field="a.b")) == ["whole"]


def test_a_dataset_of_hugging_face_is_a_table():
    datasets = pytest.importorskip("datasets")
    found = datasets.Dataset.from_dict({"text": TEXTS, "n": [1, 2, 3, 4]})
    for dataset in (found, found.to_iterable_dataset()):
        assert list(digram.corpus(dataset)) == TEXTS
        assert digram.count(dataset) == digram.count(TEXTS)


# Bad records

BAD = [
    ("a.txt", b"ok\nb\xffd\nfine", {"documents": "line"}, ["ok\n", "fine"], 2, 4, "0xFF"),
    ("a.txt", b"ok||b\n\xffd||fine", {"separator": "||"}, ["ok", "fine"], 1, 6, "0xFF"),
    ("a.txt", b"whole \xff", {}, [], None, 6, "0xFF"),
    ("a.jsonl", b'{"text":"a"}\n{"te\n{"text":"b"}', {}, ["a", "b"], 2, 14, "is no JSON"),
    ("a.jsonl", b'{"text":"a"}\n\n{"x":1}\n', {}, ["a"], 3, 14, "without the field 'text'"),
    ("a.jsonl", b'{"text":null}\n', {}, [], 1, 0, "field 'text' is null"),
    ("a.jsonl", b'{"text":["a"]}\n', {}, [], 1, 0, "field 'text' is list"),
    ("a.jsonl", b'["text"]\n', {}, [], 1, 0, "without the field 'text'"),
    ("a.jsonl", b'\n{"text":"\xe9"}\n', {}, [], 2, 10, "0xE9"),
    ("a.jsonl", b'{"text":"\\ud800"}\n', {}, [], 1, 0, "lone surrogate"),
    ("a.jsonl", b"[" * 200_000 + b"\n", {}, [], 1, 0, "JSON that is not read"),
    ("a.csv", b'id,text\n1,"a\nb"\n2\n3,c\n', {}, ["a\nb", "c"], 4, 16, "without the column"),
    ("a.csv", b"id,text\n1,\xff\xff\n2,b\n", {}, ["b"], 2, 8, "0xFF"),
    ("a.csv", b'id,text\n1,"a"b\n2,c\n', {}, ["c"], 2, 8, "begins no row"),
    ("a.tsv", b"id\ttext\n1\n2\tc\n", {}, ["c"], 2, 8, "without the column"),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: f"{case[0]}: {case[-1]}")
def test_a_bad_record_is_named_and_refused_or_skipped(tmp_path, case):
    name, made, options, good, line, byte, reason = case
    path = tmp_path / name
    path.write_bytes(made)
    with pytest.raises(ValueError, match=r"errors='skip'|convert the file") as refused:
        digram.count(digram.corpus(path, **options))
    corpus = digram.corpus(path, errors="skip", **options)
    assert list(corpus) == good
    assert corpus.skipped.count == 1
    [bad] = corpus.skipped.first
    assert (bad.file, bad.line) == (str(path), line)
    assert bad.byte == byte
    assert reason in bad.reason
    assert reason in str(refused.value)
    assert line is None or f"line {line}" in str(refused.value)
    digram.count(corpus)
    assert corpus.skipped.count == 1  # of the last pass


def test_rows_of_a_table_without_text_are_bad_too():
    raw = pa.array([b"ok", None, b"a\xff"], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    corpus = digram.corpus(pa.table({"text": broken}), errors="skip")
    assert list(corpus) == ["ok"]
    assert [str(bad) for bad in corpus.skipped.first] == [
        "<Table>: row 2 has no value in 'text'",
        "<Table>: row 3 is not UTF-8: byte 1 of 'text' is 0xFF",
    ]
    with pytest.raises(ValueError, match="row 2 has no value in 'text'; mend it"):
        digram.count(pa.table({"text": broken}))
    with pytest.raises(ValueError, match=r"column 'text' is int64, and a corpus is made of texts"):
        digram.count(pa.table({"text": [1]}))
    with pytest.raises(ValueError, match=r"no column is named 'text'; there are 'a', and field="):
        digram.count(pa.table({"a": ["b"]}))


def test_only_the_first_bad_records_are_kept_and_all_are_counted():
    corpus = digram.corpus(texts=[{}] * 1000 + [{"text": "a"}], errors="skip")
    assert list(corpus) == ["a"]
    assert (corpus.skipped.count, len(corpus.skipped.first)) == (1000, 100)


@pytest.mark.parametrize("packing", [name for name in PACKERS if name])
@pytest.mark.parametrize("errors", ["refuse", "skip"])
def test_compressed_bytes_that_are_damaged_are_never_skipped(tmp_path, packing, errors):
    whole = PACKERS[packing]("".join(map(str, range(3000))).encode())
    path = tmp_path / f"a.txt{packing}"
    # cut off, damaged at the beginning, or where a second part begins
    for broken in (whole[:-30], b"\0" * 40 + whole, whole + b"\1" * 9 + whole[9:]):
        path.write_bytes(broken)
        with pytest.raises(FormatError, match=r"a\.txt\..*damaged or end too early"):
            digram.count(digram.corpus(path, errors=errors))
    path.unlink()
    with pytest.raises(FileNotFoundError):
        digram.count(digram.Corpus((str(path),)))


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_file_of_columns_that_is_none_is_refused_by_name(tmp_path, name):
    (tmp_path / name).write_bytes(b"no columns here at all")
    with pytest.raises(ValueError, match=rf"{name}: this is no (parquet|Arrow) file"):
        digram.count(tmp_path / name)


# Options


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TypeError, "made of files or of a table, or else of texts="),
        ({"source": "a", "texts": ["a"]}, TypeError, "one of them"),
        ({"texts": [], "documents": "page"}, ValueError, "documents is 'page'"),
        ({"texts": [], "separator": ""}, ValueError, "separator is empty"),
        ({"texts": [], "separator": "|", "documents": "line"}, ValueError, "give one of them"),
        ({"texts": [], "format": "xml"}, ValueError, "format is 'xml'; it is one of 'text'"),
        ({"texts": [], "errors": "ignore"}, ValueError, "errors is 'ignore'"),
        ({"texts": [], "sample": 0}, ValueError, "sample is 0"),
        ({"texts": [], "sample": 1.5}, ValueError, "sample is 1.5"),
        ({"texts": [], "seed": -1}, ValueError, "seed is -1"),
        ({"texts": [], "limit_bytes": 0}, ValueError, "limit_bytes is 0"),
        ({"source": []}, ValueError, "no path was given"),
        ({"texts": [], "separator": "|"}, ValueError, "for files of plain text"),
        ({"source": "-", "format": "csv", "documents": "line"}, ValueError, "leave them out"),
        ({"texts": [], "format": "csv"}, ValueError, "there is no file to be read so"),
        ({"source": "-", "field": "a"}, ValueError, "field is 'a', but all files are"),
    ],
)
def test_options_that_cannot_be_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        digram.corpus(**options)


def test_records_given_without_their_field_are_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"not dict.*digram.corpus\(texts=…, field=…\)"):
        digram.count([{"text": "a"}])


def test_words_that_are_counted_already_are_no_texts():
    with pytest.raises(TypeError, match=r"counted already; digram\.WordCounts\.of takes them"):
        digram.count({"low": 5})


@pytest.mark.parametrize(
    ("package", "extra", "name"),
    [
        ("pyarrow", "arrow", "a.parquet"),
        ("zstandard", "zstd", "a.txt.zst"),
        ("fsspec", "remote", "memory://a.txt"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, tmp_path, package, extra, name):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.chdir(tmp_path)
    if "://" not in name:
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ImportError, match=rf'needs {package}.*pip install "digram\[{extra}\]"'):
        digram.count(name)
