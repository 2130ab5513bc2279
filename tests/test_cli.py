"""The commands: what goes in, and what comes out."""

import gzip
import json
import os
import re
import shlex

import pytest
from command_line import CORPUS, posix_only, refusal, run

import digram

# Training


def test_training_writes_what_the_library_would(folder, tmp_path):
    told = run(
        *("train", folder / "corpus.txt", "-o", tmp_path / "t.json", "--vocab-size", 270),
        *("--special", "<|end|>", "--special-token", "<pad>", "--pattern", "gpt2"),
        *("--ties", "first-seen", "--documents", "line", "--threads", 2),
    )
    same = digram.train(
        digram.corpus(folder / "corpus.txt", documents="line"),
        vocab_size=270,
        special_tokens=["<|end|>", "<pad>"],
        pattern="gpt2",
        ties="first-seen",
    )
    assert digram.load(tmp_path / "t.json") == same
    assert told.stdout == b""
    assert "270 tokens" in told.err
    assert "stopped because the vocabulary has the size asked for" in told.err


def test_training_takes_the_keywords_of_the_library(folder, tmp_path):
    run(
        *("train", folder / "corpus.txt", "-o", tmp_path / "t.json", "--num-merges", 30),
        *("--units", "chars", "--end-of-word", "</w>", "--marker", "attached", "--unk-token"),
        *("[UNK]", "--fuse-unk", "--normalizer", "NFC", "--min-frequency", 0),
        *("--max-token-length", 4, "--initial-alphabet", "xyz", "--forbid", "lo", "--max-digits"),
        *(0, "--forbid-matching", "^w?e$", "--apart", "spaces", "--apart", "scripts"),
    )
    same = digram.train(
        folder / "corpus.txt",
        num_merges=30,
        units="chars",
        end_of_word="</w>",
        marker="attached",
        unk_token="[UNK]",
        fuse_unk=True,
        normalizer="NFC",
        min_frequency=0,
        max_token_length=4,
        forbidden=["lo", re.compile("^w?e$")],
        apart=["spaces", "scripts"],
        max_digits=0,
        initial_alphabet="xyz",
    )
    assert digram.load(tmp_path / "t.json") == same


def test_training_reads_stdin_and_writes_stdout_unless_told_otherwise(folder):
    written = run("train", "--num-merges", 9, stdin=CORPUS).stdout
    assert digram.load(written) == digram.train([CORPUS], num_merges=9)
    again = run("train", "-", folder / "corpus.txt", "--num-merges", 9, stdin=CORPUS).stdout
    assert digram.load(again).training.occurrences == 2 * digram.load(written).training.occurrences


def test_training_names_the_bad_byte_of_stdin():
    assert refusal("train", stdin=b"abc\xff").startswith(
        "stdin: byte 3 is 0xFF, which is not UTF-8"
    )


def test_training_tells_its_summary_as_json(folder, tmp_path):
    target = tmp_path / "t.json"
    said = run("train", folder / "corpus.txt", "-o", target, "--vocab-size", 999_999, "--json")
    told = json.loads(said.stdout)
    report = digram.load(target).training
    assert said.stderr == b""
    assert told["merges"] == len(report.pairs)
    assert told["stopped"] == report.stopped == "no-pairs"
    assert told["bytes"] == len(CORPUS.encode())
    assert told["symbols_at_end"] == report.symbols_at_end


def test_a_forbidden_pattern_that_does_not_compile_is_a_mistake_of_the_command_line(folder):
    said = run("train", folder / "corpus.txt", "--forbid-matching", "(unclosed", check=False)
    assert said.returncode == 2
    assert "'(unclosed' does not compile: missing ), unterminated subpattern" in said.err


def test_quiet_training_says_nothing(folder, tmp_path):
    said = run("train", folder / "corpus.txt", "-o", tmp_path / "t", "--num-merges", 2, "-q")
    assert said.stdout == said.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["corpus.txt", "--vocab-size", "100"], "vocab_size is 100, but"),
        (["nothing*.txt"], "no file matches 'nothing*.txt'"),
        (["empty.txt"], "the corpus is empty"),
        (["latin1.txt"], "byte 3 is 0xE9, which is not UTF-8"),
        (["corpus.txt", "--pattern", "(unclosed"], "unclosed"),
        (["corpus.txt", "--pattern", "llama"], "'llama', a name that is not known; give one of"),
        (["corpus.txt", "--forbid-matching", "(?=x)"], "look-around"),
        (["corpus.txt", "--apart", "letters"], 'apart holds "letters"'),
        (["corpus.txt", "--num-merges", "1", "--format", "subword-nmt"], "cannot hold this model"),
    ],
)
def test_training_that_fails_leaves_the_output_alone(folder, arguments, complaint):
    (folder / "empty.txt").write_bytes(b"")
    (folder / "latin1.txt").write_bytes("café".encode("latin-1"))
    target = folder / "kept.json"
    target.write_bytes(b"kept")
    before = sorted(folder.iterdir())
    paths = [folder / arguments[0], *arguments[1:]]
    complaint = complaint.replace("'nothing*.txt'", repr(str(folder / "nothing*.txt")))
    assert complaint in refusal("train", *paths, "-o", target)
    assert target.read_bytes() == b"kept"
    assert sorted(folder.iterdir()) == before


