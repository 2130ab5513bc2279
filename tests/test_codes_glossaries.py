"""subword-nmt's glossaries: the same tokens, and an unknown one for what is none."""

import io
import pickle
import random
import re
import unicodedata

import characters
import pytest
from test_codes_filter import (
    ALPHABET,
    VERSIONS,
    apply_bpe,
    learned_codes,
    vocabulary_of,
    with_merges,
)

import digram
from digram import reference
from digram.reference.check import in_learned_order

LETTERS = ALPHABET + "12é٣_-<"
PATTERNS = (
    *(r"\d+", r"\d", r"\w*e", r"[a-c]d", "ab?c", "(?:ab|c)d", "a.c", "^ab", "cd$", "[^a-c]+"),
    *("b{2}", "b{1,2}?a", "a+?b", "ab|cd", "^a|b$", r"[\d_]+", r"\D\d", r"\W", r"[\W1]", "a|b|1"),
    *(
        "<[ab]*<",
        r"\<",
        r"a\-",
        "[]1]",
        "[1-]",
        r"\x61b",
        "é|٣",
        r"\S\S\S",
        "[^\\w]",
        "(?:a|b){2,}",
    ),
)
UNKNOWN = "<unk>"


def random_glossaries(rng):
    texts = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 4))) for _ in range(3)]
    return rng.sample([*texts, *rng.sample(PATTERNS, 3)], rng.randint(1, 4))


def random_words(rng, glossaries, count):
    """Words of letters, with the glossaries' own texts between."""
    parts = [*LETTERS, *ALPHABET * 4, *glossaries * 2]
    for _ in range(count):
        yield "".join(rng.choice(parts) for _ in range(rng.randint(1, 8)))


def expected(tok, pieces):
    """What a word's pieces are as tokens of digram: itself, or the unknown one."""
    model = tok.model
    known = {(token, id_ in model.word_ends) for id_, token in model.tokens.items()}
    for place, piece in enumerate(pieces, start=1):
        text = piece.encode()
        ends = place == len(pieces)
        there = (text + b"</w>" if ends else text, ends) in known
        if ends and model.marker == "separate":
            there = there or (text, False) in known
        yield piece if there else UNKNOWN


def pieces_of(bpe, word):
    """A word's pieces; what an undone merge leaves empty is none."""
    found = bpe.segment(word).split(" ")
    pieces = [*(piece.removesuffix("@@") for piece in found[:-1]), found[-1]]
    return [piece for piece in pieces if piece]


@pytest.mark.parametrize("version", VERSIONS, ids=["0.1", "0.2"])
@pytest.mark.parametrize("codes_of", [learned_codes, with_merges])
@pytest.mark.parametrize("is_filtered", [False, True])
def test_words_are_cut_and_kept_as_by_subword_nmt(version, codes_of, is_filtered):
    rng = random.Random(f"{version}{codes_of.__name__}{is_filtered}")
    words = cut = 0
    for _ in range(60):
        codes, glossaries = codes_of(rng, version), random_glossaries(rng)
        plain = apply_bpe.BPE(io.StringIO(codes))
        vocabulary = None
        if is_filtered:
            text = " ".join(random_words(rng, glossaries, 40))
            vocabulary = vocabulary_of(rng, plain, text)
        tok = digram.load(
            codes.encode(),
            format="subword-nmt",
            initial_alphabet=ALPHABET + "1é",
            unk_token=UNKNOWN,
            vocabulary=vocabulary,
            glossaries=glossaries,
        )
        if not in_learned_order(tok.merges):
            continue
        theirs = apply_bpe.BPE(io.StringIO(codes), vocab=vocabulary, glossaries=glossaries)
        some = list(random_words(rng, glossaries, 20))
        for word in some:
            told = codes, glossaries, vocabulary, word
            pieces = pieces_of(theirs, word)
            ids = tok.encode(word)
            assert tok.tokenize(word, marker=False) == list(expected(tok, pieces)), told
            assert not any(id_ in tok.model.word_ends for id_ in ids[:-1]), told
            assert UNKNOWN in tok.tokenize(word) or tok.decode(ids) == word, told
            assert reference.encode(tok.model, word) == ids, told
            assert [id_ for each in tok.explain(word).words for id_ in each.ids] == ids, told
            words += 1
            cut += pieces != pieces_of(plain, word)
        assert tok.encode(" ".join(some)) == [id_ for word in some for id_ in tok.encode(word)]
        assert tok.encode_batch(some * 20) == [tok.encode(word) for word in some] * 20
    assert words > 500
    assert cut > words // 5


CODES = b"#version: 0.2\nl o\nlo w</w>\n"


@pytest.fixture
def kept():
    return digram.load(CODES, glossaries=["USA", r"\d+"], unk_token=UNKNOWN)


