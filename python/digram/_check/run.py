"""All checks, one after the other: on what a file lists, and on the tokenizer that it opens as."""

from __future__ import annotations

from typing import Any

from digram._check.added import check_added
from digram._check.components import check_decoder, check_normalizer, check_pre_tokenizer
from digram._check.files import read_files
from digram._check.findings import Findings, finding
from digram._check.listing import Listing, listed
from digram._check.merges import check_merges
from digram._check.portability import check_portability
from digram._check.reach import check_reach
from digram._check.self_test import check_self_test
from digram._check.settings import check_settings
from digram._check.special_text import check_special_text
from digram._check.template import check_template
from digram._check.vocabulary import check_vocabulary
from digram._load import contents_of, load
from digram._model import Model
from digram._tokenizer import Tokenizer
from digram._training_record import fault
from digram.errors import DigramError, FormatError, LimitError

__all__ = ["check_file", "check_tokenizer"]

# Why a file may not open, found by looking at its components one by one: what opens has none.
REFUSALS = ("component-refused", "pattern-refused")


def check_tokenizer(tok: Tokenizer, *, notes: bool) -> Findings:
    """Look at a tokenizer that is open."""
    model = tok.model
    yield from _check_listing(listed(tok, model))
    yield from _check_open(tok, model, notes=notes)


def check_file(source: Any, known: dict[str, Any], *, notes: bool) -> Findings:
    """Look at a file, as far as it can be read; without `notes`, some are not looked for."""
    contents = contents_of(source, None)[1]
    read = read_files(contents)
    found = [] if read is None else list(read.found)
    raw = None if read is None else read.listing
    try:
        tok = load(source, **known)
    except (FormatError, LimitError, ValueError) as error:
        found += [] if raw is None else _check_listing(raw)
        if not any(each.severity == "error" for each in found):
            if not isinstance(error, DigramError):
                raise  # a keyword is missing, or one too many
            found.append(finding("refused", str(error)))
        yield from found
        return
    model = tok.model
    yield from (each for each in found if each.code not in REFUSALS)
    yield from check_self_test(tok, model, contents[0])
    yield from _check_listing(listed(tok, model, raw))
    yield from _check_open(tok, model, notes=notes)


def _check_listing(listing: Listing) -> Findings:
    for look in (check_vocabulary, check_merges, check_added, check_template, check_settings):
        yield from look(listing)


def _check_open(tok: Tokenizer, model: Model, *, notes: bool) -> Findings:
    """Measure what an open tokenizer, of this model, does."""
    steady = tok if model.dropout is None else tok.with_(dropout=None)
    yield from check_reach(steady, model)
    yield from check_special_text(steady)
    yield from check_normalizer(model.normalizer)
    yield from check_pre_tokenizer(model.pre_tokenizer)
    yield from check_decoder(steady, model)
    yield from _check_record(tok)
    if notes:  # a file is written for it
        yield from check_portability(steady, model)
    drops = model.drops_unknown and model.unk_token is None and not model.byte_fallback
    if drops and model.units == "chars" and not model.spelled:
        yield finding("unk-unset", "there is none", place="model.unk_token")


def _check_record(tok: Tokenizer) -> Findings:
    """Look at the record of training, which is kept as the file has it where it tells nothing."""
    reason = fault(tok._training, tok._engine) if isinstance(tok._training, str) else None
    if reason is not None:
        yield finding("training-mismatch", reason, place="model.digram.training")
