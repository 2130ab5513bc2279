"""What decoding makes of the marker of a word's end."""

import json

import pytest
import tokenizers
from drawn import UNITS
from hypothesis import given, reject, settings
from hypothesis import strategies as st

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


def test_what_ends_a_word_by_rank_loses_its_marker_alone():
    """Its right part ends the word too: the text before, which is spelled as a marker, stays."""
    marked = {"units": "chars", "end_of_word": "b", "marker": "attached", "min_frequency": 0}
    tok = digram.train({"abab": 1}, **marked).with_(rule=digram.Ranks())
    assert (
        tok.decode(tok.encode("abab")) == reference.decode(tok.model, tok.encode("abab")) == "abab"
    )


def test_an_added_token_that_is_spelled_as_a_letter_with_the_marker_stays_as_it_is():
    marked = {"units": "chars", "end_of_word": "b", "marker": "attached", "special_tokens": ["ab"]}
    model, _ = reference.learn({"xx": 1}, **marked)
    tok = digram.train({"xx": 1}, **marked)
    assert tok.decode([0, 1]) == reference.decode(model, [0, 1]) == "abx"


def test_an_added_token_that_merges_know_is_met_as_any_other_token():
    """Both took the merge, and the reference did not find the token where it looked it up."""
    words = {"ba": 2, "bbbx": 2, "xxaaa": 2, "xaaxxx": 2}
    tok = digram.train(words, units="chars", end_of_word="b", marker="attached", num_merges=6)
    more = tok.with_(special_tokens=["bb"])
    assert more.encode("abb") == reference.encode(more.model, "abb")
    extra = tok.with_(added_tokens=["bab"]).with_(rule=digram.Greedy("longest-first"))
    assert extra.encode("xba") == reference.encode(extra.model, "xba")


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except digram.DigramError as error:
        return type(error).__name__


LETTERS = st.sampled_from(["ab", "ab$", "aé<"])
RULES = st.sampled_from([None, digram.Ranks(), digram.Greedy("left-to-right")])


@settings(max_examples=300)
@given(LETTERS, st.sampled_from(UNITS), RULES, st.data())
def test_added_tokens_that_are_spelled_with_the_marker_are_read_alike(letters, units, rule, data):
    """The marker is made of letters, and so is what stands before it in added tokens."""
    words = st.text(letters, min_size=1, max_size=6)
    marker = data.draw(st.text(letters, min_size=1, max_size=3))
    spelled = st.one_of(st.text(letters, max_size=2).map(lambda stem: stem + marker), words)
    names = st.lists(spelled, unique=True, max_size=3)
    options = {"units": units, "end_of_word": marker, "marker": "attached", "min_frequency": 0}
    counts = data.draw(st.dictionaries(words, st.integers(1, 4), min_size=1, max_size=5))
    specials, later = data.draw(names), data.draw(names)
    try:
        tok = digram.train(counts, num_merges=6, special_tokens=specials, **options)
        tok = tok.with_(**({"added_tokens": later} if later else {}))
        tok = tok.with_(**({} if rule is None else {"rule": rule}))
    except ValueError:
        reject()
    ids = data.draw(st.lists(st.sampled_from(sorted(tok.tokens)), max_size=8))
    assert outcome(tok.decode, ids) == outcome(reference.decode, tok.model, ids)
    text = " ".join(data.draw(st.lists(st.one_of(words, spelled), max_size=3)))
    assert outcome(tok.encode, text) == outcome(reference.encode, tok.model, text)
