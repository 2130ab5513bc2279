"""`digram train`: a corpus in, a tokenizer out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

import digram
from digram import Tokenizer
from digram.cli import curves, options, output, progress, saving
from digram.cli import training_options as told
from digram.cli.figures import big, rate, seconds, size
from digram.cli.known import Known
from digram.cli.texts import Texts, tell_skipped, with_texts

__all__ = ["train"]

# Why training stopped, in the words of the options.
STOPPED = {
    "vocab_size": "the vocabulary has the size asked for",
    "num_merges": "there are as many merges as asked for",
    "min_frequency": "the best pair left is rarer than --min-frequency",
    "no-pairs": "no pair is left to merge",
}


@with_texts
def train(
    corpus: told.Corpus = None,
    *,
    target: told.Target = saving.STDOUT,
    vocab_size: told.VocabSize = None,
    num_merges: told.NumMerges = None,
    units: told.Units = "bytes",
    pattern: told.Pattern = None,
    normalizer: told.Normalizer = None,
    special_token: told.SpecialTokens = None,
    min_frequency: told.MinFrequency = 2,
    ties: told.Ties = "smallest-ids",
    end_of_word: told.EndOfWord = None,
    marker: told.Marker = "separate",
    unk_token: told.UnkToken = None,
    fuse_unk: told.FuseUnk = False,
    byte_fallback: told.ByteFallback = False,
    max_token_length: told.MaxTokenLength = None,
    forbid: told.Forbidden = None,
    forbid_matching: told.ForbiddenPatterns = None,
    require: told.Required = None,
    apart: told.Apart = None,
    max_digits: told.MaxDigits = None,
    initial_alphabet: told.InitialAlphabet = None,
    limit_alphabet: told.LimitAlphabet = None,
    character_coverage: told.CharacterCoverage = None,
    extend: told.Extend = None,
    threads: told.Threads = None,
    max_memory: told.MaxMemory = None,
    counts: told.Counted = False,
    checkpoint: told.Checkpoint = None,
    format: told.TargetFormat = None,
    report: told.Report = None,
    plot: told.Plot = False,
    svg: told.Svg = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
    as_json: options.Json = False,
    texts: Texts,
) -> None:
    """Learn a tokenizer from text.

    $ digram train 'corpus/*.txt' --vocab-size 32000 -o tokenizer.json
    $ digram train data/ --field body --errors skip --vocab-size 32000 -o tokenizer.json
    $ digram train a.txt --pattern spaces --units chars --end-of-word '</w>' -o bpe.codes
    $ digram train 'zh/*.txt' --extend hub:org/llama --vocab-size 48000 -o tokenizer.json

    The first limit that is reached stops; without one, training goes on until no pair is frequent
    enough. PATH is written at the end, at once and whole. --json tells the summary on stdout. After
    Ctrl-C, or anything worse, the same command with the same --checkpoint goes on where it stopped.
    """
    saving.check_target(target, format, report, svg, as_json=as_json)
    how: dict[str, Any] = {"pattern": pattern, "normalizer": normalizer, "end_of_word": end_of_word}
    with (
        texts.opened(corpus, how if counts else None) as found,
        progress.training(wanted=not quiet) as tell,
    ):
        _check_apart(found, corpus, output=target, report=report, svg=svg, checkpoint=checkpoint)
        lesson = Lesson(found, time.perf_counter())
        tok = digram.train(
            found,
            vocab_size=vocab_size,
            num_merges=num_merges,
            units=units,
            **how,
            special_tokens=special_token or (),
            min_frequency=min_frequency,
            ties=ties,
            marker=marker,
            unk_token=unk_token,
            fuse_unk=fuse_unk,
            byte_fallback=byte_fallback,
            max_token_length=max_token_length,
            forbidden=[*(forbid or ()), *(forbid_matching or ())],
            required=require or (),
            apart=apart or (),
            max_digits=max_digits,
            initial_alphabet=initial_alphabet,
            limit_alphabet=limit_alphabet,
            character_coverage=character_coverage,
            extend=None if extend is None else options.open_tokenizer(extend, Known()),
            threads=threads,
            progress=tell,
            checkpoint=checkpoint,
            max_memory=max_memory,
        )
        summary = lesson.summary(tok)
    saving.save(tok, target, format)
    curves.write(lesson.report(tok), report, svg, plot=plot)
    _tell(target, summary, found, as_json=as_json, quiet=quiet)


def _check_apart(
    found: digram.Corpus | digram.WordCounts, given: Sequence[str] | None, **written: str | None
) -> None:
    """Refuse to write over what is learned from."""
    saving.check_apart(found.files if isinstance(found, digram.Corpus) else given or (), **written)


@dataclass(frozen=True)
class Lesson:
    """What is learned from, and since when."""

    corpus: digram.Corpus | digram.WordCounts
    started: float

    def report(self, tok: Tokenizer) -> digram.TrainingReport:
        """Return what training told."""
        if tok.training is None:
            raise RuntimeError("a tokenizer that was trained has a report")
        return tok.training

    def summary(self, tok: Tokenizer) -> dict[str, Any]:
        """Return what a person wants to know of the training, now that it is over."""
        report = self.report(tok)
        corpus = self.corpus if isinstance(self.corpus, digram.Corpus) else None
        return {
            "vocab_size": tok.vocab_size,
            "merges": len(report.pairs),
            "stopped": report.stopped,
            "files": 0 if corpus is None else len(corpus.files),
            # of what has no size, or is counted, the bytes of its words
            "bytes": (corpus.size if corpus else 0) or report.text_bytes,
            "skipped": 0 if corpus is None else corpus.skipped.count,
            "seconds": round(time.perf_counter() - self.started, 3),
            "words": report.words,
            "occurrences": report.occurrences,
            "symbols_at_start": report.symbols_at_start,
            "symbols_at_end": report.symbols_at_end,
        }


def _tell(
    target: str,
    summary: dict[str, Any],
    corpus: digram.Corpus | digram.WordCounts,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    if as_json:
        output.write_json({"file": target, **summary})
    if as_json or quiet:
        return
    found = {name: big(value) for name, value in summary.items() if isinstance(value, int)}
    read, took = summary["bytes"], summary["seconds"]
    name = "stdout" if target == saving.STDOUT else target
    output.say(f"{name}: {found['vocab_size']} tokens, {found['merges']} of them by merges")
    output.say(f"stopped because {STOPPED[summary['stopped']]}")
    output.say(
        f"{size(read)} in {seconds(took)} ({rate(read, took)}): {found['occurrences']} words,"
        f" {found['words']} different; {found['symbols_at_start']} symbols became"
        f" {found['symbols_at_end']}"
    )
    tell_skipped(corpus)
