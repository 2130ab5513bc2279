"""Pruning removes what a corpus uses least, and changes nothing else."""

import random
from collections import Counter

import pytest
from drawn import MARKERS, UNITS, counts, words
from hypothesis import given
from hypothesis import strategies as st

import digram
from digram._smaller import only
from digram.errors import UnknownTokenError

CORPUS = "the lowest of the low, the newest of the new; aaaaaaa hahahaha 東京 naïve " * 3


def by_definition(tok, model, counted, size):
    """Remove one leaf after the other, counting everything anew each time."""
    pairs = list(tok.merges)
    used = Counter()
    for word, n in counted.items():
        for id_ in tok.encode(word):
            used[id_] += n
    made = {merged for *_, merged in pairs}
    left = dict(model.tokens)
    while len(left) > size:
        parts = {id_ for first, second, _ in pairs for id_ in (first, second)}
        leaves = [id_ for id_ in left if id_ in made and id_ not in parts]
        gone = min(leaves, key=lambda id_: (used[id_], -id_))
        [(first, second, _)] = [merge for merge in pairs if merge[2] == gone]
        used[first] += used[gone]
        used[second] += used[gone]
        pairs = [merge for merge in pairs if merge[2] != gone]
        del left[gone]
    return left


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("marker", MARKERS, ids=["unmarked", "separate", "attached"])
@given(learned=counts(), used=counts(), data=st.data())
def test_the_least_used_leaf_goes_again_and_again(units, marker, learned, used, data):
    tok = digram.train(learned, units=units, **marker, special_tokens=["<s>"], num_merges=12)
    tok = tok.with_(pre_tokenizer=None)  # words are never split again
    words_used = {word: n for word, n in used.items() if known(tok, word)}
    size = data.draw(st.integers(tok.vocab_size - len(tok.merges), tok.vocab_size))
    small, ids = digram.prune(tok, words_used, vocab_size=size)
    left = by_definition(tok, tok.model, words_used, size)
    assert list(ids) == sorted(left)
    assert list(ids.values()) == list(range(size))
    assert {new: tok.tokens[old] for old, new in ids.items()} == dict(small.tokens)
    assert small.special_tokens == {"<s>": 0}
    assert (small == tok) == (size == tok.vocab_size)


def known(tok, word):
    try:
        tok.encode(word)
    except UnknownTokenError:
        return False
    return True


@given(counts(), counts(), st.lists(words("ab$é漢"), max_size=8), st.integers(0, 12))
def test_only_what_used_a_removed_token_is_encoded_anew(learned, used, tried, fewer):
    tok = digram.train(learned, num_merges=14)
    size = max(tok.vocab_size - fewer, 256)
    small, ids = digram.prune(tok, used, vocab_size=size)
    for word in tried:
        old, new = tok.encode(word), small.encode(word)
        assert small.decode(new) == word
        if all(id_ in ids for id_ in old):
            assert new == [ids[id_] for id_ in old]


def test_a_pruned_tokenizer_keeps_what_stands_around_it(tmp_path):
    tok = digram.train([CORPUS], vocab_size=290).with_(
        special_tokens=["<s>", "</s>"], added_tokens=["[tool]"], normalizer="NFC"
    )
    ids = tok.special_tokens
    around = digram.components.RobertaProcessing(
        ("</s>", ids["</s>"]), ("<s>", ids["<s>"]), add_prefix_space=False
    )
    tok = tok.with_(post_processor=around)
    small, new = digram.prune(tok, digram.count([CORPUS], normalizer="NFC"), vocab_size=270)
    assert small.vocab_size == 270
    assert small.special_tokens == {name: new[id_] for name, id_ in ids.items()}
    assert small("low")["input_ids"][0] == small.special_tokens["<s>"]
    assert small.decode(small.encode("lowest [tool]")) == "lowest [tool]"
    small.save(tmp_path / "t.json")
    assert digram.load(tmp_path / "t.json") == small


