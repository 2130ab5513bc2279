"""Word counts as values: added, filtered, weighed, kept in files, and checked where they meet."""

import pickle
import random
from collections import Counter
from fractions import Fraction

import pytest
from drawn import texts
from hypothesis import given
from hypothesis import strategies as st

import digram
from digram import WordCounts
from digram.components import (
    ByteLevel,
    Lowercase,
    Metaspace,
    NormalizerSequence,
    PreTokenizerSequence,
    Regex,
    Replace,
    Strip,
    Whitespace,
    WhitespaceSplit,
)
from digram.errors import FormatError, LimitError

pa = pytest.importorskip("pyarrow")

# Words of any bytes, as other programs may have counted them.
WORDS = st.one_of(
    st.binary(min_size=1, max_size=6),
    st.text("\\\t\n\r xaé漢\udc80"[:-1], min_size=1, max_size=6).map(str.encode),
)
COUNTED = st.dictionaries(WORDS, st.integers(1, 2**50), max_size=12)
BIG = 2**64 - 1


def items(counts):
    return counts._counts.items()


@given(st.lists(texts(), max_size=5), st.lists(texts(), max_size=5), st.integers(1, 4))
def test_counts_of_parts_add_up_to_the_counts_of_the_whole(first, second, threads):
    one, two = (digram.count(part, threads=threads) for part in (first, second))
    whole = digram.count(first + second)
    assert items(one + two) == items(whole)
    assert (one + two) + one == one + (two + one)
    assert (two + one).total == one.total + two.total
    assert sum([one, two, one]) == one + two + one
    for other in (1, 0.0):
        with pytest.raises(TypeError, match="unsupported operand"):
            other + one


# Choosing


@given(COUNTED, st.integers(0, 2**50), st.integers(0, 14))
def test_what_is_kept_keeps_its_count_and_its_place(words, least, n):
    counts = WordCounts.of(words)
    kept = [item for item in words.items() if item[1] >= least]
    assert items(counts.filter(min_count=least)) == kept
    top = items(counts.top(n))
    assert top == [item for item in words.items() if item in top]
    assert sorted(words.values(), reverse=True)[:n] == sorted((c for _, c in top), reverse=True)
    seen = []
    assert len(counts.filter(where=lambda *item: seen.append(item))) == 0
    assert [count for _, count in seen] == list(words.values())


def test_a_pattern_is_searched_in_the_word():
    counts = WordCounts.of({"low": 1, "slow": 2, " Low": 3})
    assert list(counts.filter(matching="^low")) == ["low"]
    assert list(counts.filter(matching="(?i)low", min_count=2)) == ["slow", " Low"]
    assert counts.filter(matching="low").split == counts.split


# Weights


