"""Codes of subword-nmt, OpenNMT and fastBPE: texts come out as their owners segment them."""

import itertools
import json
import random

import pytest

import digram

OPENNMT = "v3;false;true;false;<w>;</w>"


def surfaces(tok, word):
    """The tokens of a word, without the markers of its beginning and its end."""
    first, *others = tok.tokenize(word, marker=False)
    tokens = [first.removeprefix("▁"), *others]
    return [token for token in tokens if token]


def opennmt(codes, word, marker, begin=()):
    """Segment a word as OpenNMT does: two symbols merge if what they join to is in the codes."""
    rank = {}
    for line in codes.splitlines()[1:]:
        rank.setdefault(line.replace(" ", ""), len(rank))
    symbols = [*begin, *word, *marker]
    while len(symbols) > 1:
        joined = [left + right for left, right in itertools.pairwise(symbols)]
        best = min(range(len(joined)), key=lambda at: rank.get(joined[at], len(rank)))
        if joined[best] not in rank:
            break
        symbols[best : best + 2] = [joined[best]]
    symbols[-1] = symbols[-1].removesuffix("</w>")
    symbols[0] = symbols[0].removeprefix("<w>")
    return [symbol for symbol in symbols if symbol]


def fast_bpe(codes, word):
    """Segment a word as fastBPE does: all places of the best pair in one round."""
    lines = [line.split() for line in codes.splitlines()]
    rank = {(left, right): at for at, (left, right, _) in enumerate(lines)}
    symbols = [*word[:-1], word[-1] + "</w>"]
    while pairs := [pair for pair in itertools.pairwise(symbols) if pair in rank]:
        best = min(pairs, key=rank.__getitem__)
        merged = []
        for symbol in symbols:
            if merged and (merged[-1], symbol) == best:
                merged[-1] = merged[-1] + symbol
            else:
                merged.append(symbol)
        symbols = merged
    return [symbol.removesuffix("</w>") for symbol in symbols]


def random_codes(rng, ending):
    """Merges over a few letters, some of them out of order, and twice in other parts."""
    symbols = [*"abc", *ending]
    merges = []
    for _ in range(rng.randint(1, 14)):
        left, right = rng.choice(symbols), rng.choice(symbols)
        if left.endswith("</w>") or f"{left} {right}" in merges:
            continue
        merges.append(f"{left} {right}")
        symbols.append(left + right)
    rng.shuffle(merges)
    return merges


def random_words(rng):
    return ["".join(rng.choices("abc", k=rng.randint(1, 12))) for _ in range(20)]


@pytest.mark.parametrize("seed", range(60))
def test_opennmt_s_codes_merge_whatever_joins_to_a_product(seed):
    rng = random.Random(seed)
    for header, marker in ((OPENNMT, ["</w>"]), (OPENNMT.replace("true", "false"), [])):
        codes = "\n".join([header, *random_codes(rng, marker)])
        tok = digram.load(codes.encode(), initial_alphabet="abc", pattern="spaces")
        for word in random_words(rng):
            assert surfaces(tok, word) == opennmt(codes, word, marker), (codes, word)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("end", [[], ["</w>"]])
def test_opennmt_s_codes_may_mark_where_words_begin(seed, end):
    rng = random.Random(seed)
    header = OPENNMT.replace("false;true", "true;true" if end else "true;false", 1)
    merges = random_codes(rng, end)
    begun = [f"<w>{merge}" for merge in merges if merge[0] in "abc" and merge[1] == " "]
    merges = [*rng.sample(["<w> a", "<w> b", "<w> c"], 3), *merges, *begun]
    codes = "\n".join([header, *merges])
    tok = digram.load(codes.encode(), initial_alphabet="abc")
    words = random_words(rng)
    for word in words:
        assert surfaces(tok, word) == opennmt(codes, word, end, ["<w>"]), (codes, word)
    text = " ".join(words)
    ids = [id_ for word in words for id_ in tok.encode(word)]
    for blanks in (text, text.replace(" ", "\n"), f"  {text}\r\n"):
        assert tok.encode(blanks) == ids
    assert tok.decode(ids) == text


def test_a_mark_of_the_beginning_is_written_as_a_visible_space(tmp_path):
    tok = digram.load(b"v3;true;false;false;<w>;</w>\n<w> l\no w\n<w>l ow\n")
    assert tok.tokenize("low lo") == ["▁low", "▁l", "o"]
    tok.save(tmp_path / "tokenizer.json")
    assert digram.load(tmp_path / "tokenizer.json") == tok
    with pytest.raises(digram.FormatError, match=r"it has no end-of-word marker"):
        tok.save(tmp_path / "codes", format="subword-nmt")
    with pytest.raises(digram.FormatError, match=r"line 2: a symbol holds .▁., which stands for"):
        digram.load("v3;true;false;false;<w>;</w>\n▁ l\n".encode())


@pytest.mark.parametrize("seed", range(60))
def test_fast_bpe_s_codes_are_those_of_subword_nmt_with_counts(seed):
    rng = random.Random(seed)
    merges = dict.fromkeys(["c b</w>", *random_codes(rng, ["a</w>", "b</w>", "c</w>"])])
    codes = "\n".join(f"{merge} {rng.randint(1, 99)}" for merge in merges)
    tok = digram.load(codes.encode(), initial_alphabet="abc")
    for word in random_words(rng):
        assert surfaces(tok, word) == fast_bpe(codes, word), (codes, word)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("v3;true;false;false;;</w>", r"line 1: the begin marker is empty"),
        ("v3;false;true;true;<w>;</w>", r"line 1: the codes ignore case"),
        ("v3;false;true;</w>", r"line 1: .* is not OpenNMT's header"),
        ("#version: 0.3", r"line 1: \"#version: 0.3\" is not one of the versions"),
    ],
)
def test_a_header_that_digram_cannot_follow_is_refused_by_name(header, message):
    with pytest.raises(digram.FormatError, match=message):
        digram.load(f"{header}\na b\n".encode())


