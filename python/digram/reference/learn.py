"""Learning: merge the most frequent pair of neighbours, again and again.

Every merge counts all pairs anew. That is slow, and it is the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from digram import patterns
from digram._arguments import first_ids, listed, normalizer_of
from digram._model import Merges, Model
from digram._report import StopReason, TrainingReport
from digram.components import AddedToken, Normalizer, PreTokenizer
from digram.reference.options import (
    Alphabet,
    Options,
    Word,
    check_counts,
    check_possible,
    check_room,
    check_vocabulary,
    wanted_units,
)
from digram.reference.spelling import (
    END,
    Kind,
    Pair,
    Symbols,
    Units,
    join,
    spell_units,
    split,
)
from digram.reference.ties import Ties, choose

Words = Mapping[Any, Symbols]
Counts = Mapping[Any, int]
Watch = Callable[["Step"], object]


def count_pairs(words: Words, counts: Counts) -> dict[Pair, int]:
    """Count adjacent pairs, each weighted by its word's count, in the order first seen.

    Pairs overlap: a word of three equal symbols holds their pair twice, though it can be merged
    only once.

    >>> count_pairs({"hug": (2, 5, 1), "ooo": (4, 4, 4)}, {"hug": 10, "ooo": 1})
    {(2, 5): 10, (5, 1): 10, (4, 4): 2}
    """
    pairs: dict[Pair, int] = {}
    for word, symbols in words.items():
        for pair in pairwise(symbols):
            pairs[pair] = pairs.get(pair, 0) + counts[word]
    return pairs


def merge_pair(symbols: Symbols, pair: Pair, merged: int) -> Symbols:
    """Replace each occurrence of `pair`, left to right, by `merged`.

    >>> merge_pair((1, 1, 1, 2), (1, 1), 9)
    (9, 1, 2)
    """
    out: list[int] = []
    for symbol in symbols:
        if out and (out[-1], symbol) == pair:
            out[-1] = merged
        else:
            out.append(symbol)
    return tuple(out)


def merge_words(words: Words, pair: Pair, merged: int) -> Words:
    """Replace each occurrence of `pair` in all words.

    >>> merge_words({"hug": (2, 5, 1), "bug": (0, 5, 1)}, (5, 1), 7)
    {'hug': (2, 7), 'bug': (0, 7)}
    """
    return {word: merge_pair(symbols, pair, merged) for word, symbols in words.items()}


def count_symbols(words: Words, counts: Counts) -> dict[int, int]:
    """Count how often each symbol occurs in all words together.

    >>> count_symbols({"hug": (2, 5, 1), "ooo": (4, 4, 4)}, {"hug": 10, "ooo": 1})
    {2: 10, 5: 10, 1: 10, 4: 3}
    """
    symbols: dict[int, int] = {}
    for word, segmented in words.items():
        for symbol in segmented:
            symbols[symbol] = symbols.get(symbol, 0) + counts[word]
    return symbols


def base_symbols(word: Word, options: Options, *, whole: bool = True) -> tuple[Units, ...]:
    """Split a word into the symbols that learning starts from; what is not whole has no marker.

    >>> base_symbols("st", Options(units="chars", end_of_word="</w>"))
    ((b's',), (b't',), (b'',))
    >>> base_symbols("st", Options(units="chars", end_of_word="</w>", marker="attached"))
    ((b's',), (b't', b''))
    """
    units = split(word, options.units)
    if options.end_of_word is None or not whole:
        return tuple((unit,) for unit in units)
    if options.attached:
        return (*((unit,) for unit in units[:-1]), (units[-1], END))
    return (*((unit,) for unit in units), (END,))


def alphabet(words: Iterable[Word], options: Options) -> list[Units]:
    """List the base symbols in the order of their ids.

    They sort as they are spelled, which for bytes is GPT-2's order; those with an attached
    marker come after all the others. Of bytes all 256 are there unless only `"seen"` ones are
    wanted, and a unit seen only at a word's end is there without the marker too.

    >>> options = Options(units="chars", end_of_word="</w>")
    >>> [join(symbol, "</w>") for symbol in alphabet(["low"], options)]
    [b'</w>', b'l', b'o', b'w']
    >>> options = Options(units="chars", end_of_word="</w>", marker="attached")
    >>> [join(symbol, "</w>") for symbol in alphabet(["low"], options)]
    [b'l', b'o', b'w', b'w</w>']
    """
    symbols = {symbol for word in words for symbol in base_symbols(word, options)}
    for word, whole in options.required_words:
        symbols |= set(base_symbols(word, options, whole=whole))
    symbols |= {symbol[:1] for symbol in symbols}
    for unit in wanted_units(options.initial_alphabet, options.units):
        symbols |= {(unit,), (unit, END)} if options.attached else {(unit,)}

    def order(symbol: Units) -> tuple[int, str, bool]:
        # A unit goes before a marker that is spelled like it.
        spelled = spell_units(symbol, options.units, options.end_of_word)
        return len(symbol), spelled, END in symbol

    return sorted(symbols, key=order)


@dataclass(frozen=True)
class Step:
    """One merge, as a teacher shows it: what was there, what was chosen, what came of it."""

    pairs: Sequence[tuple[str, str, int]]
    """The pairs that could be merged and their counts, in the order first seen."""
    tied: Sequence[tuple[str, str]]
    """The most frequent of them, among which the tie rule chooses."""
    pair: tuple[str, str]
    """The pair chosen."""
    frequency: int
    """Its count."""
    words: Mapping[Word, tuple[str, ...]]
    """Each word after the merge."""

    def __str__(self) -> str:
        left, right = self.pair
        among = f", one of {len(self.tied)}" if len(self.tied) > 1 else ""
        words = " | ".join(" ".join(symbols) for symbols in self.words.values())
        return f"{left} + {right} ({self.frequency} times{among}): {words}"


class Learning:
    """Learning under way: every word as symbols, and the tokens and merges so far."""

    def __init__(self, counts: Counts, options: Options) -> None:
        counts = check_counts(counts)
        base = alphabet(counts, options)
        check_vocabulary(options, [join(symbol, options.end_of_word) for symbol in base])
        self.counts, self.options = counts, options
        self.vetoed = {special.encode() for special in options.specials}
        self.tokens = dict(enumerate(base, start=len(options.specials)))
        self.merges: list[tuple[int, int, int]] = []
        ids = {token: token_id for token_id, token in self.tokens.items()}
        self.words: Words = {
            word: tuple(ids[symbol] for symbol in base_symbols(word, options)) for word in counts
        }
        self.required: Words = {
            (word, whole): tuple(ids[symbol] for symbol in base_symbols(word, options, whole=whole))
            for word, whole in options.required_words
        }
        self.places: list[int] = []
        self.ties: list[int] = []
        live = self.live()
        self.live_symbols = [len(live)]
        self.frequencies = [0] * len(options.specials) + [live.get(i, 0) for i in self.tokens]

    @property
    def vocab_size(self) -> int:
        """How many tokens there are now, special tokens and base symbols included."""
        return len(self.options.specials) + len(self.tokens)

    def live(self) -> Mapping[int, int]:
        """Count how often each symbol occurs now."""
        return count_symbols(self.words, self.counts)

    def candidates(self) -> dict[Pair, int]:
        """Count the pairs that may be merged, in the order first seen.

        A special token is never made by merging, nor a token longer than the longest wanted.
        """
        return {
            pair: n for pair, n in count_pairs(self.words, self.counts).items() if self.may(pair)
        }

    def may(self, pair: Pair) -> bool:
        """Say whether a pair's product may become a token; the marker is one unit of it."""
        product = self.tokens[pair[0]] + self.tokens[pair[1]]
        longest = self.options.max_token_length
        if longest is not None and len(product) > longest:
            return False
        return join(product, self.options.end_of_word) not in self.vetoed

    def limit(self) -> StopReason | None:
        """Say which limit is reached, if one is."""
        if self.vocab_size == self.options.vocab_size:
            return "vocab_size"
        if len(self.merges) == self.options.num_merges:
            return "num_merges"
        return None

    def merge(self, pair: Pair, frequency: int) -> None:
        """Make a pair a token and put it into every word."""
        merged = self.vocab_size
        self.tokens[merged] = self.tokens[pair[0]] + self.tokens[pair[1]]
        self.merges.append((*pair, merged))
        before = sum(map(len, self.words.values()))
        self.words = merge_words(self.words, pair, merged)
        self.required = merge_words(self.required, pair, merged)
        self.places.append(before - sum(map(len, self.words.values())))
        self.frequencies.append(frequency)
        self.live_symbols.append(len(self.live()))

    def take(self, candidates: Counts, among: Sequence[Pair], watch: Watch | None) -> None:
        """Merge the most frequent of some pairs; of several, that which the tie rule chooses."""
        frequency = max(candidates.get(pair, 0) for pair in among)
        tied = [pair for pair in among if candidates.get(pair, 0) == frequency]
        pair = choose(tied, self.options.ties, self.tokens, self.options.end_of_word)
        self.merge(pair, frequency)
        self.ties.append(len(tied))
        if watch is not None:
            watch(self.step({**candidates, pair: frequency}, tied, pair))

    def make_required(self, watch: Watch | None) -> None:
        """Merge, of the pairs in required tokens, the most frequent, until each is one symbol."""
        while any(len(symbols) > 1 for symbols in self.required.values()):
            inside = count_pairs(self.required, dict.fromkeys(self.required, 1))
            wanted = sorted(pair for pair in inside if self.may(pair))
            check_possible(self.options, wanted)
            candidates = self.candidates()
            self.take(candidates, [pair for pair in candidates if pair in inside] or wanted, watch)
        self.ties = [0] * len(self.merges)
        check_room(self.options, self.vocab_size, len(self.merges))

    def run(self, watch: Watch | None) -> StopReason:
        """Merge the most frequent pair until a limit is reached or no pair is left."""
        self.make_required(watch)
        while (reached := self.limit()) is None:
            candidates = self.candidates()
            if not candidates:
                return "no-pairs"
            if max(candidates.values()) < self.options.min_frequency:
                return "min_frequency"
            self.take(candidates, list(candidates), watch)
        return reached

    def spelled(self, symbols: Iterable[int]) -> tuple[str, ...]:
        """Spell symbols for people."""
        options = self.options
        return tuple(
            spell_units(self.tokens[symbol], options.units, options.end_of_word)
            for symbol in symbols
        )

    def step(self, candidates: Mapping[Pair, int], tied: Iterable[Pair], pair: Pair) -> Step:
        """Describe the merge made last."""

        def spell_pair(pair: Pair) -> tuple[str, str]:
            left, right = self.spelled(pair)
            return left, right

        return Step(
            pairs=[(*spell_pair(each), count) for each, count in candidates.items()],
            tied=[spell_pair(each) for each in tied],
            pair=spell_pair(pair),
            frequency=candidates[pair],
            words={word: self.spelled(symbols) for word, symbols in self.words.items()},
        )

    def report(self, stopped: StopReason) -> TrainingReport:
        """Report what was learned."""
        live = self.live()
        return TrainingReport(
            tokens=(*self.options.specials, *self.spelled(self.tokens)),
            pairs=tuple(self.merges),
            frequencies=tuple(self.frequencies),
            live_frequencies=tuple(live.get(i, 0) for i in range(self.vocab_size)),
            live_symbols=tuple(self.live_symbols),
            places=tuple(self.places),
            tied=tuple(self.ties),
            stopped=stopped,
            words=len(self.counts),
            occurrences=sum(self.counts.values()),
            text_bytes=sum(
                n * sum(map(len, split(word, self.options.units)))
                for word, n in self.counts.items()
            ),
        )

    def model(self) -> Model:
        """Put what was learned into a model."""
        options = self.options
        split = patterns.pre_tokenizer(options.pattern, options.units, options.end_of_word)
        specials = {i: special.encode() for i, special in enumerate(options.specials)}
        tokens = {i: join(token, options.end_of_word) for i, token in self.tokens.items()}
        return Model(
            tokens=specials | tokens,
            rule=Merges(tuple(self.merges)),
            units=options.units,
            unk_token=options.unk_token,
            fuse_unk=options.fuse_unk,
            end_of_word=options.end_of_word,
            marker=options.marker,
            word_ends=frozenset(i for i, token in self.tokens.items() if END in token),
            added_tokens=tuple(AddedToken(i, name) for i, name in enumerate(options.specials)),
            normalizer=options.normalizer,
            pre_tokenizer=split,
            decoder=patterns.decoder(options.units, options.end_of_word, split, options.normalizer),
        )