@given(
    st.lists(st.tuples(COUNTED, st.fractions(Fraction(1, 2**10), 8)), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_a_mixture_is_exact_in_any_order(sources, rng):
    mixed = WordCounts.mix(*((WordCounts.of(words), weight) for words, weight in sources))
    exact = {}
    for words, weight in sources:
        fixed = Fraction(round(weight * 2**20), 2**20)
        for word, n in words.items():
            exact[word] = exact.get(word, 0) + n * fixed
    expected = {word: int(n + Fraction(1, 2)) for word, n in exact.items()}
    assert dict(items(mixed)) == {word: n for word, n in expected.items() if n}
    rng.shuffle(sources)
    again = WordCounts.mix(*((WordCounts.of(words), weight) for words, weight in sources))
    assert again == mixed


def test_a_mixture_rounds_once_and_after_adding():
    one = WordCounts.of({"a": 1, "b": 1})
    assert dict(WordCounts.mix((one, 0.25), (one, 0.25))) == {"a": 1, "b": 1}
    assert dict(WordCounts.mix((one, 0.25), (one.top(1), 0.2))) == {}
    assert dict(one.weighted(2.5)) == {"a": 3, "b": 3}
    assert items(one.weighted(1)) == items(one)


@pytest.mark.parametrize("weight", [0, -1, 2.0**-22, float("nan"), float("inf"), "x", None])
def test_a_weight_that_is_none_is_refused(weight):
    with pytest.raises(ValueError, match="a weight is"):
        WordCounts.of({"a": 1}).weighted(weight)


def test_sums_beyond_64_bits_are_refused_everywhere():
    most = WordCounts.of({"a": BIG})
    assert most.weighted(1)["a"] == BIG
    for broken in (lambda: most + WordCounts.of({"b": 1}), lambda: most.weighted(1.5)):
        with pytest.raises(LimitError):
            broken()
    with pytest.raises(LimitError, match="more than 2"):
        WordCounts.of({"a": BIG, "b": 1})


# Files


@pytest.mark.parametrize("name", ["a.tsv", "a.parquet"])
@given(words=COUNTED)
def test_files_keep_words_of_any_bytes_in_their_order(tmp_path_factory, name, words):
    path = tmp_path_factory.mktemp("counts") / name
    counts = WordCounts.of(words, pattern="gpt2")
    counts.save(path)
    again = WordCounts.load(path, pattern="gpt2")
    assert items(again) == items(counts) == list(words.items())
    assert again.fingerprint == counts.fingerprint


def test_parquet_says_how_text_was_split(tmp_path):
    counts = digram.count(["the low Low"], pattern="gpt2", normalizer="Lowercase")
    counts.save(tmp_path / "a.parquet")
    again = WordCounts.load(tmp_path / "a.parquet")
    assert (again.split, again.fingerprint) == (counts.split, counts.fingerprint)
    assert items(again + counts) == items(counts + counts)
    trained = [digram.train(each, vocab_size=262) for each in (counts, again)]
    assert trained[0] == trained[1]
    assert trained[0].model.normalizer == digram.components.Lowercase()
    digram.train(again, pattern="gpt2", normalizer="Lowercase", vocab_size=257)
    assert WordCounts.load(tmp_path / "a.parquet", pattern="gpt2") == counts
    other = digram.count(["the low Low"], pattern="gpt2")
    with pytest.raises(ValueError, match=r"different patterns or normalizers.*Lowercase"):
        again + other
    with pytest.raises(ValueError, match="different patterns or normalizers"):
        WordCounts.mix((again, 1), (other, 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pattern": "o200k"}, "pattern is .*, but the words were counted with"),
        ({"normalizer": "NFC"}, "normalizer is .*NFC.*counted with None; leave it out"),
    ],
)
def test_another_splitting_than_that_of_the_counts_is_refused(tmp_path, options, message):
    counts = digram.count(["the low"], pattern="gpt2")
    counts.save(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=message):
        WordCounts.load(tmp_path / "a.parquet", **options)
    with pytest.raises(ValueError, match=message):
        digram.train(counts, **options)


def test_parquet_of_others_needs_two_columns_only(tmp_path):
    import pyarrow.parquet as pq

    path = tmp_path / "spark.parquet"
    pq.write_table(pa.table({"count": pa.array([1, 2, 4]), "word": ["a", "b", "a"]}), path)
    counts = WordCounts.load(path, pattern="whitespace")
    assert dict(counts) == {"a": 5, "b": 2}
    assert counts.split == digram.components.WhitespaceSplit()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": ["a"]}, "count"),
        ({"word": ["a"], "count": [-1]}, "not negative"),
        ({"word": ["a"], "count": ["x"]}, "whole numbers"),
        ({"word": [[1]], "count": [1]}, "text or bytes"),
        ({"word": ["a", None], "count": [1, 2]}, "row 2 has no word or no count"),
    ],
)
def test_parquet_without_words_is_refused(tmp_path, columns, message):
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=rf"a\.parquet.*{message}"):
        WordCounts.load(tmp_path / "a.parquet")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(FormatError, match="this is no parquet file"):
        WordCounts.load(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (b"{", "is damaged"),
        (b'{"version": 1}', "is damaged"),
        (b'{"version":2,"pre_tokenizer":null,"normalizer":null,"sha256":""}', "version is 2"),
        (b'{"version":1,"pre_tokenizer":null,"normalizer":null,"sha256":""}', "was changed"),
    ],
)
def test_a_description_that_does_not_fit_is_refused(tmp_path, said, message):
    import pyarrow.parquet as pq

    table = pa.table({"word": ["a"], "count": [1]}, metadata={b"digram.words": said})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=message):
        WordCounts.load(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"a", "a word, a tab, and a count"),
        (b"a\t0", "from 1 to"),
        (b"a\t-1", "from 1 to"),
        (b"\t3", "a word, a tab"),
        (b"a\t18446744073709551616", "from 1 to"),
        (b"a\t" + b"9" * 5000, "from 1 to"),
        (b"", "a word, a tab"),
        (b"\\alpha\t3", r"holds '\\\\a', which is none of .*escapes=False"),
        (b"a\\\t3", "which is none of"),
        (b"b c 3", "a word, a tab"),
        (b" 3", "a word, a tab"),
        (b"a ", "from 1 to"),
    ],
)
def test_a_line_of_tsv_that_is_none_is_named(tmp_path, line, message):
    (tmp_path / "a.tsv").write_bytes(b"ok\t1\n" + line + b"\n")
    with pytest.raises(FormatError, match=rf"a\.tsv: line 2 .*{message}"):
        WordCounts.load(tmp_path / "a.tsv")


def test_tsv_of_others_may_hold_backslashes_and_line_ends_of_windows(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"\\alpha\t3\r\nb c\t1\r\n")
    assert dict(WordCounts.load(tmp_path / "a.tsv", escapes=False)) == {"\\alpha": 3, "b c": 1}


