"""The steps of a component, those of sequences one by one."""

from __future__ import annotations

from collections.abc import Iterator

from digram.components import Component

__all__ = ["parts_of"]

SEQUENCES = ("normalizers", "pretokenizers", "processors", "decoders")


def parts_of(component: Component | None) -> Iterator[Component]:
    """List the steps of a component, those of sequences one by one.

    >>> from digram.components import NFC, Lowercase, NormalizerSequence
    >>> [*parts_of(NormalizerSequence((NFC(), Lowercase())))]
    [NFC(), Lowercase()]
    """
    if component is None:
        return
    inner = next((getattr(component, name) for name in SEQUENCES if hasattr(component, name)), None)
    if inner is None:
        yield component
    for part in inner or ():
        yield from parts_of(part)
