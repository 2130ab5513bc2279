"""Mistral's `tekken.json`: what it says is what digram does, and what digram writes opens there."""

import base64
import gzip
import json

import pytest
import tiktoken

import digram

PATTERN = digram.patterns.NAMED["gpt2"]
WORDS = [b"th", b"the", b" the", b" c", b"at", b" cat", b"in", b"er"]
TEXTS = [
    "",
    "the cat in the hat",
    "<s>the</s> cat<SPECIAL_3>",
    "né 漢字 🙂\n\n  the  \tcat\r\n",
    "there, then: the cathedral's interior",
]


def described(vocab, pattern, specials, *, size=None, number=None):
    """A file of these tokens and special tokens."""
    number = len(specials) if number is None else number
    return {
        "config": {
            "pattern": pattern,
            "num_vocab_tokens": len(vocab),
            "default_vocab_size": number + len(vocab) if size is None else size,
            "default_num_special_tokens": number,
            "version": "v3",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for rank, token in enumerate(vocab)
        ],
        "special_tokens": [
            {"rank": rank, "token_str": token, "is_control": True}
            for rank, token in enumerate(specials)
        ],
    }


def expected_ids(file, texts):
    """The ids by tiktoken's engine, from the file's own words."""
    config = file["config"]
    first = config["default_num_special_tokens"]
    used = file["vocab"][: config["default_vocab_size"] - first]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in used}
    theirs = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    return [[first + id_ for id_ in ids] for ids in theirs.encode_ordinary_batch(texts)]


@pytest.fixture(scope="module")
def file():
    vocab = [bytes([byte]) for byte in range(256)] + WORDS
    return described(vocab, PATTERN, ["<unk>", "<s>", "</s>"], size=5 + 256 + 7, number=5)


@pytest.fixture(scope="module")
def published(shared, tmp_path_factory):
    packed = shared / "data" / "vocab" / "mistral-tekken" / "tekken_240718.json.gz"
    path = tmp_path_factory.mktemp("published") / "tekken.json"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


def test_ids_are_ranks_after_the_special_tokens(file, tmp_path):
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    tok = digram.load(path)
    assert tok.encode_batch(TEXTS) == expected_ids(file, TEXTS)
    assert tok.decode_batch(tok.encode_batch(TEXTS)) == TEXTS
    names = ["<unk>", "<s>", "</s>", "<SPECIAL_3>", "<SPECIAL_4>"]
    assert tok.special_tokens == {name: id_ for id_, name in enumerate(names)}
    assert tok.encode("<s>the<SPECIAL_3>", special="token") == [1, 5 + 257, 3]
    assert b"er" not in tok.tokens.values()  # beyond default_vocab_size


def test_a_directory_with_it_is_opened_and_what_is_saved_is_the_same(file, tmp_path):
    (tmp_path / "tekken.json").write_text(json.dumps(file), encoding="utf-8")
    tok = digram.from_pretrained(tmp_path)
    tok.save(tmp_path / "tekken.json")
    again = digram.load(tmp_path / "tekken.json")
    assert again == tok
    tok.save(tmp_path / "other.json", format="tekken")
    assert (tmp_path / "other.json").read_bytes() == (tmp_path / "tekken.json").read_bytes()
    tok.save(tmp_path / "tokenizer.json")
    assert digram.load(tmp_path / "tokenizer.json").encode_batch(TEXTS) == tok.encode_batch(TEXTS)


def test_bytes_in_another_order_cannot_be_written(tmp_path):
    trained = digram.train(["the cat"], num_merges=3)
    with pytest.raises(digram.FormatError, match=r"the byte 00 has the id 188; .* its id is 0"):
        trained.save(tmp_path / "tekken.json")
    assert list(tmp_path.iterdir()) == []


def test_the_published_file_gives_the_ids_of_tiktoken_s_engine(shared, published):
    tok = digram.load(published)
    assert (tok.vocab_size, tok.special_tokens["[TOOL_CONTENT]"]) == (131_072, 19)
    file = json.loads(published.read_bytes())
    corpora = shared / "data" / "corpus"
    for name in ("tinyshakespeare.txt", "udhr_all_languages.txt", "unicode/emoji-test.txt"):
        text = (corpora / name).read_bytes().decode()[:300_000]
        texts = [text, *text.split("\n")]
        assert tok.encode_batch(texts) == expected_ids(file, texts)
        assert tok.decode_batch(tok.encode_batch(texts)) == texts


def test_mistral_opens_what_is_saved_and_says_the_same(published, tmp_path):
    tekken = pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    tok = digram.load(published)
    tok.save(tmp_path / "tekken.json")
    assert digram.load(tmp_path / "tekken.json") == tok
    for path in (published, tmp_path / "tekken.json"):
        theirs = tekken.Tekkenizer.from_file(path)
        for text in TEXTS:
            assert tok.encode(text) == theirs.encode(text, bos=False, eos=False)
        assert theirs.n_words == tok.vocab_size
        keep = tekken.SpecialTokenPolicy.KEEP
        for id_, token in tok.tokens.items():
            assert theirs.id_to_byte_piece(id_, keep) == token
