"""Conversion with proof: what is written is the same, or nothing is written."""

import json
from itertools import product

import pytest
from command_line import refusal, run
from engines import no_added

import digram
from digram import _convert
from digram._convert import first_unequal, shrunk, whole_and_lines
from digram._probes import special_probes, unicode_probes, vocabulary_probes
from digram.components import NFC, Replace

CORPUS = ["the lowest of the low, the newest of the new; naïve café 東京 42\n" * 9]
CHARS = {"units": "chars", "end_of_word": "</w>", "marker": "attached", "pattern": "spaces"}

# A tokenizer that each format can hold, and the formats that can hold it besides.
TOKENIZERS = {
    "tokenizer.json": {"pattern": "o200k", "normalizer": "NFC", "special_tokens": ["<s>"]},
    "tiktoken": {"pattern": "cl100k", "num_merges": 30},
    "gpt2": {"pattern": "gpt2", "num_merges": 30, "special_tokens": ["<|endoftext|>"]},
    "subword-nmt": {"num_merges": 30, **CHARS},
}
# What else can hold it, besides its own format and tokenizer.json.
ALIKE = {("gpt2", "tiktoken"), ("subword-nmt", "gpt2")}
NAMES = {
    "tokenizer.json": "tokenizer.json",
    "tiktoken": "ranks.tiktoken",
    "gpt2": "files",
    "subword-nmt": "bpe.codes",
}


@pytest.fixture(scope="module")
def trained():
    made = {name: digram.train(CORPUS, **options) for name, options in TOKENIZERS.items()}
    # codes do not say which characters end no word, or only words: reading them takes all as both
    ((_, content),) = made["subword-nmt"]._engine.files("subword-nmt", None)
    return made | {"subword-nmt": digram.load(content)}


def everything(tok):
    """What the proof looks at."""
    model = tok.model
    return [*vocabulary_probes(model), *special_probes(model), *unicode_probes()]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_reading_writing_and_reading_again_is_identity(trained, tmp_path, name):
    tok = trained[name]
    for round_ in ("first", "second"):
        (tmp_path / round_).mkdir()
        proof = digram.convert(tok, tmp_path / round_ / NAMES[name], format=name)
        read = digram.load(tmp_path / round_ / NAMES[name], **proof.options)
        assert read.encode_batch(CORPUS) == trained[name].encode_batch(CORPUS)
        if round_ == "second":
            assert (read, proof.fingerprint) == (tok, proof.fingerprint_read)
        tok = read
    contents = [sorted(tmp_path.glob(f"{round_}/**/*.*")) for round_ in ("first", "second")]
    for first, second in zip(*contents, strict=True):
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("pair", list(product(TOKENIZERS, repeat=2)), ids=" to ".join)
def test_between_any_two_formats_it_is_the_same_or_refused(trained, tmp_path, pair):
    source, target = pair
    if not (target == "tokenizer.json" or pair in ALIKE or source == target):
        with pytest.raises(digram.FormatError, match="cannot hold this model"):
            digram.convert(trained[source], tmp_path / NAMES[target], format=target)
        assert list(tmp_path.iterdir()) == []
        return
    proof = digram.convert(trained[source], tmp_path / NAMES[target], format=target)
    read = digram.load(tmp_path / NAMES[target], **proof.options)
    assert first_unequal(trained[source], read, everything(read), "token") is None
    assert proof.probes >= 4 * 30


@pytest.mark.parametrize("name", ["tiktoken", "gpt2", "subword-nmt"])
def test_an_added_token_that_is_one_in_any_text_is_not_lost(trained, tmp_path, name):
    tok = trained[name].with_(added_tokens=["east"])
    with pytest.raises(digram.FormatError, match='"east" is not special, so that it is a token in'):
        tok.save(tmp_path / NAMES[name], format=name)
    assert list(tmp_path.iterdir()) == []
    trained[name].with_(special_tokens=["east"]).save(tmp_path / NAMES[name], format=name)


