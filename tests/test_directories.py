"""Whole directories: what stands beside a tokenizer is read, kept, and written again."""

import json
import os
import pickle
import random
from pathlib import Path

import pytest
from engines import no_added

import digram
from digram import Directory
from digram._folder import chosen


@pytest.fixture(scope="module")
def tok():
    texts = ["the cat sat on the mat <img> hello é"] * 3
    return digram.train(texts, num_merges=20, special_tokens=["<s>", "</s>"], pattern="gpt2")


def write(folder, files):
    """Write files, JSON where a value is no text."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def read(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


KEPT = {
    "tokenizer_config.json": '{ "b": 1,  "a": [null, 1e3], "eos_token": {"content": "</s>"},\n'
    '"model_max_length": 1000000000000000019884624838656, "é": "\\u00e9" }\n',
    "special_tokens_map.json": '{"bos_token": {"content": "<s>", "special": true}}',
    "added_tokens.json": "{}",
    "chat_template.jinja": "{% for m in messages %}{{ m }}\r\n{% endfor %}",
    "chat_template.json": '{"chat_template": "of old"}',
    "additional_chat_templates/rag.jinja": "rag",
    "additional_chat_templates/tool_use.jinja": "tools",
}


RICH = {
    "tokenizer_config.json": json.dumps(
        {
            "added_tokens_decoder": {"0": {"content": "<s>", "lstrip": True, "special": True}},
            "eos_token": {"__type": "AddedToken", "content": "</s>", "normalized": False},
            "extra_special_tokens": ["<|y|>", {"content": "the", "single_word": True}],
            "chat_template": [{"name": "default", "template": "{{ messages }}"}],
        }
    ),
    "added_tokens.json": '{"<|y|>": 300, "<pad>": 301}',
}


def copied(value):
    """Send a value of ours through pickle."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - it was made here


def test_what_stood_beside_is_written_byte_for_byte(tok, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    tok.save(source / "tokenizer.json")
    write(source, KEPT)
    write(source, {"config.json": "{}", "generation_config.json": "{}", "sub/tokenizer.json": "no"})
    found = digram.from_pretrained(source)
    for copy in (found, copied(found), found.with_(dropout=None)):
        assert copy.directory == found.directory
    found.save(f"{target}{os.sep}")
    kept = read(target)
    assert kept.keys() == KEPT.keys() | {"tokenizer.json"}
    for name in KEPT:
        assert kept[name] == (source / name).read_bytes()
    assert digram.load(target) == found


def test_a_directory_is_no_part_of_what_a_tokenizer_is(tok, tmp_path):
    tok.save(tmp_path)
    found = digram.load(tmp_path)
    assert tok.directory is None
    assert found.directory.source == str(tmp_path)
    assert (found, hash(found), found.fingerprint) == (tok, hash(tok), tok.fingerprint)
    assert found.with_(directory=None).directory is None
    assert found.with_(directory=None).training == tok.training


def test_the_settings_can_be_read_and_not_changed(tok, tmp_path):
    write(tmp_path, KEPT)
    tok.save(tmp_path / "tokenizer.json")
    directory = digram.load(tmp_path).directory
    assert list(directory.config) == ["b", "a", "eos_token", "model_max_length", "é"]
    assert directory.special_tokens == {"eos_token": "</s>", "bos_token": "<s>"}
    assert directory.special_tokens_map["bos_token"]["special"] is True
    assert directory.commit is None
    for change in (
        lambda: directory.config.update(b=2),
        lambda: directory.config["eos_token"].update(content="x"),
        lambda: directory.files.pop("added_tokens.json"),
        lambda: setattr(directory, "source", "x"),
    ):
        with pytest.raises(AttributeError):
            change()
    assert hash(directory) == hash(copied(directory))


JINJA, LIST = {"chat_template.jinja": "file"}, [{"name": "rag", "template": "r"}]
IN_CONFIG = {"tokenizer_config.json": {"chat_template": "config"}}
TEMPLATES = [
    ({}, {}),
    (IN_CONFIG, {"default": "config"}),
    (IN_CONFIG | JINJA, {"default": "file"}),
    ({"tokenizer_config.json": {"chat_template": LIST}}, {"rag": "r"}),
    ({"tokenizer_config.json": {"chat_template": [*LIST, {"name": "default", "template": "d"}]}},
     {"rag": "r", "default": "d"}),
    (IN_CONFIG | {"additional_chat_templates/rag.jinja": "f"}, {"rag": "f"}),
    (JINJA | {"additional_chat_templates/rag.jinja": "f"}, {"default": "file", "rag": "f"}),
    ({"tokenizer_config.json": {"chat_template": None}}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("files", "templates"), TEMPLATES)
def test_the_chat_template_is_that_of_transformers(tok, tmp_path, files, templates):
    transformers = pytest.importorskip("transformers")
    write(tmp_path, files)
    tok.save(tmp_path / "tokenizer.json")
    found = digram.load(tmp_path)
    assert found.directory.chat_templates == templates
    assert found.chat_template == templates.get("default")
    write(tmp_path, {"tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast"}
                     | files.get("tokenizer_config.json", {})})  # fmt: skip
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path).chat_template
    assert (theirs or {}) == (
        templates.get("default", "") if [*templates] == ["default"] else templates
    )


