"""tiktoken's encodings by name: what each is, and where its files are found.

A file is looked for where the caller says, or else in tiktoken's own cache, and is downloaded only
where the cache does not have it. Whatever its origin, its sha256 must be the published one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from typing import NamedTuple

from digram._kinds import of_kind
from digram._load import load
from digram._openai import MODELS, PREFIXES
from digram._tokenizer import Tokenizer
from digram.errors import FormatError, MissingFileError

__all__ = ["encoding_for_model", "get_encoding", "list_encoding_names"]

# Where the encodings were published.
HOST = "https://openaipublic.blob.core.windows.net"
# What says where the cache is, the first that is set; an empty text means that there is none.
CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
# The largest file has 3.6 MB; nothing larger than this is read from the network.
LARGEST = 32 << 20
# Seconds without an answer.
PATIENCE = 60


class File(NamedTuple):
    """A published file."""

    path: str
    sha256: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def cache_name(self) -> str:
        """The name that tiktoken's cache has for it, which follows from its address."""
        return hashlib.sha1((HOST + self.path).encode(), usedforsecurity=False).hexdigest()

    def check(self, content: bytes, place: str) -> bytes:
        """Return the content if it is the published one."""
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise FormatError(
                f"{place}: the file is not {self.name} as it was published: its sha256 is"
                f" {found}, not {self.sha256}; it is damaged, or another file"
            )
        return content


class Encoding(NamedTuple):
    """An encoding: its ranks, or its vocabulary and merges, and what is not in the files."""

    files: tuple[File, ...]
    pattern: str | None
    special_tokens: Mapping[str, int]


R50K = File(
    "/encodings/r50k_base.tiktoken",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
)
P50K = File(
    "/encodings/p50k_base.tiktoken",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
)
CL100K = File(
    "/encodings/cl100k_base.tiktoken",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
)
O200K = File(
    "/encodings/o200k_base.tiktoken",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
)
GPT2 = (
    File(
        "/gpt-2/encodings/main/encoder.json",
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    ),
    File(
        "/gpt-2/encodings/main/vocab.bpe",
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    ),
)

HARMONY = {
    "<|startoftext|>": 199998,
    "<|endoftext|>": 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
    "<|endofprompt|>": 200018,
}
# The ids from 200000 on that have no name above. tiktoken calls 200018 <|reserved_200018|> as well;
# an id has one name here.
RESERVED = sorted({*range(200000, 201088)} - {*HARMONY.values()})