def test_a_target_that_cannot_be_written_is_refused_before_training(folder, tmp_path):
    big = ("train", folder / "corpus.txt", "-o")
    assert "there is no folder" in refusal(*big, tmp_path / "no" / "t.json")


@posix_only
def test_a_device_is_never_replaced_by_a_file(folder, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "neither a file nor a folder" in refusal("train", folder / "corpus.txt", "-o", pipe)
    assert pipe.is_fifo()


@pytest.mark.parametrize("target", ["", "t.gguf", "t.json.zst", "vocab.json"])
def test_names_of_other_formats_are_refused_before_anything_is_read(folder, tmp_path, target):
    named = tmp_path / target if target else ""
    refused = refusal("train", tmp_path / "none.txt", "-o", named)
    assert refused == refusal("convert", folder / "none.json", named)
    assert f"the name to write is {target!r}" in refused or f"{target!r} is the name" in refused
    assert list(tmp_path.iterdir()) == []


# Encoding, decoding, counting


@pytest.mark.parametrize(
    "text",
    ["", "\n", "hello\r\nworld\r", "a\n\n b", "\0\x1b[2J", "سلام\u2028東京 🙂\n", CORPUS],
    ids=range(7),
)
@pytest.mark.parametrize("lines", [[], ["--lines"], ["--json"], ["--lines", "--json"]], ids=str)
def test_decoding_undoes_encoding_byte_for_byte(file, text, lines):
    ids = run("encode", "-t", file, *lines, stdin=text).stdout
    assert run("decode", "-t", file, stdin=ids).stdout == text.encode()


@pytest.mark.parametrize("text", ["", "\n", "the end\nthe cat\n", "\n\nthe\n\n", "the end\nthe"])
def test_decoding_lines_keeps_lines_whether_ids_hold_their_ends_or_not(file, tmp_path, text):
    """It was `the endthe cat` where they do not."""
    codes = tmp_path / "t.codes"
    codes.write_text("#version: 0.2\nt h\nth e</w>\ne n\nen d</w>\nc a\nca t</w>\n")
    for tokenizer in (codes, file):
        ids = run("encode", "-t", tokenizer, "--lines", stdin=text).stdout
        said = run("decode", "-t", tokenizer, "--lines", stdin=ids).out
        assert said == text + "\n" * (text[-1:] not in ("\n", ""))
    assert run("decode", "-t", file, "--lines", "--json", check=False).returncode == 2


def test_encoding_writes_a_line_of_ids_for_each_text(file, folder, tok):
    whole = run("encode", "-t", file, stdin="low\nnew\n").out
    assert whole == " ".join(map(str, tok.encode("low\nnew\n"))) + "\n"
    lines = run("encode", "--lines", "-t", file, stdin="low\nnew").out.splitlines()
    assert lines == [" ".join(map(str, tok.encode(text))) for text in ("low\n", "new")]
    corpus = folder / "corpus.txt"
    files = run("encode", "-t", file, corpus, "-", corpus, stdin="low").out.splitlines()
    assert files == [" ".join(map(str, tok.encode(t))) for t in (CORPUS, "low", CORPUS)]


def test_encoding_writes_json_with_tokens(file, tok):
    said = json.loads(run("encode", "-t", file, "--json", "--tokens", stdin="the low").out)
    text = "the low"
    assert said == {"file": "-", "ids": tok.encode(text), "tokens": tok.tokenize(text)}


def test_encoding_writes_tokens_that_cannot_drive_a_terminal(tmp_path):
    digram.train(["a\x1b[31m b\n"], units="chars").save(tmp_path / "chars.json")
    said = run("encode", "-t", tmp_path / "chars.json", "--tokens", stdin="\x1b[31m b\n").out
    assert "\x1b" not in said
    assert said.count("\n") == 1
    assert said.startswith("\\x1b")


@pytest.mark.parametrize("policy", ["text", "token"])
def test_special_tokens_in_text_follow_the_policy(file, tok, policy):
    said = run("encode", "-t", file, "--special", policy, stdin="a<|end|>").out
    assert list(map(int, said.split())) == tok.encode("a<|end|>", special=policy)


def test_special_tokens_in_text_can_be_refused(file):
    assert "<|end|>" in refusal("encode", "-t", file, "--special", "error", stdin="a<|end|>")


def test_an_error_of_a_text_names_the_file_and_the_line(file, tmp_path):
    """It was `texts[0]` of the second file, and no place at all where texts are counted."""
    good, bad = tmp_path / "a.txt", tmp_path / "sp.txt"
    good.write_text("the low\n" * 3)
    bad.write_text("the\nlow <|end|>\n")
    for command in ("encode", "count"):
        told = ("-t", file, "--special", "error", bad)
        said = refusal(command, *told)
        assert said.startswith(f"{bad}: the text holds the special token")
        said = refusal(command, *told, "--lines")
        assert said.startswith(f"{bad}, line 2: the text holds the special token")
        many = ("-t", file, "--special", "error", "--lines", good, "-")
        said = run(command, *many, check=False, stdin="a\n" * 600_000 + "b<|end|>").err
        assert "digram: error: stdin, line 600001: the text holds" in said
    bad.write_text("1 2\n999999\n")
    said = run("decode", "-t", file, bad, check=False).err
    assert f"{bad}, line 2: id 999999 is not in the vocabulary" in said


def test_decoding_can_leave_special_tokens_out(file, tok):
    ids = " ".join(map(str, tok.encode("low<|end|>", special="token")))
    assert run("decode", "-t", file, stdin=ids).out == "low<|end|>"
    assert run("decode", "-t", file, "--skip-special-tokens", stdin=ids).out == "low"


def test_decoding_as_json_loses_no_byte(file, tok):
    half = tok.token_id("é".encode()[:1])
    said = run("decode", "-t", file, "--json", stdin=f"[{tok.token_id('a')}]\n{half}\n").out
    whole, broken = map(json.loads, said.splitlines())
    assert whole == {"text": "a"}
    assert broken == {"text": "\ufffd", "base64": "ww=="}


@pytest.mark.parametrize(
    ("ids", "complaint"),
    [
        ("1 2\n3 x", "stdin, line 2: 'x' is no id"),
        ("-1", "'-1' is no id"),
        ("²", "is no id"),
        ("999999", "999999 is not in the vocabulary"),
        ('["a"]', "line 1: neither a list of ids"),
        ('{"tokens": []}', "neither a list of ids"),
        ("[true]", "neither a list of ids"),
        ("[1,", "line 1: not JSON"),
    ],
)
def test_what_is_no_id_is_named(file, ids, complaint):
    said = run("decode", "-t", file, stdin=ids, check=False)
    assert said.returncode == 1
    assert complaint in said.err


def test_counting_gives_a_number_for_stdin(file, tok):
    assert run("count", "-t", file, stdin=CORPUS).out == f"{tok.count(CORPUS)}\n"
    told = json.loads(run("count", "-t", file, "--json", stdin=CORPUS).out)
    assert told["total"] == tok.count(CORPUS)


def test_counting_files_gives_one_number_each_and_the_total(file, folder, tok):
    corpus, number = folder / "corpus.txt", tok.count(CORPUS)
    assert run("count", "-t", file, corpus).out == f"{number} {corpus}\n"
    said = run("count", "-t", file, corpus, corpus).out
    assert said == f"{number} {corpus}\n{number} {corpus}\n{2 * number} total\n"
    told = json.loads(run("count", "-t", file, "--json", corpus, corpus).out)
    assert told["files"] == [{"file": str(corpus), "tokens": number}] * 2
    assert told["total"] == 2 * number


@pytest.mark.parametrize("command", ["encode", "count", "inspect"])
def test_bytes_that_are_no_utf8_are_named_with_their_place(file, command):
    complaint = refusal(command, "-t", file, stdin=b"abc\xff")
    assert complaint == "stdin: byte 3 is 0xFF, which is not UTF-8; convert the file to UTF-8 first"


def test_a_compressed_file_is_told_by_how_to_unpack_it(file, tmp_path):
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"low"))
    complaint = refusal("count", "-t", file, tmp_path / "t.gz")
    assert complaint.endswith("is not UTF-8; unpack it first, with gzip -dc")


