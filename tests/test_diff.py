"""`digram.diff` and `digram diff`: exactly what has changed, and nothing else."""

import dataclasses
import json

import pytest
from command_line import run

import digram
from digram.components import NFC, NFKC, DecoderSequence, Replace

CORPUS = ["the lowest of the low, the newest of the new; naïve café\n" * 9]


@pytest.fixture(scope="module")
def tok():
    trained = digram.train(CORPUS, num_merges=20, special_tokens=["<|end|>", "<|pad|>"])
    yes = Replace("\u2581", " ")
    return trained.with_(decoder=DecoderSequence((yes, trained.model.decoder)), normalizer=NFC())


def tampered(tok, tmp_path, change):
    """Change the value of the file, and name both files."""
    tok.save(tmp_path / "a.json")
    file = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    change(file)
    (tmp_path / "b.json").write_text(json.dumps(file), encoding="utf-8")
    return tmp_path / "a.json", tmp_path / "b.json"


def told(difference):
    return [(c.part, c.kind, c.subject, c.before, c.after) for c in difference.changes]


def test_the_same_file_in_another_layout_has_no_changes(tok, tmp_path):
    files = tampered(tok, tmp_path, lambda file: file.update(model=file.pop("model")))
    found = digram.diff(*files)
    assert (bool(found), found.same_ids, str(found)) == (False, True, "")


def test_two_ids_that_are_swapped_are_two_changes(tok, tmp_path):
    def swap(file):
        vocab = file["model"]["vocab"]
        vocab["ew"], vocab["the"] = vocab["the"], vocab["ew"]

    ew, the = tok.token_id("ew"), tok.token_id("the")
    found = digram.diff(*tampered(tok, tmp_path, swap))
    assert sorted(told(found)) == [
        ("tokens", "changed", "'ew'", ew, the),
        ("tokens", "changed", "'the'", the, ew),
    ]
    assert not found.same_ids


def test_a_merge_that_is_added_is_one_change_beside_its_token(tok, tmp_path):
    def add(file):
        file["model"]["vocab"]["zz"] = 278
        file["model"]["merges"].insert(3, ["z", "z"])

    found = digram.diff(*tampered(tok, tmp_path, add))
    assert told(found) == [
        ("tokens", "added", "'zz'", None, 278),
        ("merges", "added", "'z' + 'z'", None, 3),
    ]
    assert str(found.changes[1]) == "+ merges: 'z' + 'z': rank 3"


def test_a_replacement_of_the_decoder_is_one_change(tok, tmp_path):
    def change(file):
        file["decoder"]["decoders"][0]["content"] = "not "

    found = digram.diff(*tampered(tok, tmp_path, change))
    assert told(found) == [("decoder", "changed", "decoders[0].content", " ", "not ")]
    assert found.same_ids, "the decoder changes no id"


def test_a_special_token_that_is_renamed_is_one_change(tok, tmp_path):
    def rename(file):
        file["added_tokens"][0]["content"] = "<|stop|>"
        vocab = file["model"]["vocab"]
        vocab["<|stop|>"] = vocab.pop("<|end|>")

    found = digram.diff(*tampered(tok, tmp_path, rename))
    subject = "id 0 '<|end|>': content"
    assert told(found) == [("added_tokens", "changed", subject, "<|end|>", "<|stop|>")]


def test_a_merge_that_moves_is_one_change(tok):
    merges = list(tok.merges)
    merges.append(merges.pop(0))
    found = digram.diff(tok, tok.with_(rule=digram.Merges(tuple(merges))))
    (change,) = told(found)
    assert (change[:2], change[3:]) == (("merges", "moved"), (0, len(merges) - 1))


