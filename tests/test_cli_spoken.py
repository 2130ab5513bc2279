"""What the shell says to do can be done at the shell."""

import pytest
from command_line import refusal

import digram
from digram.cli.spoken import spoken

CODES = b"v3;false;false;false;<w>;</w>\nl o\n"


@pytest.fixture
def written(tmp_path):
    """Write a file, and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def test_the_pattern_and_the_special_tokens_are_options(written):
    """It was `load(path, pattern="cl100k", special_tokens={…})`."""
    ranks = written("a.tiktoken", b"YQ== 0\nYg== 1\n")
    said = refusal("count", "-t", ranks, stdin="a")
    assert said.endswith(
        "pass it, and the special tokens: --pattern cl100k --special-token '<|endoftext|>=100257'"
    )
    codes = written("a.codes", CODES)
    assert "say how text is split: --pattern spaces drops" in refusal("count", "-t", codes)


def test_what_a_format_has_no_use_for_is_named_as_it_was_given(file):
    for option, value in (
        ("--pattern", "gpt2"),
        ("--special-token", "<s>"),
        ("--unk-token", "<s>"),
        ("--initial-alphabet", "x"),
    ):
        said = refusal("count", "-t", file, option, value)
        assert said.startswith(f"{option} is given, but a file of format")


def test_a_special_token_is_allowed_by_the_option(file):
    said = refusal("encode", "-t", file, "--special", "error", stdin="a<|end|>b")
    assert "pass --special text to encode it as text, --special token to encode it" in said


def test_bad_records_are_skipped_by_the_option(written):
    """It was `errors='skip'`."""
    bad = written("a.jsonl", b'{"text": "a"}\n{"text": 1}\n')
    assert refusal("train", bad).endswith("or leave such records out with --errors skip")
    array = written("a.json", b'[{"text": "a"}, {"text": 1}]')
    said = refusal("train", array)
    assert "leave such records out with --errors skip; a JSON file is an array" in said
    assert said.endswith("with --from text as plain text")
    assert refusal("train", written("b.json", b"[1")).endswith("with --from text as plain text")
    said = refusal("train", written("b.jsonl", b"[1]"))
    assert "(the file begins an array: --from json reads one); mend it" in said
    table = written("a.csv", b"a,b\n1,2\n")
    assert refusal("train", table).endswith("and --field takes one of them")
    plain = written("a.txt", b"a\n")
    assert refusal("train", plain, "--field", "x").endswith(" --from says how to read them instead")


def test_an_unknown_character_is_helped_by_the_options(tmp_path):
    digram.train(["low"], units="chars").save(tmp_path / "t.json")
    said = refusal("encode", "-t", tmp_path / "t.json", stdin="x")
    assert said.endswith(
        "load codes, with --unk-token or a larger --initial-alphabet, or train with --units bytes"
    )


def test_what_is_done_in_python_alone_is_told_so(tmp_path):
    tok = digram.train(["low lower"], num_merges=1, units="chars").with_(dropout=0.5)
    tok.save(tmp_path / "t.json")
    assert "encode in Python with tok.with_" in refusal("encode", "-t", tmp_path / "t.json")
    said = refusal("convert", tmp_path / "t.json", tmp_path / "t.model")
    assert "or change it first, in Python with tok.with_(…)" in said


def test_a_pattern_that_a_directory_does_not_tell_is_an_option(written, tmp_path):
    written("tiktoken.model", b"YQ== 0\nYg== 1\n")
    said = refusal("count", "-t", tmp_path, stdin="a")
    assert said.endswith(
        "look the pattern up and give it with --pattern …, and the special tokens"
        " with --special-token …"
    )


def test_an_encoding_that_is_not_there_is_named_as_a_file(tmp_path):
    unreachable = {"TIKTOKEN_CACHE_DIR": str(tmp_path), "https_proxy": "http://127.0.0.1:9"}
    for command in (["count", "-t"], ["inspect"]):
        said = refusal(*command, "r50k_base", **unreachable)
        assert said.endswith("that place, or name the file itself, with its --pattern")


@pytest.mark.parametrize("text", ["pattern= is given", "call digram.load(x)", "special={x}"])
def test_what_a_message_quotes_stays(text):
    said = f"a.txt: the text holds {text!r}"
    assert spoken(said) == said
    assert text in refusal("count", "-t", f"{text}.json")


def test_a_name_that_is_no_file_is_told_by_what_the_shell_opens():
    assert refusal("count", "-t", "org/nope", stdin="a").endswith("of the hub say hub:org/nope")
    said = refusal("count", "-t", "nope", stdin="a")
    assert said.endswith("of an encoding of tiktoken name the file, with --pattern")
