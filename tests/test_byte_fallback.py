"""Training with byte fallback: no character is unknown, and nothing else changes."""

import json
import re
from collections import Counter

import pytest
from command_line import refusal, run
from exact.learned_pieces import our_training, their_training
from hypothesis import given
from hypothesis import strategies as st
from pieces import SENTENCES

import digram
from digram.components import ByteFallback, DecoderSequence, Fuse, Metaspace, Prepend, Replace

WORDS = {"aab": 5, "abc": 3, "xaby": 2, "z漢b": 1}
FALLING = {"units": "chars", "byte_fallback": True}
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def test_the_tokens_of_bytes_follow_the_special_tokens():
    tok = digram.train(WORDS, special_tokens=["<s>", "</s>"], **FALLING)
    plain = digram.train(WORDS, special_tokens=["<s>", "</s>"], units="chars")
    names = [tok.tokens[id_].decode() for id_ in range(tok.vocab_size)]
    assert names[2:258] == BYTES
    assert names[:2] + names[258:] == [plain.tokens[n].decode() for n in range(plain.vocab_size)]
    assert len(tok.merges) == len(plain.merges) > 0
    assert tok.special_tokens == {"<s>": 0, "</s>": 1}
    assert tok.model.byte_fallback
    assert tok.model.added_tokens == plain.model.added_tokens
    assert digram.train(WORDS, vocab_size=266, **FALLING).vocab_size == 266


@given(st.text(max_size=12))
def test_any_text_comes_back(text):
    tok = digram.train(WORDS, **FALLING)
    assert tok.decode(tok.encode(text)) == text


def test_what_looks_like_such_a_token_is_text():
    texts = ["<0x41> <0x41> A <0x4"] * 5
    tok = digram.train(texts, pattern="spaces", special_tokens=["<s>"], **FALLING)
    assert tok.tokens[1 + 0x41] == b"<0x41>"
    assert tok.tokenize("<0x41>") != ["<0x41>"]
    assert tok.decode(tok.encode("<0x41>", special="token")) == "<0x41>"
    assert sum(token == "<0x41>" for token in tok.training.tokens) == 1


