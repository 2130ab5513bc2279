"""SentencePiece's models: its ids, its pieces, its text."""

import random

import pytest

import digram
from digram import reference

pytest.importorskip("sentencepiece")
import characters
import pieces


def test_zero_is_better_than_minus_zero_as_they_have_it():
    """Trainers give the first merge -0.0, and who adds pieces may give them 0.0."""
    draw = random.Random(9)
    texts = ["".join(draw.choices("abc", k=draw.randint(1, 12))) for _ in range(200)]
    for _ in range(20):
        names = {"".join(draw.choices("abc", k=draw.randint(2, 3))) for _ in range(6)}
        scored = [(name, draw.choice([0.0, -0.0, -1.0]), pieces.NORMAL) for name in sorted(names)]
        single = [(name, -9.0, pieces.NORMAL) for name in "abc"]
        content = pieces.made([*pieces.CONTROLS, *scored, *single])
        tok, peer = digram.load(content), pieces.peer(content)
        expected = peer.encode(texts)
        assert tok.encode_batch(texts) == expected, scored  # by text
        assert tok.encode_batch(texts * 9) == expected * 9, scored  # and by the table of pairs
        assert [list(reference.encode(tok.model, text)) for text in texts] == expected


RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
# One of each kind of option, and several together.
TRAINED = {
    "default": {},
    **{rule: {"normalization_rule_name": rule} for rule in RULES},
    "bytes": {"byte_fallback": True, "character_coverage": 0.98},
    "llama": {
        "byte_fallback": True,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "split_digits": True,
        "allow_whitespace_only_pieces": True,
    },
    "spaces kept": {"remove_extra_whitespaces": False},
    "no prefix": {"add_dummy_prefix": False},
    "bare": {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, spaces kept": {
        "treat_whitespace_as_suffix": True,
        "remove_extra_whitespaces": False,
    },
    "across words": {"split_by_whitespace": False},
    "few characters": {"character_coverage": 0.98},
    "user-defined": {
        "user_defined_symbols": ("<sep>", "▁", "ab", "  ", "\n", "the", "漢", "ﬁ"),
        "byte_fallback": True,
    },
    "control": {"control_symbols": ("<a>", "<b>"), "user_defined_symbols": ("<sep>",)},
    "other ids": {
        "unk_id": 3,
        "bos_id": 0,
        "eos_id": -1,
        "pad_id": 1,
        "unk_piece": "[UNK]",
        "bos_piece": "[CLS]",
        "pad_piece": "[PAD]",
        "unk_surface": "?",
    },
}


def same(model, texts):
    """Check that ids, pieces and decoded text are SentencePiece's."""
    ours, theirs = digram.load(model), pieces.peer(model)
    expected = theirs.encode(texts)
    assert ours.encode_batch(texts) == expected
    assert ours.decode_batch(expected) == theirs.decode(expected)
    assert [ours.count(text) for text in texts[:20]] == [len(ids) for ids in expected[:20]]
    everything = sorted({id_ for ids in expected for id_ in ids})
    spelled = [ours.tokens[id_].decode() for id_ in everything]
    assert spelled == theirs.id_to_piece(everything)


@pytest.mark.parametrize("name", TRAINED)
def test_ids_and_text_are_those_of_a_trained_model(name):
    model = pieces.trained(**TRAINED[name])
    same(model, [*pieces.SENTENCES, "\n".join(pieces.SENTENCES), *pieces.nasty(name, 200)])


@pytest.mark.parametrize("seed", range(300))
def test_ids_and_text_are_those_of_a_model_drawn_at_random(seed):
    dice = random.Random(seed)
    texts = ["".join(dice.choices("aabb▁ é漢cx", k=dice.randrange(30))) for _ in range(60)]
    same(pieces.drawn(seed), [*texts, *pieces.nasty(seed, 20), "ab▁é漢" * 40, "aab" * 60])


@pytest.mark.parametrize("rule", RULES)
def test_every_code_point_alone_and_between_letters_is_normalized_as_there(rule):
    model = pieces.trained(normalization_rule_name=rule, byte_fallback=True)
    ours, theirs = digram.load(model), pieces.peer(model)
    for texts in (characters.ALL, [f"a{character}b" for character in characters.ALL]):
        assert ours.encode_batch(texts) == theirs.encode(texts)


@pytest.mark.parametrize("name", ["default", "llama", "suffix", "user-defined", "other ids"])
def test_ids_that_no_text_has_are_decoded_as_there(name):
    model = pieces.trained(**TRAINED[name])
    ours, theirs = digram.load(model), pieces.peer(model)
    dice = random.Random(name)
    for _ in range(2_000):
        first = 300 if dice.random() < 0.5 else ours.vocab_size
        ids = [dice.randrange(first) for _ in range(dice.randrange(12))]
        assert ours.decode(ids) == theirs.decode(ids), ids


