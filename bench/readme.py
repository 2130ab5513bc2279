"""Write the results of benchmarks into docs/benchmarks.md, and the first of them into README.md.

Each page holds them between its two marks.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
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
# What README has room for, and of results with several tables which.
FRONT = {
    "encode": (
        "cl100k, one text, one thread, NumPy",
        "cl100k, one text, one thread, lists",
        "Other vocabularies, unseen, NumPy",
        "Other vocabularies, unseen, lists",
        "Other vocabularies, same text again, NumPy",
        "cl100k, one call after another",
        "cl100k, many documents and two threads",
        "cl100k, other calls",
        "Where a peer is better",
    ),
    "train": (),
}


def main() -> None:
    """Replace what stands between the marks of both pages."""
    found = {name: RESULTS / f"{name}.json" for name in ORDER}
    results = {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name, path in found.items()
        if path.exists()
    }
    if not results:
        sys.exit("bench/results holds nothing yet; run make bench-encode and make bench-train")
    front = {name: shortened(name, results[name]) for name in FRONT if name in results}
    write(ROOT / "README.md", front)
    write(ROOT / "docs" / "benchmarks.md", results)


def shortened(name: str, result: dict[str, Any]) -> dict[str, Any]:
    """Keep the tables that README has room for."""
    if "tables" not in result:
        return result
    return {**result, "tables": [each for each in result["tables"] if each["title"] in FRONT[name]]}


def write(path: Path, results: dict[str, dict[str, Any]]) -> None:
    """Replace what stands between a page's marks."""
    text = path.read_text(encoding="utf-8")
    before, marked, rest = text.partition(START)
    _, ended, after = rest.partition(END)
    if not (marked and ended):
        sys.exit(f"{path.name} has no {START} or no {END}; put both where the figures belong")
    body = "\n".join(section(result, path.parent) for result in results.values())
    path.write_text(f"{before}{START}\n{body}{END}{after}", encoding="utf-8")


def section(result: dict[str, Any], folder: Path) -> str:
    """Write one result: what, its tables, and how and where it was measured."""
    where = f"{result['machine']}; {result['versions']}; {result['day']}."
    if "tables" not in result:
        body = f"**{result['title']}.** {result['notes']}\n\n{rows(result)}\n"
    else:
        plot = (
            f"\n![{result['title']}]({seen_from(folder, result)})\n" if result.get("plot") else ""
        )
        parts = [
            f"**{each['title']}.** {each['notes']}\n\n{rows(each)}\n" for each in result["tables"]
        ]
        body = "\n".join([f"**{result['title']}.** {result['notes']}\n{plot}", *parts])
    return f"{body}\n<sub>{where}</sub>\n"


def seen_from(folder: Path, result: dict[str, Any]) -> str:
    """Name a result's plot, which is named from the project's folder, from a page's folder."""
    return (ROOT / result["plot"]).relative_to(folder).as_posix()


def rows(table: dict[str, Any]) -> str:
    """Write a table: its first column to the left, the others to the right."""
    columns = table["columns"]
    numeric = [":---" if at == 0 else "---:" for at in range(len(columns))]
    lines = [f"| {' | '.join(map(str, row))} |" for row in (columns, numeric, *table["rows"])]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