def test_the_place_of_a_bad_byte_counts_from_the_beginning_of_the_file(file):
    said = run("encode", "-t", file, "--lines", stdin=b"ab\n" * 9 + b"\xff", check=False)
    assert "byte 27 is 0xFF" in said.err
    assert said.returncode == 1


# Converting


def test_converting_keeps_the_tokenizer(folder, tmp_path):
    source = folder / "gpt2.json"
    said = run("convert", source, tmp_path / "files", "--to", "gpt2")
    assert said.stdout == b""
    assert "files: written, 280 tokens" in said.err
    run("convert", tmp_path / "files", tmp_path / "back.json", "--pattern", "gpt2")
    text = "the lowest سلام"
    ids = [digram.load(path).encode(text) for path in (source, tmp_path / "back.json")]
    assert ids[0] == ids[1]


def test_converting_says_what_the_format_does_not_hold(folder, tmp_path):
    target = tmp_path / "t.tiktoken"
    said = run("convert", folder / "gpt2.json", target)
    assert "to read it again, add --pattern gpt2" in said.err
    text = "the low"
    encoded = run("encode", "-t", target, "--pattern", "gpt2", stdin=text).out
    assert encoded == run("encode", "-t", folder / "gpt2.json", stdin=text).out
    assert "does not hold its split pattern" in refusal("encode", "-t", target, stdin=text)


