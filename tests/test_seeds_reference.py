"""What the seed documents show step by step, on the reference, which shows its steps."""

import pytest

from digram import reference
from digram._model import Merges, Model
from digram.components import AddedToken, BPEDecoder
from digram.errors import FormatError, UnknownTokenError

SEEN = {"units": "chars", "ties": "first-seen"}
MARKED = {**SEEN, "end_of_word": "</w>"}


@pytest.fixture
def toy(seeds):
    return seeds["toy"]


@pytest.fixture
def lowest(toy):
    """The ten merges of the Korean seed."""
    model, _ = reference.learn(toy["word_freqs"], **MARKED, num_merges=10)
    return model


def test_pair_counts_at_the_start_of_hug(seeds):
    hug = seeds["hug"]
    (step,) = reference.steps(hug["word_freqs"], **SEEN, num_merges=1)
    assert {f"{left} {right}": n for left, right, n in step.pairs} == hug["pair_counts_start"]


def test_a_pair_loses_what_another_merge_took(seeds):
    # "p u" falls from 17 to 12 by the first merge, so "u n" goes second.
    _, second = reference.steps(seeds["hug"]["word_freqs"], **SEEN, num_merges=2)
    counts = {f"{left} {right}": n for left, right, n in second.pairs}
    assert (counts["p u"], second.pair) == (12, ("u", "n"))


def test_the_words_of_hug_after_every_merge(seeds):
    last = reference.steps(seeds["hug"]["word_freqs"], **SEEN, num_merges=3)[-1]
    assert {w: list(s) for w, s in last.words.items()} == seeds["hug"]["splits_after_3_printed"]


def test_the_tied_pairs_of_every_step(toy):
    for number, step in enumerate(reference.steps(toy["word_freqs"], **MARKED), start=1):
        alone = [list(step.pair)]
        assert [list(pair) for pair in step.tied] == toy["tie_sets_derived"].get(str(number), alone)


def test_the_dictionary_after_every_step_as_printed(toy):
    # "l o w </w>": 5, "l o w e r </w>": 2, ...: iterations 0 to 6 of the Korean seed.
    printed = [
        ["l o w </w>", "l o w e r </w>", "n e w es t </w>", "w i d es t </w>"],
        ["l o w </w>", "l o w e r </w>", "n e w est </w>", "w i d est </w>"],
        ["l o w </w>", "l o w e r </w>", "n e w est</w>", "w i d est</w>"],
        ["lo w </w>", "lo w e r </w>", "n e w est</w>", "w i d est</w>"],
        ["low </w>", "low e r </w>", "n e w est</w>", "w i d est</w>"],
        ["low </w>", "low e r </w>", "ne w est</w>", "w i d est</w>"],
        ["low </w>", "low e r </w>", "new est</w>", "w i d est</w>"],
    ]
    steps = reference.steps(toy["word_freqs"], **MARKED)
    assert [[" ".join(s) for s in step.words.values()] for step in steps[:7]] == printed
    assert [" ".join(s) for s in steps[-1].words.values()] == [
        "low</w>",
        "lower</w>",
        "newest</w>",
        "widest</w>",
    ]


def test_the_first_persian_pairs_in_the_order_seen(seeds):
    persian = seeds["persian"]
    (step,) = reference.steps(persian["word_freqs_printed"], **SEEN, num_merges=1)
    assert [list(pair) for pair in step.pairs[:6]] == persian["first_six_pairs_printed"]
    assert len(step.pairs) == persian["distinct_pairs_start_derived"]
    assert [*step.pair, step.frequency] == persian["best_pair_printed"]
    assert step.words["این"] == ("ای", "ن")


def test_encoding_lowest_is_traced_in_six_rounds(lowest):
    trace = reference.trace_word(lowest, "lowest")
    assert [" ".join(each.state) for each in trace.rounds] == [
        "l o w es t </w>",
        "l o w est </w>",
        "l o w est</w>",
        "lo w est</w>",
        "low est</w>",
        "low est</w>",
    ]
    assert trace.rounds[0].candidate == ("e", "s")
    assert len(trace.rounds[0].pairs) == 6
    assert trace.rounds[-1].candidate is None
    assert trace.reason == "no pair merges"
    assert reference.tokenize(lowest, "lowest", marker=False) == ["low", "est"]


def test_a_trace_says_when_one_symbol_is_left(lowest):
    trace = reference.trace_word(lowest, "newest")
    assert (trace.rounds[-1].state, trace.reason) == (("newest</w>",), "one symbol is left")