def test_published_codes_of_opennmt_are_read_or_refused_by_name(shared):
    folder = shared / "data" / "vocab" / "opennmt-bpe"
    text = (shared / "data" / "corpus" / "udhr_all_languages.txt").read_text(encoding="utf-8")
    words = [word for word in set(text[:2_000_000].split()) if word.isascii() or word.isalpha()]
    words = sorted(words)[:3000]
    alphabet = "".join(sorted(set("".join(words))))
    for name, begin, marker in (
        ("fr500", [], ["</w>"]),
        ("codes_nofix.fr", [], []),
        ("codes_prefix.fr", ["<w>"], []),
        ("codes_bothfix.fr", ["<w>"], ["</w>"]),
    ):
        codes = (folder / name).read_text(encoding="utf-8")
        tok = digram.load(folder / name, initial_alphabet=alphabet, pattern="spaces")
        for word in words:
            assert surfaces(tok, word) == opennmt(codes, word, marker, begin), word
    for name in ("codes_suffix_case_insensitive.fr", "issue-147.txt"):
        with pytest.raises(digram.FormatError, match=rf"{name}: line 1: the codes ignore case"):
            digram.load(folder / name)
    for name in ("bpe_code.v0.2", "testcode.v0.1"):
        assert digram.load(folder / name).vocab_size > 0


@pytest.mark.parametrize(
    ("codes", "plain", "segmented"),
    [
        ("tinyshakespeare_5k.codes", "tinyshakespeare_head.txt", "tinyshakespeare_head.bpe.txt"),
        ("bpe.ref", "corpus.en", "corpus.bpe.ref.en"),
    ],
)
def test_published_segmentations_of_subword_nmt_come_out(shared, codes, plain, segmented):
    folder = shared / "data" / "vocab" / "subword-nmt"
    lines = (folder / plain).read_text(encoding="utf-8").split("\n")
    alphabet = "".join(sorted(set("".join(lines)) - {" "}))
    tok = digram.load(folder / codes, initial_alphabet=alphabet)
    published = (folder / segmented).read_text(encoding="utf-8").split("\n")
    assert [marked(tok, line) for line in lines] == [" ".join(line.split()) for line in published]


def marked(tok, line):
    """A line as subword-nmt writes it: `@@` where a word goes on."""
    tokens = (f"{token}@@".removesuffix("</w>@@") for token in tok.tokenize(line))
    return " ".join(tokens)


@pytest.mark.parametrize("count", [0, 1, 40])
@pytest.mark.parametrize("marker", ["attached", "separate"])
def test_saved_codes_are_recognized_and_segment_as_before(marker, count, tmp_path):
    """Also those without a merge, or without one that ends a word."""
    tok = digram.train(
        ["ab abc cab bca"],
        num_merges=count,
        marker=marker,
        units="chars",
        end_of_word="</w>",
        pattern="spaces",
        min_frequency=1,
    )
    tok.save(tmp_path / "codes", format="subword-nmt")
    again = digram.load(tmp_path / "codes", initial_alphabet="abc")
    for text in ("ab abc cab", "b", "bca abcabc"):
        assert again.tokenize(text) == tok.tokenize(text)
    assert again.to_bytes(format="subword-nmt") == (tmp_path / "codes").read_bytes()


def test_a_symbol_that_looks_like_two_is_not_written(tmp_path):
    file = {
        "version": "1.0",
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
        "model": {
            "type": "BPE",
            "vocab": {"a": 0, " ": 1, " a</w>": 2, "a</w>": 3},
            "merges": [[" ", "a</w>"]],
            "end_of_word_suffix": "</w>",
        },
    }
    tok = digram.load(json.dumps(file).encode())
    with pytest.raises(digram.FormatError, match='token 1 is " "; a symbol of the format "gpt2"'):
        tok.save(f"{tmp_path}/", format="gpt2")
    assert not list(tmp_path.iterdir())


def test_a_model_that_leaves_unknown_characters_out_is_not_written_as_codes():
    file = {
        "version": "1.0",
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": "[ \\r\\n]+"},
            "behavior": "Removed",
            "invert": False,
        },
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
        "model": {
            "type": "BPE",
            "vocab": {"l": 0, "o": 1, "l</w>": 2, "o</w>": 3, "lo</w>": 4},
            "merges": [["l", "o</w>"]],
            "end_of_word_suffix": "</w>",
        },
    }
    tok = digram.load(json.dumps(file).encode())
    assert tok.encode("lox lo") == [0, 1, 4]
    with pytest.raises(digram.FormatError, match=r"leaves unknown characters out"):
        tok.to_bytes(format="subword-nmt")


@pytest.mark.parametrize(
    "corpus",
    [
        {f"abcdefghijklmnopqrstuvwxyz{last}": 5 for last in "abcdefghijklm"},
        {"v3;x": 9, "v3;y": 5},
    ],
    ids=["ends late", "like OpenNMT's"],
)
def test_codes_whose_beginning_does_not_tell_are_written_with_their_version(corpus):
    options = {"units": "chars", "end_of_word": "</w>", "pattern": "spaces"}
    tok = digram.train(corpus, num_merges=40, **options)
    written = tok.to_bytes(format="subword-nmt")
    again = digram.load(written, initial_alphabet="".join(corpus))
    assert [again.tokenize(word) for word in corpus] == [tok.tokenize(word) for word in corpus]