def test_the_template_of_processors_counts_where_there_is_no_other(tok, tmp_path):
    write(tmp_path, {"chat_template.json": {"chat_template": "of old"}})
    tok.save(tmp_path / "tokenizer.json")
    assert digram.load(tmp_path).chat_template == "of old"
    write(tmp_path, JINJA)
    assert digram.load(tmp_path).chat_template == "file"


NONSENSE = [
    ("tokenizer_config.json", "", r"tokenizer_config.json: it is no JSON"),
    ("tokenizer_config.json", "[]", r"tokenizer_config.json holds .*; it must be an object"),
    ("tokenizer_config.json", "[" * 200_000, r"it is no JSON|nested too deeply"),
    ("tokenizer_config.json", '{"a": ' * 100_000, r"it is no JSON|nested too deeply"),
    ("tokenizer_config.json", '{"a": ' + "9" * 10_000 + "}", r"it is no JSON"),
    ("tokenizer_config.json", '{"eos_token": "\\ud800"}', r"'\\ud800' is half of a pair"),
    ("special_tokens_map.json", "nonsense", r"special_tokens_map.json: it is no JSON"),
    ("added_tokens.json", '{"<x>": "one"}', r"added_tokens.json: 'one' is no id"),
    ("tokenizer_config.json", '{"eos_token": 7}', r"eos_token holds '7'; it must be a token"),
    ("tokenizer_config.json", '{"eos_token": {"content": 7}}', r"it must be a token"),
    ("tokenizer_config.json", '{"eos_token": {"content": "x", "lstrip": 1}}', r"lstrip is '1'"),
    ("tokenizer_config.json", '{"added_tokens_decoder": []}', r"added_tokens_decoder is"),
    ("tokenizer_config.json", '{"added_tokens_decoder": {"a": {"content": "x"}}}', r"'a' is no id"),
    ("tokenizer_config.json", '{"added_tokens_decoder": {"1": "x", "2": 3}}', r"holds '3'"),
    ("tokenizer_config.json", '{"extra_special_tokens": 5}', r"extra_special_tokens is '5'"),
    ("tokenizer_config.json", '{"chat_template": 5}', r"chat_template is '5'"),
    ("tokenizer_config.json", '{"chat_template": [5]}', r"chat_template lists '5'"),
    ("chat_template.json", '{"chat_template": {}}', r"chat_template.json: chat_template is"),
    ("chat_template.jinja", b"\xff", r"chat_template.jinja: byte 0 is not UTF-8"),
    ("additional_chat_templates/a.jinja", b"a\xff", r"a.jinja: byte 1 is not UTF-8"),
]


@pytest.mark.parametrize(("name", "content", "message"), NONSENSE)
def test_a_file_beside_that_cannot_be_read_is_refused_by_name(
    tok, tmp_path, name, content, message
):
    tok.save(tmp_path / "tokenizer.json")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(digram.FormatError, match=message):
        digram.from_pretrained(tmp_path)


def test_files_that_are_too_large_or_no_files_are_not_read(tok, tmp_path):
    tok.save(tmp_path / "tokenizer.json")
    with (tmp_path / "special_tokens_map.json").open("wb") as file:
        file.truncate(33 << 20)
    with pytest.raises(digram.LimitError, match=r"special_tokens_map.json has \d+ bytes; at most"):
        digram.load(tmp_path)
    (tmp_path / "special_tokens_map.json").unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "special_tokens_map.json")  # reading it would wait for ever
    (tmp_path / "tokenizer_config.json").mkdir()
    (tmp_path / "chat_template.jinja").symlink_to(tmp_path / "nothing")
    assert digram.load(tmp_path).directory.files == {}


