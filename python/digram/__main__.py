"""`python -m digram`: the command line where the script `digram` is not on PATH."""

from digram.cli import main

main()
