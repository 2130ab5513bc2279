"""Directories and models of the hub on the command line."""

import json

import pytest
from command_line import refusal, run

import digram

COMMIT = "a" * 40


@pytest.fixture(scope="module")
def tok():
    return digram.train(["the cat sat on the mat"], num_merges=10)


@pytest.fixture
def model(tok, tmp_path):
    """A model's directory."""
    folder = tmp_path / "model"
    folder.mkdir()
    tok.save(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text('{"eos_token": "<|end|>"}')
    return folder


@pytest.fixture
def home(model, tmp_path):
    """A cache of the hub that has the model."""
    place = tmp_path / "home" / "hub" / "models--org--model"
    (place / "snapshots").mkdir(parents=True)
    (place / "refs").mkdir()
    model.rename(place / "snapshots" / COMMIT)
    for ref in ("main", "v1.0"):
        (place / "refs" / ref).write_text(COMMIT)
    return {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}


def test_a_directory_is_a_tokenizer_in_every_command(model, tok):
    text = "the cat<|end|>"
    ids = [*tok.encode("the cat"), tok.vocab_size]
    said = run("encode", "-t", model, "--special", "token", stdin=text)
    assert said.out.split() == list(map(str, ids))
    assert run("decode", "-t", model, stdin=said.out).out.rstrip("\n") == text
    assert run("count", "-t", model, "--special", "token", stdin=text).out.split()[0] == str(
        len(ids)
    )
    assert run("inspect", "-t", model, stdin=text).out
    shown = json.loads(run("inspect", model, "--json").out)
    assert shown["vocab_size"] == tok.vocab_size + 1


@pytest.mark.parametrize("revision", ["", "@main", "@v1.0", f"@{COMMIT}"])
def test_a_model_of_the_hub_is_named_in_so_many_words(home, tok, revision):
    said = run("encode", "-t", f"hub:org/model{revision}", stdin="the cat", **home)
    assert said.out.split() == list(map(str, tok.encode("the cat")))
    assert "no file 'org/model" in refusal("encode", "-t", "org/model", stdin="the cat", **home)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hub:org/other", "not in the cache of the hub"),
        ("hub:org/model@v2", "'org/model' at 'v2'"),
        ("hub:../model", "neither a directory nor the name of a model"),
        ("hub:org/model@../x", "it is a branch, a tag or a commit"),
    ],
)
def test_what_the_hub_does_not_have_is_told_in_a_line(home, name, reason):
    assert reason in refusal("encode", "-t", name, stdin="the cat", **home)


def test_what_a_model_says_itself_cannot_be_told(home):
    said = run("encode", "-t", "hub:org/model", "--pattern", "gpt2", check=False, **home)
    assert said.returncode == 2
    assert "the name says what it is" in said.err


def test_a_model_is_converted_to_a_directory_with_what_stood_beside(home, tmp_path):
    target = tmp_path / "copy"
    run("convert", "hub:org/model", f"{target}/", **home)
    kept = {path.name for path in target.iterdir()}
    assert kept == {"tokenizer.json", "tokenizer_config.json"}
    assert json.loads((target / "tokenizer_config.json").read_text()) == {"eos_token": "<|end|>"}
    run("convert", target, tmp_path / "only.json")
    assert digram.load(tmp_path / "only.json") == digram.load(target)


def test_the_help_tells_how_a_model_is_named():
    assert "hub:ORG/NAME" in run("encode", "--help").out
    assert "hub:ORG/NAME" in run("convert", "--help").out
