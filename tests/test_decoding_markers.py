"""What decoding makes of the marker of a word's end."""

import json

import pytest
import tokenizers

import digram
from digram import reference


def test_a_marker_that_no_decoder_takes_away_is_written():
    """CLIP's files are such: byte-level, with an end of word, and a decoder that keeps it."""
    vocab = {token: id_ for id_, token in enumerate(["a", "b", "a</w>", "b</w>", "ab</w>"])}
    file = {
        "version": "1.0",
        "model": {
            "type": "BPE",
            "vocab": vocab,
            "merges": [["a", "b</w>"]],
            "end_of_word_suffix": "</w>",
        },
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
    }
    content = json.dumps(file)
    tok = digram.load(content.encode())
    ids = tok.encode("ab ba a")
    theirs = tokenizers.Tokenizer.from_str(content).decode(ids)
    assert tok.decode(ids) == theirs == "ab</w>ba</w>a</w>"
    assert tok.decode_batch([ids] * 3) == [theirs] * 3
    assert tok.decode_bytes(ids) == theirs.encode()


def file_of(vocab, merges=(), *, added=(), decoder=None, pre_tokenizer=None, **model):
    numbered = {token: id_ for id_, token in enumerate(vocab)}
    file = {
        "version": "1.0",
        "added_tokens": list(added),
        "pre_tokenizer": pre_tokenizer,
        "decoder": decoder,
        "model": {"type": "BPE", "vocab": numbered, "merges": list(merges), **model},
    }
    content = json.dumps(file)
    return digram.load(content.encode()), tokenizers.Tokenizer.from_str(content)


def check(ours, theirs, *texts):
    for text in texts:
        encoding = theirs.encode(text)
        ids, offsets = ours.encode(text), ours.encode_with_offsets(text)[1]
        assert ids == encoding.ids, text
        assert [tuple(pair) for pair in offsets] == encoding.offsets, text
        for some in (ids, ids * 3):
            assert ours.decode(some) == theirs.decode(some), text


@pytest.mark.parametrize("decoder", [None, {"type": "BPEDecoder", "suffix": "</w>"}])
def test_a_token_that_merges_make_of_the_markers_text_ends_words_too(decoder):
    pieces = ["a", "b", "é", "<", "/", "w", ">", "</", "w>", "</w>", "b</w>", "ab</w>"]
    merges = [("<", "/"), ("w", ">"), ("</", "w>"), ("b", "</w>"), ("a", "b</w>")]
    file = {"end_of_word_suffix": "</w>", "decoder": decoder, "unk_token": "é"}
    ours, theirs = file_of(pieces, merges, **file)
    check(ours, theirs, "ab", "b", "bab", "bb", "aab")
    ids = ours.encode("bab")
    # the reference reads letters of an attached marker so too
    assert reference.encode(ours.model, "bab") == ids


def test_a_letter_that_is_the_marker_is_found_within_a_word():
    marks = {"continuing_subword_prefix": "##", "end_of_word_suffix": "$"}
    check(*file_of(["a", "##$", "##b", "##b$"], **marks), "a$b", "a$$b", "ab")


def test_bytes_that_have_no_token_at_a_words_end_are_left_out():
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    check(*file_of(letters, pre_tokenizer=byte_level, end_of_word_suffix="</w>"), "ab", "a b")


def test_a_marker_that_spells_no_byte_keeps_tokens_from_being_bytes():
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    pieces = ["é▁", "a▁", "Ã©▁", "Ã©"]
    ours, theirs = file_of(pieces, decoder=byte_level, end_of_word_suffix="▁")
    for ids in ([0], [1], [2], [3], [3, 2], [0, 3, 1]):
        assert ours.decode(ids) == theirs.decode(ids)


def test_what_a_byte_level_joins_is_stripped_once():
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    decoder = {"type": "Sequence", "decoders": [byte_level, strip]}
    ours, theirs = file_of(["Ġ", "Ġa", "b"], decoder=decoder)
    for ids in ([0, 0, 2], [0, 1], [0], [1, 1], [2, 0, 0, 0, 2] * 9):
        assert ours.decode(ids) == theirs.decode(ids)
        stream = ours.decoder()
        assert stream.feed(ids) + stream.finish() == ours.decode(ids)


def test_an_added_token_listed_twice_is_special_if_either_is():
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": 2, "content": "zz", "special": special, **flags} for special in (True, False)]
    ours, theirs = file_of(["x", "y"], added=added)
    assert ours.decode([0, 2, 1], skip_special_tokens=True) == theirs.decode([0, 2, 1])


@pytest.mark.parametrize("units", ["chars", "bytes"])
def test_only_tokens_that_are_both_end_words_where_the_text_holds_the_marker(units):
    """Here `a$$` is `a` at a word's end besides, and `a$$$` is `a$` there, whatever it holds."""
    tok = digram.train({"a$$$": 2}, end_of_word="$$", marker="attached", units=units, num_merges=9)
    for text in ("a$$$", "a$$$ a$$$"):
        assert tok.decode(tok.encode(text)) == reference.decode(tok.model, tok.encode(text)) == text
