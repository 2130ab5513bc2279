"""`digram inspect`: what a tokenizer is, and how it makes tokens of a text, safe to look at."""

import json
import unicodedata

import pytest
from command_line import CORPUS, refusal, run

import digram

ISOLATE, POP = "\u2068", "\u2069"


def test_a_text_is_shown_as_tokens_ids_and_trees(file, tok):
    text = "the lowest"
    tokens, ids, sizes, *trees = run("inspect", "-t", file, text).out.splitlines()
    pieces = [tok.tokens[id_].decode().replace(" ", "␣") for id_ in tok.encode(text)]
    assert tokens == "|".join(pieces)
    assert ids == " ".join(map(str, tok.encode(text)))
    assert sizes == f"10 characters, 10 bytes, 2 words, {len(pieces)} tokens"
    first, second = "\n".join(trees).strip().split("\n\n")
    assert first.splitlines()[:2] == ["the", "├── t h e"]
    assert second.splitlines()[0] == "␣lowest"


def test_every_merge_of_a_word_is_in_its_tree_in_order(file, tok):
    (word,) = tok.explain("lowest").words
    tree = run("inspect", "-t", file, "lowest").out.split("\n\n")[1].splitlines()
    assert word.merges
    assert [line.split()[1:6] for line in tree[2:-1]] == [
        [merge.left, "+", merge.right, "=", merge.merged] for merge in word.merges
    ]
    assert tree[-1].endswith(f"({word.stopped})")


def test_a_text_as_json_tells_what_the_library_explains(file, tok):
    found = json.loads(run("inspect", "-t", file, "--json", stdin=CORPUS[:60]).out)
    explanation = tok.explain(CORPUS[:60])
    assert found["text"] == CORPUS[:60]
    assert found["ids"] == explanation.ids
    for told, word in zip(found["words"], explanation.words, strict=True):
        assert told["symbols"] == list(word.symbols)
        assert told["tokens"] == list(word.tokens)
        assert told["stopped"] == word.stopped
        assert [step["rank"] for step in told["merges"]] == [merge.rank for merge in word.merges]


def test_special_tokens_are_inspected_as_the_policy_says(file, tok):
    said = run("inspect", "-t", file, "--special", "token", "a<|end|>").out
    assert str(tok.special_tokens["<|end|>"]) in said.splitlines()[1].split()
    assert "(an added token)" in said


@pytest.mark.parametrize("units", ["bytes", "chars"])
def test_right_to_left_tokens_are_whole_readable_and_kept_apart(tmp_path, units):
    corpus = ["low سلام دنیا (سلام) دنیا؟ سلام"] * 9
    digram.train(corpus, units=units).save(tmp_path / "fa.json")
    said = run("inspect", "-t", tmp_path / "fa.json", "low سلام دنیا").out
    assert f"{ISOLATE}␣سلام{POP}" in said.splitlines()[0]
    for line in said.splitlines():
        outside = "".join(part.split(POP)[-1] for part in line.split(ISOLATE))
        assert line.count(ISOLATE) == line.count(POP)
        assert not any(unicodedata.bidirectional(char) in ("R", "AL") for char in outside)


@pytest.mark.parametrize("char", ["\x1b", "\x07", "\x9b", "\r", "\u202e", "\u2066", "\u2028", "\0"])
def test_what_drives_a_terminal_is_shown_and_not_sent(tmp_path, char):
    text = f"a{char}[31mb"
    digram.train([text] * 3, units="chars", special_tokens=[f"<{char}>"]).save(tmp_path / "c.json")
    for arguments, stdin in (
        (["-t", tmp_path / "c.json"], text),
        (["-t", tmp_path / "c.json", "--special", "token"], f"<{char}>"),
        ([tmp_path / "c.json"], ""),
    ):
        said = run("inspect", *arguments, stdin=stdin).out
        assert char not in said
        assert ascii(char).strip("'") in said


def test_a_message_cannot_drive_a_terminal(tmp_path):
    assert "\\x1b[2J" in refusal("encode", "-t", tmp_path / "\x1b[2J.json")


def test_what_looks_like_markup_or_an_emoji_name_is_text(tmp_path):
    text = "[bold]:smile:[/bold]"
    digram.train([text] * 3).save(tmp_path / "t.json")
    assert text in run("inspect", "-t", tmp_path / "t.json", text).out.replace("|", "")


@pytest.mark.parametrize(
    ("text", "line"), [("<|end|>", "<|¦end¦|>"), ("a|b¦c", "a│|│b│¦│c"), ("end a", "end|␣|a")]
)
def test_what_stands_between_tokens_stands_in_none_of_them(tmp_path, text, line):
    corpus = ["<|end|>a|b¦c d"] * 3
    digram.train(corpus, pattern="gpt2", units="chars").save(tmp_path / "t.json")
    assert run("inspect", "-t", tmp_path / "t.json", text).out.splitlines()[0] == line


