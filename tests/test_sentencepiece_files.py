"""SentencePiece's files: what is refused, what is written, and what becomes of other formats."""

import json
import pickle
import random

import pytest
import tokenizers

import digram

pytest.importorskip("sentencepiece")
import pieces
from test_check_formats import sized, with_self_test
from test_sentencepiece import TRAINED

SAMPLES = (*pieces.SENTENCES, "", "☃ unknown")

REFUSED = {
    "no type of model": (lambda m: m.trainer_spec.ClearField("model_type"), "'unigram'"),
    "unigram": (lambda m: setattr(m.trainer_spec, "model_type", 1), "'unigram'"),
    "word": (lambda m: setattr(m.trainer_spec, "model_type", 3), "'word'"),
    "char": (lambda m: setattr(m.trainer_spec, "model_type", 4), "'char'"),
    "no unknown piece": (lambda m: m.pieces.pop(0), "no piece is the unknown one"),
    "two unknown pieces": (lambda m: setattr(m.pieces[1], "type", 2), "2 pieces are unknown"),
    "an empty piece": (lambda m: setattr(m.pieces[9], "piece", ""), 'pieces[9]: "" is no piece'),
    "NUL in a piece": (lambda m: setattr(m.pieces[9], "piece", "a\0"), "without NUL"),
    "a long piece": (lambda m: setattr(m.pieces[9], "piece", "a" * 8000), "less than 8000 bytes"),
    "a piece twice": (lambda m: setattr(m.pieces[9], "piece", m.pieces[8].piece), "listed before"),
    "a control piece twice": (lambda m: setattr(m.pieces[9], "piece", "<s>"), "listed before"),
    "no number": (lambda m: setattr(m.pieces[9], "score", float("nan")), "not a finite number"),
    "a byte without fallback": (
        lambda m: m.pieces.add(piece="<0x41>", type=pieces.BYTE),
        "byte_fallback is false",
    ),
    "a byte that is none": (
        lambda m: m.pieces.add(piece="<0x4>", type=pieces.BYTE),
        "is a byte piece, but no byte",
    ),
    "bytes missing": (
        lambda m: setattr(m.trainer_spec, "byte_fallback", True),
        "no piece for the byte <0x00>",
    ),
    "a damaged table": (
        lambda m: setattr(m.normalizer_spec, "precompiled_charsmap", b"\xff\xff\xff\x7fabc"),
        "precompiled_charsmap is damaged",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_is_refused(what):
    change, reason = REFUSED[what]
    model = pieces.edited(pieces.trained(), change)
    with pytest.raises(digram.FormatError) as refused:
        digram.load(model, format="sentencepiece")
    assert reason in str(refused.value)


def test_files_are_recognized_by_their_content(shared):
    vocab = shared / "data" / "vocab"
    assert digram.load(vocab / "llama3" / "tokenizer.model", pattern="cl100k").units == "bytes"
    with pytest.raises(digram.FormatError, match="'unigram'"):
        digram.load(vocab / "sentencepiece-unigram" / "test_model.model")


def test_damaged_bytes_are_refused_or_give_a_working_tokenizer():
    dice = random.Random(3)
    opened = 0
    for name in ("default", "user-defined"):
        whole = pieces.trained(**TRAINED[name])
        for _ in range(400):
            damaged = bytearray(
                whole[: dice.randrange(len(whole))] if dice.random() < 0.3 else whole
            )
            for _ in range(dice.randrange(1, 20)):
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            try:
                ours = digram.load(bytes(damaged), format="sentencepiece")
            except digram.DigramError:
                continue
            opened += 1
            for text in (*pieces.SENTENCES, "aﬁⅧ\u0301 \x00"):
                ours.decode(ours.encode(text))
    assert opened > 50


@pytest.mark.parametrize("name", TRAINED)
def test_a_model_written_and_read_is_the_same_and_opens_there(name, tmp_path):
    model = pieces.trained(**TRAINED[name])
    ours, path = digram.load(model), tmp_path / "again.model"
    ours.save(path)
    assert digram.load(path).model == ours.model
    first, again = pieces.peer(model), pieces.peer(path.read_bytes())
    texts = [*pieces.SENTENCES, *pieces.nasty(name, 100)]
    assert again.encode(texts) == first.encode(texts)
    assert again.decode(again.encode(texts)) == first.decode(first.encode(texts))
    for role in ("unk_id", "bos_id", "eos_id", "pad_id", "vocab_size"):
        assert getattr(again, role)() == getattr(first, role)(), role
    every = list(range(len(first)))
    assert again.get_score(every) == first.get_score(every)
    for asked in ("is_control", "is_unknown", "is_unused", "is_byte"):
        assert getattr(again, asked)(every) == getattr(first, asked)(every)


@pytest.mark.parametrize("seed", range(60))
def test_a_model_drawn_at_random_survives_both_formats(seed, tmp_path):
    ours = digram.load(pieces.drawn(seed))
    ours.save(tmp_path / "again.model")
    assert digram.load(tmp_path / "again.model").model == ours.model
    ours.save(tmp_path / "tokenizer.json")
    assert digram.load(tmp_path / "tokenizer.json").model == ours.model


@pytest.mark.parametrize("name", TRAINED)
def test_as_tokenizer_json_it_is_the_same_and_hugging_face_agrees_or_refuses(name, tmp_path):
    ours, path = digram.load(pieces.trained(**TRAINED[name])), tmp_path / "tokenizer.json"
    ours.save(path)
    again = digram.load(path)
    assert (again.model, again.fingerprint) == (ours.model, ours.fingerprint)
    kind = json.loads(path.read_text(encoding="utf-8"))["model"]["type"]
    assert kind == ("BPE" if name == "llama" else "DigramBPE")
    if kind == "DigramBPE":
        with pytest.raises(Exception, match=r"data did not match|unknown variant|Bpe|BPE"):
            tokenizers.Tokenizer.from_file(str(path))
        return
    theirs = tokenizers.Tokenizer.from_file(str(path))
    texts = [*pieces.SENTENCES, *pieces.nasty(name, 300)]
    expected = [theirs.encode(text, add_special_tokens=False).ids for text in texts]
    assert ours.encode_batch(texts, special="token") == expected
    again.save(tmp_path / "back.model")
    assert pieces.peer((tmp_path / "back.model").read_bytes()).encode(texts) == ours.encode_batch(
        texts
    )


def plain_list(tmp_path):
    """What Hugging Face holds of a model, without what digram wrote beside."""
    path = tmp_path / "tokenizer.json"
    digram.load(pieces.trained(**TRAINED["llama"])).save(path)
    file = json.loads(path.read_text(encoding="utf-8"))
    del file["model"]["digram"]
    path.write_text(json.dumps(file), encoding="utf-8")
    return digram.load(path)


@pytest.mark.parametrize("name", TRAINED)
def test_special_tokens_that_are_added_become_control_pieces(name, tmp_path):
    tok, path = digram.load(pieces.trained(**TRAINED[name])), tmp_path / "more.model"
    size = tok.vocab_size
    more = tok.with_(special_tokens=["<pad>", "<|im_start|>"])
    assert [more.model.rule.kinds[size + place] for place in (0, 1)] == ["control", "control"]
    text = "low <pad>lower<|im_start|> newest"
    assert more.encode(text) == tok.encode(text)
    assert more.encode(text, special="token").count(size) == 1
    more.save(path)
    assert digram.load(path) == more
    theirs = pieces.peer(path.read_bytes())
    assert theirs.piece_to_id("<|im_start|>") == size + 1
    assert theirs.is_control(size)
    assert theirs.encode(text) == more.encode(text)
    more.save(tmp_path / "more.json")
    assert digram.load(tmp_path / "more.json") == more


def test_control_pieces_that_were_added_can_go_again(tmp_path):
    tok = digram.load(pieces.trained(), format="sentencepiece")
    more = tok.with_(special_tokens=["<pad>", "<sep>"])
    assert more.without(["<pad>", "<sep>"]) == tok
    last = more.without(["<sep>"])
    assert last == tok.with_(special_tokens=["<pad>"])
    last.save(tmp_path / "last.model")
    assert digram.load(tmp_path / "last.model") == last
    assert more.without(["<s>"]).token_id("<s>") == tok.token_id("<s>")
    # where there would be a gap, or it is matched in a way of its own, it is no piece
    assert 9_999 in tok.with_(special_tokens={"<x>": 9_999}).model.added_only
    stripped = digram.components.AddedToken(tok.vocab_size, "<x>", lstrip=True, special=True)
    assert tok.vocab_size in tok.with_(special_tokens=[stripped]).model.added_only
    assert tok.vocab_size in tok.with_(added_tokens=["<x>"]).model.added_only


@pytest.mark.parametrize("gone", [("<a>",), ("<b>",), ("<c>",), ("<a>", "<b>"), ("<a>", "<c>")])
def test_of_several_that_were_added_any_can_go_and_come_back(gone):
    tok = digram.load(pieces.trained(), format="sentencepiece")
    more = tok.with_(special_tokens=["<a>", "<b>", "<c>"])
    fewer, text = more.without(gone), "x<a>y<b>z<c>"
    assert digram.load(fewer.to_bytes()) == fewer
    assert fewer.with_(special_tokens={each: more.token_id(each) for each in gone}) == more
    if gone == ("<c>",):
        assert digram.load(fewer.to_bytes(format="sentencepiece")) == fewer
    else:  # there is a gap in the ids
        with pytest.raises(
            digram.FormatError, match=r"of its \d+ ids \d+ have a token; save it as"
        ):
            fewer.to_bytes(format="sentencepiece")
    assert fewer.decode(fewer.encode(text)) == tok.decode(tok.encode(text))


def test_a_control_piece_that_is_no_special_token_any_more_is_shown():
    tok = digram.load(pieces.trained(), format="sentencepiece")
    shown = digram.components.AddedToken(tok.vocab_size, "<x>", normalized=False, special=False)
    changed = tok.with_(special_tokens=["<x>"]).with_(added_tokens=[shown])
    assert changed == tok.with_(added_tokens=[shown])
    assert "<x>" in changed.decode(changed.encode("a<x>b"))


@pytest.mark.parametrize("count", [1, 40, 200])
def test_the_first_merges_of_a_model_can_be_saved(count):
    small = digram.load(pieces.trained(), format="sentencepiece").at(count)
    assert small.vocab_size < small.embedding_size
    again = digram.load(small.to_bytes())
    assert again == small
    assert all(again.encode(line) == small.encode(line) for line in pieces.SENTENCES)


def test_a_list_of_merges_with_visible_spaces_becomes_a_model_by_scores(tmp_path):
    listed = plain_list(tmp_path)
    assert isinstance(listed.model.rule, digram.Merges)
    listed.save(tmp_path / "by_scores.model")
    theirs = pieces.peer((tmp_path / "by_scores.model").read_bytes())
    texts = [*pieces.SENTENCES, *pieces.nasty(5, 300)]
    assert theirs.encode(texts) == listed.encode_batch(texts)
    assert digram.load(tmp_path / "by_scores.model").encode_batch(texts) == theirs.encode(texts)


def test_what_a_model_file_cannot_hold_is_told_at_once(tmp_path):
    bytes_ = digram.train(["low lower lowest"], num_merges=3)
    with pytest.raises(digram.FormatError, match="its units are bytes"):
        bytes_.save(tmp_path / "x.model")
    listed = plain_list(tmp_path)
    merges = listed.model.rule.pairs
    changed = listed.with_(rule=digram.Merges(merges[:-1]), normalizer=None, ignore_merges=True)
    with pytest.raises(digram.FormatError) as refused:
        changed.save(tmp_path / "x.model")
    for reason in ("which is not listed", "visible spaces", "ignore_merges"):
        assert reason in str(refused.value)
    assert not (tmp_path / "x.model").exists()


def test_what_was_written_beside_must_go_with_the_merges(tmp_path):
    path = tmp_path / "tokenizer.json"
    digram.load(pieces.trained(**TRAINED["llama"])).save(path)
    file = json.loads(path.read_text(encoding="utf-8"))
    file["model"]["merges"].pop()
    with pytest.raises(digram.FormatError, match="does not go with the merges"):
        digram.load(json.dumps(file).encode())


def test_the_self_test_of_a_file_is_kept(tmp_path):
    theirs = pieces.peer(pieces.trained())
    samples = tuple((line, " ".join(theirs.encode(line, out_type=str))) for line in SAMPLES)
    file = with_self_test(pieces.trained(), [(text, cut.split(" ")) for text, cut in samples])
    tok = digram.load(file)
    assert tok.model.rule.self_test == samples
    assert tok == digram.load(pieces.trained())  # it changes no id
    assert tok.fingerprint == digram.load(pieces.trained()).fingerprint
    copies = [tok, pickle.loads(pickle.dumps(tok)), tok.with_(fuse_unk=True)]  # noqa: S301 - ours
    for name in ("written.model", "tokenizer.json"):
        tok.save(tmp_path / name)
        copies.append(digram.load(tmp_path / name))
    written = (tmp_path / "written.model").read_bytes()
    for copy in copies:
        assert copy.model.rule.self_test == samples
        copy.save(tmp_path / "again.model")
        assert (tmp_path / "again.model").read_bytes() == written
    assert pieces.peer(written).encode("the fox") == tok.encode("the fox")
    assert not [each for each in digram.check(written) if each.code == "self-test-failed"]


def test_a_copy_keeps_of_the_self_test_what_holds():
    file = with_self_test(pieces.trained(), [("the", ["▁the"]), ("THE", ["▁", "T", "H", "E"])])
    tok = digram.load(file)
    sequence = digram.components.NormalizerSequence
    lower = tok.with_(normalizer=sequence((digram.components.Lowercase(), tok.model.normalizer)))
    assert [text for text, _ in tok.model.rule.self_test] == ["the", "THE"]
    assert [text for text, _ in lower.model.rule.self_test] == ["the"]
    assert tok.with_(special_tokens=["<new>"]).model.rule.self_test == tok.model.rule.self_test


@pytest.mark.parametrize("halves", [(b"\xe2\x96", b"\x81x"), (b"ab", b"\xff")])
def test_each_piece_is_text_by_itself(halves):
    # the first two are text only when one stands behind the other
    first, second = (sized(1, sized(1, half)) for half in halves)
    with pytest.raises(digram.FormatError, match=r"pieces\[\d\]: its text: "):
        digram.load(first + second + pieces.trained(), format="sentencepiece")
