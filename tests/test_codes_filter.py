"""subword-nmt's codes with a vocabulary filter: the same tokens as subword-nmt leaves."""

import contextlib
import io
import pickle
import random
from collections import Counter
from dataclasses import replace

import pytest

import digram
from digram import reference
from digram.reference.check import in_learned_order

apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")
learn_bpe = pytest.importorskip("subword_nmt.learn_bpe")

ALPHABET = "abcde"
VERSIONS = ("#version: 0.1\n", "#version: 0.2\n")


def random_text(rng, words=12):
    return " ".join(
        "".join(rng.choice(ALPHABET[: rng.randint(1, 5)]) for _ in range(rng.randint(1, 9)))
        for _ in range(words)
    )


def learned_codes(rng, version):
    """Codes that subword-nmt learns; it writes version 0.2, which 0.1 reads with other ends."""
    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe.learn_bpe(io.StringIO(random_text(rng, 150) + "\n"), out, rng.randint(3, 60))
    if version == VERSIONS[1]:
        return out.getvalue()
    ends = "".join(f"{char} </w>\n" for char in ALPHABET if rng.random() < 0.8)
    return version + ends + out.getvalue().split("\n", 1)[1]


def with_merges(rng, version):
    """Codes that nobody learns: several to one token among them."""
    ends = [f"{char}</w>" for char in ALPHABET] if version == VERSIONS[1] else ["</w>"]
    symbols, lines = [*ALPHABET, *ends], []
    for _ in range(rng.randint(1, 40)):
        left, right = rng.choice(symbols), rng.choice(symbols)
        if not left.endswith("</w>") and f"{left} {right}" not in lines:
            lines.append(f"{left} {right}")
            symbols.append(left + right)
    if not lines:
        return with_merges(rng, version)
    return version + "\n".join(lines) + "\n"


def vocabulary_of(rng, bpe, text):
    """Counts of what the codes leave of a text, some of them lost and some of others."""
    counts = Counter(bpe.segment(text).split())
    counts += Counter({rng.choice(ALPHABET) + rng.choice(("", "@@")): 3 for _ in range(3)})
    kept = {token: count for token, count in counts.items() if rng.random() < 0.8}
    return kept or dict(counts)


def segments(tok, text):
    """A text's tokens as subword-nmt writes them, a marker on its own left out."""
    ends, tokens = tok.model.word_ends, tok.tokens
    found, word = [], []
    for id_ in tok.encode(text):
        word.append(tokens[id_].removesuffix(b"</w>" if id_ in ends else b"").decode())
        if id_ in ends:
            *others, last = filter(None, word)
            found += [*(f"{other}@@" for other in others), last]
            word = []
    return found


def written(line):
    """Tokens of subword-nmt; behind the end that an undone merge leaves empty, it says `@@`."""
    return " ".join(f"{line} ".replace("@@  ", " ").split())


def opened(rng, codes, counts, threshold, tmp_path):
    """Both sides, with the vocabulary given in one of the ways there are."""
    separator = rng.choice(" \t")
    file = tmp_path / "vocab.txt"
    lines = "".join(f"{token} {count}\n" for token, count in counts.items())
    file.write_text(lines.replace(" ", separator), encoding="utf-8")
    given = rng.choice((file, str(file), counts))
    tok = digram.load(
        codes.encode(),
        format="subword-nmt",
        initial_alphabet=ALPHABET,
        vocabulary=given,
        vocabulary_threshold=threshold,
    )
    vocabulary = apply_bpe.read_vocabulary(io.StringIO(lines), threshold)
    return tok, apply_bpe.BPE(io.StringIO(codes), vocab=vocabulary)


@pytest.mark.parametrize("version", VERSIONS, ids=["0.1", "0.2"])
@pytest.mark.parametrize("codes_of", [learned_codes, with_merges])
def test_tokens_are_those_that_subword_nmt_leaves(version, codes_of, tmp_path):
    rng = random.Random(f"{version}{codes_of.__name__}")
    apart = undone = 0
    for _ in range(60):
        codes = codes_of(rng, version)
        plain = apply_bpe.BPE(io.StringIO(codes))
        counts = vocabulary_of(rng, plain, random_text(rng, 40))
        threshold = rng.choice((None, 1, 2, max(counts.values())))
        if not any(threshold is None or count >= threshold for count in counts.values()):
            continue
        tok, theirs = opened(rng, codes, counts, threshold, tmp_path)
        if not in_learned_order(tok.merges):
            continue  # a merge may then go before the other places of the one that led to it
        for text in [random_text(rng) for _ in range(5)]:
            expected = written(theirs.segment(text)).split()
            assert segments(tok, text) == expected, (codes, counts, threshold, text)
            assert reference.encode(tok.model, text) == tok.encode(text)
            assert tok.tokenize(text, joiner="@@") == expected
            assert tok.decode(tok.encode(text)) == text
            apart += expected != plain.segment(text).split()
        undone += len(tok.model.unused)
    assert apart > 50  # texts on which the filter tells
    assert undone > 100


