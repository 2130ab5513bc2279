"""The codes of findings: what each means, how bad it is, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CODES", "Code", "Severity"]

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Code:
    """What a code means, and the remedy."""

    severity: Severity
    meaning: str
    remedy: str


def _error(meaning: str, remedy: str) -> Code:
    return Code("error", meaning, remedy)


def _warning(meaning: str, remedy: str) -> Code:
    return Code("warning", meaning, remedy)


def _note(meaning: str, remedy: str) -> Code:
    return Code("note", meaning, remedy)


OF_FILES = {
    "not-json": _error("the file is not JSON", "restore it from its origin"),
    "not-bpe": _error("the model is of another kind", "digram reads byte-pair encoding alone"),
    "malformed": _error("a part of the file has not the shape it must have", "mend the part"),
    "duplicate-key": _error(
        "an object has a key twice: readers keep the last value, or refuse", "remove one"
    ),
    "refused": _error(
        "digram cannot open the file, for a reason without a code of its own",
        "the message names the place",
    ),
}
OF_VOCABULARIES = {
    "duplicate-token": _error("a token is listed with two ids", "remove one of the two"),
    "duplicate-id": _error("two tokens have one id", "give one of them an id of its own"),
    "id-out-of-range": _error("an id is no whole number from 0 to 67,108,863", "number it anew"),
    "id-outlier": _warning(
        "the largest id is far beyond the number of tokens, and tables are made for it",
        "number the tokens without large gaps",
    ),
    "id-gap": _note("ids between the smallest and the largest are no token's", "none is needed"),
    "duplicate-bytes": _warning(
        "two ids stand for the same bytes, and encoding never gives one of them",
        "remove one, or make it an added token",
    ),
    "byte-missing": _error(
        "a byte-level vocabulary lacks bytes: text with them is lost, or refused",
        "add the bytes as tokens",
    ),
    "byte-fallback-incomplete": _error(
        "bytes are to stand for unknown characters, and some byte tokens are missing",
        "add the tokens from <0x00> to <0xFF>",
    ),
    "byte-fallback-off": _warning(
        "all byte tokens are there, and no character ever falls back to them",
        "set byte_fallback to true",
    ),
    "unk-missing": _error(
        "the unknown token is no token of the vocabulary", "add it, or name one that is"
    ),
    "unk-unset": _warning(
        "characters that no token holds are left out, without a word",
        "name an unknown token, or use byte fallback",
    ),
    "unreachable-token": _warning(
        "merging never makes the token, whatever the text: its own bytes become others",
        "put its merge where its parts are still there, or remove the token",
    ),
    "token-without-merge": _warning(
        "no merge makes the token, though it stands among those that merges make",
        "add its merge, or remove the token",
    ),
    "placeholder": _note(
        "no merge makes the token, which stands before or after all that merges make",
        "none is needed; if it is a special token, list it as an added token",
    ),
    "empty-token": _note("a token has no bytes, and no text becomes it", "none is needed"),
    "broken-character": _note(
        "a token is no UTF-8 by itself: it begins or ends inside a character", "none is needed"
    ),
    "impossible-bytes": _warning(
        "a token of several bytes that no UTF-8 text holds", "remove it, or mend its spelling"
    ),
    "outside-alphabet": _warning(
        "a token of a byte-level vocabulary is not spelled in its alphabet: no text becomes it",
        "spell it in GPT-2's alphabet, or make it an added token",
    ),
    "affix-unused": _warning(
        "a prefix or suffix is set that no token has", "unset it, or spell the tokens with it"
    ),
}
OF_MERGES = {
    "merge-part-missing": _error("a merge joins what is no token", "add the token"),
    "merge-product-missing": _error("what a merge makes is no token", "add the token"),
    "duplicate-merge": _warning(
        "a pair is listed twice: its rank depends on who reads the file", "remove one"
    ),
    "merge-order": _warning(
        "a merge stands before the one that makes its part, in a list of one merge a token",
        "restore the order of training",
    ),
    "no-merges": _warning(
        "there are tokens of several symbols, and no merges to make them", "add the merges"
    ),
}
OF_ADDED_TOKENS = {
    "added-id-mismatch": _error(
        "an added token has another id than the vocabulary gives it", "make them the same"
    ),
    "added-id-taken": _error(
        "the id of an added token is that of another token", "give it an id of its own"
    ),
    "duplicate-added": _error("an added token, or its id, is listed twice", "remove one"),
    "added-empty": _error("an added token is the empty text", "remove it"),
    "added-never-matched": _warning(
        "its own text does not become the added token: another is found in it first", "rename one"
    ),
    "special-contained": _warning(
        "a special token stands within another: which one is found depends on the reader",
        "rename one",
    ),
    "special-look-alike": _warning(
        "two special tokens differ in case, width or blanks alone", "rename one"
    ),
    "special-from-text": _warning(
        "plain text becomes a special token's id, where specials are text too",
        "remove the merges that make it",
    ),
}
OF_TEMPLATES = {
    "template-id-ordinary": _error(
        "the template puts the id of an ordinary token where a special one is named",
        "write the id of the special token, which must be an added token",
    ),
    "template-id-unknown": _error("the template puts an id that is no token's", "mend the id"),
    "template-id-mismatch": _error(
        "the template puts another special token's id than it names", "mend the id"
    ),
    "template-name-undefined": _error(
        "the template uses a name that it does not define", "define it under special_tokens"
    ),
    "template-name-unused": _warning("the template defines a name and never uses it", "remove it"),
    "template-without-text": _error(
        "the template has no place for a text, which is dropped", "put the text into it"
    ),
}
OF_COMPONENTS = {
    "component-refused": _error("a component is not known, or its fields are wrong", "mend it"),
    "pattern-refused": _error(
        "a regular expression is none, or matches the empty text", "mend the expression"
    ),
    "pattern-blow-up": _warning(
        "repetition within repetition: other readers may need exponential time",
        "write the repetition once",
    ),
    "pattern-drops-text": _warning(
        "the pre-tokenizer drops characters that are no blanks", "use Isolated, not Removed"
    ),
    "normalizer-deletes": _warning(
        "the normalizer removes characters that can be seen", "remove the step"
    ),
    "normalizer-lossy": _note(
        "different texts become one: decoding does not give back every text", "none is needed"
    ),
    "expansion-bomb": _error(
        "the normalizer makes a text more than 64 times as long", "remove the step"
    ),
    "decoder-rewrites": _warning(
        "the decoder replaces what encoding never put there: the text of a token changes",
        "remove the step; look where the file comes from",
    ),
    "decoder-missing": _warning(
        "bytes are spelled as characters, and no decoder turns them back", "add a ByteLevel decoder"
    ),
}
OF_SETTINGS = {
    "dropout-on": _warning(
        "merges are left out at random: each encoding gives other ids", "set dropout to null"
    ),
    "truncation-on": _warning(
        "readers of the file cut texts, without a word", "set truncation to null"
    ),
    "padding-id-mismatch": _warning(
        "padding fills up with another id than its token's", "make them the same"
    ),
    "digram-only": _note(
        "tokenizer.json would be for digram alone: Hugging Face refuses it, and transformers too",
        "the message says why, and what to change where that helps",
    ),
    "self-test-failed": _error(
        "a SentencePiece model holds a text with its pieces, and the text becomes others",
        "restore the file from its origin",
    ),
    "token-text-mismatch": _warning(
        "tekken.json tells a token's text, and its bytes are others", "restore the file"
    ),
    "training-mismatch": _warning(
        "the record of training is damaged, or tells of another model, and is left out",
        "restore the file, or remove the record",
    ),
}

CODES: dict[str, Code] = {
    **OF_FILES,
    **OF_VOCABULARIES,
    **OF_MERGES,
    **OF_ADDED_TOKENS,
    **OF_TEMPLATES,
    **OF_COMPONENTS,
    **OF_SETTINGS,
}