def test_a_pruned_vocabulary_serves_its_corpus_better_than_the_first_merges():
    rng = random.Random(1)
    general = {f"{rng.getrandbits(32):x}": rng.randint(1, 9) for _ in range(500)}
    special = {f"{rng.getrandbits(20):x}": rng.randint(1, 9) for _ in range(300)}
    tok = digram.train({**general, **special}, vocab_size=700)
    small, _ = digram.prune(tok, special, vocab_size=400)
    first = tok.at(vocab_size=400)
    cost = {
        name: sum(n * each.count(word) for word, n in special.items())
        for name, each in (("pruned", small), ("first", first))
    }
    assert cost["pruned"] < cost["first"]


@pytest.mark.parametrize("size", [0, 255, 291])
def test_a_size_that_cannot_be_is_refused(size):
    tok = digram.train([CORPUS], vocab_size=290)
    with pytest.raises(ValueError, match=rf"vocab_size is {size}; .* has 290 .* 256 of them must"):
        digram.prune(tok, {"low": 1}, vocab_size=size)


def test_words_split_in_another_way_are_refused():
    tok = digram.train([CORPUS], vocab_size=270, pattern="gpt2")
    with pytest.raises(ValueError, match=r"counted with the pattern 'o200k'.* splits by 'gpt2'"):
        digram.prune(tok, digram.count([CORPUS]), vocab_size=260)
    again = digram.count([CORPUS], pattern=tok.model.pre_tokenizer)
    assert digram.prune(tok, again, vocab_size=260).tokenizer.vocab_size == 260


def test_a_rule_without_merges_is_refused():
    tok = digram.train([CORPUS], vocab_size=270)
    greedy = tok.with_(rule=digram.Greedy("left-to-right"))
    with pytest.raises(ValueError, match=r"has the rule Greedy\(.*\), and no merges"):
        digram.prune(greedy, {"low": 1}, vocab_size=260)
    with pytest.raises(ValueError, match="and no merges"):
        greedy.at(0)
    assert greedy.merges == ()


@given(counts(), counts(), st.lists(words("ab$é漢"), max_size=8), st.integers(0, 12))
def test_by_rank_the_same_goes_as_by_merges(learned, used, tried, fewer):
    listed = digram.train(learned, num_merges=14)
    ranks = listed.with_(rule=digram.Ranks())
    size = max(listed.vocab_size - fewer, 256)
    small, ids = digram.prune(ranks, used, vocab_size=size)
    assert small.model.rule == digram.Ranks()
    expected, kept = digram.prune(listed, used, vocab_size=size)
    assert (ids, small.tokens) == (kept, expected.tokens)
    for word in tried:
        assert small.encode(word) == expected.encode(word)


@given(counts(), st.lists(words("ab$é漢"), max_size=8), st.integers(0, 14))
def test_the_first_ranks_are_the_first_merges(learned, tried, n):
    listed = digram.train(learned, num_merges=14)
    ranks = listed.with_(rule=digram.Ranks())
    assert ranks.merges == listed.merges
    n = min(n, len(listed.merges))
    small, expected = ranks.at(n), listed.at(n)
    assert small.tokens == expected.tokens == ranks.at(vocab_size=small.vocab_size).tokens
    assert small.model.rule == digram.Ranks()
    assert small.encode_batch(tried) == expected.encode_batch(tried)


def test_a_rank_that_no_merge_makes_stays_with_those_before_it():
    letters = {ord(letter): letter.encode() for letter in "abcd"}
    tokens = {**letters, 200: b"bc", 201: b"abcd", 202: b"ab"}
    tok = digram.Tokenizer(digram.Model(tokens, digram.Ranks()))
    assert tok.merges == ((98, 99, 200), (97, 98, 202))
    assert [sorted(tok.at(n).tokens)[4:] for n in range(3)] == [[], [200, 201], [200, 201, 202]]
    assert tok.at(2) == tok


