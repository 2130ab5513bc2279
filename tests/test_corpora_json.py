"""JSON files of records, in an array or one on each line: read as they come, bad ones named."""

import io
import json
import tracemalloc

import pytest
from drawn import texts
from hypothesis import given
from hypothesis import strategies as st

import digram
from digram import _json_records as json_records
from digram._bad_records import BadRecord

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts(6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts(3), inner)),
    max_leaves=6,
)
RECORDS = st.one_of(st.fixed_dictionaries({"text": texts(8), "more": VALUES}), texts(8), VALUES)


def read(content, chunk=json_records.CHUNK):
    """Return the texts of a JSON file, the bad records, and the error that ended it."""
    bad = []
    found, error = [], None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "CHUNK", chunk)
        try:
            for text in json_records.json_texts(io.BytesIO(content), "a", "text", bad.append):
                found.append(text)  # noqa: PERF402 - those before an error count
        except ValueError as refused:
            error = str(refused)
    return found, bad, error


def texts_of(records):
    for record in records:
        text = record.get("text") if isinstance(record, dict) else record
        if isinstance(text, str):
            yield text


@given(
    st.lists(RECORDS, max_size=6),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
    st.sampled_from([b"", b"\xef\xbb\xbf", b" \r\n"]),
    st.integers(1, 40),
)
def test_an_array_gives_what_python_reads_in_it(records, indent, ascii_only, before, chunk):
    written = json.dumps(records, indent=indent, ensure_ascii=ascii_only).encode()
    found, bad, error = read(before + written + b" \n", chunk)
    assert (found, error) == (list(texts_of(records)), None)
    assert len(found) + len(bad) == len(records)  # a number read in parts was two
    content = before + written
    for each in bad:
        assert content[: each.byte].count(b"\n") == each.line - 1
        assert content[each.byte : each.byte + 1] not in b", \t\r\n]"


@given(
    st.lists(RECORDS, max_size=4),
    st.sampled_from([*b'[]{}",:\\ae1-', 0x0A, 0x80, 0xE9, 0xF0, 0xFF]),
    st.floats(0, 1),
    st.sampled_from(["put", "replace", "cut"]),
    st.integers(1, 40),
)
def test_a_damaged_array_never_reads_as_another(records, byte, where, change, chunk):
    written = json.dumps(records, ensure_ascii=False).encode()
    place = 1 + int(where * (len(written) - 1))
    behind = {"put": written[place:], "replace": written[place + 1 :], "cut": b""}[change]
    content = written[:place] + bytes([byte]) * (change != "cut") + behind
    found, bad, error = read(content)
    assert read(content, chunk) == (found, bad, error)  # however it is read
    try:
        expected = json.loads(content.decode())
    except ValueError:
        assert bad or error
    else:
        assert (found, error) == (list(texts_of(expected)), None)
        assert len(found) + len(bad) == len(expected)


def test_lines_in_a_json_file_are_json_lines(tmp_path):
    content = b'\n{"text": "a"}\n{"te\n["x"]\n{"text": "b"}\n'
    (tmp_path / "a.json").write_bytes(content)
    (tmp_path / "a.jsonl").write_bytes(content)
    found = {name: digram.corpus(tmp_path / name, errors="skip") for name in ("a.json", "a.jsonl")}
    for corpus in found.values():
        assert list(corpus) == ["a", "b"]
    places = [[(bad.line, bad.byte, bad.reason) for bad in c.skipped.first] for c in found.values()]
    assert places[0] == places[1]
    assert [line for line, *_ in places[0]] == [3, 4]


BAD = [
    (b'[{"text":"a"},\n {"x":1}, "b"]', ["a", "b"], 2, 16, "without the field 'text'"),
    (b'[{"text":null}]', [], 1, 1, "field 'text' is null"),
    (b'["a", 5]', ["a"], 1, 6, "without the field 'text'"),
    (b'["a", [["b"]]]', ["a"], 1, 6, "without the field 'text'"),
    (b'["\\ud800", "b"]', ["b"], 1, 1, "a text that holds a lone surrogate"),
    (b'[{"text":"\\ud800"}]', [], 1, 1, "field 'text' holds a lone surrogate"),
    (b'[{"text":"a\xe9"},\n"b"]', ["b"], 1, 11, "is 0xE9, which is not UTF-8"),
    (b'[{"x":\n"\xff","text":"a"},"b"]', ["b"], 2, 8, "is 0xFF, which is not UTF-8"),
    (b'["a\nb", "c"]', ["c"], 1, 3, "Invalid control character"),
    (b'[{"n":' + b"9" * 5000 + b'}, "b"]', ["b"], 1, 1, "JSON that is not read"),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: repr(case[0][:20]))