@pytest.mark.parametrize(
    ("pattern", "normalizer", "decoder"),
    [
        (None, None, (ByteFallback(), Fuse())),
        (Metaspace("▁"), None, (ByteFallback(), Metaspace("▁"))),
        (
            "spaces",
            digram.components.NormalizerSequence((Prepend("▁"), Replace(" ", "▁"))),
            None,
        ),
    ],
)
def test_it_is_written_for_hugging_face(pattern, normalizer, decoder, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tok = digram.train(SENTENCES, pattern=pattern, normalizer=normalizer, num_merges=90, **FALLING)
    if decoder is not None:
        assert tok.model.decoder == DecoderSequence(decoder)
    tok.save(tmp_path / "t.json")
    assert digram.load(tmp_path / "t.json") == tok
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    for text in (*SENTENCES, "語 low 😀é", "\u0301x"):
        ids = tok.encode(text)
        assert theirs.encode(text).ids == ids
        assert theirs.decode(ids) == tok.decode(ids)


RARE = [*SENTENCES * 3, "A line with \u00e6, and one with \u00f8 and \u00e6"]


@pytest.mark.parametrize("coverage", [0.98, 0.9995, 1.0])
def test_pieces_are_those_of_sentencepiece(coverage, tmp_path):
    theirs = their_training(RARE, 856, character_coverage=coverage, byte_fallback=True)
    pieces = [theirs.id_to_piece(id_) for id_ in range(theirs.get_piece_size())]
    assert pieces[3:259] == BYTES
    special = {"special_tokens": ["<unk>", "<s>", "</s>"], "unk_token": "<unk>"}
    merged = [piece for piece in pieces[259:] if len(piece) > 1]
    options = {"character_coverage": coverage, "byte_fallback": True, **special}
    tok = our_training(RARE, num_merges=len(merged), **options)
    names = [tok.tokens[id_].decode() for id_ in range(tok.vocab_size)]
    made = names[tok.training.base_size :]
    assert made == merged[: len(made)]
    assert tok.training.stopped in ("no-pairs", "num_merges")
    assert names[:259] == pieces[:259]
    characters = {piece for piece in pieces[259:] if len(piece) == 1}
    assert {*names[259 : tok.training.base_size]} == characters
    tok.save(tmp_path / "t.json")
    assert digram.load(tmp_path / "t.json") == tok
    if made == merged:
        for line in (*RARE, "語 low", "<0x41>"):
            assert tok.tokenize(line) == theirs.encode(line, out_type=str)


def test_what_is_left_out_counts_as_its_bytes():
    texts = ["the low lowest 漢字 of 字 newer, widest 漢 æ!"] * 4
    tok = digram.train(texts, limit_alphabet=9, pattern="gpt2", special_tokens=["<s>"], **FALLING)
    live, report = Counter(tok.encode(texts[0])), tok.training
    assert sum(report.frequencies[1:257]) > 0
    assert list(report.live_frequencies) == [4 * live[id_] for id_ in range(tok.vocab_size)]
    assert report.symbols_at_end == sum(report.live_frequencies)
    assert report.live_symbols_at_start == sum(count > 0 for count in report.frequencies[:266])
    assert report.live_symbols[-1] == sum(count > 0 for count in report.live_frequencies)
    assert report.frequencies[1 + 0xC3] == 4  # æ begins with it, and stands once in four texts
    assert report.text_bytes == len(texts[0].encode()) * 4


def test_bytes_are_counted_before_they_are_too_many():
    most = (1 << 62) // 3
    with pytest.raises(digram.LimitError, match="rare characters spelled in bytes there are more"):
        digram.train({"漢字": most}, limit_alphabet=1, initial_alphabet="a", **FALLING)
    tok = digram.train({"漢字": most // 3}, limit_alphabet=1, initial_alphabet="a", **FALLING)
    assert tok.training.frequencies[0xE6] == most // 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"byte_fallback": True}, ValueError, "units are bytes, which are all tokens"),
        ({**FALLING, "end_of_word": "</w>"}, ValueError, "give one of byte_fallback and end_of_w"),
        ({**FALLING, "special_tokens": ["<0x41>"]}, ValueError, '"<0x41>" is the token of a byte'),
        ({**FALLING, "vocab_size": 200}, ValueError, "vocab_size is 200, .* alone need 2"),
        ({"units": "chars", "byte_fallback": 1}, TypeError, "byte_fallback must be True or False"),
        ({"extend": digram.train(WORDS), "byte_fallback": True}, ValueError, "keeps its own"),
    ],
)
def test_what_cannot_be_is_told(options, error, message):
    with pytest.raises(error, match=message):
        digram.train(WORDS, **options)


def test_learning_that_was_stopped_goes_on(tmp_path):
    options = {"limit_alphabet": 12, **FALLING}
    whole = digram.train(RARE, num_merges=60, **options)
    kept = tmp_path / "kept"
    digram.train(RARE, num_merges=20, checkpoint=kept, **options)
    assert digram.train(RARE, num_merges=60, checkpoint=kept, **options) == whole
    with pytest.raises(ValueError, match="byte_fallback was True and is False"):
        digram.train(RARE, checkpoint=kept, limit_alphabet=12, units="chars", unk_token="?")


def test_the_shell_has_it_too(tmp_path):
    (tmp_path / "a.txt").write_text("abab abab 漢 abc\n" * 3, encoding="utf-8")
    said = run(
        *("train", tmp_path / "a.txt", "-o", tmp_path / "t.json", "--json", "--units", "chars"),
        *("--byte-fallback", "--character-coverage", "0.9", "--num-merges", "1"),
    )
    assert json.loads(said.out)["vocab_size"] > 256
    tok = digram.load(tmp_path / "t.json")
    assert tok.tokenize("漢") == ["<0xE6>", "<0xBC>", "<0xA2>"]
    for options, message in (
        (["--byte-fallback"], r"^--byte-fallback spells .* give --units chars$"),
        (
            ["--byte-fallback", "--units", "chars", "--end-of-word", "</w>"],
            "^--byte-fallback would .* --byte-fallback and --end-of-word$",
        ),
        (
            ["--limit-alphabet", "4", "--units", "chars"],
            "stands for them; give --unk-token or --byte-fallback$",
        ),
    ):
        assert re.search(message, refusal("train", tmp_path / "a.txt", *options))


@pytest.mark.parametrize("left_out", [None, 0x7A])
def test_a_byte_with_the_marker_of_a_words_end_is_no_byte(left_out):
    """`<0x7A></w>` is a token like any other: Hugging Face looks for `<0x7A>`."""
    tokenizers = pytest.importorskip("tokenizers")
    names = [name for byte, name in enumerate(BYTES) if byte != left_out]
    vocab = {name: at for at, name in enumerate([*names, "a", "a</w>", "<0x7A></w>"])}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": True}
    file = json.dumps({"version": "1.0", "model": model | {"end_of_word_suffix": "</w>"}})
    ours, theirs = digram.load(file.encode()), tokenizers.Tokenizer.from_str(file)
    for text in ("za", "az", "z", "zz", "aza", "éz"):
        assert ours.encode(text) == theirs.encode(text).ids, text
