"""Models of the hub by name: from the cache of Hugging Face, or through its library.

The cache has a folder for each model, `models--org--name`. There `refs/<revision>` holds the commit
that a branch or a tag meant when it was last asked for, `snapshots/<commit>/` the files, most of
them links into `blobs/`, and `.no_exist/<commit>/` the names of files that the model does not have.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from digram._directory import CONFIG, is_kept
from digram._folder import chosen
from digram.errors import LimitError, MissingFileError

__all__ = ["Snapshot", "cached", "check_name", "check_revision", "download", "is_offline"]

DEFAULT_REVISION = "main"
NAME = re.compile(r"(?:[\w.-]{1,96}/)?[\w.-]{1,96}", re.ASCII)
# A branch, a tag, or refs/pr/7: what git takes, less what a path or an address could be bent with.
REVISION = re.compile(r"\w[\w.+-]*(?:/\w[\w.+-]*)*", re.ASCII)
LONGEST_REVISION = 250
COMMIT = re.compile(r"[0-9a-f]{40}")
# No tokenizer is nearly as large; what is does not get into the cache.
LARGEST = 512 << 20

YES = ("1", "ON", "YES", "TRUE")
OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


@dataclass(frozen=True)
class Snapshot:
    """The files of a model at one commit, below the folder of all that is cached."""

    folder: Path
    commit: str
    cache: Path
    is_whole: bool = True


def check_name(name: str) -> str:
    """Return the name of a model if it can be one: `org/model`, or `model` alone.

    >>> check_name("org/model-1.5")
    'org/model-1.5'
    >>> check_name("../model")
    Traceback (most recent call last):
    ValueError: '../model' is neither a directory nor the name of a model on the hub, org/name: ...
    """
    parts = name.split("/")
    if (
        NAME.fullmatch(name) is None
        or any(part[0] in "-." or part[-1] in "-." for part in parts)
        or ".." in name
        or "--" in name
        or name.endswith(".git")
    ):
        raise ValueError(
            f"{name!r} is neither a directory nor the name of a model on the hub, org/name:"
            " letters, digits, and single '-', '_' and '.' between them"
        )
    return name


def check_revision(revision: str | None) -> str:
    """Return a revision if it can be one: a branch, a tag, or a commit; without one, `main`.

    >>> check_revision(None), check_revision("refs/pr/7")
    ('main', 'refs/pr/7')
    """
    if revision is None:
        return DEFAULT_REVISION
    if (
        len(revision) > LONGEST_REVISION
        or REVISION.fullmatch(revision) is None
        or ".." in revision
        or any(part.endswith((".", ".lock")) for part in revision.split("/"))
    ):
        raise ValueError(f"revision is {revision!r}; it is a branch, a tag or a commit")
    return revision


def is_offline() -> bool:
    """Tell whether the environment forbids to ask the hub."""
    return any(os.environ.get(name, "").upper() in YES for name in OFFLINE)


def cache_folder() -> Path:
    """Return where Hugging Face's libraries keep what they downloaded."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache")
    home = os.environ.get("HF_HOME") or os.path.join(home, "huggingface")
    hub = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    return Path(os.path.expandvars(os.path.expanduser(hub or os.path.join(home, "hub"))))


def cached(name: str, revision: str) -> Snapshot | None:
    """Find what the cache has of a model, without asking anybody.

    It is whole unless a `tokenizer_config.json` may exist that nobody asked for yet.
    """
    cache = cache_folder()
    model = cache / f"models--{name.replace('/', '--')}"
    commit = revision if COMMIT.fullmatch(revision) else _commit_of(model / "refs" / revision)
    if commit is None or not (model / "snapshots" / commit).is_dir():
        return None
    places = (model / "snapshots" / commit / CONFIG, model / ".no_exist" / commit / CONFIG)
    is_whole = any(place.is_file() for place in places)
    return Snapshot(model / "snapshots" / commit, commit, cache, is_whole)


