"""`digram.check` on files of every format but `tokenizer.json`."""

import base64
import json

import pytest

import digram

CORPUS = ["the lowest of the low, the newest of the new; naïve café 東京 42\n" * 9]
RANKED = digram.train(CORPUS, num_merges=30, pattern="gpt2")


def ranks(folder):
    RANKED.save(folder / "a.tiktoken")
    return (folder / "a.tiktoken").read_text().splitlines()


def line(token, rank):
    return f"{base64.b64encode(token).decode()} {rank}"


LINES = {
    "a rank twice": (lambda lines: [*lines, line(b"zz", 0)], "duplicate-id"),
    "a token twice": (lambda lines: [*lines, line(b"the", 500)], "duplicate-token"),
    "no base64": (lambda lines: [*lines, "=== 500"], "malformed"),
    "a byte left out": (lambda lines: [e for e in lines if e != line(b"Q", 48)], "byte-missing"),
    "a token of no two": (lambda lines: [*lines, line(b"1zk", 286)], "unreachable-token"),
}


@pytest.mark.parametrize("name", LINES)
def test_each_defect_of_ranks_is_reported_under_its_code(tmp_path, name):
    change, code = LINES[name]
    lines = ranks(tmp_path)
    assert digram.check("\n".join(lines).encode(), pattern="gpt2") == ()
    after = change(lines)
    assert after != lines
    found = digram.check(("\n".join(after) + "\n").encode(), pattern="gpt2")
    assert code in {each.code for each in found}


def test_a_pair_of_files_is_looked_at_as_it_stands(tmp_path):
    RANKED.save(tmp_path, format="gpt2")
    assert digram.check(tmp_path) == ()
    merges = tmp_path / "merges.txt"
    merges.write_text(merges.read_text(encoding="utf-8") + "q q\n", encoding="utf-8")
    assert [each.code for each in digram.check(tmp_path)] == ["merge-product-missing"]


def test_codes_are_looked_at_as_they_stand(tmp_path):
    tok = digram.train(
        CORPUS,
        num_merges=20,
        units="chars",
        end_of_word="</w>",
        marker="attached",
        pattern="spaces",
    )
    tok.save(tmp_path / "a.codes")
    assert digram.check(tmp_path / "a.codes") == ()
    lines = (tmp_path / "a.codes").read_text(encoding="utf-8").splitlines()
    twice = "\n".join([*lines, lines[1], ""]).encode()
    assert "duplicate-merge" in {each.code for each in digram.check(twice)}


def tekken():
    tokens = [*(bytes([byte]) for byte in range(256)), b"lo", b"low"]
    return {
        "config": {
            "pattern": digram.patterns.NAMED["gpt2"],
            "num_vocab_tokens": 258,
            "default_vocab_size": 260,
            "default_num_special_tokens": 2,
            "version": "v3",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for rank, token in enumerate(tokens)
        ],
        "special_tokens": [
            {"rank": rank, "token_str": token, "is_control": True}
            for rank, token in enumerate(["<unk>", "<s>"])
        ],
    }


def test_what_tekken_tells_of_a_token_is_compared():
    file = tekken()
    assert digram.check(json.dumps(file).encode()) == ()
    file["vocab"][257]["token_str"] = "high"
    found = digram.check(json.dumps(file).encode())
    assert [each.code for each in found] == ["token-text-mismatch"]


def test_what_cannot_be_opened_for_another_reason_says_so():
    (found,) = digram.check(b"v3;false;true;true;<w>;</w>\na b\n")
    assert (found.code, found.severity) == ("refused", "error")


def sized(number, content):
    """A field of a protocol buffer, with its size before."""
    size = len(content)
    low = bytes([size & 0x7F | 0x80, size >> 7]) if size > 0x7F else bytes([size])
    return bytes([number << 3 | 2]) + low + content


def with_self_test(model, samples):
    """A SentencePiece model with texts and their pieces, as older versions wrote them."""
    written = [sized(1, text.encode()) + sized(2, " ".join(p).encode()) for text, p in samples]
    assert all(len(sample) < 1 << 14 for sample in written)
    return model + b"".join(sized(4, sized(1, sample)) for sample in written)


@pytest.mark.parametrize(
    "options",
    [{}, {"byte_fallback": True}, {"user_defined_symbols": ("<sep>", "ab")}, {"vocab_size": 300}],
)
def test_the_self_test_of_a_sentencepiece_model_is_run(options):
    pieces = pytest.importorskip("pieces")
    model = pieces.trained(**options)
    theirs = pieces.peer(model)
    texts = [*pieces.SENTENCES, "", "<s> ☃☃ \u2603<sep>ab", "\U0001f5fa unknown 𐍈𐍈"]
    samples = [(text, theirs.encode(text, out_type=str)) for text in texts]
    before = digram.check(model)
    assert digram.check(with_self_test(model, samples)) == before
    samples[2] = (samples[2][0], [*samples[2][1], "e"])
    samples[4] = (samples[4][0] + "x", samples[4][1])
    found = [each for each in digram.check(with_self_test(model, samples)) if each not in before]
    assert [(each.code, each.severity) for each in found] == [("self-test-failed", "error")] * 2
    assert [each.place for each in found] == [f"self_test_data.samples[{at}]" for at in (2, 4)]
    assert repr(samples[4][0]) in found[1].message


def test_a_self_test_that_breaks_off_is_read_as_far_as_it_goes():
    pieces = pytest.importorskip("pieces")
    model = pieces.trained()
    whole = with_self_test(model, [("the", ["x"])])
    for size in range(len(model), len(whole)):
        codes = {each.code for each in digram.check(whole[:size])}
        assert codes <= {"refused", "self-test-failed"}


@pytest.mark.parametrize("content", [b"#version: 0.2\nt h\nth e</w>\n", b"#version: 0.2\nt h\n"])
def test_codes_with_added_tokens_are_sound(content):
    """Tokens were numbered from 0, and a marker was missed that the format has."""
    assert digram.check(content) == ()
    assert digram.check(content, unk_token="<unk>") == ()
    assert digram.check(content, special_tokens=["<s>"], unk_token="<unk>") == ()
    (found,) = digram.check(content + b"t h\n", special_tokens=["<s>"])
    assert found.code == "duplicate-merge"


def test_components_that_go_by_scores_only_are_sound_where_the_file_is():
    pytest.importorskip("sentencepiece")
    import pieces

    tok = digram.load(pieces.trained(user_defined_symbols=("the",)))
    assert digram.check(tok.to_bytes()) == digram.check(tok) == ()
