"""Progress: every stage is told how far it is, and counting how many distinct words there are."""

import random
from itertools import pairwise

import pytest

import digram

STAGES = ("count", "words", "symbols", "pairs", "merges")


def told_of(work, *arguments, **options):
    """Return what progress is told, and the result."""
    told = []
    result = work(*arguments, progress=lambda *step: told.append(step), **options)
    return told, result


def words_of(told):
    return [step[1:] for step in told if step[0] == "distinct"]


@pytest.fixture(scope="module")
def many():
    """A text of 20,000 distinct words and some, most of which come several times."""
    rng = random.Random(5)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(3, 20))) for _ in range(20_000)]
    return " ".join([*words, *rng.choices(words, k=100_000)])


def test_few_distinct_words_are_told_exactly():
    told, counts = told_of(digram.count, ["low lower lowest", " new low"], pattern="whitespace")
    assert words_of(told) == [(4, 0), (4, 4)]
    assert len(counts) == 4


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_many_distinct_words_are_estimated_alike_by_any_threads_then_exactly(many, threads):
    (alone, _), *_ = words_of(told_of(digram.count, [many], threads=1)[0])
    told, counts = told_of(digram.count, [many], threads=threads, max_memory="16MB")
    (estimate, total), *_, last = words_of(told)
    assert (estimate, total) == (alone, 0)
    assert last == (len(counts), len(counts))
    # three times the deviation that hashes have
    assert 0 < abs(estimate - len(counts)) < 0.05 * len(counts)


def test_distinct_words_are_told_between_windows_of_a_file(tmp_path, many):
    path = tmp_path / "corpus.txt"
    path.write_text(many * 8, "utf-8", newline="")
    told, counts = told_of(digram.count, path)
    first = next(at for at, step in enumerate(told) if step[0] == "distinct")
    size = path.stat().st_size
    assert any(stage == "count" and done < size for stage, done, _ in told[first:])
    assert told[-1] == ("distinct", len(counts), len(counts))


def test_one_large_text_tells_how_far_it_is_while_it_is_counted():
    text = " low lower lowest\n" * (1 << 22)
    told, _ = told_of(digram.count, [text], threads=1)
    done = [done for stage, done, _ in told if stage == "count"]
    assert done[-1] == len(text)
    assert all(before <= after for before, after in pairwise(done))
    # from its beginning to its end, and not at its end alone
    assert done[0] < len(text) / 2
    assert len(set(done)) > 2


def test_training_tells_its_stages_and_the_distinct_words_of_counting(many):
    told, tok = told_of(digram.train, [many], num_merges=50)
    assert {stage for stage, _, _ in told} <= {*STAGES, "distinct"}
    assert words_of(told)[-1] == (tok.training.words,) * 2
    ended = max(at for at, step in enumerate(told) if step[0] == "distinct")
    assert all(stage not in ("count", "distinct") for stage, _, _ in told[ended + 1 :])


def test_counted_words_are_no_news(many):
    counts = digram.count([many])
    told, _ = told_of(digram.train, counts, num_merges=50)
    assert words_of(told) == []
