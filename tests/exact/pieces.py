"""SentencePiece's models as they are written, opened by SentencePiece and by Hugging Face."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import sentencepiece
import tokenizers

import digram
from tests.exact.shared import Shared
from tests.exact.tally import Tally

MODELS = (
    ("llama2", "tokenizer.model"),
    ("mistral-v1", "tokenizer.model"),
    ("bpemb-en", "en.wiki.bpe.vs100000.model"),
    ("sentencepiece-bpe", "en_4k_nmt_nfkc.model"),
    ("sentencepiece-bpe", "ar_8k_bytefallback_identity.model"),
    ("sentencepiece-bpe", "de_4k_suffix_userdef.model"),
)


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    for parts in MODELS:
        path = shared.vocab(*parts)
        name = parts[0] if parts[1].startswith("tokenizer") else path.stem
        written(shared.sample(), tally, path, name)


def written(shared: Shared, tally: Tally, path: Path, name: str) -> None:
    """Write a model in its format and as tokenizer.json, and open both with whose they are."""
    ours = digram.load(path)
    with tempfile.TemporaryDirectory() as folder:
        again, as_json, back = (Path(folder, part) for part in ("a.model", "b.json", "c.model"))
        ours.save(again)
        ours.save(as_json)
        digram.load(as_json).save(back)
        with tally.row(f"saved, SentencePiece {name}"):
            for file in (again, as_json, back):
                tally.same(file.name, digram.load(file), ours)
        with tally.row(f"encode what was saved, SentencePiece {name}"):
            theirs = [
                sentencepiece.SentencePieceProcessor(model_file=str(f)) for f in (again, back)
            ]
            for places, texts in shared.batches():
                expected = ours.encode_batch(texts)
                for processor in theirs:
                    tally.all_same(places, expected, processor.encode(texts))
        with_hugging_face(shared, tally, as_json, name)


def with_hugging_face(shared: Shared, tally: Tally, path: Path, name: str) -> None:
    """Compare the tokenizer.json of a model, unless it says that it is digram's alone."""
    if json.loads(path.read_text(encoding="utf-8"))["model"]["type"] != "BPE":
        return
    ours, theirs = digram.load(path), tokenizers.Tokenizer.from_file(str(path))
    with tally.row(f"encode, Hugging Face {name} from SentencePiece"):
        for places, texts in shared.batches():
            encodings = theirs.encode_batch_fast(texts, add_special_tokens=False)
            expected = [encoding.ids for encoding in encodings]
            tally.all_same(places, ours.encode_batch(texts, special="token"), expected)
