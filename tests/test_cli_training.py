"""Training and counting from the shell: corpora, word counts, the curve, the merges."""

import gzip
import json
import xml.etree.ElementTree as ET

import pytest
from command_line import CORPUS, refusal, run

import digram

TEXTS = [CORPUS[:200], CORPUS[200:450], CORPUS[450:]]
PLAIN = ["--vocab-size", 270, "-q"]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A folder of many kinds of files that hold the same texts."""
    folder = tmp_path_factory.mktemp("mixed")
    lines = b"".join(json.dumps({"id": 1, "body": {"en": t}}).encode() + b"\n" for t in TEXTS)
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines))
    (folder / "bad.jsonl").write_bytes(b'{"body": 1}\n' + lines + b"{\n")
    (folder / "a.json").write_text(json.dumps([{"body": {"en": t}} for t in TEXTS], indent=1))
    (folder / "a.txt").write_text("<|e|>".join(TEXTS), encoding="utf-8")
    return folder


def trained(*arguments, **options):
    return digram.load(run("train", *arguments, *PLAIN, **options).stdout)


def test_training_reads_every_kind_of_corpus(mixed):
    expected = digram.train(TEXTS, vocab_size=270)
    assert trained(mixed / "a.jsonl.gz", "--field", "body.en") == expected
    assert trained(mixed / "a.txt", "--separator", "<|e|>") == expected
    lines = gzip.decompress((mixed / "a.jsonl.gz").read_bytes())
    assert trained("--from", "jsonl", "--field", "body.en", stdin=lines) == expected
    assert trained(mixed / "a.json", "--field", "body.en") == expected
    array = (mixed / "a.json").read_bytes()
    assert trained("--from", "json", "--field", "body.en", stdin=array) == expected
    small = digram.corpus(texts=TEXTS, limit_bytes=300)
    options = ("--separator", "<|e|>", "--limit-bytes", "0.3kB")
    assert trained(mixed / "a.txt", *options) == digram.train(small, vocab_size=270)
    options = ("--separator", "<|e|>", "--limit-bytes", "1KiB")
    assert trained(mixed / "a.txt", *options) == digram.train(
        digram.corpus(texts=TEXTS, limit_bytes=1024), vocab_size=270
    )
    half = digram.corpus(mixed / "a.txt", documents="line", sample=0.5, seed=7)
    options = ("--documents", "line", "--sample", 0.5, "--seed", 7)
    assert trained(mixed / "a.txt", *options) == digram.train(half, vocab_size=270)


def test_bad_records_are_refused_or_told(mixed, tmp_path):
    options = ("--field", "body.en", "--vocab-size", 270)
    said = refusal("train", mixed / "bad.jsonl", *options)
    assert "bad.jsonl: line 1, byte 0 begins a record without the field 'body.en'" in said
    target = tmp_path / "t.json"
    told = run("train", mixed / "bad.jsonl", *options, "--errors", "skip", "-o", target)
    assert "skipped 2 records that could not be read:" in told.err
    assert "line 1, byte 0 begins" in told.err
    size = (mixed / "bad.jsonl").stat().st_size
    assert f"line 5, byte {size - 1} is no JSON" in told.err
    assert digram.load(target) == digram.train(TEXTS, vocab_size=270)
    options = (*options, "--errors", "skip", "-o", target, "--json")
    assert json.loads(run("train", mixed / "bad.jsonl", *options).out)["skipped"] == 2
    lines = (mixed / "bad.jsonl").read_bytes()
    told = run("words", "--from", "jsonl", *options[:2], "--errors", "skip", stdin=lines)
    assert "  stdin: line 1, byte 0 begins" in told.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "--counts", "--field", "a"),
        ("words", "--counts", "--sample", "0.5"),
        ("words", "--counts", "--special-token", "<s>"),
    ],
)
def test_no_option_is_ignored_where_words_are_counted_already(arguments):
    said = run(*arguments, stdin="low\t2\n", check=False)
    assert said.returncode == 2
    assert "--counts takes" in " ".join(said.err.replace("│", " ").split())


@pytest.mark.parametrize("size", ["lots", "-5", "5XB", ""])
def test_a_number_of_bytes_that_is_none_is_wrong_usage(size):
    assert run("train", "--limit-bytes", size, check=False).returncode == 2


# Word counts


@pytest.mark.parametrize("name", ["1.tsv", "1.parquet"])
def test_words_are_counted_apart_and_learned_from_together(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    for place, text in enumerate(TEXTS):
        told = run("words", "-o", tmp_path / f"{place}{name}", stdin=text)
        counts = digram.count([text])
        assert told.err == f"{counts.total:,} words, {len(counts):,} different\n"
    files = [tmp_path / f"{place}{name}" for place in range(3)]
    assert trained("--counts", *files) == digram.train(TEXTS, vocab_size=270)
    run("words", "--counts", *files, "-o", tmp_path / f"all{name}", "--min-count", 2, "--top", 9)
    added = digram.WordCounts.load(tmp_path / f"all{name}")
    assert dict(added) == dict(digram.count(TEXTS).filter(min_count=2).top(9))


def test_words_are_written_to_stdout_as_tsv():
    said = run("words", "--pattern", "whitespace", "-q", stdin="low\tlow a\\b").out
    assert said == "low\t2\na\\\\b\t1\n"


def test_counts_made_in_another_way_are_not_added(tmp_path):
    pytest.importorskip("pyarrow")
    for pattern in ("gpt2", "o200k"):
        run("words", "-o", tmp_path / f"{pattern}.parquet", "--pattern", pattern, stdin=CORPUS)
    files = [tmp_path / "gpt2.parquet", tmp_path / "o200k.parquet"]
    assert "different patterns or normalizers" in refusal("train", "--counts", *files)
    said = refusal("train", "--counts", files[0], "--pattern", "o200k")
    assert "but the words were counted with" in said


def test_counts_for_a_marker_are_words_between_blanks(tmp_path):
    (tmp_path / "a.tsv").write_text("low\t5\nnewest\t6\n", encoding="utf-8")
    options = ("--units", "chars", "--end-of-word", "</w>", "--num-merges", 4)
    said = run("train", "--counts", tmp_path / "a.tsv", *options, "-q").stdout
    expected = digram.train(
        {"low": 5, "newest": 6}, units="chars", end_of_word="</w>", num_merges=4
    )
    assert digram.load(said) == expected


# The report


def test_the_curve_is_drawn_where_it_is_asked_for(folder, tmp_path):
    files = {name: tmp_path / name for name in ("t.json", "c.svg", "r.csv")}
    said = run(
        *("train", folder / "corpus.txt", "--vocab-size", 280, "-q", "-o", files["t.json"]),
        *("--plot", "--svg", files["c.svg"], "--report", files["r.csv"]),
        COLUMNS="60",
    )
    report = digram.load(files["t.json"]).training
    lines = said.err.splitlines()
    best = report.compression()[-1].bytes_per_token
    assert lines[0] == "bytes per token"
    assert lines[1].startswith(f"{best:.2f} │")
    assert lines[-1].endswith("280 tokens")
    assert max(map(len, lines)) <= 60
    picture = ET.fromstring(files["c.svg"].read_bytes())  # noqa: S314 - ours
    assert picture.tag.endswith("svg")
    [line] = [each for each in picture if each.tag.endswith("polyline")]
    assert len(line.get("points").split()) == len(report.compression())
    assert files["r.csv"].read_text(encoding="utf-8").count("\n") == 1 + len(report.merges)


def test_where_no_picture_can_be_written_nothing_is_trained(folder, tmp_path):
    options = ("-o", tmp_path / "t.json", "--svg", tmp_path / "no" / "c.svg")
    assert "there is no folder" in refusal("train", folder / "corpus.txt", *options)
    assert not (tmp_path / "t.json").exists()


def test_a_long_field_of_csv_is_read(tmp_path):
    (tmp_path / "a.csv").write_text("text\n" + "low lower " * 30_000 + "\n")
    said = run("words", tmp_path / "a.csv", "--pattern", "whitespace")
    assert "low\t30000\nlower\t30000\n" in said.out


@pytest.mark.parametrize("option", ["-o", "--report", "--svg", "--checkpoint"])
def test_nothing_is_written_over_what_is_read_or_written_besides(tmp_path, option):
    text = tmp_path / "a.txt"
    text.write_text("low lower lowest")
    given = {"-o": tmp_path / "t.json", option: tmp_path / ".." / tmp_path.name / "a.txt"}
    options = [each for pair in given.items() for each in pair]
    assert "which is read too" in refusal("train", text, "--num-merges", 2, "-q", *options)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert text.read_text() == "low lower lowest"
    given |= {"-o": tmp_path / "same", "--report": tmp_path / "same", "--svg": tmp_path / "c.svg"}
    options = [each for pair in given.items() for each in pair if pair[0] != "--checkpoint"]
    assert "--output writes too" in refusal("train", text, "--num-merges", 2, "-q", *options)
    assert "which is read too" in refusal("words", text, "-q", "-o", text)


def test_every_merge_is_shown_with_what_it_did(file, tok):
    lines = run("inspect", "--merges", file).out.splitlines()
    report = tok.training
    assert len(lines) == len(tok.merges)
    tokens, each = report.corpus_tokens[1], report.compression()[1].bytes_per_token
    assert f"  {tokens:,} tokens, {each:.2f} bytes each; " in lines[0]
    told = json.loads(run("inspect", "--merges", "--json", file).out)["merges"]
    assert [merge["ids"] for merge in told] == [list(merge) for merge in tok.merges]
    assert [merge["corpus_tokens"] for merge in told] == list(report.corpus_tokens[1:])
    bare = run("inspect", "--merges", "-t", file, "text", check=False)
    assert bare.returncode == 2


def test_merges_that_nobody_watched_are_shown_too(tmp_path):
    tok = digram.train([CORPUS], vocab_size=270).with_(ignore_merges=True)
    tok.save(tmp_path / "t.json")
    lines = run("inspect", "--merges", tmp_path / "t.json").out.splitlines()
    assert len(lines) == 14
    assert "tokens" not in lines[0]


def test_a_corpus_prunes_a_vocabulary(tmp_path):
    names = ("t.json", "c.txt", "w.parquet", "small.json", "rows.json")
    big, corpus, words, small, rows = (tmp_path / name for name in names)
    digram.train(TEXTS, vocab_size=290).save(big)
    corpus.write_text(TEXTS[1], encoding="utf-8")
    expected, ids = digram.prune(digram.load(big), [TEXTS[1]], vocab_size=270)
    told = run("prune", big, corpus, "--vocab-size", 270, "-o", small, "--rows", rows)
    assert told.err.splitlines()[-1] == "290 tokens before, 270 now"
    assert digram.load(small) == expected
    assert json.loads(rows.read_text()) == list(ids)
    digram.count([TEXTS[1]]).save(words)
    counted = run("prune", big, words, "--counts", "--vocab-size", 270, "-q")
    assert (digram.load(counted.stdout), counted.err) == (expected, "")
    assert "--rows is" in refusal("prune", big, corpus, "--vocab-size", 270, "--rows", corpus)
    assert "and 256 of them must stay" in refusal("prune", big, corpus, "--vocab-size", 20)
