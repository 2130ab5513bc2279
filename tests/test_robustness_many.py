"""One thing where many are meant, and what is no path: told by the name of the argument."""

import io

import pytest

import digram

TOK = digram.train(["the cat"], num_merges=2)


# Each was "'int' object is not iterable", or the like.
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: TOK(None), "texts"),
        (lambda: TOK(None, offsets=True), "texts"),
        (lambda: TOK("a", 5), "pairs"),
        (lambda: TOK.encode_batch(5), "texts"),
        (lambda: TOK.encode_ragged(None), "texts"),
        (lambda: TOK.decode_batch(5), "batch"),
        (lambda: TOK.with_(added_tokens=5), "added_tokens"),
        (lambda: TOK.with_(special_tokens=None), "special_tokens"),
        (lambda: TOK.without(5), "added_tokens"),
        (lambda: TOK.token_id(5), "token"),
        (lambda: TOK.save(io.BytesIO()), "path"),
        (lambda: digram.from_merges(5), "vocab"),
        (lambda: digram.from_merges(["a"], 5), "merges"),
        (lambda: digram.from_merges(["a"], special_tokens=5), "special_tokens"),
        (lambda: digram.load(b"{}", special_tokens=5), "special_tokens"),
        (lambda: digram.load(b"{}", glossaries=5), "glossaries"),
        (lambda: digram.load(b"{}", vocabulary=5), "vocabulary"),
        (lambda: digram.load(b"{}", initial_alphabet=5), "initial_alphabet"),
    ],
)
def test_what_is_not_many_is_told_by_its_name(call, name):
    with pytest.raises(TypeError, match=rf"^{name} must be .*, not \w+: (5|None|<_io.*)$"):
        call()


@pytest.mark.parametrize("format", ["tokenizer.json", "tiktoken"])
def test_bytes_are_what_a_file_holds(format, tmp_path):
    tok = digram.train(["the cat the cat"], num_merges=3, pattern="gpt2")
    tok.save(tmp_path / "file", format=format)
    assert tok.to_bytes(format=format) == (tmp_path / "file").read_bytes()


def test_several_files_are_no_bytes():
    with pytest.raises(ValueError, match=r"format is 'gpt2', which is 2 files: vocab.json, merges"):
        digram.train(["it"], num_merges=0, pattern="gpt2").to_bytes(format="gpt2")
    with pytest.raises(ValueError, match=r"format is 'json'; it is one of 'tokenizer.json', "):
        TOK.to_bytes(format="json")
    with pytest.raises(digram.FormatError, match=r"gguf|GGUF"):
        TOK.to_bytes(format="gguf")


# It was "File name too long", and then the whole text.
@pytest.mark.parametrize("text", [TOK.to_bytes().decode(), '{"model": {}}', "aGk= 0\naGo= 1\n"])
def test_the_text_of_a_file_is_no_path(text):
    said = r"looks like what a file holds.*text.encode"
    with pytest.raises(digram.MissingFileError, match=said) as refused:
        digram.load(text)
    assert len(str(refused.value)) < 200