def test_the_options_that_converting_tells_read_the_same_tokenizer_again(tmp_path):
    codes = b"#version: 0.2\nl o\nlo w</w>\ne r</w>\n"
    digram.load(codes, unk_token="<unk>", initial_alphabet="é").save(tmp_path / "t.json")
    told = run("convert", tmp_path / "t.json", tmp_path / "t.codes").err.splitlines()[-1]
    needed = shlex.split(told.partition("to read it again, add ")[2])
    assert "--unk-token" in needed
    assert "--initial-alphabet" in needed
    text = "low é lowest ☃"
    encoded = run("encode", "-t", tmp_path / "t.codes", *needed, stdin=text).out
    assert encoded == run("encode", "-t", tmp_path / "t.json", stdin=text).out
    assert "is not in the vocabulary" in refusal("encode", "-t", tmp_path / "t.codes", stdin=text)


def test_converting_from_stdin_to_stdout(file, tok):
    assert digram.load(run("convert", "-", "-", stdin=file.read_bytes()).stdout) == tok


def test_converting_refuses_what_the_format_cannot_hold(file, tmp_path):
    target = tmp_path / "codes"
    assert "cannot hold this model" in refusal("convert", file, target, "--to", "subword-nmt")
    assert not list(tmp_path.iterdir())


def test_special_tokens_are_told_with_or_without_ids(folder, tmp_path):
    run("convert", folder / "gpt2.json", tmp_path / "t.tiktoken")
    to_read = ["-t", tmp_path / "t.tiktoken", "--pattern", "gpt2", "--special", "token"]
    by_id = run("encode", *to_read, "--special-token", "<s>=512", stdin="<s>").out
    assert by_id == "512\n"
    by_order = run("encode", *to_read, "--special-token", "<s>", stdin="<s>").out
    assert by_order == "280\n"
    mixed = ["--special-token", "<s>", "--special-token", "<e>=512"]
    assert run("encode", *to_read, *mixed, stdin="", check=False).returncode == 2


@pytest.mark.parametrize("name", ["Whitespace", "BertPreTokenizer", "UnicodeScripts"])
def test_names_of_components_are_patterns_in_every_command(folder, tmp_path, name):
    """A pattern over words without an expression of its own could not be said at the shell."""
    text, source, target = "lower, the low", tmp_path / "t.json", tmp_path / "t.tiktoken"
    run("train", folder / "corpus.txt", "--num-merges", "20", "--pattern", name, "-o", source)
    said = run("convert", source, target)
    assert f"to read it again, add --pattern {name}" in said.err
    assert f"pattern      {name}\n" in run("inspect", source).out
    given = (target, "--pattern", name)
    assert run("check", *given).out == ""
    assert "pre_tokenizer" not in run("diff", source, *given, check=False).out
    encoded = run("encode", "-t", *given, stdin=text).out
    assert encoded == run("encode", "-t", source, stdin=text).out
    words = run("words", folder / "corpus.txt", "--pattern", name).out.splitlines()
    kind = getattr(digram.components, name)
    assert len(words) == len(digram.count(folder / "corpus.txt", pattern=kind()))