STRANGE = (
    *("x.json", "../tokenizer_config.json", "/etc/passwd", "", "config.json", "tokenizer.json"),
    *("additional_chat_templates/../x.jinja", "additional_chat_templates/a/b.jinja"),
    *("additional_chat_templates/.jinja", "chat_template.jinja\0", "chat_template.jinja\n"),
)


@pytest.mark.parametrize("name", STRANGE, ids=ascii)
def test_a_directory_holds_no_other_files(name):
    with pytest.raises(ValueError, match=r"is not kept with a tokenizer"):
        Directory({name: b"{}"})


def test_the_files_are_chosen_and_named_where_there_are_none(tok, tmp_path):
    with pytest.raises(digram.MissingFileError, match=r"holds none of tokenizer.json, tekken.*and"):
        digram.from_pretrained(tmp_path)
    no_added(tok).save(tmp_path, format="gpt2")
    pairs = digram.from_pretrained(tmp_path)
    assert pairs.encode("the cat") == tok.encode("the cat")
    tok.save(tmp_path / "tokenizer.json")
    assert digram.from_pretrained(tmp_path) == tok
    names = ["tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json", "merges.txt"]
    for first in names[:4]:
        assert chosen(names, "here")[0] == first
        names.remove(first)
    with pytest.raises(digram.MissingFileError, match=r"'here' holds none"):
        chosen(names, "here")


@pytest.mark.parametrize("name", ["tokenizer.model", "qwen.tiktoken", "tiktoken.model"])
def test_ranks_need_a_pattern_and_take_special_tokens_from_the_settings(tmp_path, name):
    tok = digram.train(["the cat sat on the mat"], num_merges=9, pattern="cl100k")
    ranks = tok.with_(tokens=tok.model.tokens, rule=digram.Ranks())
    ranks.save(tmp_path / name, format="tiktoken")
    with pytest.raises(
        digram.FormatError, match=r"does not hold how text is split.*special_tokens="
    ):
        digram.from_pretrained(tmp_path)
    tokens = {"270": {"content": "<|im_start|>", "special": True}, "300": {"content": "<pad>"}}
    write(tmp_path, {"tokenizer_config.json": {"added_tokens_decoder": tokens}})
    with pytest.raises(digram.FormatError, match=r"digram.load\(.*, pattern=…\)$"):
        digram.from_pretrained(tmp_path)
    found = digram.load(tmp_path, pattern="cl100k")
    assert found.encode("the cat<|im_start|><pad>", special="token") == [
        *ranks.encode("the cat"), 270, 300,
    ]  # fmt: skip
    assert found.special_tokens == {"<|im_start|>": 270}
    (tmp_path / name).rename(tmp_path / "a.tiktoken")
    (tmp_path / "b.tiktoken").write_bytes(b"IQ== 0\n")
    with pytest.raises(
        digram.MissingFileError, match=r"holds a.tiktoken, b.tiktoken; load the one"
    ):
        digram.from_pretrained(tmp_path)


@pytest.mark.parametrize("name", ["Qwen2Tokenizer", "Qwen2TokenizerFast"])
def test_a_pair_of_files_is_split_as_the_class_in_the_settings_does(tok, tmp_path, name):
    tok.save(tmp_path, format="gpt2")
    plain = digram.load(tmp_path)
    write(tmp_path, {"tokenizer_config.json": {"tokenizer_class": name, "pad_token": "<pad>"}})
    text, composed = "12 34 CAT'S\n  cafe\u0301", "12 34 CAT'S\n  caf\u00e9"
    found = digram.load(tmp_path)
    assert found.encode(text) == plain.with_(pattern="qwen2").encode(composed)
    assert found.encode(text) != plain.encode(text) != plain.encode(composed)
    assert found.encode("<pad>", special="token") == [plain.embedding_size]
    assert digram.load(tmp_path, pattern="gpt2").encode("12") == plain.encode("12")


def test_the_least_settings_say_what_is_true(tok, tmp_path):
    transformers = pytest.importorskip("transformers")
    letters = digram.train({"low": 5}, units="chars", unk_token="<unk>", special_tokens=["<pad>"])
    for number, each in enumerate((tok, letters)):
        each.save(f"{tmp_path / str(number)}/")
        theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / str(number))
        text = "low<pad> </s><unk> the cat"
        ids = each.encode(text, special="token")
        assert ids == theirs(text, add_special_tokens=False).input_ids
        assert theirs.unk_token == each.model.unk_token
        assert set(theirs.all_special_tokens) == set(each.special_tokens)
        if each is tok:
            assert theirs.decode(ids) == each.decode(ids) == text
    assert set(read(tmp_path / "0")) == {"tokenizer.json", "tokenizer_config.json"}


