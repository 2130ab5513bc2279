"""`digram count`: how many tokens texts have."""

from __future__ import annotations

from digram import DigramError, Tokenizer
from digram.cli import options, output
from digram.cli.known import Known, with_known
from digram.cli.reading import STDIN, Batch, batches

__all__ = ["count"]


@with_known
def count(
    tokenizer: options.TokenizerFile,
    files: options.Files = None,
    *,
    special: options.Special = "text",
    lines: options.Lines = False,
    as_json: options.Json = False,
    known: Known,
) -> None:
    """Count tokens: a number for stdin; for files one each, and the total, as wc does.

    $ digram count -t tokenizer.json < a.txt
    $ digram count -t tokenizer.json *.txt
    """
    tok = options.open_tokenizer(tokenizer, known)
    counted = []
    for file in files or [STDIN]:
        found = sum(_tokens(tok, batch, special) for batch in batches([file], lines=lines))
        counted.append((file, found))
        if files and not as_json:
            output.write_line(f"{counted[-1][1]} {file}")
            output.flush()
    total = sum(number for _, number in counted)
    if as_json:
        rows = [{"file": file, "tokens": number} for file, number in counted]
        output.write_json({"files": rows, "total": total})
    elif not files:
        output.write_line(str(total))
    elif len(files) > 1:
        output.write_line(f"{total} total")


def _tokens(tok: Tokenizer, batch: Batch, special: options.Policy) -> int:
    counts: list[int] = []
    try:
        counts.extend(tok.count(text, special=special) for text in batch.texts)
    except DigramError as error:  # the counts of all texts before are there
        raise batch.told(error, len(counts)) from None
    return sum(counts)
