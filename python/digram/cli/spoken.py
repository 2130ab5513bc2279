"""Remedies as the shell spells them: the library's messages speak of its keywords."""

from __future__ import annotations

import re

__all__ = ["spoken"]

# What the library says, and what is said instead. Each is as long as it must be to be told from
# the texts, tokens and names that a message quotes.
SAID = [
    (
        r'(?<!\')load\(path, pattern="([^"]+)", special_tokens=\{"([^"]+)": (\d+)\}\)',
        r"--pattern \1 --special-token '\2=\3'",
    ),
    (r'(?<!\')load\(path, pattern="([^"]+)"\)', r"--pattern \1"),
    (r"(?<!')load\(path, pattern=…\)", "--pattern …"),
    (
        r"say it: load\(path, pattern=(digram\.\S+\(\))\) for",
        r"say it: --pattern …, or in Python digram.load(path, pattern=\1) for",
    ),
    (
        r"call digram\.load\(.*, pattern=…, special_tokens=\{…\}\)$",
        "give it with --pattern …, and the special tokens with --special-token …",
    ),
    (r"call digram\.load\(.*, pattern=…\)$", "give it with --pattern …"),
    (r"^pattern= is given", "--pattern is given"),
    (r"^special_tokens= is given", "--special-token is given"),
    (r"^unk_token= is given", "--unk-token is given"),
    (r"^initial_alphabet= is given", "--initial-alphabet is given"),
    (r"^vocabulary= is given", "--vocabulary is given"),
    (r"^glossaries= is given", "--glossary is given"),
    (
        r"^vocabulary_threshold is (\S+), but there is no vocabulary$",
        r"--vocabulary-threshold is \1, but there is no --vocabulary",
    ),
    (r"^joiner is ", "--joiner is "),
    (r"^limit_alphabet (?=leaves )", "--limit-alphabet "),
    (r"^character_coverage (?=leaves |is )", "--character-coverage "),
    (r'(?<=all tokens; leave it out, or give )units="chars"$', "--units chars"),
    (
        r"(?<=nothing stands for them; give )an unk_token, or byte_fallback=True$",
        "--unk-token or --byte-fallback",
    ),
    (r"^byte_fallback (?=spells )", "--byte-fallback "),
    (
        r"^byte_fallback (would .*; give one of) byte_fallback and end_of_word$",
        r"--byte-fallback \1 --byte-fallback and --end-of-word",
    ),
    (
        r'pass special="text" to encode it as text, special="token" or special=\{.*\} to encode',
        "pass --special text to encode it as text, --special token to encode",
    ),
    (
        r'with unk_token= or a larger initial_alphabet=, or train with units="bytes"$',
        "with --unk-token or a larger --initial-alphabet, or train with --units bytes",
    ),
    (r"out with (?:digram\.corpus\(texts=…, )?errors='skip'\)?$", "out with --errors skip"),
    (r"out with errors='skip'; a JSON file", "out with --errors skip; a JSON file"),
    (
        r"read (the file )?with format='text' as plain text$",
        r"read \1with --from text as plain text",
    ),
    (r"an array: format='json' reads one\); mend it", "an array: --from json reads one); mend it"),
    (r" format= says how to read them instead$", " --from says how to read them instead"),
    (r" and field= takes one of them$", " and --field takes one of them"),
    (r"put the file into a folder for directory=$", "name the file itself, with its --pattern"),
    (r"or pass directory=$", "or name the file itself, with its --pattern"),
    (r"pass token=, or set HF_TOKEN$", "set HF_TOKEN"),
    (
        r"a tokenizer of the hub is digram\.from_pretrained\('(\S+)'\)$",
        r"of one of the hub say hub:\1",
    ),
    (
        r"encodings of tiktoken are opened by digram\.get_encoding$",
        "of an encoding of tiktoken name the file, with --pattern",
    ),
    (r"local_files_only is True, or HF_HUB_OFFLINE or", "HF_HUB_OFFLINE or"),
    (r"pass limits=(digram\.Limits\([^)]*\))$", r"open it in Python with limits=\1"),
    (r"encode with tok\.with_\(dropout=None\)$", "encode in Python with tok.with_(dropout=None)"),
    (
        r"or change it with tok\.with_\(…\) first$",
        "or change it first, in Python with tok.with_(…)",
    ),
]


def spoken(message: str) -> str:
    """Say what to do at the shell where a message says what to do in Python.

    >>> spoken("a.csv: line 2: …; mend it, or leave such records out with errors='skip'")
    'a.csv: line 2: …; mend it, or leave such records out with --errors skip'
    """
    for said, instead in SAID:
        message = re.sub(said, instead, message)
    return message
