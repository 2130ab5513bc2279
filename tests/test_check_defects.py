"""Seeded defects: each is made in a sound file, and is reported under its code.

The sound files are trained on the spot. A row of the table is one defect: a function that changes
the file's value, or its text, and the code that `digram.check` must report; the sound file has no
finding at all, not even a note of that code.
"""

import json

import pytest

import digram
from digram._check import CODES

CORPUS = ["the lowest of the low, the newest of the new; naïve café 東京 42\n" * 9]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
}


def saved(tok, folder):
    tok.save(folder / "tokenizer.json")
    return json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Sound files, as values: over bytes, over characters, and over characters with fallback."""
    folder = tmp_path_factory.mktemp("sound")
    specials = ["<s>", "</s>"]
    chars = {"units": "chars", "pattern": "whitespace"}
    return {
        "bytes": saved(digram.train(CORPUS, num_merges=30, special_tokens=specials), folder)
        | {"post_processor": TEMPLATE},
        "chars": saved(
            digram.train(
                CORPUS, vocab_size=60, unk_token="[UNK]", special_tokens=specials, **chars
            ),
            folder,
        ),
        "fallback": with_fallback(),
    }


def with_fallback():
    """Characters, and bytes for those that are none of the vocabulary."""
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *"abcdef", "ab", "▁ab"]
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": {token: id_ for id_, token in enumerate(tokens)},
            "merges": [["a", "b"], ["▁", "ab"]],
        },
    }


def findings(content):
    return {*digram.check(content, notes=True)}


def model(file):
    return file["model"]


def vocab(file):
    return file["model"]["vocab"]


def merges(file):
    return file["model"]["merges"]


def next_id(file):
    return max(vocab(file).values()) + 1


def last_two(file):
    return list(vocab(file))[-2:]


def component(slot, **described):
    """Put a component into a file."""
    return lambda file: file.update({slot: described})


def added(**described):
    """Put an added token into a file, of the next id unless told."""

    def put(file):
        token = {
            "id": next_id(file),
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        } | described
        file["added_tokens"].append(token)
        vocab(file).setdefault(token["content"], token["id"])

    return put


def text(old, new):
    """Replace in the text of a file, once."""

    def replaced(written):
        assert written.count(old) >= 1, old
        return written.replace(old, new, 1)

    return replaced


def give_two_tokens_one_id(file):
    first, second = last_two(file)
    vocab(file)[first] = vocab(file)[second]


def spell_a_byte_in_two_ways(file):
    vocab(file)["東"] = next_id(file)
    merges(file).append(["æĿ", "±"])
    vocab(file).setdefault("æĿ", next_id(file))
    merges(file).insert(0, ["æ", "Ŀ"])
    vocab(file).setdefault("æĿ±", next_id(file))


def take_a_byte_out(file):
    removed = vocab(file).pop("Q")
    vocab(file)["QQ"] = removed


def join_bytes_of_no_text(file):
    vocab(file)["ÿÿ"] = next_id(file)
    merges(file).append(["ÿ", "ÿ"])


def merge_what_other_merges_take(file):
    """`yz` is merged first, so that no `xy` is left for `xyz`."""
    for token in ("xyz", "xy", "yz"):
        vocab(file)[token] = next_id(file)
    merges(file).extend([["y", "z"], ["x", "y"], ["xy", "z"]])


def put_the_last_merge_first(file):
    """One that joins what an earlier merge makes."""
    products = {left + right for left, right in merges(file)}
    late = next(pair for pair in merges(file) if set(pair) & products)
    merges(file).remove(late)
    merges(file).insert(0, late)


def make_a_word_special(file):
    added(content="the", id=vocab(file)["the"])(file)


def put(key, value):
    """Set a field of the model."""
    return lambda file: model(file).update({key: value})


def template(**changes):
    """Change the template."""
    return lambda file: file.update({"post_processor": TEMPLATE | changes})


def named(name, id_):
    return {"special_tokens": {"<s>": {"id": "<s>", "ids": [id_], "tokens": [name]}}}


def bomb(depth):
    """Ten letters for each, again and again."""
    step = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10}
    return component("normalizer", type="Sequence", normalizers=[step] * depth)


def split(regex, behavior="Isolated"):
    """Split at a regular expression, bytes as in the sound file."""
    step = {"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": False}
    spell = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    return component("pre_tokenizer", type="Sequence", pretokenizers=[step, spell])


def decoding(*steps):
    """Put steps before the decoder that is there."""

    def changed(file):
        parts = [*steps, file["decoder"]]
        file["decoder"] = {"type": "Sequence", "decoders": parts}

    return changed


def truncate(file):
    file["truncation"] = {
        "direction": "Right",
        "max_length": 8,
        "strategy": "LongestFirst",
        "stride": 0,
    }


def pad_with_another(file):
    file["padding"] = {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 5,
        "pad_type_id": 0,
        "pad_token": "</s>",
    }


REPLACE_YES = {"type": "Replace", "pattern": {"String": "yes"}, "content": "no"}

# name: the sound file, what is done to it (to its text, where it takes one), the code
DEFECTS = {
    "cut in half": ("bytes", lambda written: written[: len(written) // 2], "not-json"),
    "another kind of model": ("bytes", put("type", "WordPiece"), "not-bpe"),
    "no vocabulary": ("bytes", lambda file: model(file).pop("vocab"), "malformed"),
    "a merge of three": ("bytes", lambda f: merges(f).append(["a", "b", "c"]), "malformed"),
    "a setting twice": (
        "bytes",
        text('"type":"BPE"', '"type":"BPE","type":"BPE"'),
        "duplicate-key",
    ),
    "a token twice": ("bytes", text('"vocab":{', '"vocab":{"Ġthe":9999,'), "duplicate-token"),
    "two tokens of one id": ("bytes", give_two_tokens_one_id, "duplicate-id"),
    "an id below zero": ("bytes", lambda f: vocab(f).update(zz=-1), "id-out-of-range"),
    "an id that is a text": ("bytes", lambda f: vocab(f).update(zz="7"), "id-out-of-range"),
    "an id far away": ("bytes", lambda f: vocab(f).update(zz=900_000), "id-outlier"),
    "a gap in the ids": ("bytes", lambda f: vocab(f).update(zz=next_id(f) + 3), "id-gap"),
    "a character spelled and not": ("bytes", spell_a_byte_in_two_ways, "duplicate-bytes"),
    "a token outside the alphabet": (
        "bytes",
        lambda f: vocab(f).update({"東": next_id(f)}),
        "outside-alphabet",
    ),
    "a missing byte": ("bytes", take_a_byte_out, "byte-missing"),
    "bytes of no text": ("bytes", join_bytes_of_no_text, "impossible-bytes"),
    "half a character": (
        "bytes",
        lambda f: (vocab(f).update({"âĤ": next_id(f)}), merges(f).append(["â", "Ĥ"])),
        "broken-character",
    ),
    "a token without bytes": ("bytes", lambda f: vocab(f).update({"": next_id(f)}), "empty-token"),
    "a token that merging cannot make": (
        "bytes",
        merge_what_other_merges_take,
        "unreachable-token",
    ),
    "a lost merge": ("bytes", lambda f: merges(f).pop(3), "token-without-merge"),
    "a token after all merges": (
        "bytes",
        lambda f: vocab(f).update(madeupword=next_id(f)),
        "placeholder",
    ),
    "all merges lost": ("bytes", lambda f: merges(f).clear(), "no-merges"),
    "a merge of no token": (
        "bytes",
        lambda f: merges(f).append(["zzz", "a"]),
        "merge-part-missing",
    ),
    "a merge without product": (
        "bytes",
        lambda f: merges(f).append(["q", "q"]),
        "merge-product-missing",
    ),
    "a merge twice": ("bytes", lambda f: merges(f).append(merges(f)[0]), "duplicate-merge"),
    "merges out of order": ("bytes", put_the_last_merge_first, "merge-order"),
    "an unknown token that is none": ("chars", put("unk_token", "<unk>"), "unk-missing"),
    "no unknown token": ("chars", put("unk_token", None), "unk-unset"),
    "a missing byte token": (
        "fallback",
        lambda f: vocab(f).pop("<0x41>"),
        "byte-fallback-incomplete",
    ),
    "fallback turned off": ("fallback", put("byte_fallback", value=False), "byte-fallback-off"),
    "an unused suffix": ("chars", put("end_of_word_suffix", "</w>"), "affix-unused"),
    "an unused prefix": ("chars", put("continuing_subword_prefix", "##"), "affix-unused"),
    "another id than the vocabulary's": (
        "bytes",
        lambda f: f["added_tokens"][0].update(id=700),
        "added-id-mismatch",
    ),
    "an id that is taken": (
        "bytes",
        lambda f: f["added_tokens"].append(f["added_tokens"][0] | {"content": "<x>", "id": 40}),
        "added-id-taken",
    ),
    "an added token twice": (
        "bytes",
        lambda f: f["added_tokens"].append(f["added_tokens"][0]),
        "duplicate-added",
    ),
    "an empty added token": ("bytes", added(content=""), "added-empty"),
    "an added token that another hides": (
        "bytes",
        added(content="a<s>b", normalized=True, special=False),
        "added-never-matched",
    ),
    "a special token in another": ("bytes", added(content="<<s>>"), "special-contained"),
    "a special token in full width": ("bytes", added(content="＜s＞"), "special-look-alike"),
    "a word that is special": ("bytes", make_a_word_special, "special-from-text"),
    "the seed's template": ("bytes", template(**named("[CLS]", 3)), "template-id-ordinary"),
    "a template of another special": ("bytes", template(**named("<s>", 1)), "template-id-mismatch"),
    "a template of an id of nothing": (
        "bytes",
        template(**named("<s>", 70_000)),
        "template-id-unknown",
    ),
    "a template without names": ("bytes", template(special_tokens={}), "template-name-undefined"),
    "a template with a name to spare": (
        "bytes",
        template(single=[{"Sequence": {"id": "A", "type_id": 0}}]),
        "template-name-unused",
    ),
    "a template without the text": (
        "bytes",
        template(single=[{"SpecialToken": {"id": "<s>", "type_id": 0}}]),
        "template-without-text",
    ),
    "another's record": ("chars", lambda f: f["model"]["merges"].pop(), "training-mismatch"),
    "an unknown component": ("bytes", component("normalizer", type="Rot13"), "component-refused"),
    "no regular expression": ("bytes", split("(a"), "pattern-refused"),
    "repetition within repetition": ("bytes", split(r"(\w+\s?)+$|\s+|.|\n"), "pattern-blow-up"),
    "text that is dropped": ("bytes", split("[-+]", "Removed"), "pattern-drops-text"),
    "letters that are deleted": (
        "bytes",
        component("normalizer", type="Replace", pattern={"String": "q"}, content=""),
        "normalizer-deletes",
    ),
    "accents lost": ("bytes", component("normalizer", type="Lowercase"), "normalizer-lossy"),
    "a bomb": ("bytes", bomb(9), "expansion-bomb"),
    "a small bomb": ("bytes", bomb(2), "expansion-bomb"),
    "a decoder that rewrites": ("bytes", decoding(REPLACE_YES), "decoder-rewrites"),
    "no decoder": ("bytes", lambda f: f.update(decoder=None), "decoder-missing"),
    "dropout": ("bytes", put("dropout", 0.1), "dropout-on"),
    "truncation": ("bytes", truncate, "truncation-on"),
    "padding with another": ("bytes", pad_with_another, "padding-id-mismatch"),
}


def changed(file, change):
    """Make a defect: of the text where the change takes one."""
    written = json.dumps(file, ensure_ascii=False, separators=(",", ":"))
    try:
        return change(written).encode()
    except (AttributeError, TypeError):
        copy = json.loads(written)
        change(copy)
        return json.dumps(copy, ensure_ascii=False).encode()


@pytest.mark.parametrize("kind", ["bytes", "chars", "fallback"])
def test_a_sound_file_has_no_findings(sound, kind):
    content = json.dumps(sound[kind]).encode()
    assert digram.check(content) == ()
    assert digram.check(digram.load(content)) == ()


@pytest.mark.parametrize("name", DEFECTS)
def test_each_defect_is_reported_under_its_code(sound, name):
    kind, change, code = DEFECTS[name]
    before = findings(json.dumps(sound[kind]).encode())
    new = findings(changed(sound[kind], change)) - before
    assert code in {found.code for found in new}


def test_every_code_is_shown_by_a_defect_or_elsewhere():
    elsewhere = {"digram-only", "refused", "self-test-failed", "token-text-mismatch"}
    assert {code for _, _, code in DEFECTS.values()} == set(CODES) - elsewhere