def test_a_lost_merge_an_added_token_and_a_setting_are_told(tok):
    other = tok.with_(
        rule=digram.Merges(tok.merges[:-1]),
        normalizer=NFKC(),
        ignore_merges=True,
    )
    fewer = dataclasses.replace(other.model, added_tokens=tok.model.added_tokens[:1])
    other = digram.Tokenizer(fewer)
    parts = [change[:3] for change in told(digram.diff(tok, other))]
    assert ("settings", "changed", "ignore_merges") in parts
    assert ("normalizer", "changed", "normalizer") in parts
    assert ("added_tokens", "removed", "id 1") in parts
    assert [part[:2] for part in parts].count(("merges", "removed")) == 1
    back = told(digram.diff(other, tok))
    assert len(back) == len(parts)


def test_ranks_and_merges_are_told_apart(tmp_path):
    gpt2 = digram.train(CORPUS, num_merges=20, pattern="gpt2")
    gpt2.save(tmp_path / "a.tiktoken")
    found = digram.diff(gpt2, digram.load(tmp_path / "a.tiktoken", pattern="gpt2"))
    assert ("settings", "changed", "rule", "20 merges", "ranks") in told(found)


def test_a_merge_that_makes_the_other_id_of_the_same_bytes_is_told(tok):
    """Of two ids with the same bytes, a merge may make either."""
    left, right, made = tok.merges[-1]
    token = tok.tokens[made]
    tokens = {**tok.model.tokens, tok.vocab_size: token}
    both = dataclasses.replace(tok.model, tokens=tokens)
    other = digram.Merges((*tok.merges[:-1], (left, right, tok.vocab_size)))
    found = digram.diff(digram.Tokenizer(both), digram.Tokenizer(both).with_(rule=other))
    assert [change[:2] for change in told(found)] == [("merges", "removed"), ("merges", "added")]
    assert str(found.changes[1]).endswith(
        f"= {token.decode()!r} (2nd id): rank {len(other.pairs) - 1}"
    )
    assert not found.same_ids


def test_of_pieces_with_scores_each_that_changed_is_told():
    pieces = ["<unk>", "l", "o", "w", "lo", "low"]
    rule = digram.Scores({id_: -float(id_) for id_ in range(len(pieces))}, {0: "unknown"})
    tokens = {id_: piece.encode() for id_, piece in enumerate(pieces)}
    model = digram.Model(tokens, rule, units="chars", unk_token="<unk>")
    other = dataclasses.replace(
        rule, values={**rule.values, 5: -9.5}, kinds={0: "unknown", 4: "unused"}
    )
    one, two = (digram.Tokenizer(dataclasses.replace(model, rule=r)) for r in (rule, other))
    assert told(digram.diff(one, two)) == [
        ("kinds", "changed", "'lo'", "normal", "unused"),
        ("scores", "changed", "'low'", -5.0, -9.5),
    ]
    assert not digram.diff(one, one)


def test_the_command_line_says_what_diff_says(tok, tmp_path):
    def swap(file):
        vocab = file["model"]["vocab"]
        vocab["ew"], vocab["the"] = vocab["the"], vocab["ew"]

    first, second = tampered(tok, tmp_path, swap)
    assert run("diff", first, first).stdout == b""
    said = run("diff", first, second, check=False)
    assert (said.returncode, said.out.count("\n")) == (1, 2)
    assert "~ tokens: 'ew': id " in said.out
    found = json.loads(run("diff", first, second, "--json", check=False).out)
    assert [change["part"] for change in found["changes"]] == ["tokens", "tokens"]
    assert run("diff", first, check=False).returncode == 2


def test_of_many_changes_the_first_are_shown_unless_all_are_asked_for(tok, tmp_path):
    def turn(file):
        vocab = file["model"]["vocab"]
        names = list(vocab)[2:]
        file["model"]["vocab"] = dict(zip(vocab, vocab.values(), strict=True)) | dict(
            zip(names, reversed([vocab[name] for name in names]), strict=True)
        )

    first, second = tampered(tok, tmp_path, turn)
    said = run("diff", first, second, check=False)
    assert said.out.count("\n") == 11
    assert ", changed: … and " in said.out
    assert run("diff", first, second, "--all", check=False).out.count("\n") == 276
