"""The command line: `digram train | encode | decode | count | inspect | convert | demo`.

Data goes to stdout and everything else to stderr. Exit codes: 0 for success, 1 where something
failed, 2 for wrong usage, 130 after Ctrl-C. `check` and `diff` answer with 0 or 1, and end with 2
where something failed.
"""

import sys

__all__ = ["main"]

# 128 + SIGINT, as shells count.
INTERRUPTED = 130


def main() -> None:
    """Run the command line with the arguments of the process."""
    try:
        from digram.cli.app import run

        run()
    except KeyboardInterrupt:  # while the modules are still loading
        sys.exit(INTERRUPTED)
