"""What stands beside a tokenizer in its directory: settings of models, and chat templates."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from digram._kinds import of_kind
from digram.errors import FormatError, LimitError

__all__ = ["CONFIG", "TEMPLATES", "Directory", "is_kept"]

CONFIG = "tokenizer_config.json"
SPECIAL_MAP = "special_tokens_map.json"
ADDED = "added_tokens.json"
TEMPLATE = "chat_template.jinja"
OLD_TEMPLATE = "chat_template.json"
# The folder of further templates, each a file of its own.
TEMPLATES = "additional_chat_templates"
KEPT = (CONFIG, SPECIAL_MAP, ADDED, TEMPLATE, OLD_TEMPLATE)
FURTHER = re.compile(rf"{TEMPLATES}/([A-Za-z0-9_][A-Za-z0-9_.+-]{{0,99}})\.jinja", re.ASCII)

# The settings of a model are some kilobytes, and few templates reach a hundred.
LARGEST = 32 << 20

# What the settings may hold that names one token; others end with the same word.
NAMES = tuple(f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))


def is_kept(name: str) -> bool:
    """Tell whether a file of this name is kept with a tokenizer.

    >>> is_kept("chat_template.jinja"), is_kept("additional_chat_templates/rag.jinja")
    (True, True)
    >>> is_kept("additional_chat_templates/../../x.jinja"), is_kept("model.safetensors")
    (False, False)
    """
    return name in KEPT or FURTHER.fullmatch(name) is not None


@dataclass(frozen=True, repr=False)
class Directory:
    """The files that stood beside a tokenizer, byte for byte, and where they came from.

    They say what a model makes of the tokens; of the ids they say only which tokens are added,
    and loading has followed that. `tok.save(directory)` writes them again. Raises `FormatError`
    for a file that cannot be read, `ValueError` for one that is none of those kept.

    >>> beside = Directory({"tokenizer_config.json": b'{"eos_token": {"content": "</s>"}}'})
    >>> beside.config["eos_token"]["content"], beside.special_tokens["eos_token"]
    ('</s>', '</s>')
    """

    files: Mapping[str, bytes] = field(hash=False)
    source: str | None = None
    commit: str | None = None

    def __post_init__(self) -> None:
        for name, content in of_kind("files", self.files, Mapping, "a mapping of names").items():
            if not is_kept(name):
                known = ", ".join(KEPT)
                raise ValueError(f"{name!r} is not kept with a tokenizer; {known} are")
            if not isinstance(content, bytes):
                raise TypeError(f"{name} is given as {type(content).__name__}; files are bytes")
            if len(content) > LARGEST:
                raise LimitError(f"{name} has {len(content)} bytes; at most {LARGEST} are read")
        object.__setattr__(self, "files", MappingProxyType(dict(self.files)))
        _ = self.config, self.special_tokens_map, self.added_tokens, self.chat_templates

    @functools.cached_property
    def config(self) -> Mapping[str, Any]:
        """What `tokenizer_config.json` holds; empty where there is none."""
        return self._object(CONFIG)

    @functools.cached_property
    def special_tokens_map(self) -> Mapping[str, Any]:
        """What `special_tokens_map.json` holds; empty where there is none."""
        return self._object(SPECIAL_MAP)

    @functools.cached_property
    def added_tokens(self) -> Mapping[str, Any]:
        """What `added_tokens.json` holds, tokens and ids; empty where there is none."""
        return self._object(ADDED)

    @functools.cached_property
    def special_tokens(self) -> Mapping[str, str]:
        """What the tokens with a name are: `eos_token`, `pad_token` and others.

        The names are those of the settings, and of `special_tokens_map.json` where the settings
        do not list the added tokens, as transformers has it.
        """
        return MappingProxyType(
            {
                name: text
                for name, value in self.settings().items()
                if name.endswith("_token") and (text := text_of(value)) is not None
            }
        )

    def settings(self) -> dict[str, Any]:
        """Return the settings, those of `special_tokens_map.json` over them where it counts."""
        return {**self.config, **self.overriding()}

    def overriding(self) -> Mapping[str, Any]:
        """Return what goes above the settings; nothing, where these list the added tokens."""
        return {} if "added_tokens_decoder" in self.config else self.special_tokens_map

    @functools.cached_property
    def chat_templates(self) -> Mapping[str, str]:
        """The chat templates by name; the usual one is called `default`.

        Files of their own stand above the settings, as transformers has it.
        """
        found = dict(self._template_files())
        if not found:
            found = dict(_templates(self.config.get("chat_template"), CONFIG))
        if not found:
            old = self._object(OLD_TEMPLATE).get("chat_template")
            found = dict(_templates(old, OLD_TEMPLATE))
        return MappingProxyType(found)

    @property
    def chat_template(self) -> str | None:
        """The chat template, in the language of Jinja; digram does not run it."""
        return self.chat_templates.get("default")

    def _template_files(self) -> Iterator[tuple[str, str]]:
        for name, content in self.files.items():
            further = FURTHER.fullmatch(name)
            if name == TEMPLATE or further:
                try:
                    yield "default" if further is None else further[1], content.decode()
                except UnicodeDecodeError as error:
                    raise FormatError(f"{name}: byte {error.start} is not UTF-8") from None

    def _object(self, name: str) -> Mapping[str, Any]:
        content = self.files.get(name)
        if content is None:
            return MappingProxyType({})
        try:
            found = json.loads(content)
            json.dumps(found, ensure_ascii=False).encode()
            found = _frozen(found)
        except RecursionError:
            raise FormatError(f"{name}: its values are nested too deeply") from None
        except UnicodeEncodeError as error:
            half = error.object[error.start]
            raise FormatError(f"{name}: {half!r} is half of a pair, and no character") from None
        except ValueError as error:  # no JSON, no UTF-8, or a number of thousands of digits
            raise FormatError(f"{name}: it is no JSON: {error}") from None
        if not isinstance(found, Mapping):
            raise FormatError(f"{name} holds {str(found)[:80]!r}; it must be an object")
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Directory, (dict(self.files), self.source, self.commit)

    def __repr__(self) -> str:
        commit = f", commit={self.commit!r}" if self.commit else ""
        return f"Directory({list(self.files)}, source={self.source!r}{commit})"


def text_of(value: object) -> str | None:
    """Return the text of a token, which files give as such or as an object.

    >>> text_of("</s>"), text_of({"content": "</s>", "lstrip": False}), text_of(None)
    ('</s>', '</s>', None)
    """
    if isinstance(value, Mapping):
        value = value.get("content")
    return value if isinstance(value, str) else None


def _templates(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Read a template, or a list of them with their names."""
    if value is None:
        return
    if isinstance(value, str):
        yield "default", value
        return
    parts = value if isinstance(value, tuple) else ()
    for part in parts:
        match part:
            case {"name": str(name), "template": str(template)}:
                yield name, template
                continue
        raise FormatError(
            f"{place}: chat_template lists {str(part)[:80]!r}; give name and template"
        )
    if not isinstance(value, tuple):
        raise FormatError(f"{place}: chat_template is {str(value)[:80]!r}; it must be a text")


def _frozen(value: Any) -> Any:
    """Return a value of JSON that nobody can change."""
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(each) for key, each in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
