"""How much a file may ask for unless the caller says otherwise; `Limits` tells what each bounds."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BOUNDS"]

# Apart from `Limits`, so that reading a file within the usual ones needs no dataclass: what makes
# those takes longer to import than all that opens a tokenizer.
BOUNDS: Mapping[str, int] = {
    "file_size": 512 << 20,
    "vocabulary": 16 << 20,
    "id": 1 << 20,
    "token_length": 1 << 20,
    "nesting": 64,
    "regex_size": 64 << 10,
    "padding": 1 << 24,
    "expansion": 64,
    "components": 256,
}