def test_what_stands_before_a_glossary_does_not_end_a_word(kept):
    assert kept.tokenize("lowUSA USAlow") == ["low", "USA</w>", "USA", "low</w>"]
    assert kept.decode(kept.encode("lowUSA USAlow")) == "lowUSA USAlow"
    # a pattern has no tokens: what it finds is unknown, unless the codes make it
    assert kept.tokenize("low12 low") == ["low", UNKNOWN, "low</w>"]
    low = digram.load(CODES, glossaries=["[k-m]ow", "x"])
    assert low.tokenize("lowxlow") == ["low", "x", "low</w>"]
    reasons = [word.stopped for word in low.explain("lowx").words]
    assert reasons == ["kept whole by a glossary"] * 2


def test_without_an_unknown_token_what_is_none_is_an_error():
    tok = digram.load(CODES, glossaries=[r"\d+"])
    with pytest.raises(digram.UnknownTokenError, match=r'"12", in "12", is not in the vocabulary'):
        tok.encode("low12")


def test_glossaries_are_part_of_the_model(kept, tmp_path):
    assert kept.model.glossaries == ("USA", r"\d+")
    plain = kept.with_(glossaries=())
    assert plain.tokenize("lo1") == ["lo", UNKNOWN]
    assert plain.fingerprint != kept.fingerprint
    kept.save(tmp_path / "tokenizer.json")
    file = (tmp_path / "tokenizer.json").read_text(encoding="utf-8")
    copied = pickle.loads(pickle.dumps(kept))  # noqa: S301 - it was made here
    for again in (
        digram.load(tmp_path / "tokenizer.json"),
        copied,
        plain.with_(glossaries=["USA", r"\d+"]),
    ):
        assert again == kept
        assert again.tokenize("lowUSA") == ["low", "USA</w>"]
    with pytest.raises(digram.FormatError, match=r"digram.glossaries needs the type 'DigramBPE'"):
        digram.load(file.replace('"DigramBPE"', '"BPE"').encode())
    for format in ("subword-nmt", "gpt2", "sentencepiece"):
        with pytest.raises(digram.FormatError, match=r"it keeps what 2 glossaries find whole"):
            kept.save(tmp_path / "other", format=format)


@pytest.mark.parametrize(
    ("glossaries", "message"),
    [
        (["(USA)"], r"a group that captures, whose text subword-nmt writes twice"),
        ([r"\bUSA"], r"looks at what is around"),
        (["(?i:usa)"], r"has flags"),
        ([r"\d*"], r"matches an empty text"),
        ([""], r"matches an empty text"),
        (["a</w>"], r"holds .</w>., which marks the end of words"),
        (["(?:a{999}){999}"], r"the glossaries do not compile"),
        (["a+"] * 257, r"257 glossaries are patterns; the limit components is 256"),
    ],
)
def test_glossaries_that_cannot_be_followed_are_refused(glossaries, message):
    with pytest.raises((ValueError, digram.LimitError), match=message):
        digram.load(CODES, glossaries=glossaries)


def test_glossaries_go_with_codes_of_subword_nmt():
    with pytest.raises(TypeError, match=r"glossaries is the text 'USA'; pass a list"):
        digram.load(CODES, glossaries="USA")
    with pytest.raises(ValueError, match=r"glossaries= is given, but a file of format .tiktoken."):
        digram.load(b"IQ== 0\n", glossaries=["USA"])
    with pytest.raises(
        ValueError, match=r"these are OpenNMT's codes; glossaries are subword-nmt's"
    ):
        digram.load(b"v3;false;true;false;<w>;</w>\na b\n", glossaries=["USA"])
    with pytest.raises(
        digram.FormatError, match=r"glossaries go with units .chars., listed merges"
    ):
        digram.train(["low low"]).with_(glossaries=["low"])


def test_many_texts_are_no_trouble():
    many = [f"{first}{second}x" for first in ALPHABET * 20 for second in ALPHABET * 8]
    tok = digram.load(CODES, glossaries=many, initial_alphabet=ALPHABET)
    assert tok.tokenize("lowabx") == ["low", "abx</w>"]


@pytest.mark.parametrize("name", ["w", "d", "s", "W", "D", "S"])
def test_classes_hold_the_characters_of_python(name):
    pattern = re.compile(rf"x\{name}")
    chars = characters.ALL
    # what Python's version of Unicode does not know yet may be a letter in ours
    chars = [c for c in chars if c not in " \r\n" and unicodedata.category(c) != "Cn"]
    tok = digram.load(b"#version: 0.2\nx y\n", glossaries=[pattern.pattern], unk_token=UNKNOWN)
    rows = tok.encode_batch([f"x{char}" for char in chars])
    found = [char for char, ids in zip(chars, rows, strict=True) if len(ids) == 1]
    assert found == [char for char in chars if pattern.fullmatch(f"x{char}")]