@pytest.fixture
def filtered():
    """Of `abc</w>` only `ab` is listed, so that `c` ends the word alone."""
    codes = b"#version: 0.2\na b\nab c</w>\n"
    return digram.load(codes, vocabulary=["ab@@", "c", "a", "b"])


def test_the_filter_is_part_of_the_model(filtered, tmp_path):
    assert filtered.tokenize("abc ab") == ["ab", "c</w>", "a", "b</w>"]
    (unused,) = filtered.model.unused
    assert filtered.tokens[unused] == b"abc</w>"
    plain = digram.Tokenizer(replace(filtered.model, unused=frozenset()))
    assert plain.tokenize("abc") == ["abc</w>"]
    assert plain != filtered
    assert plain.fingerprint != filtered.fingerprint
    filtered.save(tmp_path / "tokenizer.json")
    file = (tmp_path / "tokenizer.json").read_text(encoding="utf-8")
    copied = pickle.loads(pickle.dumps(filtered))  # noqa: S301 - it was made here
    for again in (digram.load(tmp_path / "tokenizer.json"), copied):
        assert again == filtered
        assert again.tokenize("abc") == ["ab", "c</w>"]
        assert again.fingerprint == filtered.fingerprint
    with pytest.raises(digram.FormatError, match=r"model.digram.unused needs the type 'DigramBPE'"):
        digram.load(file.replace('"DigramBPE"', '"BPE"').encode())


def test_explaining_shows_the_merges_and_what_is_left(filtered):
    (word,) = filtered.explain("abc").words
    assert [merge.merged for merge in word.merges] == ["ab", "abc</w>"]
    assert word.tokens == ("ab", "c</w>")


def test_other_formats_cannot_hold_it(filtered, tmp_path):
    with pytest.raises(digram.FormatError, match=r"takes 1 of its tokens apart again \(unused\)"):
        filtered.save(tmp_path / "codes", format="subword-nmt")
    assert not (tmp_path / "codes").exists()


CODES = b"#version: 0.2\na b</w>\n"


def test_what_is_no_filter_is_refused(tmp_path):
    (tmp_path / "vocab.txt").write_text("ab 3\na b 1\n")
    cases = [
        ({"vocabulary": {"ab": 3}, "vocabulary_threshold": 4}, r"none that reaches the threshold"),
        ({"vocabulary": ["ab"], "vocabulary_threshold": 4}, r"threshold is 4, .* has no counts"),
        ({"vocabulary_threshold": 4}, r"vocabulary_threshold is 4, but there is no vocabulary"),
        ({"vocabulary": tmp_path / "vocab.txt"}, r"vocab.txt: line 2 is 'a b 1'; a vocabulary has"),
    ]
    for known, message in cases:
        with pytest.raises(ValueError, match=message):
            digram.load(CODES, **known)
    with pytest.raises(digram.MissingFileError):
        digram.load(CODES, vocabulary=tmp_path / "none")
    with pytest.raises(ValueError, match=r"vocabulary= is given, but a file of format .tiktoken."):
        digram.load(b"IQ== 0\n", vocabulary=["a"])
    with pytest.raises(ValueError, match=r"these are OpenNMT's codes"):
        digram.load(b"v3;false;true;false;<w>;</w>\na b\n", vocabulary=["a"])


def test_a_merge_that_stands_twice_around_another_to_the_same_token_is_refused():
    codes = b"#version: 0.2\nb c\na b\na bc\nab c\na bc\n"
    assert digram.load(codes, vocabulary=["abc@@"]).model.unused
    with pytest.raises(digram.FormatError, match=r"line 4: the merge to .abc. stands in the file"):
        digram.load(codes, vocabulary=["a@@"])


def test_unused_tokens_that_cannot_be_taken_apart_are_refused(filtered):
    model = filtered.model
    characters = frozenset({min(model.tokens)})
    cases = [
        ({"unused": characters}, r"is made by no merge, so that it cannot be taken apart"),
        ({"ignore_merges": True}, r"neither ignore_merges nor a continuing prefix"),
        ({"rule": digram.Ranks()}, r"unused tokens go with listed merges only"),
    ]
    for changes, message in cases:
        with pytest.raises(digram.FormatError, match=message):
            digram.Tokenizer(replace(model, **changes))
    empty = digram.Model(
        {0: b"a", 1: b"<x>", 2: b""}, digram.Merges(((0, 2, 0),)), "chars", unused=frozenset({0})
    )
    with pytest.raises(digram.FormatError, match=r"made of itself and an empty token"):
        digram.Tokenizer(empty)
