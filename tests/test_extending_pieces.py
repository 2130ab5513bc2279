"""SentencePiece's models, and others that fall back to bytes, with more tokens."""

import collections
import dataclasses
import json
import random

import pytest

import digram

pytest.importorskip("sentencepiece")
import pieces

KINDS = {
    "default": {},
    "falls back": {"byte_fallback": True, "split_digits": True},
    "suffix": {"treat_whitespace_as_suffix": True},
    "user-defined": {"user_defined_symbols": ("<sep>", "中"), "byte_fallback": True},
    "no prefix": {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
}
TEXTS = ["жуки и жуки, жук", "the quicker жук 中文中", "中文测试 <sep>жуки", "brown  жуки 12"] * 3


def same(old, new, texts):
    """Check that a model counts what it encodes, and that SentencePiece encodes it alike."""
    found = collections.Counter(id_ for ids in new.encode_batch(texts) for id_ in ids)
    told = dict(enumerate(new.training.live_frequencies))
    later = {id_ for id_ in new.tokens if id_ not in old.tokens}
    assert {id_: found[id_] for id_ in later} == {id_: told[id_] for id_ in later}
    assert {id_: new.tokens[id_] for id_ in old.tokens} == dict(old.tokens)


def opened_there(new, tmp_path):
    new.save(tmp_path / "new.model")
    return pieces.peer((tmp_path / "new.model").read_bytes())


@pytest.mark.parametrize("name", KINDS)
def test_new_pieces_are_encoded_as_they_were_learned_and_as_sentencepiece_does(name, tmp_path):
    old = digram.load(pieces.trained(**KINDS[name]))
    new = digram.train(TEXTS, num_merges=12, extend=old)
    assert sum(map(len, new.encode_batch(TEXTS))) < 0.7 * sum(map(len, old.encode_batch(TEXTS)))
    same(old, new, TEXTS)
    texts = [*TEXTS, *pieces.SENTENCES, *pieces.nasty(name, 100)]
    assert new.encode_batch(texts) == opened_there(new, tmp_path).encode(texts)
    begun = digram.train(TEXTS, num_merges=5, extend=old)
    assert digram.train(TEXTS, num_merges=7, extend=begun) == new


@pytest.mark.parametrize("seed", range(150))
def test_any_model_by_scores_is_extended_or_says_why_not(seed, tmp_path):
    old, dice = digram.load(pieces.drawn(seed)), random.Random(seed)
    texts = ["".join(dice.choices("aabb é漢cжж", k=dice.randrange(1, 30))) for _ in range(40)]
    kinds = old.model.rule.kinds
    user_defined = [old.tokens[id_] for id_, kind in kinds.items() if kind == "user-defined"]
    if "unused" in kinds.values() or not old.model.normalizer.escape_whitespaces:
        with pytest.raises(ValueError, match=r"unused pieces|does not split text|over a blank"):
            digram.train(texts, num_merges=9, extend=old)
        return
    if any("▁".encode() in piece for piece in user_defined):  # it may reach over a blank
        learned_from = {text.replace(" ", "▁"): 1 for text in texts}
    else:
        learned_from = texts
    new = digram.train(learned_from, num_merges=9, extend=old)
    assert new.encode_batch(texts) == opened_there(new, tmp_path).encode(texts)


def test_characters_of_one_byte_and_seldom_ones_stay_bytes():
    old = digram.load(pieces.trained(byte_fallback=True, normalization_rule_name="identity"))
    texts = ["жуки\tжуки", "жуки\x07 щ"]
    new = digram.train(texts, extend=old)
    learned = {token.decode() for id_, token in new.tokens.items() if id_ >= old.vocab_size}
    assert {"жуки", "▁жуки"} & learned
    assert not any(set(token) & set("\t\x07щ") for token in learned)
    assert new.tokenize("\t") == old.tokenize("\t")
    every = digram.train(texts, extend=old, min_frequency=1)
    assert every.token_id("щ") is not None


def file_of_hugging_face(tmp_path):
    """A `tokenizer.json` that falls back to bytes and lists its merges, as Llama 2's does."""
    model = pieces.trained(
        byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False
    )
    path = tmp_path / "tokenizer.json"
    digram.load(model).save(path)
    described = json.loads(path.read_text("utf-8"))
    assert described["model"]["type"] == "BPE"
    del described["model"]["digram"]
    path.write_text(json.dumps(described), "utf-8")
    return path


def test_a_file_of_hugging_face_that_falls_back_goes_on_too(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    old = digram.load(file_of_hugging_face(tmp_path))
    assert isinstance(old.model.rule, digram.Merges)
    new = digram.train(TEXTS, num_merges=12, extend=old)
    same(old, new, TEXTS)
    new.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert new.encode_batch(TEXTS) == [theirs.encode(text).ids for text in TEXTS]


def test_words_that_were_counted_otherwise_are_taken_where_the_tokenizer_does_not_split():
    old = digram.load(pieces.trained(byte_fallback=True))
    split = digram.components.Split(digram.components.Regex("▁|[^▁]+"), "Isolated")
    counts = digram.count(TEXTS, pattern=split, normalizer=old.model.normalizer)
    new = digram.train(counts, num_merges=12, extend=old)
    assert not any(
        b"\xe2\x96\x81" in new.tokens[id_] for id_ in new.tokens if id_ not in old.tokens
    )
    with pytest.raises(ValueError, match="counted with the normalizer"):
        digram.train(digram.count(TEXTS, pattern=split), extend=old)


def test_a_size_that_new_characters_leave_no_room_for_says_what_is_needed():
    old = digram.load(pieces.trained())
    with pytest.raises(ValueError, match=r"\d+ characters of the words have none; give at least"):
        digram.train(["ѣѳѵ ѣѳѵ"], vocab_size=old.vocab_size + 1, extend=old)


def test_what_a_trainer_made_of_texts_is_not_kept():
    old = digram.load(pieces.trained())
    tested = dataclasses.replace(old.model.rule, self_test=(("brown", "▁brown"),))
    old = digram.Tokenizer(dataclasses.replace(old.model, rule=tested))
    assert digram.train(TEXTS, num_merges=3, extend=old).model.rule.self_test == ()


def test_words_of_any_pattern_may_be_pruned_by_where_text_is_not_split(tmp_path):
    old = digram.load(file_of_hugging_face(tmp_path))
    counts = digram.count(TEXTS, normalizer=old.model.normalizer)
    smaller, ids = digram.prune(old, counts, vocab_size=old.vocab_size - 200)
    assert smaller.encode_batch(TEXTS) == [
        [ids[id_] for id_ in row] for row in old.encode_batch(TEXTS)
    ]
    with pytest.raises(ValueError, match="counted with the normalizer"):
        digram.prune(old, digram.count(TEXTS), vocab_size=old.vocab_size - 200)


def test_an_added_token_before_new_pieces_becomes_a_piece_that_is_never_made(tmp_path):
    """Llama 2 with `<pad>`: else no file could hold the pieces behind it."""
    old = digram.load(pieces.trained(byte_fallback=True)).with_(special_tokens=["<pad>"])
    new = digram.train(TEXTS, num_merges=12, extend=old)
    assert new.token_id("<pad>") == old.token_id("<pad>") == old.vocab_size - 1
    for name in ("new.model", "new.json"):
        new.save(tmp_path / name)
        assert digram.load(tmp_path / name) == new
    assert opened_there(new, tmp_path).encode("жуки<pad>") == new.encode("жуки<pad>")
    assert new.encode("<pad>", special="token") == [new.token_id("<pad>")]


def test_an_added_token_before_new_tokens_is_listed_as_in_the_file(tmp_path):
    old = digram.train(TEXTS, num_merges=3).with_(special_tokens=["<|end|>"])
    new = digram.train(TEXTS, num_merges=3, extend=old)
    new.save(tmp_path / "new.json")
    again = digram.load(tmp_path / "new.json")
    assert again == new
    assert again.fingerprint == new.fingerprint


@pytest.mark.parametrize("content", ["<tool>", "a tool", "tool"])
def test_an_added_token_is_listed_where_whole_words_are_looked_up(tmp_path, content):
    """Llama 3's kind with a token that is not special, which Hugging Face takes for a word."""
    tokenizers = pytest.importorskip("tokenizers")
    old = digram.train(TEXTS, num_merges=3, pattern="gpt2").with_(ignore_merges=True)
    new = digram.train(TEXTS, num_merges=3, extend=old.with_(added_tokens=[content]))
    new.save(tmp_path / "tokenizer.json")
    assert digram.load(tmp_path / "tokenizer.json") == new
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    text = f"a {content} жуки{content} tool"
    assert new.encode(text) == theirs.encode(text).ids


def test_a_character_that_is_required_becomes_a_piece_however_seldom_it_is():
    old = digram.load(pieces.trained(byte_fallback=True, normalization_rule_name="identity"))
    texts = ["ѣ\tѳ", "жуки жуки"]
    new = digram.train(texts, extend=old, num_merges=3, required=["ѣ\tѳ"])
    assert new.tokenize("ѣ\tѳ")[-1] == "ѣ\tѳ"
    same(old, new, texts)


def test_a_user_defined_piece_over_a_blank_is_refused():
    old = digram.load(pieces.trained(user_defined_symbols=("x▁",)))
    with pytest.raises(ValueError, match="'x▁' reaches over a blank"):
        digram.train(TEXTS, extend=old)
    assert digram.train({"zq": 3}, extend=old).token_id("zq") is not None


def test_words_of_bytes_alone_leave_nothing_to_learn():
    old = digram.load(pieces.trained(byte_fallback=True))
    with pytest.raises(ValueError, match="nothing is left of the words"):
        digram.train({"\t\x01": 5}, extend=old)


def test_words_counted_by_gpt2s_name_are_those_of_its_file():
    old = digram.train(TEXTS, num_merges=3, pattern="gpt2")
    old = old.with_(pre_tokenizer=digram.components.ByteLevel(add_prefix_space=False))
    counts = digram.count(TEXTS, pattern="gpt2")
    new = digram.train(counts, num_merges=3, extend=old)
    assert new.tokens == digram.train(TEXTS, num_merges=3, extend=old).tokens
    prefixed = old.with_(pre_tokenizer=digram.components.ByteLevel(add_prefix_space=True))
    with pytest.raises(ValueError, match="counted with the pattern"):
        digram.train(counts, extend=prefixed)


def test_a_marker_ends_the_whole_word_wherever_its_blanks_are():
    vocab = {token: id_ for id_, token in enumerate(["a", "b", "▁", "a@", "b@", "▁@"])}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "end_of_word_suffix": "@"}
    visible = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    file = {"model": model, "normalizer": visible, "pre_tokenizer": {"type": "WhitespaceSplit"}}
    old = digram.load(json.dumps(file).encode())
    texts = ["ab ab ab"]
    same(old, digram.train(texts, num_merges=2, extend=old), texts)
