"""The plot: bars of digram and the best exact peers on unseen text, written as SVG by hand."""

from __future__ import annotations

from html import escape

from encoding.report import MAIN, Results, rate

COLORS = ("#2a6f97", "#f4a259", "#8cb369", "#bc4b51")
WIDTH, LEFT, TOP, BAR, GAP = 820, 120, 56, 11, 14
RIVALS = 3


def plot(results: Results, form: str, column: str = "unseen") -> str:
    """Draw a group of bars for each text."""
    where = {"vocabulary": MAIN, "unit": "text", "form": form, "threads": 1}
    speeds: dict[str, dict[str, float]] = {}
    for record in results.where(**where):
        if not record.get("differ"):
            speeds.setdefault(record["text"], {})[record["peer"]] = rate(column)(record)
    totals: dict[str, float] = {}
    for found in speeds.values():
        for name, speed in found.items():
            if not name.startswith("digram"):
                totals[name] = totals.get(name, 0) + speed
    shown = ["digram", *sorted(totals, key=lambda name: -totals[name])[:RIVALS]]
    most = max((found.get(name, 0) for found in speeds.values() for name in shown), default=1)
    parts, y = [legend(shown)], TOP
    for text, found in speeds.items():
        height = len(shown) * BAR
        parts.append(label(LEFT - 8, y + height / 2 + 4, text, "end"))
        for number, name in enumerate(shown):
            parts.append(bar(y + number * BAR, found.get(name), most, COLORS[number]))
        y += height + GAP
    title = f"MB/s on unseen text, {MAIN}, one thread, NumPy arrays; longer is better"
    body = "\n".join([label(10, 20, title, "start"), *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}"'
        f' height="{y}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>\n{body}\n</svg>\n'
    )


def legend(names: list[str]) -> str:
    """Name the colors."""
    parts = []
    for number, name in enumerate(names):
        x = LEFT + number * 150
        parts.append(f'<rect x="{x}" y="32" width="10" height="10" fill="{COLORS[number]}"/>')
        parts.append(label(x + 15, 41, name, "start"))
    return "\n".join(parts)


def bar(y: float, speed: float | None, most: float, color: str) -> str:
    """Draw a bar and its number; who differs or has no such call has none."""
    if speed is None:
        return label(LEFT + 4, y + BAR - 2, "–", "start")
    length = (WIDTH - LEFT - 60) * speed / most
    rect = f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 1}" fill="{color}"/>'
    return rect + label(LEFT + length + 4, y + BAR - 2, f"{speed:.0f}", "start", 9)


def label(x: float, y: float, text: str, anchor: str, size: int = 12) -> str:
    """Write a text at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#222">'
        f"{escape(text)}</text>"
    )
