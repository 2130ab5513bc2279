"""SentencePiece models to try things on: trained on the spot, or made piece by piece."""

import functools
import io
import random

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as protocol

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
KINDS = (NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE)
BPE = 2
CONTROLS = (("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL))
BYTES = tuple((f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256))

SENTENCES = """\
The quick brown fox jumps over the lazy dog, and then 12345 times more in 2024.
It is a truth universally acknowledged, that a single man must be in want of a wife.
Straße, Übergröße, naïve façade, señor, crème brûlée, ﬁnal ﬂow, Ⅷ ½ ™ Å K.
这是一个测试。 我們在這裡學習中文。 今日は良い天気ですね。 カタカナとひらがな、ｶﾀｶﾅ。
Привет, мир! Москва — столица России. Съешь же ещё этих мягких французских булок.
هذا نص عربي للاختبار. السلام عليكم. क्षत्रिय नमस्ते दुनिया। 안녕하세요 세계 여러분.
def f(x):\treturn x  +  1  # code   with   runs of    blanks
ИЗ ABC abc AbC aBc ΑΒΓ αβγ İı ﬀ ﬃ 😀 👩‍👩‍👧 🇩🇪 e\u0301 o\u0308 \u3000 \u00a0 ▁ x▁y
""".splitlines()


@functools.cache
def trained(**options):
    """The bytes of a model trained on a few sentences."""
    model = io.BytesIO()
    defaults = {"vocab_size": 900, "model_type": "bpe", "minloglevel": 2}
    sentences = [f"{line}" for line in SENTENCES for _ in range(4)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_writer=model,
        hard_vocab_limit=False,
        num_threads=1,
        **defaults | {name: _plain(value) for name, value in options.items()},
    )
    return model.getvalue()


def _plain(value):
    return list(value) if isinstance(value, tuple) else value


def made(pieces, *, byte_fallback=False, prefix=False, remove=False, escape=True, **trainer):
    """The bytes of a model of these pieces: texts, scores and kinds."""
    model = protocol.ModelProto()
    for text, score, kind in [*pieces, *(BYTES if byte_fallback else ())]:
        model.pieces.add(piece=text, score=score, type=kind)
    model.trainer_spec.model_type = BPE
    model.trainer_spec.byte_fallback = byte_fallback
    for name, value in trainer.items():
        setattr(model.trainer_spec, name, value)
    model.normalizer_spec.add_dummy_prefix = prefix
    model.normalizer_spec.remove_extra_whitespaces = remove
    model.normalizer_spec.escape_whitespaces = escape
    return model.SerializeToString()


def drawn(seed):
    """A model of few letters at random: ties, unused pieces, pieces whose parts are none."""
    dice = random.Random(seed)
    letters = "ab▁é漢"
    texts = {
        "".join(dice.choices(letters, k=dice.choice((1, 1, 2, 2, 3, 3, 4, 6)))) for _ in range(24)
    }
    kinds = (NORMAL,) * 6 + (UNUSED,) * dice.choice((0, 2)) + (USER_DEFINED,) * dice.choice((0, 1))
    pieces = [(text, -float(dice.randrange(8)), dice.choice(kinds)) for text in sorted(texts)]
    return made(
        [*CONTROLS, *pieces],
        byte_fallback=dice.random() < 0.3,
        prefix=dice.random() < 0.5,
        remove=dice.random() < 0.5,
        escape=dice.random() < 0.9,
        treat_whitespace_as_suffix=dice.random() < 0.3,
        unk_surface=dice.choice((" ⁇ ", "?", "")),
    )


def peer(model):
    """The model in SentencePiece."""
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def nasty(seed, count=60):
    """Texts that are hard on normalizers and merging, at random."""
    dice = random.Random(seed)
    parts = [
        *"abé漢▁ \t\n\x00.A1",
        "  ",
        "   ",
        "▁▁",
        "\u3000",
        "\u00a0",
        "\u200b",
        "\ufeff",
        "e\u0301",
    ]
    parts += ["ﬁ", "Ⅷ", "™", "İ", "ß", "ｶﾞ", "ᄒ", "ᅡ", "ᆫ", "😀", "<s>", "</s>", "<unk>", "<0x41>"]
    parts += ["the ", " the", "Москва", "中文", "<sep>", "12", "\r\n", "\u0001", "\u0301", "️"]
    texts = ["", " ", "   ", "▁", "▁ ▁", "\u200b", "\x00", "a" * 300, "ab " * 200]
    return texts + ["".join(dice.choices(parts, k=dice.randrange(1, 24))) for _ in range(count)]


def edited(model, change):
    """A model's bytes after a change of its protocol buffer."""
    opened = protocol.ModelProto.FromString(model)
    change(opened)
    return opened.SerializeToString()