def test_encoding_by_order_and_by_rank_agree_on_learned_merges(lowest, toy):
    for word in [*toy["word_freqs"], *toy["encode_10_derived"], "lowest"]:
        if "g" not in word:
            assert reference.encode(lowest, word, by="order") == reference.encode(lowest, word)


def test_a_word_met_before_is_taken_from_the_cache(lowest):
    cache = {}
    first = reference.encode(lowest, "low lower low", cache=cache)
    assert first == reference.encode(lowest, "low lower low")
    assert list(cache) == ["low", "lower"]
    cache["low"] = (0,)  # a hit gives what is stored
    assert reference.encode(lowest, "low", cache=cache) == [0]


def test_tokens_are_joined_in_three_ways(seeds):
    greedy = seeds["greedy"]
    tokens = dict(enumerate(greedy["decode_input"]))
    model = Model(
        {i: token.encode() for i, token in tokens.items()},
        Merges(()),
        "chars",
        end_of_word="</w>",
        word_ends=frozenset(i for i, token in tokens.items() if token.endswith("</w>")),
        decoder=BPEDecoder("</w>"),
    )
    ids = list(tokens)
    assert reference.join_tokens(model, ids) == "the</w>highest</w>mountain</w>"
    assert reference.join_tokens(model, ids, after_marker=" ") == greedy["decode_printed"]
    assert reference.decode(model, ids) == greedy["decode_text"]


# The rulings on what the seeds leave open or get wrong. Those that concern training and encoding
# alone are in test_seeds.py, for both engines.


def in_memory(tokens, merges):
    return Model({i: t.encode() for i, t in enumerate(tokens)}, Merges(tuple(merges)), "chars")


def test_b1_a_merge_whose_product_is_not_its_parts_joined_is_refused():
    with pytest.raises(FormatError, match="'b' \\+ 'a' is not 'ab'"):
        reference.check(in_memory(["a", "b", "ab"], [(1, 0, 2)]))


def test_b2_no_token_is_learned_twice_and_no_special_token_listed_twice():
    _, report = reference.learn({"aaaaaaa": 3, "aabaab": 2}, units="chars")
    assert len(set(report.tokens)) == len(report.tokens)
    with pytest.raises(ValueError, match="listed twice"):
        reference.learn({"a": 1}, special_tokens=["<s>", "<s>"])
    with pytest.raises(ValueError, match="also a base symbol"):
        reference.learn({"a": 1}, special_tokens=["a"])


def test_b3_training_past_the_last_pair_stops_and_says_so():
    _, report = reference.learn({"ab": 2}, units="chars", num_merges=10)
    assert report.stopped == "no-pairs"
    assert "no pair is left" in str(report)


def test_b5_the_number_of_merges_may_be_asked_for_instead_of_the_vocabulary_size():
    _, report = reference.learn({"low": 5}, units="chars", num_merges=1)
    assert (len(report.merges), len(report.tokens)) == (1, 4)


def test_b6_backslashes_dots_and_brackets_are_letters_like_others():
    counts = {r"\n": 5, "a.b": 4, "(((": 3, "$$$": 3}
    model, report = reference.learn(counts, **MARKED)
    for word in counts:
        assert f"{word}</w>" in report.tokens
        assert reference.decode(model, reference.encode(model, word)) == word


def test_b7_a_token_may_hold_any_kind_of_blank():
    counts = {"a\u00a0b": 3, "c\u2028d": 3}
    _, report = reference.learn(counts, **SEEN, pattern=r"[^ ]+")
    assert set(counts) <= set(report.tokens)


def test_b8_the_marker_is_no_text():
    model, report = reference.learn({"w</w>": 4, "w": 4}, **MARKED)
    assert [token for token in report.tokens if token == "w</w>"] == ["w</w>"] * 2
    inside, end = (reference.encode(model, word) for word in ("w</w>", "w"))
    assert (reference.decode(model, inside), reference.decode(model, end)) == ("w</w>", "w")


def test_b10_the_rarest_pair_learned_occurs_twice_unless_told_otherwise():
    _, report = reference.learn({"ab": 1, "cd": 2}, units="chars")
    assert [m.merged_token for m in report.merges] == ["cd"]
    assert report.stopped == "min_frequency"
    _, report = reference.learn({"ab": 1, "cd": 2}, units="chars", min_frequency=1)
    assert [m.merged_token for m in report.merges] == ["cd", "ab"]


