"""Which agent a log is about: names that harnesses write differently, and settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from taskspace import checks

Settings = tuple[tuple[str, str], ...]
Key = tuple[str, Settings, str]

_UNSAFE = re.compile(r'[<>:/|\\?*\[\]"]+')  # in names of files: lm-evaluation-harness writes __


class AgentNames:
    """The names of agents. `org/name` and `org__name`, as names of folders have it, are one."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}  # by the name as a folder has it

    def key(self, name: Any, settings: Mapping[str, Any] | None, benchmark: str) -> Key:
        """What identifies an agent's results on a benchmark."""
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"the name of an agent must be text, got {checks.brief(name)}")
        safe = _UNSAFE.sub("__", name)
        if len(_UNSAFE.findall(name)) >= len(_UNSAFE.findall(self._shown.get(safe, ""))):
            self._shown[safe] = name
        said = sorted((key, str(value)) for key, value in (settings or {}).items())
        return safe, tuple(said), benchmark

    def resolve(self, keys: Iterable[Key]) -> list[str]:
        """The name of the agent of each key.

        Settings are part of a name only if results of one benchmark differ in them: otherwise a
        second run with other settings would pass for further attempts of the same agent.
        """
        listed = list(keys)
        differing = _differing(listed)
        names = []
        for safe, settings, _ in listed:
            said = dict(settings)
            shown = [f"{key}={said.get(key, '')}" for key in sorted(differing.get(safe, ()))]
            names.append(self._shown[safe] + (f" ({', '.join(shown)})" if shown else ""))
        return names


def _differing(keys: list[Key]) -> dict[str, set[str]]:
    """The settings in which the results of an agent on one benchmark differ."""
    first: dict[tuple[str, str], Settings] = {}
    found: dict[str, set[str]] = {}
    for safe, settings, benchmark in keys:
        known = first.setdefault((safe, benchmark), settings)
        if known != settings:
            found.setdefault(safe, set()).update(key for key, _ in set(known) ^ set(settings))
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
