"""How a text becomes its ids: words, tokens and merges, drawn or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from digram import Tokenizer
from digram.cli import options, output
from digram.cli.figures import several
from digram.cli.visible import readable, shown, unspelled

if TYPE_CHECKING:
    from rich.tree import Tree

__all__ = ["show"]


def show(tok: Tokenizer, text: str, special: options.Policy, *, as_json: bool) -> None:
    """Show how a text becomes its ids."""
    found = explained(tok, text, special)
    if as_json:
        output.write_json(found)
    else:
        _draw(tok, found)


def explained(tok: Tokenizer, text: str, special: options.Policy) -> dict[str, Any]:
    """Return all that is to be told; tokens are spelled as in `tokenizer.json`."""
    explanation = tok.explain(text, special=special)
    words = [
        {
            "text": word.text,
            "symbols": list(word.symbols),
            "merges": [
                {"left": m.left, "right": m.right, "merged": m.merged, "rank": m.rank}
                for m in word.merges
            ],
            "tokens": list(word.tokens),
            "ids": list(word.ids),
            "stopped": word.stopped,
        }
        for word in explanation.words
    ]
    return {"text": text, "ids": explanation.ids, "words": words}


def _draw(tok: Tokenizer, found: Mapping[str, Any]) -> None:
    from digram.cli.display import screen, token_line

    console, ids, text = screen(), found["ids"], found["text"]
    console.print(token_line([tok.tokens[id_] for id_ in ids], console))
    console.print(" ".join(map(str, ids)))
    console.print(
        f"{several(len(text), 'character')}, {several(len(text.encode()), 'byte')},"
        f" {several(len(found['words']), 'word')}, {several(len(ids), 'token')}"
    )
    units = tok.model.units
    for word in found["words"]:
        console.print()
        console.print(_tree(tok, word, units))


def _tree(tok: Tokenizer, word: Mapping[str, Any], units: str) -> Tree:
    """Draw a word: what it begins as, its merges in order, what they leave."""
    from rich.text import Text
    from rich.tree import Tree

    def seen(token: str) -> str:
        return readable(unspelled(token, units))

    tree = Tree(Text(shown(word["text"]), style="bold"), guide_style="dim")
    if word["symbols"] != word["tokens"]:
        tree.add(Text(" ".join(map(seen, word["symbols"]))))
    for merge in word["merges"]:
        line = Text(f"{seen(merge['left'])} + {seen(merge['right'])} = ")
        line.append(seen(merge["merged"]), style="bold")
        tree.add(line.append(f"  rank {merge['rank']}", style="dim"))
    leaf = Text("  ").join(
        Text.assemble((readable(tok.tokens[id_]), "bold"), " ", (str(id_), "cyan"))
        for id_ in word["ids"]
    )
    tree.add(leaf.append(f"  ({word['stopped']})", style="dim"))
    return tree
