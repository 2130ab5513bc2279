"""What a file may make of short texts, and how long it may take."""

import json

import pytest

import digram
from digram.errors import FormatError, LimitError


def file_of(vocab, **parts):
    model = {"type": "BPE", "vocab": vocab, "merges": [], **parts.pop("model", {})}
    return json.dumps({"version": "1.0", **parts, "model": model}).encode()


def test_a_prefix_that_falls_into_bytes_at_each_character_is_bounded():
    """A hundred characters became as many million ids."""
    vocab = {"a": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}}
    fallback = {"byte_fallback": True}
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        for length, size in ((64, 64), (100, 100)):
            file = file_of(vocab, model={**fallback, name: "#" * length})
            limits = digram.Limits(expansion=size)
            assert len(digram.load(file, limits=limits).encode("é")) in (2, 2 + length)
        with pytest.raises(LimitError, match=r"have 100 bytes, .* the limit expansion is 64"):
            digram.load(file)


def test_added_tokens_are_short_enough_to_be_looked_for_everywhere():
    """Text like the beginning of a long one took quadratic time."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    added = {"id": 2, "content": "a" * 2047 + "b", **flags}
    vocab = {"a": 0, "b": 1}
    tok = digram.load(file_of(vocab, added_tokens=[added]))
    assert tok.encode("a" * 5000 + "b") == [0] * (5000 - 2047) + [2]
    with pytest.raises(LimitError, match="has 2049 bytes; those of up to 2048 are looked for"):
        digram.load(file_of(vocab, added_tokens=[{**added, "content": "a" * 2049}]))
    longer = {"type": "Prepend", "prepend": "a" * 2048}
    raised = {**added, "content": "b", "normalized": True}
    with pytest.raises(LimitError, match="has 2049 bytes"):
        digram.load(file_of(vocab, added_tokens=[raised], normalizer=longer))


def test_a_regular_expression_that_is_plain_text_is_found_as_such():
    replace = {"type": "Replace", "pattern": {"Regex": "a" * 20_000 + "b"}, "content": "b"}
    tok = digram.load(file_of({"a": 0, "b": 1}, normalizer=replace, decoder=replace))
    assert tok.encode("a" * 80_000 + "b") == [0] * 60_000 + [1]


def test_numbers_beyond_all_counting_are_refused_by_their_component():
    strip = {"type": "Strip", "content": " ", "start": 2**63, "stop": 0}
    with pytest.raises(FormatError, match=f"decoder of type 'Strip': {2**63} is too large"):
        digram.load(file_of({"a": 0}, decoder=strip))
    cut = {"type": "FixedLength", "length": 2**64 - 1}
    with pytest.raises(FormatError, match=f"'FixedLength': {2**64 - 1} is too large"):
        digram.load(file_of({"a": 0}, pre_tokenizer=cut))
    assert digram.load(file_of({"a": 0}, decoder={**strip, "start": 2**63 - 1})).model


def test_counts_of_thousands_of_digits_are_refused_by_their_line(tmp_path):
    (tmp_path / "v.txt").write_text("low " + "9" * 5_000 + "\n")
    with pytest.raises(FormatError, match="line 1 is 'low 999"):
        digram.load(b"#version: 0.2\nl o\n", vocabulary=tmp_path / "v.txt")
