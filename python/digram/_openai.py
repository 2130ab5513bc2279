"""Which encoding each model of OpenAI uses, as OpenAI publishes it with tiktoken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["MODELS", "PREFIXES"]


def _each(encodings: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {name: encoding for encoding, names in encodings.items() for name in names}


MODELS: Mapping[str, str] = _each(
    {
        "o200k_base": ("o1", "o3", "o4-mini", "gpt-5", "gpt-4.1", "gpt-4o"),
        "cl100k_base": (
            *("gpt-4", "gpt-3.5-turbo", "gpt-3.5", "gpt-35-turbo", "davinci-002", "babbage-002"),
            *("text-embedding-ada-002", "text-embedding-3-small", "text-embedding-3-large"),
        ),
        "p50k_base": (
            *("text-davinci-003", "text-davinci-002", "code-davinci-002", "code-davinci-001"),
            *("code-cushman-002", "code-cushman-001", "davinci-codex", "cushman-codex"),
        ),
        "p50k_edit": ("text-davinci-edit-001", "code-davinci-edit-001"),
        "r50k_base": (
            *("text-davinci-001", "text-curie-001", "text-babbage-001", "text-ada-001"),
            *("davinci", "curie", "babbage", "ada"),
            *(f"text-similarity-{size}-001" for size in ("davinci", "curie", "babbage", "ada")),
            *("text-search-davinci-doc-001", "text-search-curie-doc-001"),
            *("text-search-babbage-doc-001", "text-search-ada-doc-001"),
            *("code-search-babbage-code-001", "code-search-ada-code-001"),
        ),
        "gpt2": ("gpt2", "gpt-2"),
    }
)

# How the names of families begin; the first that fits counts, so `gpt-4o-` stands before `gpt-4-`.
PREFIXES: Mapping[str, str] = {
    **dict.fromkeys(("o1-", "o3-", "o4-mini-", "gpt-5", "gpt-4.5-", "gpt-4.1-"), "o200k_base"),
    **dict.fromkeys(("chatgpt-4o-", "gpt-4o-"), "o200k_base"),
    **dict.fromkeys(("gpt-4-", "gpt-3.5-turbo-", "gpt-35-turbo-"), "cl100k_base"),
    "gpt-oss-": "o200k_harmony",
    "ft:gpt-4o": "o200k_base",
    **dict.fromkeys(("ft:gpt-4", "ft:gpt-3.5-turbo"), "cl100k_base"),
    **dict.fromkeys(("ft:davinci-002", "ft:babbage-002"), "cl100k_base"),
}
