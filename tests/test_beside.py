"""Which tokens the files beside a tokenizer add to it: those that transformers adds."""

import json
import random

import pytest
from engines import no_added

import digram
from tests.test_directories import read, write

NAMED = ("eos_token", "bos_token", "pad_token", "unk_token", "image_token", "boi_token", "x_token")
FLAGS = ("lstrip", "rstrip", "normalized", "single_word", "special")
# Tokens of the vocabulary, spellings of others, added ones, and texts that are neither.
TOKENS = (
    "<s>",
    "</s>",
    "<pad>",
    "<img>",
    "the",
    "Ġthe",
    "<x>",
    "cat",
    "é",
    "zz",
    "a",
    "<|y|>",
    "Ã©",
)


@pytest.fixture(scope="module")
def tok():
    texts = ["the cat sat on the mat <img> hello é"] * 3
    return digram.train(texts, num_merges=20, special_tokens=["<s>", "</s>"], pattern="gpt2")


class Drawn:
    """Files as they may stand beside a tokenizer, drawn at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, of):
        return self.random.random() < of

    def token(self, *, kind="AddedToken"):
        flags = {flag: self.chance(0.5) for flag in FLAGS if self.chance(0.7)}
        return {"content": self.random.choice(TOKENS), **flags} | ({"__type": kind} if kind else {})

    def named(self):
        return self.random.choice(TOKENS) if self.chance(0.6) else self.token()

    def config(self):
        items = [(name, self.named()) for name in NAMED if self.chance(0.3)]
        if self.chance(0.3):
            name = self.random.choice(["extra_special_tokens", "additional_special_tokens"])
            items.append((name, [self.named() for _ in range(self.random.randint(0, 3))]))
        elif self.chance(0.2):
            names = {name: self.random.choice(TOKENS) for name in ("vid_token", "q_token")}
            items.append(("extra_special_tokens", names))
        if self.chance(0.5):
            ids = self.random.sample([0, 1, 2, 5, 9, 10, 280, 300], self.random.randint(0, 4))
            items.append(("added_tokens_decoder", {str(id_): self.token(kind="") for id_ in ids}))
        items += [
            (f"add_{what}", True) for what in ("bos_token", "prefix_space") if self.chance(0.2)
        ]
        self.random.shuffle(items)
        return {"tokenizer_class": "PreTrainedTokenizerFast", **dict(items)}

    def special_map(self):
        found = {name: self.random.choice(TOKENS) for name in NAMED[:5] if self.chance(0.3)}
        for name in list(found):
            if self.chance(0.5):
                flags = {flag: self.chance(0.5) for flag in FLAGS[:4]}
                found[name] = {"content": found[name], **flags}
        if self.chance(0.3):
            name = self.random.choice(["extra_special_tokens", "additional_special_tokens"])
            found[name] = self.random.sample(TOKENS, self.random.randint(0, 2))
        return found

    def files(self):
        files = {"tokenizer_config.json": self.config()}
        if self.chance(0.4):
            files["special_tokens_map.json"] = self.special_map()
        if self.chance(0.2):
            tokens = self.random.sample(TOKENS, 2)
            files["added_tokens.json"] = {token: 280 + at for at, token in enumerate(tokens)}
        return files

    def own(self, tokenizer_json):
        """Give the tokenizer itself some more added tokens."""
        file = json.loads(tokenizer_json)
        next_id = max(file["model"]["vocab"].values()) + 1
        for content in self.random.sample(
            ["<own>", "<x>", "zz", "<img>"], self.random.randint(0, 2)
        ):
            flags = {flag: self.chance(0.4) for flag in FLAGS}
            file["added_tokens"].append({"id": next_id, "content": content, **flags})
            next_id += 1
        return json.dumps(file)

    def text(self):
        parts = [*TOKENS, " ", "  ", "x", "\n"]
        return "".join(self.random.choices(parts, k=self.random.randint(1, 12)))


@pytest.mark.parametrize("seed", range(4))
def test_the_ids_are_those_of_transformers_whatever_stands_beside(tok, tmp_path, seed, monkeypatch):
    transformers = pytest.importorskip("transformers", minversion="5.23")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    drawn = Drawn(seed)
    tok.save(tmp_path / "plain.json")
    plain = (tmp_path / "plain.json").read_text(encoding="utf-8")
    for number in range(25):
        folder = tmp_path / str(number)
        write(folder, {"tokenizer.json": drawn.own(plain), **drawn.files()})
        theirs = transformers.AutoTokenizer.from_pretrained(folder)
        ours = digram.from_pretrained(folder)
        again = tmp_path / f"{number} again"
        ours.save(f"{again}/")
        saved = transformers.AutoTokenizer.from_pretrained(again)
        assert digram.from_pretrained(again) == ours
        for text in [drawn.text() for _ in range(20)]:
            ids = ours.encode(text, special="token")
            assert ids == theirs(text, add_special_tokens=False).input_ids, (text, read(folder))
            assert ids == saved(text, add_special_tokens=False).input_ids, (text, read(folder))


def test_two_files_get_the_tokens_that_a_whole_one_gets(tok, tmp_path):
    drawn = Drawn(11)
    plain = no_added(tok)
    for number in range(60):
        files = drawn.files()
        found = []
        for name, format in (("whole", "tokenizer.json"), ("pair", "gpt2")):
            folder = tmp_path / f"{number} {name}"
            write(folder, files)
            plain.save(folder, format=format)
            found.append(digram.from_pretrained(folder))
        for text in [drawn.text() for _ in range(10)]:
            whole, pair = (each.encode(text, special="token") for each in found)
            assert whole == pair, (text, files)


PLAIN = [
    {"add_prefix_space": True},
    {"add_prefix_space": False},
    {"add_bos_token": True, "add_eos_token": True, "bos_token": "<s>", "eos_token": "</s>"},
    {"legacy": False, "clean_up_tokenization_spaces": True, "use_default_system_prompt": True},
    {"truncation_side": "left", "padding_side": "left"},
]


@pytest.mark.parametrize("settings", PLAIN, ids=lambda settings: next(iter(settings)))
def test_settings_that_change_no_id_in_transformers_change_none_here(tok, tmp_path, settings):
    transformers = pytest.importorskip("transformers", minversion="5.23")
    tok.save(tmp_path / "tokenizer.json")
    write(
        tmp_path,
        {"tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast"} | settings},
    )
    ours, theirs = (
        digram.from_pretrained(tmp_path),
        transformers.AutoTokenizer.from_pretrained(tmp_path),
    )
    for text in ("the cat", " the cat<s>", "<s>the</s>"):
        ids = theirs(text, add_special_tokens=False).input_ids
        assert ours.encode(text, special="token") == ids == tok.encode(text, special="token")
        assert ours(text, special="token")["input_ids"] == theirs(text).input_ids


@pytest.mark.parametrize(
    ("name", "settings", "text"),
    [
        ("gpt2", {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True}, "Hello"),
        ("phi-3", {"tokenizer_class": "LlamaTokenizer"}, " Hello"),
    ],
)
def test_where_transformers_leaves_the_file_digram_stays_with_it(
    shared, tmp_path, name, settings, text
):
    # Each class of transformers builds a tokenizer of its own and takes the vocabulary and merges
    # alone from tokenizer.json; tokenizers, whose file it is, agrees with digram.
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers", minversion="5.23")
    file = shared / "data" / "vocab" / name / "tokenizer.json"
    (tmp_path / "tokenizer.json").write_bytes(file.read_bytes())
    write(tmp_path, {"tokenizer_config.json": settings})
    ids = digram.from_pretrained(tmp_path).encode(text, special="token")
    of_file = tokenizers.Tokenizer.from_file(str(file)).encode(text, add_special_tokens=False).ids
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert ids == of_file != theirs(text, add_special_tokens=False).input_ids


@pytest.mark.parametrize("seed", range(60))
def test_what_is_foreseen_is_what_reading_twice_gives(tok, tmp_path, monkeypatch, seed):
    drawn = Drawn(seed)
    tok.save(tmp_path)
    write(tmp_path, {"tokenizer_config.json": drawn.config()})
    at_once = digram.load(tmp_path)
    monkeypatch.setattr("digram._load_directory.foreseen", lambda *_: None)
    assert digram.load(tmp_path) == at_once


def test_a_file_is_read_once_where_tokens_are_added_behind_its_own(tok, tmp_path, monkeypatch):
    tok.save(tmp_path)
    write(tmp_path, {"tokenizer_config.json": {"eos_token": "<new é>", "pad_token": "</s>"}})
    twice = "digram._load_directory.with_additions"
    monkeypatch.setattr(twice, lambda *_: pytest.fail("it is read again"))
    assert digram.load(tmp_path).token_id("<new é>") == tok.vocab_size


@pytest.mark.parametrize("count", [3, 16, 17, 40])
def test_tokens_are_added_alike_however_many(count, tmp_path):
    tok = digram.train(["low lower"], num_merges=2)
    tok.save(tmp_path / "tokenizer.json")
    names = [f"<{name}>" for name in range(count)]
    settings = {"extra_special_tokens": names}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    opened = digram.from_pretrained(tmp_path)
    expected = list(range(tok.vocab_size, tok.vocab_size + count))
    assert opened.encode("".join(names), special="token") == expected
