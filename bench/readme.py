"""Write the results of all benchmarks into README.md, between its two marks."""

from __future__ import annotations

import json
import sys
from typing import Any

from measure import RESULTS, ROOT

START, END = "<!-- bench:start -->", "<!-- bench:end -->"
ORDER = (
    "encode",
    "train",
    "train_large",
    "train_unsegmented",
    "train_pathological",
    "train_doors",
    "pathological",
    "hostile_growth",
    "load",
    "interrupts",
)


def main() -> None:
    """Replace what stands between the marks."""
    found = [RESULTS / f"{name}.json" for name in ORDER]
    results = [json.loads(path.read_text(encoding="utf-8")) for path in found if path.exists()]
    if not results:
        sys.exit("bench/results holds nothing yet; run make bench-encode and make bench-train")
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    before, marked, rest = text.partition(START)
    _, ended, after = rest.partition(END)
    if not (marked and ended):
        sys.exit(f"README.md has no {START} or no {END}; put both where the figures belong")
    body = "\n".join(map(section, results))
    path.write_text(f"{before}{START}\n{body}{END}{after}", encoding="utf-8")


def section(result: dict[str, Any]) -> str:
    """Write one result: what, its tables, and how and where it was measured."""
    where = f"{result['machine']}; {result['versions']}; {result['day']}."
    if "tables" not in result:
        body = f"**{result['title']}.** {result['notes']}\n\n{rows(result)}\n"
    else:
        plot = f"\n![{result['title']}]({result['plot']})\n" if result.get("plot") else ""
        parts = [
            f"**{each['title']}.** {each['notes']}\n\n{rows(each)}\n" for each in result["tables"]
        ]
        body = "\n".join([f"**{result['title']}.** {result['notes']}\n{plot}", *parts])
    return f"{body}\n<sub>{where}</sub>\n"


def rows(table: dict[str, Any]) -> str:
    """Write a table: its first column to the left, the others to the right."""
    columns = table["columns"]
    numeric = [":---" if at == 0 else "---:" for at in range(len(columns))]
    lines = [f"| {' | '.join(map(str, row))} |" for row in (columns, numeric, *table["rows"])]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
