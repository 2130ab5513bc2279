"""Which text of a batch an error is about: looked for once there is an error, and never before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from digram._kinds import shown
from digram.errors import DigramError

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["of_ids", "of_pairs", "of_texts"]

TEXTS, PAIRS = "texts[", "pairs["


def of_texts(error: Exception, texts: Sequence[object]) -> Exception:
    """Return an error that says which of the texts is no text, or holds half a character.

    >>> of_texts(TypeError("no str"), ["a", 1.5])
    TypeError('texts[1] is a float (1.5), not a str; leave it out, or make it a text')
    """
    if isinstance(error, UnicodeEncodeError):
        found = [place for place, text in enumerate(texts) if text == error.object]
        if found:
            error.reason += f", in {TEXTS}{found[0]}]"
        return error
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            return TypeError(f"{TEXTS}{place}] is {_described(text)}, not a str; {_remedy(text)}")
    return error


def _remedy(value: object) -> str:
    if isinstance(value, tuple) and len(value) == len(("first", "second")):
        return "of pairs, give the first texts and then the second ones: tok(firsts, seconds)"
    return "leave it out, or make it a text"


def _described(value: object) -> str:
    if value is None:
        return "None"
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} ({shown(value)})"


def of_pairs(error: Exception) -> Exception:
    """Return an error of the second texts, which they had as if they were the first.

    >>> of_pairs(TypeError("texts[1] is a float")), of_pairs(DigramError("the text holds"))
    (TypeError('pairs[1] is a float'), DigramError('pairs: the text holds'))
    """
    if isinstance(error, UnicodeEncodeError):
        error.reason = error.reason.replace(TEXTS, PAIRS)
        return error
    said = str(error)
    if said.startswith(TEXTS):
        return type(error)(PAIRS + said.removeprefix(TEXTS))
    return type(error)(f"pairs: {said}") if isinstance(error, DigramError) else error


def of_ids(error: Exception, batch: Iterable[object], decode: Callable[..., object]) -> Exception:
    """Return an error that says which part of a batch is no sequence of ids, or no text."""
    for place, ids in enumerate(batch):
        reason = _refusal(ids, decode)
        if isinstance(reason, UnicodeDecodeError):
            reason.reason += f", in batch[{place}]"
            return reason
        if reason is not None:
            return TypeError(f"batch[{place}]: {reason}")
    return error


def _refusal(ids: object, decode: Callable[..., object]) -> TypeError | UnicodeDecodeError | None:
    try:
        decode(ids)
    except (TypeError, UnicodeDecodeError) as error:
        return error
    except DigramError:  # they are ids, of no token
        return None
    return None
