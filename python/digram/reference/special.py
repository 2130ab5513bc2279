"""Special and other added tokens: matched whole in the text, before anything is merged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from digram._model import Model
from digram.components import AddedToken
from digram.errors import SpecialTokenError
from digram.reference.classes import any_of, compiled
from digram.reference.words import normalize

Policy = Literal["text", "token", "error"] | Collection[str]


def cut_added_tokens(model: Model, text: str, special: Policy = "text") -> list[int | str]:
    """Cut a text at its added tokens: return their ids, and the normalized text between them.

    Tokens that are not special always match. Those with `normalized` are looked for in the
    normalized text, what is left of it; the others before, in the text as it is.

    >>> model = Model({}, rule=..., added_tokens=(AddedToken(7, "<|end|>"),))
    >>> cut_added_tokens(model, "the<|end|>end", "token")
    ['the', 7, 'end']
    >>> cut_added_tokens(model, "the<|end|>end")
    ['the<|end|>end']
    """
    if special == "error":
        refuse_special_tokens(model, text)
    wanted = wanted_tokens(model, special)
    raw = {token.content: token for token in wanted if not token.normalized}
    changed = {
        normalize(token.content, model.normalizer): token for token in wanted if token.normalized
    }
    pieces: list[int | str] = []
    for piece in cut(text, raw):
        if isinstance(piece, int):
            pieces.append(piece)
        else:
            pieces.extend(cut(normalize(piece, model.normalizer), changed))
    return pieces


def wanted_tokens(model: Model, special: Policy) -> list[AddedToken]:
    """List the added tokens that a policy looks for.

    >>> wanted_tokens(Model({}, rule=...), {"<|end|>"})
    Traceback (most recent call last):
    digram.errors.SpecialTokenError: '<|end|>' is no special token of this model; it has none
    """
    added = model.added_tokens
    if isinstance(special, str):
        if special not in ("text", "token", "error"):
            raise ValueError(
                f"special is {special!r}; give 'text', 'token', 'error' or a set of special tokens"
            )
        return [token for token in added if special == "token" or not token.special]
    names = [token.content for token in added if token.special]
    for name in special:
        if name not in names:
            known = ", ".join(map(repr, names)) or "none"
            raise SpecialTokenError(f"{name!r} is no special token of this model; it has {known}")
    return [token for token in added if not token.special or token.content in special]


def refuse_special_tokens(model: Model, text: str) -> None:
    """Raise an error if a text holds a special token.

    >>> model = Model({}, rule=..., added_tokens=(AddedToken(7, "<|end|>"),))
    >>> refuse_special_tokens(model, "the<|end|>end")
    Traceback (most recent call last):
    digram.errors.SpecialTokenError: the text holds the special token '<|end|>' at character 3...
    """
    specials = {token.content: token for token in model.added_tokens if token.special}
    before = 0
    for piece in cut(text, specials):
        if isinstance(piece, int):
            name = next(name for name, token in specials.items() if token.id == piece)
            raise SpecialTokenError(
                f"the text holds the special token {name!r} at character"
                f" {text.index(name, before)}; pass special='text' to encode it as text,"
                " special='token' to encode it as a token"
            )
        before += len(piece)


def cut(text: str, tokens: Mapping[str, AddedToken]) -> Iterator[int | str]:
    """Cut a text at the given tokens; the leftmost goes first, of those the longest.

    >>> mask = AddedToken(4, "<mask>", lstrip=True)
    >>> list(cut("a  <mask> b", {"<mask>": mask}))
    ['a', 4, ' b']
    """
    any_token = any_of(tokens)
    done = end = 0
    while match := any_token.search(text, end):
        token, end = tokens[match[0]], match.end()
        if token.single_word and touches_word(text, match.start(), end):
            continue
        start, end = with_blanks(text, match.start(), end, token)
        if done < start:  # a token before may have swallowed the same blanks
            yield text[done:start]
        yield token.id
        done = end
    if done < len(text):
        yield text[done:]


def touches_word(text: str, start: int, end: int) -> bool:
    """Say whether a word character stands right before or right after.

    >>> touches_word("unmask", 2, 6), touches_word("un mask", 3, 7)
    (True, False)
    """
    return compiled(r"\w").search(text[max(start - 1, 0) : start] + text[end : end + 1]) is not None


def with_blanks(text: str, start: int, end: int, token: AddedToken) -> tuple[int, int]:
    """Stretch a match over the blanks that the token swallows.

    >>> with_blanks("a  <mask> b", 3, 9, AddedToken(4, "<mask>", lstrip=True, rstrip=True))
    (1, 10)
    """
    blank = compiled(r"\s")
    while token.lstrip and start > 0 and blank.match(text[start - 1]):
        start -= 1
    while token.rstrip and end < len(text) and blank.match(text[end]):
        end += 1
    return start, end