def _commit_of(ref: Path) -> str | None:
    if not ref.is_file():
        return None
    try:
        with ref.open("rb") as file:
            found = file.read(64).decode("ascii", "replace").strip()
    except OSError:
        return None
    return found if COMMIT.fullmatch(found) else None


def download(name: str, revision: str, *, token: str | bool | None) -> Snapshot:
    """Bring the files of a tokenizer into the cache, through the library of Hugging Face.

    Raises `MissingFileError`, with the reason, where that is not possible.
    """
    hub = _library(name, revision)
    cache = cache_folder()
    options: dict[str, Any] = {"cache_dir": cache, "token": token, "endpoint": endpoint()}
    with _refusals_told(hub, name, revision), _quiet(hub):
        try:
            config = hub.hf_hub_download(name, CONFIG, revision=revision, **options)
            commit = Path(config).parent.name
        except hub.errors.RemoteEntryNotFoundError:
            found = cached(name, revision)  # the library has noted the commit
            commit = revision if found is None else found.commit
        names = _listed(hub, name, commit, token=token)
        for file in wanted(names, name):
            path = Path(hub.hf_hub_download(name, file, revision=commit, **options))
    folder = next(parent for parent in path.parents if parent.parent.name == "snapshots")
    return Snapshot(folder, folder.name, cache)


def wanted(sizes: Mapping[str, int], name: str) -> list[str]:
    """Choose what to download: the tokenizer, and what is kept beside it."""
    files = [*chosen(sizes, name), *filter(is_kept, sizes)]
    for file in files:
        if sizes[file] > LARGEST:
            raise LimitError(f"{name}: {file} has {sizes[file]} bytes; at most {LARGEST} are read")
    return files


def endpoint() -> str | None:
    """Return the address of the hub where the environment names one."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or None


def _library(name: str, revision: str) -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.errors
        import huggingface_hub.utils
    except ImportError:
        raise MissingFileError(
            f"{name!r} at {revision!r} is no directory, and not in the cache"
            f" ({str(cache_folder())!r}); to download it,"
            ' pip install "digram[hub]"'
        ) from None
    return huggingface_hub


def _listed(hub: Any, name: str, commit: str, *, token: str | bool | None) -> dict[str, int]:
    """Return the files of a model and their sizes."""
    tree = hub.HfApi(endpoint=endpoint(), token=token).list_repo_tree(
        name, revision=commit, recursive=True
    )
    return {entry.path: entry.size for entry in tree if hasattr(entry, "size")}


@contextmanager
def _refusals_told(hub: Any, name: str, revision: str) -> Iterator[None]:
    """Tell what the library could not do, and what helps."""
    errors = hub.errors
    # whichever library for HTTP it stands on, the failures of that are a base of its own
    transport = tuple({*errors.HfHubHTTPError.__bases__, OSError})
    try:
        yield
    except MissingFileError:
        raise
    except errors.GatedRepoError as error:
        why = "its authors grant access: ask on its page, and pass token=, or set HF_TOKEN"
        raise _missing(name, revision, why) from error
    except errors.RepositoryNotFoundError as error:
        why = "the hub has no such model, or it is private: pass token=, or set HF_TOKEN"
        raise _missing(name, revision, why) from error
    except errors.RevisionNotFoundError as error:
        raise _missing(name, revision, "the model has no such revision") from error
    except errors.OfflineModeIsEnabled as error:
        raise _missing(name, revision, "HF_HUB_OFFLINE was set at the start") from error
    except transport as error:
        why = " ".join(str(error).split())[:300]
        raise _missing(name, revision, f"the hub cannot be asked: {why}") from error


def _missing(name: str, revision: str, why: str) -> MissingFileError:
    return MissingFileError(f"{name!r} at {revision!r} cannot be downloaded: {why}")


@contextmanager
def _quiet(hub: Any) -> Iterator[None]:
    """Show no bars: a library does not print."""
    if hub.utils.are_progress_bars_disabled():
        yield
        return
    hub.utils.disable_progress_bars()
    try:
        yield
    finally:
        hub.utils.enable_progress_bars()
