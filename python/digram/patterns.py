r"""How text is split into words: named patterns, and what a `pattern=` argument means.

A pattern is a regular expression. Every stretch of text that it matches is a word, and so is
every stretch between matches. `\s`, `\w` and `\p{...}` are Unicode's, and `$` is the end of the
text and nothing else.

>>> resolve("gpt2") == NAMED["gpt2"], resolve(r"\w+")
(True, '\\w+')
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from digram._kinds import of_kind, unbroken

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal

    from digram.components import Decoder, Normalizer, PreTokenizer

__all__ = ["COMPONENTS", "NAMED", "decoder", "pre_tokenizer", "pre_tokenizer_json", "resolve"]

# GPT-2, 2019, as published with its weights; `ByteLevel` in tokenizer.json means this one, and
# tiktoken's r50k and p50k are written in another way with the same result.
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# GPT-3.5 and GPT-4, as tiktoken has it now: blanks that end a text are one word, by `\s+\z`, even
# where a newline stands among them. tiktoken writes it with possessive repetition (`\p{L}++`),
# which changes no match here, and which engines read in different ways: Oniguruma, behind Hugging
# Face, takes `{1,3}+` for a repetition of a repetition, and `$` for the end of any line.
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s"
)

# The same, as tiktoken spelled it first and converted files still do: it has no `\s++$`, so the
# text "a\n  " ends in two words here, "\n" and "  ".
CL100K_CONVERTED = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# GPT-4o, in tiktoken: words also end where a small letter is followed by a capital.
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# Llama 3 took the first spelling of cl100k over, letter by letter.
LLAMA3 = CL100K_CONVERTED

# Qwen 2 and 2.5: the same, but every digit is a word of its own.
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")

NAMED: Mapping[str, str] = MappingProxyType(
    {
        "gpt2": GPT2,
        "cl100k": CL100K,
        "cl100k-converted": CL100K_CONVERTED,
        "o200k": O200K,
        "llama3": LLAMA3,
        "qwen2": QWEN2,
        # What subword-nmt and the paper that brought BPE to language do: words are what lies
        # between blanks, and the blanks are dropped.
        "whitespace": r"\s+",
        # The same at spaces and line ends alone, so that other blanks stay in the words:
        # subword-nmt strips and splits its lines so.
        "spaces": r"[ \r\n]+",
    }
)
"""Each named pattern as a regular expression; `whitespace` and `spaces` match what is dropped."""

COMPONENTS = ("BertPreTokenizer", "UnicodeScripts", "Whitespace", "WhitespaceSplit")
"""Pre-tokenizers that have no options: their names are names of patterns, too."""

# tiktoken's names for its encodings say as much.
ENCODINGS = {
    "r50k_base": "gpt2",
    "p50k_base": "gpt2",
    "p50k_edit": "gpt2",
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
    "o200k_harmony": "o200k",
}


def resolve(pattern: str) -> str:
    """Return the regular expression that a name stands for, or the pattern itself.

    tiktoken's names of encodings are names too.

    >>> resolve("cl100k_base") == resolve("cl100k") == NAMED["cl100k"]
    True
    """
    return NAMED.get(ENCODINGS.get(pattern, pattern), pattern)


def pre_tokenizer_json(
    pattern: str | PreTokenizer | None,
    units: Literal["bytes", "chars"] = "bytes",
    end_of_word: str | None = None,
) -> dict[str, Any]:
    r"""Return what a `pattern=` argument stands for, as `tokenizer.json` spells the component.

    A pattern needs no component made of it: the engine reads this.

    >>> pre_tokenizer_json("whitespace", "chars"), pre_tokenizer_json("Whitespace", "chars")
    ({'type': 'WhitespaceSplit'}, {'type': 'Whitespace'})
    >>> pre_tokenizer_json(r"\w+| ")["pretokenizers"][0]["pattern"]
    {'Regex': '\\w+| '}
    """
    if pattern is None:
        pattern = "o200k" if end_of_word is None else "whitespace"
    if isinstance(pattern, str):
        split = _splitter(pattern)
        parts = [split, BYTES]
        return split if units == "chars" else {"type": "Sequence", "pretokenizers": parts}
    from digram.components import to_json

    return to_json(pre_tokenizer(pattern, units, end_of_word))


def as_the_engine_takes_it(pattern: str | PreTokenizer) -> str | tuple[str, bool]:
    r"""Return a regular expression, and whether what it matches is dropped, or else JSON.

    The byte level is left out: formats over bytes put it behind.

    >>> as_the_engine_takes_it("spaces"), as_the_engine_takes_it("whitespace")
    (('[ \\r\\n]+', True), '{"type": "WhitespaceSplit"}')
    """
    described = pre_tokenizer_json(pattern, "chars")
    if isinstance(pattern, str) and described["type"] == "Split":
        return described["pattern"]["Regex"], described["behavior"] == "Removed"
    import json  # only here: what opens a tokenizer imports in less time

    return json.dumps(described)


def pre_tokenizer(
    pattern: str | PreTokenizer | None,
    units: Literal["bytes", "chars"] = "bytes",
    end_of_word: str | None = None,
) -> PreTokenizer:
    r"""Return the component that a `pattern=` argument stands for; `None` is the default.

    Where units are bytes it ends in the byte level, which a component given may lack.

    >>> pre_tokenizer("whitespace", "chars")
    WhitespaceSplit()
    >>> pre_tokenizer(r"\w+| ", "chars")
    Split(pattern=Regex(regex='\\w+| '), behavior='Isolated', invert=False)
    >>> from digram.components import WhitespaceSplit
    >>> pre_tokenizer(WhitespaceSplit(), "bytes").pretokenizers[-1]
    ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=False)
    """
    from digram.components import SLOTS, ByteLevel, PreTokenizerSequence, from_json

    if pattern is None or isinstance(pattern, str):
        described = pre_tokenizer_json(pattern, units, end_of_word)
        named: PreTokenizer = from_json(described, "pre_tokenizer")
        return named
    rule = "a name, a regular expression as a str, or a pre_tokenizer of digram.components"
    of_kind("pattern", pattern, SLOTS["pre_tokenizer"][0], rule)
    parts = pattern.pretokenizers if isinstance(pattern, PreTokenizerSequence) else (pattern,)
    if units == "chars" or any(isinstance(part, ByteLevel) for part in parts):
        return pattern
    return PreTokenizerSequence((*parts, from_json(BYTES, "pre_tokenizer")))


def decoder(
    units: Literal["bytes", "chars"],
    end_of_word: str | None,
    split: PreTokenizer | None = None,
    normalizer: Normalizer | None = None,
    *,
    byte_fallback: bool = False,
) -> Decoder:
    """Return the decoder of a model that was trained.

    It makes visible spaces spaces again, and where there are none, writes one for each marker.
    What was spelled in bytes becomes characters.

    >>> decoder("chars", "</w>"), decoder("chars", None)
    (BPEDecoder(suffix='</w>'), Fuse())
    >>> from digram.components import Metaspace
    >>> decoder("chars", None, Metaspace("_"))
    Metaspace(replacement='_', prepend_scheme='always', split=True)
    """
    from digram._visible_spaces import spaces_again
    from digram.components import (
        BPEDecoder,
        ByteFallback,
        DecoderSequence,
        Fuse,
        Replace,
        from_json,
    )

    of_kind("end_of_word", end_of_word, str | None, "a str, or None")
    spaces = spaces_again(split, normalizer, joined=units == "bytes")
    if byte_fallback:
        steps = spaces or (Fuse(),)
        place = steps.index(Fuse()) if Fuse() in steps else 0  # as in Llama's files
        return DecoderSequence((*steps[:place], ByteFallback(), *steps[place:]))
    # behind the byte level no other marker can be told from bytes
    is_told = units == "chars" or end_of_word is None or end_of_word.isascii()
    if spaces and is_told:
        first = (from_json(BYTES, "decoder"),) if units == "bytes" else ()
        unmarked = (Replace(end_of_word, ""),) if end_of_word else ()
        steps = (*first, *unmarked, *spaces)
        return steps[0] if len(steps) == 1 else DecoderSequence(steps)
    if end_of_word is not None:
        return BPEDecoder(end_of_word)
    return from_json(BYTES, "decoder") if units == "bytes" else Fuse()


BYTES: dict[str, Any] = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}


def _splitter(pattern: str) -> dict[str, Any]:
    names = ", ".join((*NAMED, *COMPONENTS))
    if pattern == "":
        raise ValueError(f"pattern is empty; give a regular expression or one of {names}")
    unbroken("pattern", pattern)
    if pattern in COMPONENTS:
        return {"type": pattern}
    if resolve(pattern) == pattern and _looks_like_a_name(pattern):
        literal = pattern.replace(".", "[.]")
        raise ValueError(
            f"pattern is {pattern!r}, a name that is not known; give one of {names}, or a regular"
            f" expression: one that matches this very text is '(?:{literal})'"
        )
    if pattern == "whitespace":
        return {"type": "WhitespaceSplit"}
    behavior = "Removed" if pattern == "spaces" else "Isolated"
    regex = {"Regex": resolve(pattern)}
    return {"type": "Split", "pattern": regex, "behavior": behavior, "invert": False}


def _looks_like_a_name(pattern: str) -> bool:
    """Tell whether it is a word, as `llama`, `gpt4` and `qwen2.5` are: it would match itself alone.

    A single letter is a pattern, and so is what begins or ends with a dot, which is any character.
    """
    bare = pattern.replace("-", "").replace("_", "").replace(".", "")
    return len(pattern) > 1 and bare.isalnum() and "." not in (pattern[0], pattern[-1])
