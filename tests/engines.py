"""The two engines behind one face, so that every law is tested on both."""

import dataclasses

import pytest

import digram
from digram import reference


class ReferenceTokenizer:
    """A model run by the reference."""

    def __init__(self, model):
        self.model = model

    def encode(self, text, **options):
        return reference.encode(self.model, text, **options)

    def tokenize(self, text, *, marker=True):
        return reference.tokenize(self.model, text, marker=marker)

    def decode(self, ids, *, errors="replace"):
        return reference.decode(self.model, ids, errors)

    def decode_bytes(self, ids):
        return reference.decode_bytes(self.model, ids)


class Reference:
    """`digram.reference`."""

    name = "reference"

    def learn(self, counts, **options):
        """Train on word counts: a tokenizer and the report."""
        model, report = reference.learn(counts, **options)
        return ReferenceTokenizer(model), report

    def tokenizer(self, model):
        """A tokenizer of a model made in memory."""
        return ReferenceTokenizer(reference.check(model))

    def count_words(self, texts, **options):
        """The words of texts and their counts."""
        return reference.count_words(texts, **options)


class Rust:
    """The public API, which the Rust engine stands behind."""

    name = "rust"

    def __init__(self):
        import digram

        for needed in ("train", "Tokenizer"):
            if not hasattr(digram, needed):
                pytest.skip(f"digram.{needed} is not there yet")
        self.digram = digram

    def learn(self, counts, **options):
        """Train on word counts: a tokenizer and the report."""
        tokenizer = self.digram.train(counts, **options)
        return tokenizer, tokenizer.training

    def tokenizer(self, model):
        """A tokenizer of a model made in memory."""
        return self.digram.Tokenizer(model)

    def count_words(self, texts, **options):
        """The words of texts and their counts."""
        if not hasattr(self.digram, "count"):
            pytest.skip("digram.count is not there yet")
        return dict(self.digram.count(texts, **options))


ENGINES = {"reference": Reference, "rust": Rust}


def learned(report):
    """The merges of a report as the vectors write them: [[left, right], frequency]."""
    return [[[m.left_token, m.right_token], m.frequency] for m in report.merges]


def no_added(tok):
    """The same tokens, none of which is found in a text before it is split."""
    return digram.Tokenizer(dataclasses.replace(tok.model, added_tokens=()))
