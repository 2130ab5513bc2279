"""A part of a corpus: samples that the texts decide, and so many bytes."""

import pytest
from drawn import texts
from hypothesis import given
from hypothesis import strategies as st

import digram


@given(st.lists(texts(), max_size=30, unique=True), st.floats(0.01, 1), st.integers(0, 2**64 - 1))
def test_a_sample_depends_on_the_texts_alone(found, share, seed):
    def sample(given, **options):
        return list(digram.corpus(texts=given, sample=share, seed=seed, **options))

    kept = sample(found)
    assert sample(found[::-1]) == kept[::-1]
    assert [text for part in found for text in sample([part])] == kept
    assert sample([{"a": text} for text in found], field="a") == kept


def test_a_sample_is_of_the_share_asked_for_and_of_its_seed():
    numbers = [str(number) for number in range(20_000)]
    kept = {seed: set(digram.corpus(texts=numbers, sample=0.1, seed=seed)) for seed in (0, 1)}
    assert all(1800 < len(found) < 2200 for found in kept.values())
    assert len(kept[0] & kept[1]) < 300
    # BLAKE2b is fixed for ever, and so is a sample.
    assert sorted(kept[0], key=int)[:5] == ["4", "19", "23", "28", "32"]


@given(st.lists(texts(), max_size=8), st.integers(1, 60))
def test_a_limit_takes_the_first_bytes_and_cuts_at_a_character(found, most):
    kept = "".join(digram.corpus(texts=found, limit_bytes=most))
    whole = "".join(found)
    assert whole.startswith(kept)
    missing = min(most, len(whole.encode())) - len(kept.encode())
    assert 0 <= missing < 4
    if missing:
        assert len(whole[len(kept)].encode()) > missing


@pytest.mark.parametrize("most", range(1, 12))
def test_of_a_file_no_more_is_read_than_the_limit_wants(tmp_path, most):
    path = tmp_path / "a.txt"
    path.write_bytes("aé漢🙂é".encode() + b"\xff" * 100)
    [kept] = digram.corpus(path, limit_bytes=most)
    assert kept == "aé漢🙂é".encode()[:most].decode("utf-8", "ignore")


def test_a_limit_counts_over_files_and_after_sampling(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(name * 10, encoding="utf-8")
    assert "".join(digram.corpus(tmp_path, limit_bytes=15)) == "a" * 10 + "b" * 5
    numbers = list(map(str, range(1000)))
    sample = "".join(digram.corpus(texts=numbers, sample=0.5))
    assert "".join(digram.corpus(texts=numbers, sample=0.5, limit_bytes=99)) == sample[:99]


@pytest.mark.parametrize(
    ("size", "most"), [("20", 20), ("0.02kB", 20), ("2 KiB", 2048), ("5MB", 5_000_000)]
)
def test_a_limit_is_a_number_of_bytes_or_a_size(size, most):
    """Sizes were a TypeError."""
    sized = digram.corpus(texts=["low lower lowest newest"], limit_bytes=size)
    assert sized == digram.corpus(texts=["low lower lowest newest"], limit_bytes=most)
    assert list(sized) == ["low lower lowest newest"[:most]]


@pytest.mark.parametrize("size", ["0MB", "lots", "-5", "", "9" * 30 + "TB"])
def test_a_limit_that_is_no_size_is_refused_by_name(size):
    with pytest.raises(ValueError, match="limit_bytes is "):
        digram.corpus(texts=[], limit_bytes=size)