ENCODINGS: dict[str, Encoding] = {
    "gpt2": Encoding(GPT2, None, {"<|endoftext|>": 50256}),
    "r50k_base": Encoding((R50K,), "gpt2", {"<|endoftext|>": 50256}),
    "p50k_base": Encoding((P50K,), "gpt2", {"<|endoftext|>": 50256}),
    "p50k_edit": Encoding(
        (P50K,),
        "gpt2",
        {
            "<|endoftext|>": 50256,
            "<|fim_prefix|>": 50281,
            "<|fim_middle|>": 50282,
            "<|fim_suffix|>": 50283,
        },
    ),
    "cl100k_base": Encoding(
        (CL100K,),
        "cl100k",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": Encoding((O200K,), "o200k", {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}),
    "o200k_harmony": Encoding(
        (O200K,), "o200k", HARMONY | {f"<|reserved_{id_}|>": id_ for id_ in RESERVED}
    ),
}


# What was opened: by its name, and where it was looked for, with what it was then.
_opened: dict[tuple[str, object], tuple[Encoding, Tokenizer]] = {}


def list_encoding_names() -> list[str]:
    """Return the names that `get_encoding` knows: those of tiktoken.

    >>> list_encoding_names()[-2:]
    ['o200k_base', 'o200k_harmony']
    """
    return list(ENCODINGS)


def get_encoding(name: str, *, directory: str | os.PathLike[str] | None = None) -> Tokenizer:
    """Return one of tiktoken's encodings, downloaded at the first use if need be.

    With `directory` its file is read from there, under the name it was published with, and
    nothing is downloaded. Without, it is read from tiktoken's cache: the directory that
    `TIKTOKEN_CACHE_DIR` or else `DATA_GYM_CACHE_DIR` names, or else `data-gym-cache` among the
    temporary files; what the cache does not hold, or holds damaged, is downloaded and kept there.
    An empty variable turns the cache off. The sha256 of a file is always checked. Asked for again,
    it is the same object, as long as it is looked for in the same place; a file in `directory` that
    was changed is read again.

    Raises `ValueError` for a name that is none of them, `MissingFileError` where there is no file
    and no network, and `FormatError` for a file that is not the published one.

    >>> get_encoding("cl100k_base", directory="/nowhere")
    Traceback (most recent call last):
    digram.errors.MissingFileError: there is no file '/nowhere/cl100k_base.tiktoken'; place ...
    """
    encoding = ENCODINGS.get(of_kind("name", name, str, "the name of an encoding"))
    if encoding is None:
        raise ValueError(f"name is {name!r}; it is one of {', '.join(ENCODINGS)}")
    of_kind("directory", directory, (str, os.PathLike, type(None)), "a path, or None")
    place = _place(encoding, directory)
    known, found = _opened.get((name, place), (None, None))
    if found is not None and known is encoding:
        return found
    contents = [content_of(file, directory) for file in encoding.files]
    found = load(
        contents[0] if len(contents) == 1 else (contents[0], contents[1]),
        format="tiktoken" if len(contents) == 1 else "gpt2",
        pattern=encoding.pattern,
        special_tokens=encoding.special_tokens,
    )
    if place is not None:
        _opened[name, place] = (encoding, found)
    return found


def _place(encoding: Encoding, directory: str | os.PathLike[str] | None) -> object:
    """Tell where an encoding is looked for, and which files are there; `None` if some are not."""
    if directory is None:
        return tuple(os.environ.get(name) for name in CACHE_VARIABLES)
    folder = os.fsdecode(directory)
    try:
        files = [os.stat(os.path.join(folder, file.name)) for file in encoding.files]
    except OSError:
        return None
    return folder, tuple((file.st_mtime_ns, file.st_size, file.st_ino) for file in files)


def encoding_for_model(model: str, *, directory: str | os.PathLike[str] | None = None) -> Tokenizer:
    """Return the encoding that a model of OpenAI uses, as `get_encoding` does.

    Names of a family that is known are enough (`gpt-4o-2024-05-13`). Raises `KeyError`, as tiktoken
    does, for a model that is not known.

    >>> encoding_for_model("gpt-6")
    Traceback (most recent call last):
    KeyError: "no encoding is known for the model 'gpt-6'; if you know its name, digram.get_...
    """
    return get_encoding(encoding_name(model), directory=directory)


def encoding_name(model: str) -> str:
    """Return the name of the encoding of a model.

    >>> encoding_name("gpt-4"), encoding_name("gpt-4o-mini")
    ('cl100k_base', 'o200k_base')
    """
    of_kind("model", model, str, "the name of a model")
    found = MODELS.get(model) or next(
        (name for prefix, name in PREFIXES.items() if model.startswith(prefix)), None
    )
    if found is None:
        raise KeyError(
            f"no encoding is known for the model {model!r}; if you know its name,"
            f" digram.get_encoding takes it: {', '.join(ENCODINGS)}"
        )
    return found


def content_of(
    file: File, directory: str | os.PathLike[str] | None = None, *, host: str = HOST
) -> bytes:
    """Return a file's content: from the directory, or else from the cache, or else from `host`."""
    if directory is not None:
        path = os.path.join(os.fsdecode(directory), file.name)
        if not os.path.isfile(path):
            raise MissingFileError(f"there is no file {path!r}; place {HOST}{file.path} there")
        return file.check(_content(path), path)
    cached = cache_place(file)
    if cached is not None and os.path.isfile(cached):
        with contextlib.suppress(FormatError):  # damaged, or cut short: fetched again
            return file.check(_content(cached), cached)
    content = file.check(downloaded(file, host, cached), host + file.path)
    if cached is not None:
        keep(content, cached)
    return content


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def cache_place(file: File) -> str | None:
    """Return where the cache has the file, or would have it; `None` if the cache is off."""
    folders = [os.environ[name] for name in CACHE_VARIABLES if name in os.environ]
    folder = folders[0] if folders else os.path.join(_temporary_files(), "data-gym-cache")
    return os.path.join(folder, file.cache_name) if folder else None


def _temporary_files() -> str:
    import tempfile  # only here: it loads much that reading never needs

    return tempfile.gettempdir()


def downloaded(file: File, host: str, cached: str | None) -> bytes:
    """Return what the network has under the file's address."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import urlopen

    try:
        # the scheme is that of HOST, or of a test
        with urlopen(host + file.path, timeout=PATIENCE) as answer:  # noqa: S310
            content: bytes = answer.read(LARGEST)
    except (OSError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()  # it is the answer, too, and holds the connection
        damaged = "damaged" if cached is not None and os.path.isfile(cached) else "not there"
        cache = "turned off" if cached is None else f"{damaged} ({cached!r})"
        remedy = "a folder for directory=" if cached is None else "that place, or pass directory="
        raise MissingFileError(
            f"{file.name}: in the cache it is {cache}, and {host}{file.path} cannot be"
            f" downloaded: {error}; put the file into {remedy}"
        ) from error
    return content


def keep(content: bytes, cached: str) -> None:
    """Put a file into the cache; a default place that cannot be written to is no error.

    That place is open to all users of a machine, so a link there is replaced, never followed.
    """
    from pathlib import Path

    from digram._atomic import replace_files

    is_default = not any(name in os.environ for name in CACHE_VARIABLES)
    with contextlib.suppress(*[OSError, ValueError] if is_default else []):
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        if os.path.islink(cached):
            os.unlink(cached)
        replace_files({Path(cached): content})
