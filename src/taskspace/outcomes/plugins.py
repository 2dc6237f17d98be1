"""Parts that other installed packages add, by entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, not yet loaded."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=group)}


def load(entry: EntryPoint, base: type) -> Any:
    """Load a subclass of `base` and make one, without arguments.

    Raises:
        ImportError: If it cannot be loaded or is something else.
    """
    named = f"the entry point {entry.name!r} of {entry.group}, {entry.value}"
    try:
        kind = entry.load()
        made = kind() if isinstance(kind, type) and issubclass(kind, base) else None
    except Exception as error:  # the code of others raises anything
        raise ImportError(f"cannot load {named}: {error}") from error
    if made is None:
        raise ImportError(f"{named} must be a subclass of {base.__name__}, got {kind!r}")
    return made
