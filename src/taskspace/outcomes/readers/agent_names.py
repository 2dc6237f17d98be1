"""Which agent a log is about: names that harnesses write differently, and settings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from taskspace import checks

Settings = tuple[tuple[str, str], ...]
Key = tuple[str, Settings, str]  # the name, the settings and the benchmark

_LONGEST_SETTING = 40  # characters in a name; of longer ones, e.g. prompts, a digest is shown


class FolderName(str):
    """The name of an agent as its folder has it: `org__name` for `org/name`."""

    __slots__ = ()


def agent_key(name: Any, settings: Mapping[str, Any] | None, benchmark: str) -> Key:
    """What identifies an agent's results on a benchmark."""
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"the name of an agent must be text, got {checks.brief(name)}")
    said = sorted((key, _said(value)) for key, value in (settings or {}).items())
    return name, tuple(said), benchmark


def _said(value: Any) -> str:
    text = str(value)
    if len(text) <= _LONGEST_SETTING and text.isprintable():
        return text
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]


def resolve(keys: Iterable[Key]) -> list[str]:
    """The name of the agent of each key.

    Settings are part of a name only if results of one benchmark differ in them: otherwise a
    second run with other settings would pass for further attempts of the same agent.
    """
    listed = _without_folders(list(keys))
    differing = _differing(listed)
    names = []
    for name, settings, _ in listed:
        said = dict(settings)
        shown = [f"{key}={said.get(key, '')}" for key in sorted(differing.get(name, ()))]
        names.append(name + (f" ({', '.join(shown)})" if shown else ""))
    return names


def _without_folders(keys: list[Key]) -> list[Key]:
    """Call agents that are named by folders as other logs call them, if some do."""
    named = {name for name, *_ in keys if not isinstance(name, FolderName)}
    of_folders = {name.replace("/", "__"): name for name in sorted(named)}
    of_folders |= {name: name for name in named}
    return [
        (of_folders.get(name, name) if isinstance(name, FolderName) else name, settings, benchmark)
        for name, settings, benchmark in keys
    ]


def _differing(keys: list[Key]) -> dict[str, set[str]]:
    """The settings in which the results of an agent on one benchmark differ."""
    first: dict[tuple[str, str], Settings] = {}
    found: dict[str, set[str]] = {}
    for name, settings, benchmark in keys:
        known = first.setdefault((name, benchmark), settings)
        if known != settings:
            found.setdefault(name, set()).update(key for key, _ in set(known) ^ set(settings))
    return found


def alike(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that differ only in case and signs.

    >>> alike(["meta/Llama-3", "meta_llama_3", "gpt"])
    [('meta/Llama-3', 'meta_llama_3')]
    """
    found: dict[str, str] = {}
    pairs = []
    for name in names:
        first = found.setdefault(re.sub(r"[\W_]", "", name.lower()) or name, name)
        if first != name:
            pairs.append((first, name))
    return pairs
