"""What the laws are tried on: texts, corpora, options and models, drawn at random."""

from hypothesis import strategies as st

from digram._model import Greedy, Merges, Model, Ranks
from digram.components import (
    NFC,
    NFKD,
    AddedToken,
    Lowercase,
    NormalizerSequence,
    Whitespace,
    WhitespaceSplit,
)
from digram.patterns import NAMED, decoder, pre_tokenizer

TIES = ("smallest-ids", "first-seen", "largest-strings", "smallest-strings", "shortest")
UNITS = ("bytes", "chars")
# No marker, one of its own, one attached to the last symbol; "$" also occurs in the words.
MARKERS = (
    {},
    {"end_of_word": "$", "marker": "separate"},
    {"end_of_word": "$", "marker": "attached"},
)

# Of every kind that some pattern treats in its own way, and such as change under normalization.
TELLING = (
    "aAbBzZ019 \t\n\r'’._-/!?$<>",
    "éßñſıİκΣς漢字かカ한अाกا١२Ⅷ²ªǅ",
    "\u0301\u0323\u0345\u00a0\u2003\u2028\u3000\x85\x0b\x0c\x1c\x1f\u200b\u200d\u180e\ufeff",
    "😀🇩👩\u1112\u1161\u11ab\ufb01\u212b\u2126\U000105c0\U00010ec5\u0378\ue000\x00\x7f",
)


def texts(max_size=40):
    """Any text that is one: from telling characters, words, and all of Unicode."""
    pieces = st.one_of(
        st.sampled_from("".join(TELLING)),
        st.sampled_from(["the ", " the", "don't", "I'LL", "'ſ", "  ", "\r\n", "HTTPServer", "123"]),
        st.characters(exclude_categories=("Cs",)),
    )
    return st.lists(pieces, max_size=max_size).map("".join)


def model_texts():
    """Texts of the letters that drawn models know, with their added tokens, and little else."""
    pieces = [*"abcé漢A .$x\n", "ab", "aaaa", "<s>", "<s>a", "É", " a b ", "  "]
    return st.lists(st.sampled_from(pieces), max_size=16).map("".join)


def words(letters="ab$é漢", max_size=8):
    """Words of few letters, many of them periodic: there ties and overlaps are."""
    plain = st.text(st.sampled_from(letters), min_size=1, max_size=max_size)
    periodic = st.builds(
        lambda part, times: part * times,
        st.text(st.sampled_from(letters), min_size=1, max_size=3),
        st.integers(2, 4),
    )
    return st.one_of(plain, plain, periodic)


def counts(max_words=14):
    """Words and how often they occur."""
    return st.dictionaries(words(), st.integers(1, 5), min_size=1, max_size=max_words)


@st.composite
def learn_options(draw, units):
    """Every option of training that does not name its rule, unit or marker."""
    options = {}
    optional = {
        "vocab_size": st.integers(1, 300 if units == "bytes" else 40),
        "num_merges": st.integers(0, 25),
        "min_frequency": st.integers(0, 6),
        "max_token_length": st.integers(1, 6),
        "special_tokens": st.lists(st.sampled_from(["<s>", "ab", "éx", "aa", "b"]), unique=True),
        "unk_token": st.sampled_from(["[UNK]", "<s>"]),
        "initial_alphabet": st.one_of(st.just("seen"), st.just(["x", "a", "字"])),
    }
    for name, values in optional.items():
        if draw(st.integers(0, 3)) == 0:
            options[name] = draw(values)
    if "unk_token" in options:
        options["fuse_unk"] = draw(st.booleans())
    return options


BLANKS = st.sampled_from([None, Whitespace(), WhitespaceSplit()])
NORMALIZERS = st.sampled_from(
    [None, None, NFC(), NFKD(), Lowercase(), NormalizerSequence((NFC(), Lowercase()))]
)


@st.composite
def models(draw, letters="abcé漢A ."):
    """A model that nobody trained: tokens of any shape, merges in any order, any rule."""
    units = draw(st.sampled_from(UNITS))
    marker = draw(st.sampled_from(({}, *MARKERS)))
    base, ends = base_tokens(units, letters, marker)
    rule = draw(st.sampled_from(["merges", "ranks", "longest-first", "left-to-right"]))
    if units == "chars" and draw(st.booleans()):
        base = base[draw(st.integers(0, 3)) :]
    tokens, merges = draw(grown(base, ends if marker else frozenset()))
    by_id = dict(enumerate(token for token, _ in tokens))
    unk = draw(st.sampled_from([None, "[UNK]"]))
    if unk is not None:
        by_id[len(by_id)] = unk.encode()
    added = tuple(draw(added_tokens(first_id=len(by_id))))
    listed = Merges(tuple(merges))
    made = {"merges": listed, "ranks": Ranks()}.get(rule) or Greedy(rule)
    return Model(
        tokens=by_id | {token.id: token.content.encode() for token in added},
        rule=made,
        units=units,
        ignore_merges=rule in ("merges", "ranks") and draw(st.booleans()),
        unk_token=unk,
        fuse_unk=unk is not None and draw(st.booleans()),
        word_ends=frozenset(id_ for id_, (_, ending) in enumerate(tokens) if ending),
        added_tokens=added,
        added_only=frozenset(token.id for token in added),
        normalizer=draw(NORMALIZERS),
        pre_tokenizer=draw(BLANKS) if units == "chars" else pre_tokenizer(draw(PATTERNS)),
        decoder=decoder(units, marker.get("end_of_word")),
        **marker,
    )


PATTERNS = st.sampled_from(sorted(NAMED))


def base_tokens(units, letters, marker):
    """The symbols that words begin as: all bytes, or some letters; and those that end a word."""
    symbols = [bytes([byte]) for byte in range(256)]
    if units == "chars":
        symbols = [letter.encode() for letter in letters]
    base = [(symbol, False) for symbol in symbols]
    if marker.get("marker") == "separate":
        base.append((b"$", True))
    if marker.get("marker") == "attached":
        base += [(symbol + b"$", True) for symbol in symbols]
    return base, frozenset({True})


@st.composite
def grown(draw, base, _ends):
    """Tokens made of tokens, and the merges that make them, in any order."""
    tokens, merges = list(base), []
    start = max(len(base) - 40, 0)
    for _ in range(draw(st.integers(0, 12))):
        left = draw(st.integers(start, len(tokens) - 1))
        right = draw(st.integers(start, len(tokens) - 1))
        product = (tokens[left][0] + tokens[right][0], tokens[right][1])
        if tokens[left][1] or product in tokens:
            continue
        merges.append((left, right, len(tokens)))
        tokens.append(product)
    return tokens, draw(st.permutations(merges))


@st.composite
def added_tokens(draw, first_id):
    """Added tokens with every flag, some of them beginnings of others."""
    contents = draw(
        st.lists(st.sampled_from(["<s>", "<s>a", "ab", "É", "a b"]), unique=True, max_size=3)
    )
    return [
        AddedToken(
            first_id + place,
            content,
            single_word=draw(st.booleans()),
            lstrip=draw(st.booleans()),
            rstrip=draw(st.booleans()),
            normalized=draw(st.booleans()),
            special=draw(st.booleans()),
        )
        for place, content in enumerate(contents)
    ]
