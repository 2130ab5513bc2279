"""The reference against other trainers and encoders, on random corpora made on the spot."""

import contextlib
import io
import json
import random

import pytest

from digram import patterns, reference
from digram._model import Merges, Model, Ranks
from digram.components import AddedToken, Lowercase, Whitespace

SEEDS = range(40)


def random_counts(seed, letters="abcd", pieces=("a", "ab", "ba", "aab", "cd")):
    """Words in the order of their first occurrence, some of them periodic."""
    rng = random.Random(seed)
    counts = {}
    for _ in range(rng.randint(2, 30)):
        periodic = rng.random() < 0.3
        letter = "".join(rng.choice(letters) for _ in range(rng.randint(1, 7)))
        word = rng.choice(pieces) * rng.randint(1, 8) if periodic else letter
        counts[word] = counts.get(word, 0) + rng.randint(1, 4)
    return counts


def as_text(counts):
    return " ".join(word for word, count in counts.items() for _ in range(count))


def learned(report):
    return [(merge.left_token, merge.right_token) for merge in report.merges]


@pytest.mark.parametrize("seed", SEEDS)
def test_largest_strings_with_an_attached_marker_learns_what_subword_nmt_learns(seed):
    learn_bpe = pytest.importorskip("subword_nmt.learn_bpe")
    counts = random_counts(seed)
    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe.learn_bpe(io.StringIO(as_text(counts) + "\n"), out, 30, min_frequency=2)
    theirs = [tuple(line.split(" ")) for line in out.getvalue().splitlines()[1:]]
    _, report = reference.learn(
        counts,
        units="chars",
        ties="largest-strings",
        end_of_word="</w>",
        marker="attached",
        num_merges=30,
    )
    assert learned(report) == theirs


@pytest.mark.parametrize("seed", SEEDS)
def test_first_seen_learns_what_tiktokens_teaching_trainer_learns(seed):
    educational = pytest.importorskip("tiktoken._educational")
    # Its words carry their blanks; and it needs pairs to the end.
    text = as_text(random_counts(seed))
    counts = reference.count_words([text], pattern=r"\S+| ")
    _, report = reference.learn(counts, ties="first-seen", num_merges=15, min_frequency=1)
    size = len(report.tokens)
    ranks = educational.bpe_train(text, size, r"\S+| ", visualise=None)
    theirs = [token for token, _ in sorted(ranks.items(), key=lambda item: item[1])][256:]
    model, _ = reference.learn(counts, ties="first-seen", num_merges=15, min_frequency=1)
    assert [model.tokens[token_id] for token_id in range(256, size)] == theirs


@pytest.mark.parametrize("seed", SEEDS)
def test_smallest_ids_learns_what_hugging_faces_trainer_learns(seed):
    tokenizers = pytest.importorskip("tokenizers")
    text = as_text(random_counts(seed, letters="ab é漢"))
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.pre_tokenizer = byte_level
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + 1 + 25,
        min_frequency=0,
        show_progress=False,
        special_tokens=["<|end|>"],
        initial_alphabet=byte_level.alphabet(),
    )
    theirs.train_from_iterator([text], trainer)
    described = json.loads(theirs.to_str())["model"]
    counts = reference.count_words([text], pattern="gpt2")
    _, report = reference.learn(
        counts,
        pattern="gpt2",
        vocab_size=256 + 1 + 25,
        min_frequency=0,
        special_tokens=["<|end|>"],
    )
    assert learned(report) == [tuple(pair) for pair in described["merges"]]
    assert {token: i for i, token in enumerate(report.tokens)} == described["vocab"]


@pytest.mark.parametrize("seed", SEEDS)
def test_ranks_encode_as_tiktoken_does(seed):
    tiktoken = pytest.importorskip("tiktoken")
    rng = random.Random(seed)
    # Any tokens, not only those that training makes: most such vocabularies are improper.
    tokens = {bytes([byte]): byte for byte in range(256)}
    for _ in range(30):
        made = b"".join(rng.choice([b"a", b"b", b"c"]) for _ in range(rng.randint(2, 6)))
        tokens.setdefault(made, len(tokens))
    theirs = tiktoken.Encoding(
        "random", pat_str=r"\S+|\s", mergeable_ranks=tokens, special_tokens={}
    )
    ours = Model(
        {rank: token for token, rank in tokens.items()},
        Ranks(),
        ignore_merges=True,
        pre_tokenizer=patterns.pre_tokenizer(r"\S+|\s"),
    )
    texts = ["".join(rng.choice("abc ") for _ in range(60)) for _ in range(20)]
    assert reference.encode_batch(ours, texts) == theirs.encode_ordinary_batch(texts)


@pytest.mark.parametrize("seed", SEEDS)
def test_merges_in_any_order_encode_as_hugging_face_does(seed):
    tokenizers = pytest.importorskip("tokenizers")
    rng = random.Random(seed)
    _, report = reference.learn(random_counts(seed), units="chars", num_merges=25)
    merges = list(report.pairs)
    rng.shuffle(merges)  # parts made later than they are needed
    vocab = {token: i for i, token in enumerate(report.tokens)}
    spelled = [(report.tokens[left], report.tokens[right]) for left, right, _ in merges]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=spelled))
    ours = Model({i: t.encode() for t, i in vocab.items()}, Merges(tuple(merges)), "chars")
    known = [token for token in vocab if len(token) == 1]
    for _ in range(20):
        text = "".join(rng.choice(known) for _ in range(40))
        assert reference.encode(ours, text) == theirs.encode(text).ids


@pytest.mark.parametrize("fuse", [False, True])
def test_unknown_characters_are_encoded_as_hugging_face_does(fuse):
    tokenizers = pytest.importorskip("tokenizers")
    vocab = {"[UNK]": 0, "a": 1, "b": 2, "ab": 3}
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab=vocab, merges=[("a", "b")], unk_token="[UNK]", fuse_unk=fuse)
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    ours = Model(
        {i: token.encode() for token, i in vocab.items()},
        Merges(((1, 2, 3),)),
        "chars",
        unk_token="[UNK]",
        fuse_unk=fuse,
        pre_tokenizer=Whitespace(),
    )
    rng = random.Random(7)
    for _ in range(200):
        text = "".join(rng.choice("abxyé .") for _ in range(12))
        assert reference.encode(ours, text) == theirs.encode(text).ids


FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@pytest.mark.parametrize("seed", SEEDS)
def test_added_tokens_match_as_hugging_faces_do(seed):
    tokenizers = pytest.importorskip("tokenizers")
    rng = random.Random(seed)
    letters = {letter: i for i, letter in enumerate("abcdexyzABCDE<>- é")}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=letters, merges=[]))
    theirs.normalizer = tokenizers.normalizers.Lowercase()
    contents = rng.sample(["<a>", "<a>b", "AB", "x", "xyz", "a-", "é"], 4)
    added = []
    for place, content in enumerate(contents):
        flags = {flag: rng.random() < 0.4 for flag in FLAGS}
        theirs.add_tokens([tokenizers.AddedToken(content, **flags)])
        token_id = letters.get(content, len(letters) + place)
        added.append(AddedToken(theirs.token_to_id(content) or token_id, content, **flags))
    ours = Model(
        {i: letter.encode() for letter, i in letters.items()}
        | {token.id: token.content.encode() for token in added},
        Merges(()),
        "chars",
        added_tokens=tuple(added),
        normalizer=Lowercase(),
    )
    for _ in range(100):
        text = "".join(rng.choice([*contents, *"abx <>-", " ", " "]) for _ in range(8))
        assert reference.encode(ours, text, special="token") == theirs.encode(text).ids
