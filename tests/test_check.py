"""`digram.check` and `digram check`: how findings are told, and that sound files have none."""

import json
import re
from pathlib import Path

import pytest
from command_line import run

import digram
from digram._check import CODES
from digram._check.blow_up import blow_up
from digram.components import (
    BertPreTokenizer,
    Fuse,
    Regex,
    SentencePieceNormalizer,
    Split,
    Whitespace,
)

CORPUS = ["the lowest of the low, the newest of the new; naïve café\n" * 9]
PAGE = Path(__file__).resolve().parents[1] / "docs" / "checking.md"

# What reading them needs and they do not hold.
SPLIT = {".tiktoken": {"pattern": "cl100k"}}
# One of each kind; `make exact` checks the others.
SOUND = (
    "persian-bpe-unk/tokenizer.json",
    "phi-3/tokenizer.json",
    "clip/tokenizer.json",
    "gpt2/encoder.json",
    "tiktoken/[!clo]*.tiktoken",
    "subword-nmt/*.codes",
    "opennmt-bpe/fr500",
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tokenizer.json"
    digram.train(CORPUS, num_merges=20, special_tokens=["<|end|>"]).save(path)
    return path


def damaged(file):
    value = json.loads(file.read_text(encoding="utf-8"))
    value["model"]["merges"].append(["q", "q"])
    value["model"]["dropout"] = 0.5
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def test_sound_files_have_no_findings(shared):
    folder = shared / "data" / "vocab"
    files = [path for glob in SOUND for path in sorted(folder.glob(glob))]
    assert len(files) >= len(SOUND)
    for path in files:
        found = digram.check(path, **SPLIT.get(path.suffix, {}))
        assert found == (), path


def test_the_damaged_file_is_told_by_its_merges(shared):
    found = digram.check(shared / "data" / "malformed" / "llama2-broken-merges.json")
    assert [each.code for each in found] == ["malformed"] * 3
    assert found[0].place == "merges[18917]"


def test_the_template_of_the_persian_seed_is_told(shared):
    """Ids 1 and 2 stand for `[CLS]` and `[SEP]`, and were ordinary tokens there."""
    path = shared / "data" / "vocab" / "persian-bpe-unk" / "tokenizer.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    first, second = (token for token, id_ in value["model"]["vocab"].items() if id_ in (40, 41))
    value["post_processor"] = {
        "type": "BertProcessing",
        "sep": ["[SEP]", 41],
        "cls": ["[CLS]", 40],
    }
    found = digram.check(json.dumps(value).encode())
    assert [each.code for each in found] == ["template-id-ordinary"] * 2
    assert [each.ids for each in found] == [(40,), (41,)]
    assert repr(first) in found[0].message
    assert "the special token '[SEP]' has the id 2" in found[1].message
    assert repr(second) in found[1].message


def test_what_merges_never_make_is_proven():
    tok = digram.train(CORPUS, num_merges=20)
    tokens = {**tok.model.tokens, 276: b"xyz"}
    other = tok.with_(tokens=tokens)
    (found,) = {*digram.check(other, notes=True)} - {*digram.check(tok, notes=True)}
    assert (found.code, found.ids) == ("placeholder", (276,))
    assert found.message == "b'xyz' by itself becomes 'x' + 'y' + 'z'"
    assert other.tokenize("xyz") == ["x", "y", "z"]


def test_a_pattern_that_blows_up_is_proven_and_others_are_left_alone():
    assert "needs" in blow_up(r"(\w+\s?)*$")
    assert "needs" in blow_up(r"(?:\p{L}|\p{L}\p{L})+\d")
    for name, pattern in digram.patterns.NAMED.items():
        assert blow_up(pattern) is None, name


def test_the_table_of_the_page_is_the_table_of_codes():
    rows = re.findall(
        r"^\| `([a-z0-9-]+)` \| (.+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.MULTILINE
    )
    told = {code: (severity, meaning, remedy) for code, severity, meaning, remedy in rows}
    known = {
        code: (each.severity, escaped(each.meaning), escaped(each.remedy))
        for code, each in CODES.items()
    }
    assert told == known
    assert list(told) == list(CODES), "the page has them in another order"


def escaped(text):
    """As Markdown shows it as it is."""
    return text.replace("<", r"\<")


def test_the_command_line_exits_with_what_was_found(file):
    said = run("check", file)
    assert (said.out, said.err) == ("", f"{file}: no findings\n")
    damaged(file)
    said = run("check", file, check=False)
    assert said.returncode == 1
    assert [line.split(":")[0] for line in said.out.splitlines()] == [
        "error merge-product-missing",
        "warning dropout-on",
    ]
    assert said.err == f"{file}: 1 error, 1 warning\n"
    assert run("check", file / "no", check=False).returncode == 2
    assert run("check", check=False).returncode == 2


def test_warnings_fail_where_it_is_strict(file):
    value = json.loads(file.read_text(encoding="utf-8"))
    value["model"]["dropout"] = 0.5
    file.write_text(json.dumps(value), encoding="utf-8")
    assert run("check", file).returncode == 0
    assert run("check", file, "--strict", check=False).returncode == 1


def test_the_findings_come_as_json(file):
    said = json.loads(run("check", damaged(file), "--json", check=False).out)
    assert (said["errors"], said["warnings"], said["notes"]) == (1, 1, 0)
    assert said["findings"][0]["code"] == "merge-product-missing"
    assert said["findings"][0]["place"] == "merges[20]"


def test_many_findings_of_a_kind_are_summed_up_unless_all_are_asked_for(file):
    value = json.loads(file.read_text(encoding="utf-8"))
    value["model"]["merges"] += [["q", chr(97 + index)] for index in range(20)]
    file.write_text(json.dumps(value), encoding="utf-8")
    said = run("check", file, check=False)
    assert "error merge-product-missing: … and 15 more (--all)" in said.out
    assert run("check", file, "--all", check=False).out.count("\n") == 20


def test_notes_are_told_when_asked_for(file):
    said = run("check", file, "--notes")
    assert "note broken-character: " in said.out
    assert re.search(r": \d+ notes?$", said.err.strip())


def test_a_file_of_ranks_needs_its_pattern_to_be_checked(tmp_path):
    path = tmp_path / "a.tiktoken"
    digram.train(CORPUS, num_merges=20, pattern="gpt2").save(path)
    assert "split pattern" in run("check", path, check=False).err
    assert run("check", path, "--pattern", "gpt2").out == ""


def test_the_empty_token_of_whisper_is_a_note(shared):
    """Its line is `= 50256`: padding without base64, which the reader takes for no bytes."""
    path = shared / "data" / "vocab" / "tiktoken" / "whisper_multilingual.tiktoken"
    found = digram.check(path, pattern="gpt2", notes=True)
    assert {each.severity for each in found} == {"note"}
    assert [each.ids for each in found if each.code == "empty-token"] == [(50256,)]


def test_a_pair_over_characters_needs_its_pattern_to_be_checked(shared):
    """GPT-1's was looked at as bytes, in 277 findings that were none."""
    folder = shared / "data" / "vocab" / "openai-gpt"
    with pytest.raises(ValueError, match="the tokens end with") as of_load:
        digram.load(folder)
    with pytest.raises(ValueError, match="the tokens end with") as of_check:
        digram.check(folder)
    assert str(of_check.value) == str(of_load.value)
    assert digram.check(folder, pattern=BertPreTokenizer()) == ()
    assert "the tokens end with" in run("check", folder, check=False).err
    assert run("check", folder, "--pattern", "BertPreTokenizer").out == ""


@pytest.mark.parametrize("marker", ["separate", "attached"])
def test_a_decoder_of_markers_reads_bytes_where_the_units_are_bytes(marker):
    tok = digram.train(["low low é"], end_of_word="</w>", marker=marker)
    assert tok.decode(tok.encode("low é")) == "low é"
    assert digram.check(tok) == ()
    lost = tok.with_(decoder=Fuse())
    assert [each.code for each in digram.check(lost)] == ["decoder-missing"]


ALONE = {
    "word characters": ({"pattern": r"\w+| +"}, "write [\\p{L}\\p{M}\\p{N}_] for \\w"),
    "edges of words": ({"pattern": r"\bа|."}, "may read '\\\\bа|.' otherwise"),
    "a separate marker": ({"end_of_word": "</w>"}, "train with marker='attached' and units='ch"),
    "a marker over bytes": (
        {"end_of_word": "</w>", "marker": "attached"},
        "train with units='chars'",
    ),
    "a normalizer": ({"units": "chars", "normalizer": SentencePieceNormalizer()}, "no SentencePie"),
}
SHARED = {
    "nothing": {},
    "classes": {"pattern": r"[\p{L}\p{M}\p{N}_]+| +"},
    "a component": {"pattern": Whitespace()},
    "an attached marker": {"end_of_word": "</w>", "marker": "attached", "units": "chars"},
    "a split": {"pattern": Split(Regex(" "), "Isolated")},
}


@pytest.mark.parametrize("options", [*ALONE.values(), *((each, None) for each in SHARED.values())])
def test_it_is_told_whether_others_can_open_what_is_saved(options, tmp_path):
    given, why = options
    tok = digram.train(CORPUS, num_merges=20, **given)
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    found = [each for each in digram.check(path, notes=True) if each.code == "digram-only"]
    assert [each.severity for each in found] == ["note"] * (why is not None)
    assert found == [e for e in digram.check(tok, notes=True) if e.code == "digram-only"]
    assert all(why in each.message for each in found)
    assert ("for digram alone" in run("inspect", path).out) == bool(found)
    tokenizers = pytest.importorskip("tokenizers")
    if found:
        with pytest.raises(Exception, match="did not match any variant"):
            tokenizers.Tokenizer.from_file(str(path))
    else:
        text = CORPUS[0]
        assert tokenizers.Tokenizer.from_file(str(path)).encode(text).ids == tok.encode(text)