def test_ranks_come_back_from_json_with_every_id(trained, tmp_path):
    trained["tiktoken"].save(tmp_path / "a.tiktoken")
    ranks = digram.load(tmp_path / "a.tiktoken", pattern="cl100k", special_tokens={"<s>": 286})
    there = digram.convert(ranks, tmp_path / "tokenizer.json", texts=CORPUS)
    back = digram.convert(tmp_path / "tokenizer.json", tmp_path / "b.tiktoken", texts=CORPUS)
    assert (tmp_path / "a.tiktoken").read_bytes() == (tmp_path / "b.tiktoken").read_bytes()
    assert there.fingerprint == there.fingerprint_read == back.fingerprint_read
    assert there.texts == 1 + 9
    assert set(back.options) == {"pattern", "special_tokens"}
    assert digram.load(tmp_path / "b.tiktoken", **back.options) == ranks


def swapped(tok):
    """Two ids change places."""
    tokens = dict(tok.model.tokens)
    one, two = tok.token_id("the"), tok.token_id("low") if b"low" in tokens.values() else 256
    tokens[one], tokens[two] = tokens[two], tokens[one]
    swap = {one: two, two: one}
    merges = tuple(tuple(swap.get(id_, id_) for id_ in merge) for merge in tok.merges)
    return tok.with_(tokens=tokens, rule=digram.Merges(merges))


@pytest.fixture
def a_writer_that_errs(monkeypatch):
    """Reading back gives two ids swapped."""

    def load(path, **options):
        return swapped(digram.load(path, **options))

    monkeypatch.setattr(_convert, "load", load)


@pytest.mark.usefixtures("a_writer_that_errs")
def test_what_differs_is_shown_and_nothing_is_written(trained, tmp_path):
    target = tmp_path / "tokenizer.json"
    target.write_text("what was there", encoding="utf-8")
    tok = trained["gpt2"]
    with pytest.raises(digram.FormatError) as caught:
        digram.convert(tok, target)
    the, other = tok.token_id("the"), 256
    assert "nothing is written" in str(caught.value)
    assert str(the) in str(caught.value)
    assert str(other) in str(caught.value)
    assert target.read_text(encoding="utf-8") == "what was there"
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]


@pytest.mark.parametrize(
    "change",
    [
        lambda tok: tok.with_(rule=digram.Merges(tok.merges[:-1])),
        lambda tok: tok.with_(normalizer=NFC()),
        lambda tok: tok.with_(decoder=Replace("the", "a")),
        no_added,
        swapped,
    ],
)
def test_the_probes_find_each_change(trained, change):
    tok = trained["gpt2"]
    changed = change(tok)
    found = [first_unequal(tok, changed, everything(tok), special) for special in ("text", "token")]
    assert any(found)


def test_the_probes_hold_every_token_even_those_that_are_no_text(trained):
    tok = trained["gpt2"]
    met = {id_ for text in everything(tok) for id_ in tok.encode(text, special="token")}
    never = {bytes([byte]) for byte in (0xC0, 0xC1, *range(0xF5, 0x100))}  # in no UTF-8
    missed = {tok.tokens[id_] for id_ in tok.tokens if id_ not in met} - never
    assert missed <= {bytes([byte]) for byte in range(0xF1, 0xF5)}, missed


def test_the_least_piece_that_differs_is_shown():
    text = "a long text with a needle in it" * 50
    assert shrunk(text, lambda piece: "needle" in piece) == "needle"
    assert shrunk("ab", lambda _: True) == ""


def test_a_text_is_compared_whole_and_by_line():
    assert list(whole_and_lines(["a\nb\n", "c"])) == ["a\nb\n", "a\n", "b\n", "c"]


def test_the_command_line_says_what_it_compared(trained, tmp_path):
    trained["gpt2"].save(tmp_path / "a.json")
    (tmp_path / "corpus.txt").write_text(CORPUS[0], encoding="utf-8")
    target = tmp_path / "b.json"
    said = run("convert", tmp_path / "a.json", target, "--text", tmp_path / "corpus.txt")
    assert "probes and 10 texts" in said.err
    assert trained["gpt2"].fingerprint in said.err
    found = json.loads(run("convert", tmp_path / "a.json", target, "--json").out)
    assert found["fingerprint"] == found["fingerprint_read"] == trained["gpt2"].fingerprint
    assert found["probes"] > 1000
    reason = refusal("convert", tmp_path / "a.json", tmp_path / "c.codes")
    assert "units are bytes" in reason
    assert "end-of-word marker" in reason
    assert not (tmp_path / "c.codes").exists()


def test_a_place_that_is_no_path_is_told():
    with pytest.raises(TypeError, match="path must be a str or an"):
        digram.convert(digram.train(["ab"], vocab_size=257), None)
