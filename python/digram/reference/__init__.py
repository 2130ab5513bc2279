"""Byte-pair encoding in plain Python, written to be read.

It is the specification that the Rust engine is tested against: no speed, no cleverness. Fifteen
minutes are enough for what matters: `learn` with `ties`, then `encode`, then `decode` down to
`decode_bytes`. `spelling` says what a token is, and `compress` is where it all began. The rest are
details, to skip at first: `blanks` and `scores` (SentencePiece), `glossaries` (subword-nmt),
`greedy`, `classes` (what patterns mean), and in `decode` `word_ends` and `rights` (letters that
are spelled as the marker is).

>>> model, report = learn({"low": 5, "lower": 2, "newest": 6, "widest": 3}, units="chars",
...                       end_of_word="</w>", ties="first-seen", num_merges=10)
>>> report.merges[2].left_token, report.merges[2].right_token, report.merges[2].frequency
('est', '</w>', 9)
>>> tokenize(model, "lowest")
['low', 'est</w>']
>>> decode(model, encode(model, "lowest low"))
'lowest low'
"""

from digram._report import Merge, TrainingReport
from digram.reference.check import check, in_learned_order
from digram.reference.compress import Compressed, compress, expand
from digram.reference.decode import decode, decode_bytes, decode_words, join_tokens
from digram.reference.encode import encode, encode_batch, tokenize
from digram.reference.learn import Step, alphabet, count_pairs, learn, merge_pair, steps
from digram.reference.spelling import byte_aliases, spell
from digram.reference.trace import Trace, TracedRound, trace_word
from digram.reference.words import count_words, normalize, pre_tokenize

__all__ = [
    "Compressed",
    "Merge",
    "Step",
    "Trace",
    "TracedRound",
    "TrainingReport",
    "alphabet",
    "byte_aliases",
    "check",
    "compress",
    "count_pairs",
    "count_words",
    "decode",
    "decode_bytes",
    "decode_words",
    "encode",
    "encode_batch",
    "expand",
    "in_learned_order",
    "join_tokens",
    "learn",
    "merge_pair",
    "normalize",
    "pre_tokenize",
    "spell",
    "steps",
    "tokenize",
    "trace_word",
]