def test_bytes_stay_what_they_are_where_they_are_asked_for():
    ours = digram.load(pieces.trained(**TRAINED["llama"]))
    ids = [ours.token_id(f"<0x{byte:02X}>") for byte in (0xE6, 0xBC)]
    assert ours.decode_bytes(ids) == b"\xe6\xbc"
    assert ours.decode(ids) == "\ufffd\ufffd"
    assert ours.decode(ids, errors="ignore") == ""


def test_a_stream_of_ids_gives_the_text():
    model = pieces.trained(**TRAINED["llama"])
    ours, theirs = digram.load(model), pieces.peer(model)
    for text in [*pieces.SENTENCES, "漢字 ☃ 🇨🇭"]:
        ids = ours.encode(text)
        decoder = ours.decoder()
        assert "".join(map(decoder.feed, ids)) + decoder.finish() == theirs.decode(ids)


def test_unused_pieces_are_given_back_as_the_parts_that_they_were_made_of():
    def spoil(model):
        for piece in model.pieces[3:]:
            if len(piece.piece) > 1 and piece.type == pieces.NORMAL and len(piece.piece) % 2:
                piece.type = pieces.UNUSED

    for name in ("default", "llama", "suffix"):
        model = pieces.edited(pieces.trained(**TRAINED[name]), spoil)
        same(model, [*pieces.SENTENCES, *pieces.nasty(name, 100)])


def test_equal_scores_go_from_the_left():
    def level(model):
        for piece in model.pieces:
            piece.score = -float(len(piece.piece) // 3)

    for name in ("default", "llama", "across words"):
        model = pieces.edited(pieces.trained(**TRAINED[name]), level)
        same(model, [*pieces.SENTENCES, "\n".join(pieces.SENTENCES), *pieces.nasty(name, 100)])


def test_a_denormalizer_is_applied_to_the_decoded_text():
    rule = pieces.protocol.ModelProto.FromString(pieces.trained(normalization_rule_name="nfkc_cf"))

    def lower(model):
        model.denormalizer_spec.CopyFrom(rule.normalizer_spec)
        model.denormalizer_spec.add_dummy_prefix = False
        model.denormalizer_spec.remove_extra_whitespaces = False
        model.denormalizer_spec.escape_whitespaces = False

    same(pieces.edited(pieces.trained(**TRAINED["identity"]), lower), pieces.SENTENCES)


def test_control_pieces_in_a_text_are_text_unless_the_call_says_otherwise():
    ours = digram.load(pieces.trained())
    assert ours.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2}
    assert 1 not in ours.encode("<s>the")
    assert ours.encode("<s>the", special="token") == [1, *ours.encode("the")]
    assert ours.decode([1, *ours.encode("the"), 2]) == "the"


def test_a_model_tells_what_its_pieces_are():
    model = digram.load(pieces.trained(**TRAINED["control"])).model
    names = {token.content: token.id for token in model.added_tokens}
    assert model.rule.kinds == {
        0: "unknown",
        **{names[name]: "control" for name in ("<s>", "</s>", "<a>", "<b>")},
        5: "user-defined",
    }
    assert (model.rule.bos, model.rule.eos, model.rule.pad) == (1, 2, None)
    assert digram.Tokenizer(model) == digram.load(pieces.trained(**TRAINED["control"]))


def test_explaining_a_text_ends_with_its_ids():
    for name in ("default", "llama", "user-defined"):
        ours = digram.load(pieces.trained(**TRAINED[name]))
        for text in [*pieces.SENTENCES, "a<sep>b"]:
            told = [id_ for word in ours.explain(text).words for id_ in word.ids]
            assert told == ours.encode(text)


@pytest.mark.parametrize("name", ["default", "nmt_nfkc_cf", "llama", "suffix", "user-defined"])
def test_the_reference_agrees_about_trained_models(name):
    ours = digram.load(pieces.trained(**TRAINED[name]))
    model = ours.model
    for text in [*pieces.SENTENCES, *pieces.nasty(name, 100)]:
        ids = ours.encode(text)
        assert reference.encode(model, text) == ids
        assert reference.decode(model, ids) == ours.decode(ids)
        assert reference.decode_bytes(model, ids) == ours.decode_bytes(ids)


@pytest.mark.parametrize("seed", range(60))
def test_the_reference_agrees_about_models_drawn_at_random(seed):
    ours = digram.load(pieces.drawn(seed))
    model, dice = ours.model, random.Random(seed)
    for text in [*pieces.nasty(seed, 20), "ab▁é漢" * 10, "aab" * 20]:
        ids = ours.encode(text)
        assert reference.encode(model, text) == ids
        ids = dice.choices(range(ours.vocab_size), k=8)
        assert reference.decode(model, ids) == ours.decode(ids)
