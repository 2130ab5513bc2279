"""What decoding makes of the marker of a word's end."""

import json

import tokenizers

import digram


def test_a_marker_that_no_decoder_takes_away_is_written():
    """CLIP's files are such: byte-level, with an end of word, and a decoder that keeps it."""
    vocab = {token: id_ for id_, token in enumerate(["a", "b", "a</w>", "b</w>", "ab</w>"])}
    file = {
        "version": "1.0",
        "model": {
            "type": "BPE",
            "vocab": vocab,
            "merges": [["a", "b</w>"]],
            "end_of_word_suffix": "</w>",
        },
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
    }
    content = json.dumps(file)
    tok = digram.load(content.encode())
    ids = tok.encode("ab ba a")
    theirs = tokenizers.Tokenizer.from_str(content).decode(ids)
    assert tok.decode(ids) == theirs == "ab</w>ba</w>a</w>"
    assert tok.decode_batch([ids] * 3) == [theirs] * 3
    assert tok.decode_bytes(ids) == theirs.encode()
