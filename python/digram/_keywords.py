"""Keywords of other libraries' calls, refused with what says the same here."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["refused"]

CUT = "truncation=digram.components.Truncation(…)"
FILL = "padding=digram.components.Padding(…)"
# What transformers' tokenizers take and a call here does not, and what to write instead.
INSTEAD = {
    "text_pair": "pairs=",
    "add_special_tokens": "template=",
    "max_length": f"{CUT} to cut texts, {FILL} to fill them up",
    "stride": CUT,
    "truncation_side": CUT,
    "padding_side": FILL,
    "pad_to_multiple_of": FILL,
    "return_offsets_mapping": "offsets=",
    "return_overflowing_tokens": "overflowing=",
    "return_special_tokens_mask": "special_tokens_mask=",
    "return_tensors": "torch.tensor(…) or numpy.array(…) of the lists",
}


def refused(others: Mapping[str, object]) -> TypeError:
    """Return the error for keywords that a call does not take.

    >>> refused({"return_offsets_mapping": True})
    TypeError("a tokenizer's call takes no keyword 'return_offsets_mapping'; use offsets=")
    """
    name = next(iter(others))
    instead = f"; use {INSTEAD[name]}" if name in INSTEAD else ""
    return TypeError(f"a tokenizer's call takes no keyword {name!r}{instead}")
