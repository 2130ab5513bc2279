"""Compare digram with its peers on real data: `python -m tests.exact [quick|full]`.

Prints what was compared, how often and with how many differences, and exits with 1 if there is
any. The full tier writes `docs/exactness.md`. The corpora are too large for this repository;
without them it says so, and exits with 0.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version

import digram
from tests.exact import mistral, opennmt, page, parts, shared
from tests.exact.tally import Tally

PEERS = (
    "tiktoken",
    "tokenizers",
    "transformers",
    "sentencepiece",
    "subword-nmt",
    *(("pyonmttok",) if opennmt.is_there() else ()),
    *(("mistral-common",) if mistral.is_there() else ()),
)


def main(tier: str) -> int:
    """Run a tier; return the exit code."""
    if tier not in ("quick", "full"):
        print(f"TIER is {tier!r}; it is 'quick' or 'full'", file=sys.stderr)
        return 2
    folder = shared.find()
    if folder is None:
        print("nothing is compared: there is no ../shared/data, and DIGRAM_SHARED names no folder")
        return 0
    peers = ", ".join(f"{peer} {version(peer)}" for peer in PEERS)
    versions = f"digram {digram.__version__}, Unicode {digram.UNICODE_VERSION}, beside {peers}"
    print(versions)
    data = shared.Shared(folder, quick=tier == "quick")
    took = (
        f"the first {shared.QUICK:,} characters of each, and all of {shared.NORMAL_FORMS}"
        if data.quick
        else "each as a whole"
    )
    print(f"{len(data.names())} corpora, {took}; utf8tests.bin is no UTF-8: decoded with U+FFFD")
    tally = Tally()
    for part, made in parts.compare(data, tally):
        if part == "vocabularies" and not data.quick:
            page.write(made, versions, took)
    print(f"\n{tally.table()}")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TIER", "full")
    sys.exit(main(given))
