"""Gage's compression: exact on any bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digram.reference import compress, expand

any_bytes = st.one_of(st.binary(max_size=200), st.text("ab", max_size=200).map(str.encode))


@given(any_bytes, st.integers(2, 6))
def test_expanding_undoes_compressing(data, min_frequency):
    assert expand(compress(data, min_frequency=min_frequency)) == data


@given(any_bytes)
def test_what_is_compressed_with_its_table_is_never_longer(data):
    assert len(compress(data)) <= len(data)


def test_nothing_is_replaced_where_every_byte_value_is_used():
    data = bytes(range(256)) * 8
    compressed = compress(data)
    assert (compressed.data, compressed.table) == (data, ())


def test_a_byte_is_given_away_once_even_if_it_vanishes_from_the_data():
    compressed = compress(b"ab" * 64)
    replacing = [byte for byte, _ in compressed.table]
    assert len(set(replacing)) == len(replacing)
    assert expand(compressed) == b"ab" * 64


def test_a_pair_that_occurs_once_gains_nothing():
    with pytest.raises(ValueError, match="min_frequency is 1"):
        compress(b"ab", min_frequency=1)