def test_lines_with_a_space_are_read_without_escapes(tmp_path):
    (tmp_path / "dict.txt").write_bytes(b"low 5\n\\alpha 3\r\nb c\t2\nlow 1\n")
    assert dict(WordCounts.load(tmp_path / "dict.txt")) == {"low": 6, "\\alpha": 3, "b c": 2}


def test_counts_travel_between_processes():
    counts = digram.count(["the low"], pattern="gpt2", normalizer="NFC")
    again = pickle.loads(pickle.dumps(counts))  # noqa: S301
    assert items(again) == items(counts)
    assert again.fingerprint == counts.fingerprint


def test_counts_of_many_machines_teach_what_all_text_teaches(tmp_path):
    rng = random.Random(3)
    corpus = [" ".join(rng.choices(["low", "lower", "new", "newest", "é"], k=50)) for _ in range(9)]
    for part in range(3):
        digram.count(corpus[3 * part : 3 * part + 3]).save(tmp_path / f"{part}.parquet")
    parts = [WordCounts.load(path) for path in sorted(tmp_path.glob("*.parquet"))]
    added = sum(parts[1:], start=parts[0])
    assert digram.train(added, vocab_size=280) == digram.train(corpus, vocab_size=280)


def test_counts_of_numpy_are_counts():
    np = pytest.importorskip("numpy")
    words, counts = np.unique(np.array(["low", "new", "low"]), return_counts=True)
    found = digram.WordCounts.of({str(word): n for word, n in zip(words, counts, strict=True)})
    assert dict(found) == {"low": 2, "new": 1}


def test_names_of_other_files_and_files_that_are_not_there_are_told(tmp_path):
    counts = digram.WordCounts.of({"low": 1})
    for name in ("a.tsv.gz", "a.json", "a.CSV"):
        with pytest.raises(ValueError, match=r"another kind of file; counts are saved as .parquet"):
            counts.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    with pytest.raises(digram.MissingFileError, match="there is no file"):
        digram.WordCounts.load(tmp_path / "none.tsv")


def test_what_is_no_mapping_or_number_is_told_by_name():
    with pytest.raises(TypeError, match="words must be a mapping of words to counts, not int: 5"):
        digram.WordCounts.of(5)
    counts = digram.WordCounts.of({"low": 1})
    for call, name in ((counts.top, "n"), (lambda n: counts.filter(min_count=n), "min_count")):
        with pytest.raises(TypeError, match=f"^{name} must be an int, not str"):
            call("2")


def test_one_text_is_no_list_of_texts():
    with pytest.raises(TypeError, match=r"^texts is 'hello', one; give a list of texts: \[text\]"):
        digram.corpus(texts="hello")


def test_the_vocabulary_is_asked_as_a_dict_is():
    tok = digram.train(["low low"], vocab_size=257)
    assert [key in tok.tokens for key in (0, 256, 999, -1, "a", None, 1.5)] == [
        *[True] * 2,
        *[False] * 5,
    ]
    assert (tok.tokens.get("a"), tok.tokens.get(999, b"?"), tok.tokens.get(256)) == (
        None,
        b"?",
        tok.tokens[256],
    )


@pytest.mark.parametrize(
    "normalizer",
    [
        Strip(strip_left=True, strip_right=False),
        Replace(Regex(r"^\s+"), ""),
        NormalizerSequence((Lowercase(), Replace("x", ""))),
    ],
    ids=repr,
)
def test_words_are_counted_as_they_are_encoded_where_the_beginning_is_lost(normalizer):
    """`first` looks at where a text begins, and not at what a normalizer leaves of it."""
    split = Metaspace("\u2581", "first")
    for text in (" ab cd", "ab cd", "Xab x cd", ""):
        counted = digram.count([text, "z"], normalizer=normalizer, pattern=split)
        tok = digram.train(
            [text, "z"], units="chars", num_merges=0, normalizer=normalizer, pattern=split
        )
        words = [word for given in (text, "z") for word, *_ in tok.words(given)]
        assert dict(counted) == Counter(words), text


def test_steps_behind_a_byte_level_are_refused():
    """They would split bytes as they are spelled, and words are counted as text."""
    inner = PreTokenizerSequence((ByteLevel(use_regex=False), Whitespace()))
    for pattern in (inner, PreTokenizerSequence((inner, WhitespaceSplit()))):
        for call in (digram.count, digram.train):
            with pytest.raises(ValueError, match=r"a ByteLevel is not the last step.*put .* last"):
                call(["a b"], pattern=pattern)
    last = PreTokenizerSequence(
        (WhitespaceSplit(), PreTokenizerSequence((ByteLevel(add_prefix_space=False),)))
    )
    assert dict(digram.count(["a a"], pattern=last)) == {"a": 2}