def learn(
    counts: Mapping[str, int] | Mapping[bytes, int] | Mapping[Word, int],
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    units: Kind = "bytes",
    pattern: str | PreTokenizer | None = None,
    normalizer: str | Normalizer | None = None,
    special_tokens: Iterable[str] = (),
    min_frequency: int = 2,
    ties: Ties = "smallest-ids",
    end_of_word: str | None = None,
    marker: Literal["separate", "attached"] = "separate",
    unk_token: str | None = None,
    fuse_unk: bool = False,
    max_token_length: int | None = None,
    required: Iterable[str] = (),
    initial_alphabet: Alphabet = None,
    watch: Watch | None = None,
) -> tuple[Model, TrainingReport]:
    """Learn merges from word counts; their order matters only to the rule `first-seen`.

    `watch` is called with every step as it is made. `pattern` and `normalizer` say how the words
    came out of their text; the model keeps them, learning does not look at them.

    >>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> model, report = learn(counts, units="chars", vocab_size=10, watch=print)
    u + g (20 times): h ug | p ug | p u n | b u n | h ug s
    u + n (16 times): h ug | p ug | p un | b un | h ug s
    h + ug (15 times): hug | p ug | p un | b un | hug s
    >>> report.stopped, report.tokens
    ('vocab_size', ('b', 'g', 'h', 'n', 'p', 's', 'u', 'ug', 'un', 'hug'))
    """
    options = Options(
        vocab_size=vocab_size,
        num_merges=num_merges,
        units=units,
        pattern=pattern,
        normalizer=normalizer_of(normalizer),
        special_tokens=first_ids("special_tokens", special_tokens),
        min_frequency=min_frequency,
        ties=ties,
        end_of_word=end_of_word,
        marker=marker,
        unk_token=unk_token,
        fuse_unk=fuse_unk,
        max_token_length=max_token_length,
        required=listed("required", required),
        initial_alphabet=initial_alphabet,
    )
    learning = Learning(counts, options)
    stopped = learning.run(watch)
    return learning.model(), learning.report(stopped)


def steps(counts: Mapping[Any, int], **options: Any) -> list[Step]:
    """List the steps of `learn`, which takes the same arguments.

    >>> [step.tied for step in steps({"low": 5}, units="chars", num_merges=1)]
    [[('l', 'o'), ('o', 'w')]]
    """
    seen: list[Step] = []
    learn(counts, **options, watch=seen.append)
    return seen
