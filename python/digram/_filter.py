"""The vocabulary of subword-nmt's filter: which tokens may be left of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from digram._kinds import LARGEST, of_kind, whole
from digram._word_escapes import unescaped
from digram.errors import FormatError

__all__ = ["allowed", "counted"]

# No number of 64 bits has more; Python reads no more than some thousands.
DIGITS = 20


def counted(content: bytes, place: str) -> dict[str, int]:
    r"""Return the tokens and counts of a file as `subword-nmt get-vocab` writes it.

    A token and its count stand on a line, with a space between; or with a tab, and escapes in the
    token, as `digram words` writes them. Of a token that stands there twice the larger count is
    taken, as one line that reaches a threshold is enough.

    >>> counted(b"the 7\nt@@\t2\n\t@@ 1\nx\\t@@\t3\n", "vocab.txt")
    {'the': 7, 't@@': 2, '\t@@': 1, 'x\t@@': 3}
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{place}: is not UTF-8: {error.reason} at byte {error.start}") from None
    counts: dict[str, int] = {}
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        said = line.strip(" ")
        if not said:
            continue
        token, between, count = said.rpartition(" " if " " in said else "\t")
        digits = count.removeprefix("-")
        if not token or " " in token or not digits.isdecimal() or len(digits) > DIGITS:
            raise FormatError(
                f"{place}: line {number} is {line[:80]!r}; a vocabulary has a token and its count"
                " on each line, as subword-nmt get-vocab writes them"
            )
        if between == "\t":
            token = unescaped(token.encode(), f"{place}: line {number}").decode()
        counts[token] = max(int(count), counts.get(token, int(count)))
    return counts


def allowed(vocabulary: Mapping[str, int] | Iterable[str], threshold: int | None) -> list[str]:
    """Return the tokens of a vocabulary whose counts reach the threshold, if there is one.

    >>> allowed({"the": 7, "t@@": 2}, 3), allowed(["t@@", "he"], None)
    (['the'], ['t@@', 'he'])
    """
    tokens = list(vocabulary)
    for token in tokens:
        of_kind("each token of vocabulary", token, str, "a str")
    if threshold is None:
        return tokens
    if isinstance(vocabulary, Mapping):
        counts = {t: whole(f"the count of {t!r}", vocabulary[t], -LARGEST) for t in tokens}
        return [token for token, count in counts.items() if count >= threshold]
    raise ValueError(
        f"vocabulary_threshold is {threshold}, but the vocabulary has no counts; pass a file"
        " or a mapping of tokens to counts, or leave the threshold out"
    )