def test_b11_live_symbols_and_the_vocabulary_size_are_two_numbers(toy):
    _, report = reference.learn(toy["word_freqs"], **MARKED)
    assert (len(report.tokens), report.live_symbols[-1]) == (26, 4)


def test_b15_two_segmentations_of_one_word_add_up(lowest):
    by_text = {spelled: i for i, spelled in enumerate(lowest.tokens.values())}
    parts = tuple(by_text[t] for t in (b"l", b"o", b"w", b"</w>"))
    whole = (by_text[b"low</w>"],)
    assert reference.decode_words(lowest, {parts: 2, whole: 5}) == {"low": 7}
    counts = {"low": 3, b"low": 4}  # one word, as text and as bytes
    _, report = reference.learn(counts, **MARKED, num_merges=1)
    assert report.merges[0].frequency == 7


def test_b17_a_pair_is_ordered_and_a_set_is_refused():
    assert reference.merge_pair((1, 2, 3), (1, 2), 9) == (9, 3)
    assert reference.merge_pair((2, 1, 3), (1, 2), 9) == (2, 1, 3)
    with pytest.raises(TypeError, match="ordered tuple"):
        reference.check(in_memory(["a", "b", "ab"], [{0, 1, 2}]))


def test_b18_two_derivations_of_one_token_are_both_kept():
    merges = [(0, 0, 1), (1, 0, 2), (0, 1, 2)]
    model = reference.check(in_memory(["a", "aa", "aaa"], merges))
    assert reference.encode(model, "aaa") == [2]
    only_second = reference.check(in_memory(["a", "aa", "aaa"], [merges[0], merges[2]]))
    assert reference.encode(only_second, "aaa") == [1, 0]


def test_b19_encoding_nothing_gives_no_ids(lowest):
    assert reference.encode(lowest, "") == []
    assert reference.decode(lowest, []) == ""


def test_b20_only_the_marker_is_taken_off_and_unknown_letters_are_told(toy):
    model, _ = reference.learn({"</w></w>": 4}, **MARKED)
    assert reference.tokenize(model, "</w></w>", marker=False) == ["</w></w>"]
    model, _ = reference.learn(toy["word_freqs"], **MARKED)
    with pytest.raises(UnknownTokenError, match="'g' at position 5 of the word 'lowing'"):
        reference.encode(model, "lowing")


def test_b21_pair_counts_overlap():
    _, report = reference.learn({"aaaa": 1}, units="chars", num_merges=1)
    assert report.merges[0].frequency == 3
    assert report.live_frequencies[report.merges[0].merged] == 2


def test_b22_learned_order_is_refused_where_it_differs_from_the_lowest_rank():
    model = reference.check(in_memory(["a", "aa", "aaa"], [(1, 0, 2), (0, 0, 1)]))
    assert reference.encode(model, "aaa") == [2]
    with pytest.raises(ValueError, match="give by='rank'"):
        reference.encode(model, "aaa", by="order")


def test_b22_a_part_made_again_by_a_later_merge_is_out_of_order_too():
    # "abc" is first made by merge 1, then used by merge 3, then made again by merge 4: in
    # learned order "a bc d" would end as "abc d", by lowest rank it becomes "abcd".
    tokens = ["a", "b", "c", "d", "bc", "ab", "abc", "abcd", "e", "bce"]
    merges = [(0, 1, 5), (5, 2, 6), (6, 3, 7), (1, 2, 4), (0, 4, 6)]
    assert not reference.in_learned_order(merges)
    model = reference.check(in_memory(tokens, [merges[3], *merges[1:3], merges[4]]))
    assert reference.encode(model, "abcd") == [7]
    with pytest.raises(ValueError, match="do not all stand behind"):
        reference.encode(model, "abcd", by="order")


def test_an_unknown_token_is_put_first_if_it_is_not_listed():
    _, report = reference.learn({"ab": 2}, units="chars", unk_token="?!", special_tokens=["<s>"])
    assert report.tokens[:2] == ("?!", "<s>")
    _, report = reference.learn(
        {"ab": 2}, units="chars", unk_token="<s>", special_tokens=["<p>", "<s>"]
    )
    assert report.tokens[:2] == ("<p>", "<s>")


def test_a_merge_that_spells_a_special_token_is_never_learned():
    model, report = reference.learn({"abc": 9}, units="chars", special_tokens=["ab"])
    assert [m.merged_token for m in report.merges] == ["bc", "abc"]
    assert model.added_tokens == (AddedToken(0, "ab"),)
