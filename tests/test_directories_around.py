"""What the settings of a directory put around texts, where no tokenizer.json says it."""

import itertools
import json

import pytest

import digram

ENDS = {"bos_token": "<s>", "eos_token": {"content": "</s>", "__type": "AddedToken"}}
TEXTS = (("low",), ("low", "er"))
ASKED = list(itertools.product((None, False, True), repeat=2))


def model_of_sentencepiece():
    pytest.importorskip("sentencepiece")
    from pieces import trained

    return trained(normalization_rule_name="identity", remove_extra_whitespaces=False)


def opened(folder, form, settings):
    """Open a directory of a tokenizer and settings."""
    folder.mkdir()
    if form == "pair":
        special = ["<s>", "</s>"]
        tok = digram.train(["low lower"], num_merges=2, pattern="gpt2", special_tokens=special)
        tok.save(folder, format="gpt2")
    else:
        (folder / "tokenizer.model").write_bytes(model_of_sentencepiece())
    kind = "GPT2Tokenizer" if form == "pair" else "LlamaTokenizer"
    said = {"tokenizer_class": kind, "unk_token": "<unk>"} | settings
    (folder / "tokenizer_config.json").write_text(json.dumps(said), encoding="utf-8")
    return digram.from_pretrained(folder)


@pytest.mark.parametrize("form", ["pair", "model"])
@pytest.mark.parametrize(("bos", "eos"), ASKED)
def test_the_ends_that_the_settings_ask_for_stand_around_texts(tmp_path, form, bos, eos):
    asked = {"add_bos_token": bos, "add_eos_token": eos}
    settings = ENDS | {name: value for name, value in asked.items() if value is not None}
    tok = opened(tmp_path / "a", form, settings)
    before = [tok.token_id("<s>")] * bool(bos)
    behind = [tok.token_id("</s>")] * bool(eos)
    for texts in TEXTS:
        expected = [id_ for text in texts for id_ in before + tok.encode(text) + behind]
        assert tok(*texts)["input_ids"] == expected
    tok.save(f"{tmp_path}/b/")
    assert digram.from_pretrained(tmp_path / "b") == tok


@pytest.mark.parametrize("form", ["pair", "model"])
@pytest.mark.parametrize(("bos", "eos"), ASKED)
def test_they_are_those_of_transformers(tmp_path, form, bos, eos):
    transformers = pytest.importorskip("transformers", minversion="5.24")
    asked = {"add_bos_token": bos, "add_eos_token": eos}
    settings = ENDS | {name: value for name, value in asked.items() if value is not None}
    tok = opened(tmp_path / "a", form, settings)
    tok.save(f"{tmp_path}/b/")
    for folder in "ab":
        theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / folder)
        for texts in TEXTS:
            assert tok(*texts)["input_ids"] == theirs(*texts).input_ids, folder


@pytest.mark.parametrize("token", ["<a b>", "x:y", "$A", "$B", "a$0"])
@pytest.mark.parametrize("form", ["pair", "model"])
def test_any_token_may_be_an_end(tmp_path, form, token):
    settings = {"bos_token": token, "add_bos_token": True}
    tok = opened(tmp_path / "a", form, settings)
    assert tok("low", "er")["input_ids"] == [
        *(tok.token_id(token), *tok.encode("low")),
        *(tok.token_id(token), *tok.encode("er")),
    ]


@pytest.mark.parametrize("form", ["pair", "model"])
def test_an_end_that_is_no_token_is_none(tmp_path, form):
    tok = opened(tmp_path / "a", form, {"bos_token": "", "add_bos_token": True})
    assert tok("low")["input_ids"] == tok.encode("low")


def test_settings_of_others_are_not_written_over(tmp_path):
    tok = digram.train(["low lower"], num_merges=2)
    said = {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(digram.FormatError, match=r"holds tokenizer_config\.json of another"):
        tok.save(tmp_path)


def test_a_model_knows_its_ends_where_the_settings_do_not(tmp_path):
    tok = opened(tmp_path / "a", "model", {"add_bos_token": True})
    assert tok("low")["input_ids"] == [tok.model.rule.bos, *tok.encode("low")]
    pair = opened(tmp_path / "b", "pair", {"add_bos_token": True})
    assert pair("low")["input_ids"] == pair.encode("low")  # nobody says which it is


def test_a_directory_written_of_a_model_names_its_ends(tmp_path):
    sentencepiece = pytest.importorskip("sentencepiece")
    tok = digram.load(model_of_sentencepiece())
    tok.save(f"{tmp_path}/a/")
    config = json.loads((tmp_path / "a" / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert (config["bos_token"], config["eos_token"]) == ("<s>", "</s>")
    assert digram.from_pretrained(tmp_path / "a") == tok
    tok.save(f"{tmp_path}/a/")  # its own settings are replaced
    model = sentencepiece.SentencePieceProcessor(model_proto=model_of_sentencepiece())
    assert tok.model.rule.bos == model.bos_id()
