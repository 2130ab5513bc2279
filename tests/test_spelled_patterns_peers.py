"""Patterns given to digram: Hugging Face reads those of a saved file alike, or refuses the file."""

import json

import characters
import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

# All characters; of a class runs are asked for, which are fewer words.
ALL = "".join(characters.ALL)
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"
KIMI = (
    r"[\p{Han}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def saved(pattern, path):
    """A tokenizer with a pattern of the user's, and its file."""
    tok = digram.train(["a b"], vocab_size=256, pattern=pattern)
    tok.save(path)
    assert digram.load(path) == tok
    return tok, json.loads(path.read_text())


def check(pattern, text, path):
    """Hugging Face opens the file, and its pattern finds the words that digram finds."""
    tok, file = saved(pattern, path)
    assert file["model"]["type"] == "BPE", pattern
    tokenizers.Tokenizer.from_file(str(path))
    regex = file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(regex), "isolated")
    expected = [word for word, _ in split.pre_tokenize_str(text)]
    assert [word for word, *_ in tok.words(text)] == expected, (pattern, regex)
    return regex


@pytest.mark.parametrize(
    ("pattern", "spelled"),
    [
        (r"\pL", r"\p{L}"),
        (r"[^\pN\PZ]", r"[^\p{N}\P{Z}]"),
        (r"\p{Script=Han}", r"\p{Han}"),
        (r"\p{sc=Greek}", r"\p{Greek}"),
        (r"\P{script:Cyrl}", r"\P{Cyrl}"),
        (r"[\p{gc=Lu}]", r"[\p{Lu}]"),
        (r"\p{General_Category=Currency_Symbol}", r"\p{Currency_Symbol}"),
        (r"\p{gc!=Letter}", r"\P{Letter}"),
        (r"\p{isAlpha}", r"\p{Alpha}"),
        (r"\u{4e00}|\xE9|\U0001F600", r"\x{4e00}|\x{E9}|\x{0001F600}"),
        ("a|b{,}c", "a|b{0,}c"),
        (r"[\u4e00-\u9fff]", r"[\u4e00-\u9fff]"),
        (r"[\p{L}&&[^\p{Han}]]", r"[\p{L}&&[^\p{Han}]]"),
        (r"\p{White_Space}|\p{Emoji}", r"\p{White_Space}|\p{Emoji}"),
    ],
)
def test_a_pattern_is_spelled_so_that_theirs_finds_the_same(pattern, spelled, tmp_path):
    regex = check(f"(?:{pattern})+", ALL, tmp_path / "tokenizer.json")
    assert regex == f"(?:{spelled})+"


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\p{scx=Han}", r"\p{Age=6.0}", r"\p{Bidi_Mirrored}", r"\p{gcb=Extend}", r"[\p{Word}]"),
        *(r"\p{Word}", r"\P{Graph}", r"[\p{Print}]", "[a~~b]", r"[a-c--b]", r"\<a", r"\p{^L}|\w"),
    ],
)
def test_what_theirs_reads_otherwise_is_not_shown_to_it(pattern, tmp_path):
    _, file = saved(pattern, tmp_path / "tokenizer.json")
    assert file["model"]["type"] == "DigramBPE"
    assert file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] == pattern


@pytest.mark.parametrize("pattern", [BLOOM, KIMI])
def test_published_patterns_with_classes_in_classes_are_shown_as_they_are(pattern, tmp_path):
    text = (
        "".join(chr(code) for code in range(1, 0x3100)) + " It's 12345 a.b, 日本 (a|b)], 漢字a漢 "
    )
    text += text[::-1]
    assert check(pattern, text, tmp_path / "tokenizer.json") == pattern


def test_a_pattern_that_does_not_go_with_the_one_listed_is_refused(tmp_path):
    _, file = saved(r"\pL", tmp_path / "tokenizer.json")
    assert file["model"]["digram"]["patterns"] == {r"\p{L}": r"\pL"}
    file["model"]["digram"]["patterns"] = {r"\p{L}": r"\pN"}
    with pytest.raises(digram.FormatError, match=r"model.digram.patterns: .* does not go with"):
        digram.load(json.dumps(file).encode())