def test_a_name_says_whether_a_file_or_a_directory_is_written(tok, tmp_path):
    tok.save(tmp_path / "plain")
    assert (tmp_path / "plain").is_file()
    tok.save(f"{tmp_path}/folder/")
    assert set(read(tmp_path / "folder")) == {"tokenizer.json", "tokenizer_config.json"}
    tok.save(tmp_path / "folder")
    (tmp_path / "v1.5").mkdir()
    tok.save(tmp_path / "v1.5")
    assert set(read(tmp_path / "v1.5")) == {"tokenizer.json", "tokenizer_config.json"}
    tok.save(f"{tmp_path}/one/", format="gpt2")
    assert set(read(tmp_path / "one")) == {"vocab.json", "merges.txt"}
    with pytest.raises(OSError, match=r"."):
        tok.save(f"{tmp_path}/no/such/")
    with pytest.raises(OSError, match=r"."):
        tok.save(f"{tmp_path}/plain/")


def test_a_directory_that_would_be_another_tokenizer_is_not_written(tok, tmp_path):
    write(tmp_path / "a", {"tokenizer_config.json": {"eos_token": "<|end|>"}})
    tok.save(tmp_path / "a" / "tokenizer.json")
    changed = digram.load(tmp_path / "a").without(["<|end|>"])
    with pytest.raises(digram.FormatError, match=r"speaks of '<\|end\|>', .*with_\(directory=None"):
        changed.save(f"{tmp_path}/b/")
    assert not (tmp_path / "b").exists()
    changed.with_(directory=None).save(f"{tmp_path}/b/")
    fitting = Directory({"tokenizer_config.json": b'{"padding_side": "left"}'})
    changed.with_(directory=fitting).save(f"{tmp_path}/b/")
    assert digram.load(tmp_path / "b").directory.config == {"padding_side": "left"}
    others = ("added_tokens.json", "chat_template.jinja", "additional_chat_templates/a.jinja")
    for name in (*others, "tokenizer_config.json"):
        write(tmp_path / "c", {name: '{"model_max_length": 7}'})
        with pytest.raises(digram.FormatError, match=rf"holds {name} of another tokenizer"):
            tok.save(tmp_path / "c")
        assert list(read(tmp_path / "c")) == [name]
        (tmp_path / "c" / name).unlink()


def test_published_tokenizers_keep_their_ids_in_a_directory(shared, tmp_path):
    text = (shared / "data" / "corpus" / "tinyshakespeare.txt").read_text(encoding="utf-8")[:20_000]
    for name in ("gpt2", "llama3", "qwen2.5", "roberta-base", "phi-3"):
        folder = shared / "data" / "vocab" / name
        found = digram.from_pretrained(folder)
        assert found == digram.load(folder / "tokenizer.json")
        found.save(f"{tmp_path / name}/")
        again = digram.from_pretrained(tmp_path / name)
        assert again == found
        assert again.encode(text) == found.encode(text)
        assert Path(again.directory.source) == tmp_path / name


def test_a_tokenizer_replaces_what_digram_saved_in_its_place(tok, tmp_path):
    for each in (tok, digram.train({"low": 5}, units="chars", unk_token="<unk>"), tok):
        each.save(tmp_path)
        assert digram.load(tmp_path) == each


def test_any_settings_give_a_tokenizer_or_an_error_of_ours(tok, tmp_path):
    draw = random.Random(7)
    tok.save(tmp_path / "tokenizer.json")
    names = [name for name in KEPT if name.endswith(".json")]
    outcomes = set()
    for _ in range(600):
        name = draw.choice(names)
        content = bytearray(RICH.get(name, KEPT[name]).encode())
        for _ in range(draw.randint(1, 4)):
            start = draw.randrange(len(content))
            piece = draw.choice(
                [b"", b'"', b"{", b"[", b"null", b"-1", b"\xff", b"true", b'"x"', b":"]
            )
            content[start : start + draw.randint(0, 9)] = piece
        (tmp_path / name).write_bytes(content)
        try:
            digram.from_pretrained(tmp_path).encode("the cat<|y|>", special="token")
            outcomes.add("opened")
        except digram.FormatError:
            outcomes.add("refused")
        (tmp_path / name).unlink()
    assert outcomes == {"opened", "refused"}