@pytest.mark.parametrize("options", [{}, {"byte_fallback": True, "user_defined_symbols": ("the",)}])
def test_the_first_merges_by_scores_are_the_best_and_sentencepiece_agrees(tmp_path, options):
    pytest.importorskip("sentencepiece")
    import pieces

    tok = digram.load(pieces.trained(**options))
    scores = tok.model.rule.values
    assert all(tok.tokens[a] + tok.tokens[b] == tok.tokens[made] for a, b, made in tok.merges)
    order = [scores[made] for *_, made in tok.merges]
    assert order == sorted(order, reverse=True)
    small = tok.at(vocab_size=tok.vocab_size - 100)
    assert small.merges == tok.merges[:-100]
    assert {id_: tok.tokens[id_] for id_ in small.tokens} == dict(small.tokens)
    ids = {old: new for new, old in enumerate(small.tokens)}  # a file has no gaps
    digram.Tokenizer(only(small.model, ids, ids)).save(tmp_path / "small.model")
    texts = [*pieces.SENTENCES, *pieces.nasty(7)]
    found = [[ids[id_] for id_ in row] for row in small.encode_batch(texts)]
    assert found == pieces.peer((tmp_path / "small.model").read_bytes()).encode(texts)


@pytest.mark.parametrize("fewer", [1, 40, 300])
@pytest.mark.parametrize("options", [{}, {"byte_fallback": True, "user_defined_symbols": ("the",)}])
def test_pieces_by_scores_go_and_sentencepiece_agrees(tmp_path, options, fewer):
    pytest.importorskip("sentencepiece")
    import pieces

    tok = digram.load(pieces.trained(**options))
    counted = digram.count(pieces.SENTENCES[:5], normalizer=tok.model.normalizer)
    small, ids = digram.prune(tok, counted, vocab_size=tok.vocab_size - fewer)
    assert {tok.tokens[old] for old in ids} == set(small.tokens.values())
    small.save(tmp_path / "small.model")
    texts = [*pieces.SENTENCES, *pieces.nasty(fewer)]
    found = small.encode_batch(texts)
    assert found == pieces.peer((tmp_path / "small.model").read_bytes()).encode(texts)
    same = 0
    for old, new in zip(tok.encode_batch(texts), found, strict=True):
        if ids.keys() >= set(old):
            assert new == [ids[id_] for id_ in old]
            same += 1
    assert same > 5


def test_pieces_of_characters_that_are_no_pieces_are_refused():
    pytest.importorskip("sentencepiece")
    import pieces

    made = [("a", -1.0, pieces.NORMAL), ("ab", -2.0, pieces.NORMAL)]
    tok = digram.load(pieces.made([*pieces.CONTROLS, *made]))
    with pytest.raises(ValueError, match="characters that are no pieces"):
        digram.prune(tok, {"ab": 1}, vocab_size=4)


def test_bytes_that_stand_for_what_has_no_token_stay():
    names = {f"<0x{byte:02X}>": byte for byte in range(256)}
    vocab = {**names, "a": 256, "b": 257, "ab": 258, "aba": 259}
    tok = digram.from_merges(vocab, [("a", "b"), ("ab", "a")], units="chars")
    tok = tok.with_(byte_fallback=True)
    small, _ = digram.prune(tok, {"ab": 1}, vocab_size=259)
    assert small.encode("abaé") == [258, 256, 0xC3, 0xA9]
    with pytest.raises(ValueError, match="258 of them must stay"):
        digram.prune(tok, {"ab": 1}, vocab_size=257)


def test_merges_that_come_before_those_of_their_parts_can_be_cut():
    vocab = ["a", "b", "c", "ab", "abc", "bc"]
    tok = digram.from_merges(
        vocab, [("ab", "c"), ("a", "b"), ("b", "c"), ("a", "bc")], units="chars"
    )
    assert [tok.at(n).vocab_size for n in range(5)] == [3, 5, 5, 6, 6]
    assert tok.at(vocab_size=5).merges == tok.merges[:2]
    with pytest.raises(ValueError, match="sizes from 3 to 6, such as 3"):
        tok.at(vocab_size=4)
    small, ids = digram.prune(tok, {"bc": 1, "ab": 2}, vocab_size=5)
    assert list(ids) == [0, 1, 2, 3, 5]
    assert small.tokenize("abc") == ["ab", "c"]