def test_a_bad_record_of_an_array_is_named_and_refused_or_skipped(tmp_path, case):
    content, good, line, byte, reason = case
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"errors='skip'.*with format='text' as plain") as refused:
        digram.count(path)
    assert f"line {line}, byte {byte} " in str(refused.value)
    corpus = digram.corpus(path, errors="skip")
    assert list(corpus) == good
    [bad] = corpus.skipped.first
    assert (bad.file, bad.line, bad.byte) == (str(path), line, byte)
    assert reason in bad.reason
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'["a", {"te', "line 1, byte 7 is no JSON: Unterminated string"),
        (b'["a"\n,\n', "line 3, byte 7 is no JSON: Expecting value"),
        (b'["a",]', "byte 5 is no JSON: Expecting value"),
        (b'["a" "b"]', r"byte 5 is no JSON: Expecting ',' or '\]'"),
        (b'["a"] "b"', "byte 6 is behind the end of the array"),
        (b'["a"', r"byte 4 is no JSON: Expecting ',' or '\]'"),
        (b"[" * 200_000, "byte 1 begins JSON that is not read"),
    ],
)
def test_what_is_broken_in_an_array_is_never_skipped(tmp_path, content, told):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    for errors in ("refuse", "skip"):
        with pytest.raises(ValueError, match=f"{told}.*; mend it, as behind a fault"):
            list(digram.corpus(path, errors=errors))


def test_a_json_file_that_holds_no_records_can_be_read_as_text(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text('{\n  "name": "low"\n}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 1, byte 1 is no JSON.*with format='text'"):
        digram.train(path)
    assert list(digram.corpus(path, format="text")) == ['{\n  "name": "low"\n}\n']
    with pytest.raises(ValueError, match=r"leave them out, or read .* with format='text'"):
        digram.corpus(path, documents="line")


def test_json_files_are_taken_where_they_are_named_and_not_of_a_folder(tmp_path):
    (tmp_path / "a.json").write_text('["low"]', encoding="utf-8")
    (tmp_path / "b.txt").write_text(" lower", encoding="utf-8")
    assert list(digram.corpus(tmp_path)) == [" lower"]
    assert list(digram.corpus(f"{tmp_path}/*")) == ["low", " lower"]
    assert digram.count([tmp_path / "a.json", "new"]) == digram.count(["low", "new"])
    assert list(digram.corpus(tmp_path / "a.json", format="jsonl", errors="skip")) == []


@pytest.mark.parametrize("content", [b'[{"text": "a"}]', b'[\n{"text": "a"},\n{"text": "b"}\n]'])
def test_an_array_that_is_read_as_json_lines_is_named_as_one(tmp_path, content):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"the file begins an array: format='json' reads one"):
        digram.count(path)
    assert "a" in list(digram.corpus(path, format="json"))
    path.write_bytes(b'{"text": "a"}\n["b"]\n')
    with pytest.raises(ValueError, match=r"line 2, byte 14 begins a record without") as refused:
        digram.count(path)
    assert "begins an array" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"[]", b" [ ]\n", b"\xef\xbb\xbf", b"\n \n"])
def test_a_json_file_without_records_has_no_texts(content):
    assert read(content) == ([], [], None)


def test_of_a_large_array_only_a_part_is_in_memory():
    content = json.dumps([{"text": "low lower lowest"}] * 400_000).encode()
    stream = io.BytesIO(content)
    tracemalloc.start()
    assert sum(1 for _ in json_records.json_texts(stream, "a", "text", pytest.fail)) == 400_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(content) / 2


def test_a_file_that_never_ends_a_fault_is_not_read_to_its_end():
    class Endless(io.RawIOBase):
        def __init__(self):
            self.given = 0

        def read(self, size=-1):
            self.given += size
            assert self.given < 1 << 24
            return b'["a" "b", ' if self.given == size else b"x" * size

    with pytest.raises(ValueError, match="Expecting ',' or ']'"):
        list(json_records.json_texts(Endless(), "a", "text", pytest.fail))


def test_a_bad_record_shows_its_place():
    [bad] = read(b'["a", 5]')[1]
    assert isinstance(bad, BadRecord)
    assert str(bad) == "a: line 1, byte 6 begins a record without the field 'text'"


def test_bad_records_are_told_apart_however_long_they_are(tmp_path):
    # of some, the end stands just before, at, and behind where the first look ends
    lengths = [*range(4096 - 40, 4096 + 40, 3), 9000, 1, 2]
    items = [item for n in lengths for item in (f'"{"a" * n}"', f'"b\n{"c" * n}"', f'{{"t": {n}}}')]
    (tmp_path / "a.json").write_text("[" + ", ".join(items) + "]", encoding="utf-8")
    corpus = digram.corpus(tmp_path / "a.json", errors="skip")
    assert list(corpus) == ["a" * n for n in lengths]
    assert corpus.skipped.count == 2 * len(lengths)