def test_bytes_that_are_no_character_are_shown_as_numbers(file):
    assert "\\xf0|\\x9f|\\x99|\\x82" in run("inspect", "-t", file, "🙂").out.splitlines()[0]


def test_a_joiner_is_seen_where_it_ends_a_token_and_obeyed_inside(tmp_path):
    digram.train(["می\u200cروم"] * 3, units="chars", pattern="[^ ]+").save(tmp_path / "t.json")
    said = run("inspect", "-t", tmp_path / "t.json", "می\u200cروم").out
    assert "می\u200cروم" in said
    assert "\\u200c" in said


def test_a_tokenizer_tells_what_it_is(file, tok):
    said = run("inspect", file).out
    for fact in ("290", "bytes", "o200k", "<|end|> 0", tok.fingerprint, "stopped by vocab_size"):
        assert fact in said
    first, last = said.split("first merges\n")[1].split("\n\nlast merges\n")
    assert len(first.splitlines()) == len(last.splitlines()) == 5
    assert f"{tok.training.frequencies[tok.merges[0][2]]} times" in first.splitlines()[0]


def test_a_tokenizer_as_json_tells_all_of_it(file, tok):
    found = json.loads(run("inspect", "--json", file).out)
    assert found["vocab_size"] == tok.vocab_size
    assert found["fingerprint"] == tok.fingerprint
    assert found["special_tokens"] == {"<|end|>": 0}
    assert found["rule"] == "merges"
    assert found["merges"] == len(tok.merges)
    assert [tuple(merge["ids"]) for merge in found["last_merges"]] == list(tok.merges[-5:])
    assert found["training"]["words"] == tok.training.words


def test_a_directory_and_a_vocabulary_of_ranks_are_tokenizers_too(folder, tmp_path):
    run("convert", folder / "gpt2.json", tmp_path / "t.tiktoken")
    said = run(
        "inspect", tmp_path / "t.tiktoken", "--pattern", "gpt2", "--special-token", "<s>=400"
    )
    assert "by rank" in said.out
    assert "<s> 400" in said.out
    assert "290" in run("inspect", folder).out
    tree = run("inspect", "-t", tmp_path / "t.tiktoken", "--pattern", "gpt2", " lowes").out
    assert "␣low" in tree


def test_merges_by_rank_and_by_scores_are_shown(folder, tmp_path):
    run("convert", folder / "gpt2.json", tmp_path / "t.tiktoken")
    listed = run("inspect", "--merges", folder / "gpt2.json").out.splitlines()
    by_rank = run("inspect", "--merges", tmp_path / "t.tiktoken", "--pattern", "gpt2").out
    assert [line.split()[:6] for line in by_rank.splitlines()] == [
        line.split()[:6] for line in listed
    ]
    scored = digram.Scores({0: 0.0, 1: -3.0, 2: -4.0, 3: -1.0}, {0: "unknown"})
    tokens = {0: b"<unk>", 1: b"a", 2: b"b", 3: b"ab"}
    model = digram.Model(tokens, scored, units="chars", unk_token="<unk>")
    digram.Tokenizer(model).save(tmp_path / "t.json")
    assert "by scores" in run("inspect", tmp_path / "t.json").out
    assert run("inspect", "--merges", tmp_path / "t.json").out.split() == ["0", *"a+b", "=", "ab"]


def test_merges_of_before_an_extension_have_no_effect_to_tell(tok, tmp_path):
    more = digram.train(["nine thin thieves"] * 3, vocab_size=296, extend=tok)
    more.save(tmp_path / "more.json")
    lines = run("inspect", "--merges", tmp_path / "more.json").out.splitlines()
    assert len(lines) == len(more.merges) > len(tok.merges)
    assert ["live" in line for line in lines] == [False] * len(tok.merges) + [True] * 6


def test_what_is_told_in_words_has_spaces_between_them(tmp_path):
    """It was `none:␣a␣text␣is␣one␣word`."""
    whole = digram.train(["ab"], units="chars").with_(pre_tokenizer=None)
    whole.save(tmp_path / "t.json")
    assert whole.pattern is None
    assert "none: a text is one word" in run("inspect", tmp_path / "t.json").out
    digram.train(["a b"], num_merges=1, pattern="[^ ]+| +").save(tmp_path / "t.json")
    assert "[^␣]+|␣+" in run("inspect", tmp_path / "t.json").out


def test_a_text_without_a_tokenizer_is_told_how_to_be_looked_into():
    said = refusal("inspect", "hello world")
    assert "there is no file 'hello world'" in said
    assert "digram inspect -t PATH TEXT" in said
