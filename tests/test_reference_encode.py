"""The reference's encoding and decoding, beyond what the seeds show."""

import pytest
from drawn import UNITS
from hypothesis import given
from hypothesis import strategies as st

import digram
from digram import reference
from digram._model import Greedy, Merges, Model, Ranks
from digram.components import NFC, AddedToken, ByteLevel, Fuse, Lowercase, NormalizerSequence
from digram.errors import SpecialTokenError, UnknownTokenError

BYTES = {i: bytes([i]) for i in range(256)}
END = AddedToken(300, "<|end|>")
MASK = AddedToken(301, "<mask>", lstrip=True, rstrip=True)
WORD = AddedToken(302, "cat", single_word=True, special=False)
LOUD = AddedToken(303, "SHOUT", normalized=True, special=False)


def bytes_model(*added, **fields):
    return Model(
        BYTES | {token.id: token.content.encode() for token in added},
        Merges(()),
        added_tokens=added,
        decoder=ByteLevel(),
        added_only=frozenset(token.id for token in added),
        **fields,
    )


def added_ids(model, text, special="token"):
    return [i for i in reference.encode(model, text, special=special) if i >= 300]


counts_of_words = st.dictionaries(
    st.text("abcé", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=12
)


@given(counts_of_words, st.integers(0, 20), st.sampled_from(["bytes", "chars"]))
def test_by_order_and_by_rank_agree_on_what_was_learned(counts, num_merges, units):
    model, _ = reference.learn(counts, units=units, num_merges=num_merges)
    for word in counts:
        ids = reference.encode(model, word)
        assert reference.encode(model, word, by="order") == ids
        assert reference.decode(model, ids) == word


@given(counts_of_words, st.sampled_from(["separate", "attached"]))
def test_words_are_segmented_as_they_were_when_training_ended(counts, marker):
    steps = reference.steps(counts, units="chars", end_of_word="</w>", marker=marker)
    model, _ = reference.learn(counts, units="chars", end_of_word="</w>", marker=marker)
    for word, tokens in steps[-1].words.items() if steps else ():
        assert tuple(reference.tokenize(model, word)) == tokens


@given(st.text())
def test_decoding_undoes_encoding(text):
    model, _ = reference.learn({" the": 9, "the": 4, "then": 3})
    assert reference.decode_bytes(model, reference.encode(model, text)) == text.encode()


@given(counts_of_words)
def test_live_frequencies_are_what_encoding_the_words_gives(counts):
    model, report = reference.learn(counts, units="chars")
    live = [0] * len(report.tokens)
    for word, count in counts.items():
        for token_id in reference.encode(model, word):
            live[token_id] += count
    assert list(report.live_frequencies) == live
    assert report.symbols_at_end == sum(live)
    assert report.live_symbols[-1] == sum(count > 0 for count in live)


def test_equal_ranks_merge_from_the_left():
    tokens = {0: b"a", 1: b"aa", 2: b"aaa", 3: b"aaaa"}
    model = Model(tokens, Ranks(), "chars")
    assert reference.encode(model, "aaaaa") == [1, 2]


def test_by_ranks_one_occurrence_is_merged_at_a_time():
    # "ab" is merged at the left first; "abc" goes before the second "ab", which is then alone.
    tokens = {0: b"a", 1: b"b", 2: b"c", 5: b"abc", 6: b"ab"}
    trace = reference.trace_word(Model(tokens, Ranks(), "chars"), "abcab")
    assert [each.state[0] for each in trace.rounds[:2]] == ["ab", "abc"]
    assert trace.rounds[0].state == ("ab", "c", "a", "b")


def test_a_whole_word_is_looked_up_first_only_if_merges_are_ignored():
    tokens = {0: b"a", 1: b"b", 2: b"ab"}
    assert reference.encode(Model(tokens, Merges(()), "chars"), "ab") == [0, 1]
    whole = Model(tokens, Merges(()), "chars", ignore_merges=True)
    assert reference.encode(whole, "ab") == [2]
    assert reference.trace_word(whole, "ab").reason == "the whole word is a token"


RULES = [None, Ranks(), Greedy("longest-first"), Greedy("left-to-right")]


@pytest.mark.parametrize("rule", RULES, ids=["merges", "ranks", "longest", "left"])
@given(counts_of_words, st.sampled_from(UNITS), st.booleans())
def test_a_trace_and_an_explanation_say_the_same_of_why_merging_ends(rule, counts, units, whole):
    tok = digram.train(counts, units=units, num_merges=4, min_frequency=0, end_of_word="</w>")
    tok = tok.with_(
        ignore_merges=whole and not isinstance(rule, Greedy), rule=rule or tok.model.rule
    )
    for word in counts:
        (explained,) = tok.explain(word).words
        trace = reference.trace_word(tok.model, word)
        assert (trace.reason, trace.ids) == (explained.stopped, explained.ids)


def test_unknown_characters_are_one_each_or_one_a_run():
    tokens = {0: b"?", 1: b"a"}
    model = Model(tokens, Merges(()), "chars", unk_token="?")
    assert reference.encode(model, "xyaz") == [0, 0, 1, 0]
    fused = Model(tokens, Merges(()), "chars", unk_token="?", fuse_unk=True)
    assert reference.encode(fused, "xyaz") == [0, 1, 0]


def test_greedy_without_an_unknown_token_names_what_is_unknown():
    for order in ("longest-first", "left-to-right"):
        with pytest.raises(UnknownTokenError, match="'x' at position 1"):
            reference.encode(Model({0: b"a"}, Greedy(order), "chars"), "axa")


def test_a_special_tokens_text_is_text_even_where_the_longest_token_wins():
    model = Model(
        {0: b"<s>", 1: b"<", 2: b"s", 3: b">"},
        Greedy("longest-first"),
        "chars",
        added_tokens=(AddedToken(0, "<s>"),),
    )
    assert reference.encode(model, "<s>") == [1, 2, 3]
    assert reference.encode(model, "<s>", special="token") == [0]


def test_special_tokens_are_text_unless_the_call_says_otherwise():
    model = bytes_model(END, WORD)
    text = "<|end|>"
    assert reference.encode(model, text) == list(text.encode())
    assert reference.encode(model, text, special="token") == [300]
    assert reference.encode(model, text, special={"<|end|>"}) == [300]
    assert reference.encode(model, text, special=set()) == list(text.encode())
    with pytest.raises(SpecialTokenError, match=r"'<\|end\|>' at character 2"):
        reference.encode(model, "a <|end|>", special="error")
    with pytest.raises(SpecialTokenError, match="no special token"):
        reference.encode(model, text, special={"<|start|>"})
    with pytest.raises(ValueError, match="special is 'all'"):
        reference.encode(model, text, special="all")


def test_other_added_tokens_always_match():
    assert added_ids(bytes_model(END, WORD), "cat<|end|>", special="text") == [302]


def test_the_longest_of_two_added_tokens_wins():
    longer = AddedToken(310, "<|end|>user")
    assert added_ids(bytes_model(END, longer), "<|end|>user<|end|>") == [310, 300]


def test_a_single_word_matches_only_between_other_characters():
    assert added_ids(bytes_model(WORD), "cat concat cats, cat. écat") == [302, 302]


def test_a_token_may_swallow_the_blanks_around_it():
    model = bytes_model(MASK)
    assert reference.encode(model, "a \n<mask>\t b", special="token") == [97, 301, 98]
    assert reference.encode(model, "<mask> <mask>", special="token") == [301, 301]


def test_normalized_tokens_are_looked_for_in_the_normalized_text():
    model = bytes_model(LOUD, END, normalizer=NormalizerSequence((NFC(), Lowercase())))
    assert added_ids(model, "sHouT <|END|> <|end|>") == [303, 300]


def test_decoding_without_a_decoder_joins_with_spaces():
    tokens = {0: b"a", 1: b"b"}
    assert reference.decode(Model(tokens, Merges(()), "chars"), [0, 1]) == "a b"
    assert reference.decode(Model(tokens, Merges(()), "chars", decoder=Fuse()), [0, 1]) == "ab"


def test_an_id_outside_the_vocabulary_is_named():
    with pytest.raises(UnknownTokenError, match="id 9000 is not in the vocabulary"):
        reference.decode(bytes_model(), [9000])
