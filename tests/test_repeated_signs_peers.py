"""Signs of repetition behind one another, read as Hugging Face's engine reads them."""

import itertools
import json

import pytest

import digram

tokenizers = pytest.importorskip("tokenizers")

TEXTS = ["".join(text) for size in range(7) for text in itertools.product("ab ", repeat=size)]
SIGNS = ("?", "*", "+", "{2}", "{1,2}", "{2,}", "??", "+?", "++", "*+", "{1,2}?")
AROUND = ("{}", "a(?! ){}", "{}(?=a)", "a++{}", "(?:a|{})")


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("second", SIGNS)
def test_a_sign_repeats_what_the_signs_before_it_say(around, second):
    for first in SIGNS:
        pattern = around.format(f"b{first}{second}")
        split = {
            "type": "Split",
            "pattern": {"Regex": pattern},
            "behavior": "Removed",
            "invert": False,
        }
        model = {"type": "BPE", "vocab": {"a": 0, "b": 1, " ": 2}, "merges": []}
        text = json.dumps({"version": "1.0", "model": model, "pre_tokenizer": split})
        theirs = tokenizers.Tokenizer.from_str(text)
        ours = digram.load(text.encode())
        for text in TEXTS:
            assert ours.encode(text) == theirs.encode(text).ids, (pattern, text)
