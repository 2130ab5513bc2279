"""Encoding beside every peer, so that nothing is flattered.

The driver (`bench/encode.py`) asks workers, one process for each peer, to work in turn. A worker
knows one peer and one vocabulary; it compares answers with the reference before it times them.
Each round works on a new object through two halves of a text, so that four speeds come apart: of
a fresh process, of a fresh object, of text not seen before, and of the same text again.
"""