PUBLISHED = ("gpt2", "llama3", "persian-bpe-unk", "phi-3", "chatglm", "clip")


@pytest.mark.parametrize("name", PUBLISHED)
def test_smaller_published_vocabularies_are_encoded_as_hugging_face_does(shared, tmp_path, name):
    tokenizers = pytest.importorskip("tokenizers")
    tok = digram.load(shared / "data" / "vocab" / name / "tokenizer.json")
    text = (shared / "data" / "corpus" / "udhr_all_languages.txt").read_text(encoding="utf-8")
    text = text[:60_000] + CORPUS
    used = Counter(word for word, _, _ in tok.words(CORPUS))
    pruned, _ = digram.prune(tok, used, vocab_size=tok.vocab_size - len(tok.merges) // 4)
    for small in (tok.at(len(tok.merges) // 2), pruned):
        small.save(tmp_path / "t.json")
        peer = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
        expected = peer.encode(text, add_special_tokens=False).ids
        assert small.encode(text, special="token") == expected


def test_a_corpus_is_split_as_the_tokenizer_splits_text(tmp_path):
    texts = ["Low Lower LOWEST newest", "new <|end|> newer"] * 3
    options = {"normalizer": "Lowercase", "pattern": "gpt2", "special_tokens": ["<|end|>"]}
    tok = digram.train(texts, num_merges=20, **options)
    counted = digram.count(["the Newest"], **options)
    (tmp_path / "a.txt").write_text("the Newest", encoding="utf-8")
    expected = digram.prune(tok, counted, vocab_size=262)
    assert digram.prune(tok, ["the Newest"], vocab_size=262) == expected
    assert digram.prune(tok, tmp_path / "a.txt", vocab_size=262, threads=1) == expected
    whole = tok.with_(pre_tokenizer=None)
    with pytest.raises(ValueError, match="the tokenizer to prune does not split text, so all of"):
        digram.prune(whole, ["the Newest"], vocab_size=262)


def test_words_that_were_normalized_in_another_way_are_refused():
    """Else tokens are counted that the tokenizer never makes of a text, and others removed."""
    tok = digram.train(["low Lower LOWEST low"] * 3, num_merges=8, normalizer="Lowercase")
    split = tok.model.pre_tokenizer
    with pytest.raises(ValueError, match=r"normalizer=tok\.model\.normalizer"):
        digram.prune(tok, digram.count(["Low"], pattern=split), vocab_size=260)
    counts = digram.count(["Low"], pattern=split, normalizer=tok.model.normalizer)
    assert digram.prune(tok, counts, vocab_size=260).tokenizer.vocab_size == 260


def test_what_was_pruned_is_a_line_in_a_repr():
    """It had each id, and so half a megabyte for GPT-2's vocabulary."""
    pruned = digram.prune(digram.train(["low lower lowest"]), {"low": 1}, vocab_size=257)
    assert repr(pruned) == f"Pruned({pruned.tokenizer!r}, ids of 257 tokens)"
    assert tuple(pruned) == (pruned.tokenizer, pruned.ids)


@pytest.mark.parametrize(
    ("counts", "size", "error", "message"),
    [
        (5, 260, TypeError, "a corpus is a path, texts, or a mapping word"),
        ({"low": 2.5}, 260, TypeError, "the count of 'low' must be an int, not float"),
        ({"low": -1}, 260, ValueError, "the count of 'low' is -1"),
        ({"low": 1}, "260", TypeError, "vocab_size must be an int, not str"),
    ],
)
def test_what_cannot_be_counted_is_told(counts, size, error, message):
    tok = digram.train(["low lower lowest"], num_merges=5)
    with pytest.raises(error, match=message):
        digram.prune(tok, counts, vocab_size=size)
