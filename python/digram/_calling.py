"""What a tokenizer gives a model: the ids of texts, and what goes with them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from digram._coding import Coder
from digram._kinds import in_order
from digram._template import PLAIN, frame, inputs, inputs_of_one

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

# What a plain call does without is imported where it is used.
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from digram._around import Padding, Truncation
    from digram._coding import Special
    from digram._shapes import Shapes
    from digram._template import Frame

__all__ = ["Caller"]


class Caller(Coder):
    """What a call of a tokenizer does; `Tokenizer` adds what it is."""

    __slots__ = ()

    def __call__(
        self,
        texts: str | Sequence[str],
        pairs: str | Sequence[str] | None = None,
        *,
        special: Special = "text",
        template: bool = True,
        truncation: bool | Truncation = False,
        padding: bool | Padding = False,
        offsets: bool = False,
        overflowing: bool = False,
        special_tokens_mask: bool = False,
        sequence_ids: bool = False,
        **others: NoReturn,
    ) -> dict[str, Any]:
        """Return model inputs, `input_ids` and `attention_mask`, as transformers spells them.

        One text gives lists, a sequence of texts lists of lists. With `pairs`, the second texts,
        there are `token_type_ids` too. The template's ids are added unless `template` is False.
        `truncation` and `padding` cut texts and fill rows up: as the file says if True, or as a
        `digram.components.Truncation` or `Padding` says; by themselves they do nothing. `offsets`
        adds `offset_mapping`, where each id stands in its text, (0, 0) for the template's. With
        `overflowing`, what is cut off makes further rows, and `overflow_to_sample_mapping` tells of
        which text each is. `special_tokens_mask` adds a row of 1 for the ids that the template and
        padding add, and 0 for those of texts, special tokens that stand in one among them;
        `sequence_ids` one of None for the former, 0 for the first text and 1 for the second. Raises
        `ValueError` where the file does not say how, or none can be cut.

        >>> import digram
        >>> from digram.components import Padding
        >>> tok = digram.train(["abc"], vocab_size=256)
        >>> tok("abc")
        {'input_ids': [64, 65, 66], 'attention_mask': [1, 1, 1]}
        >>> tok(["abc", "a"], padding=Padding(pad_id=0))["input_ids"]
        [[64, 65, 66], [64, 0, 0]]
        >>> tok(["abc", "a"], padding=Padding(), special_tokens_mask=True)["special_tokens_mask"]
        [[0, 0, 0], [0, 1, 1]]
        >>> tok("abc", "a", sequence_ids=True)["sequence_ids"]
        [0, 0, 0, 1]
        """
        if others:
            from digram._keywords import refused

            raise refused(others)
        if not isinstance(texts, str):
            in_order("texts", texts, "a str, or a sequence of them")
        is_pair = pairs is not None
        more = offsets or overflowing or special_tokens_mask or sequence_ids
        if is_pair or more or not (truncation is padding is False):
            make, shapes = self._making
            shape = shapes.of(
                is_pair=is_pair,
                template=template,
                truncation=truncation,
                padding=padding,
                offsets=offsets,
                overflowing=overflowing,
                special_tokens_mask=special_tokens_mask,
                sequence_ids=sequence_ids,
            )
            return make(self, texts, pairs, special, shape)
        around = self._frame if template else PLAIN
        if isinstance(texts, str):
            return inputs_of_one(around, self.encode(texts, special=special))
        return inputs(around, self.encode_batch(texts, special=special))

    @functools.cached_property
    def _frame(self) -> Frame:
        return frame(self._engine, is_pair=False)

    @functools.cached_property
    def _making(self) -> tuple[Callable[..., dict[str, Any]], Shapes]:
        # Importing takes a tenth of a call's time, also where it finds what is there.
        from digram._inputs import model_inputs
        from digram._shapes import Shapes

        return model_inputs, Shapes(self._engine, self._settings)
