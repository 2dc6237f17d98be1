"""The names in a run folder do not collide."""

from __future__ import annotations

from taskspace.runs import layout
from taskspace.runs.layout import Part

PARTS = [value for value in vars(layout).values() if isinstance(value, Part)]


def test_every_file_of_a_run_has_a_name_of_its_own() -> None:
    stamps = [f"{part.stage}.json" for part in PARTS]
    names = [layout.SETTINGS, *stamps, *(part.file for part in PARTS)]
    assert len(PARTS) > 10
    assert len(set(names)) == len(names)
    assert not any("/" in name or name.startswith(".") for name in names)
