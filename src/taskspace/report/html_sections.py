"""What a report consists of: figures, tables, text, cards, commands and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taskspace import checks

GOOD, CARE, BAD, UNKNOWN = "good", "care", "bad", "unknown"  # what a coloured text says


@dataclass(frozen=True)
class Figure:
    """An image with a caption and an alternative text (`alt`) for screen readers."""

    caption: str
    image: Path  # a .png or .svg file
    alt: str
    heading: str = ""
    wide: bool = False  # consecutive narrow figures are placed side by side
    live: str = ""  # an HTML page that covers the image on screen; the image is for print


@dataclass(frozen=True)
class Numbers:
    """A table; the first cell of each row is its label."""

    rows: Sequence[Sequence[Any]]
    columns: Sequence[str] = ()
    heading: str = ""
    caption: str = ""
    words: bool = False  # cells are text, to be read from the left
    folded: str = ""  # a long table is shown only when these words are clicked


@dataclass(frozen=True)
class Settings:
    """The settings of a run; nested settings are named `outer.inner`."""

    mapping: Mapping[str, Any]
    heading: str = "Settings"


@dataclass(frozen=True)
class Text:
    """Paragraphs of text; as the first section they are the introduction of the report."""

    paragraphs: Sequence[str]
    heading: str = ""
    command: str = ""  # to paste into a terminal
    mood: str = ""  # good, care, bad or unknown: the colour at its side


@dataclass(frozen=True)
class Card:
    """An example: a name in a colour, what is said about it, and a picture if there is one."""

    name: str
    text: str
    example: str = ""
    colour: str = ""
    image: Path | None = None
    alt: str = ""


@dataclass(frozen=True)
class Cards:
    """Cards side by side, under a heading and paragraphs of text."""

    cards: Sequence[Card]
    paragraphs: Sequence[str] = ()
    heading: str = ""


@dataclass(frozen=True)
class Commands:
    """Commands to paste into a terminal, each with what it does."""

    commands: Mapping[str, str]
    heading: str = ""
    paragraphs: Sequence[str] = ()


Section = Figure | Numbers | Settings | Text | Cards | Commands


def check_section(section: Any) -> None:
    """Refuse what is not a section, or not a complete one."""
    if not isinstance(section, Section):
        raise TypeError(
            "a section must be a Figure, Numbers, Settings, Text, Cards or Commands, got"
            f" {checks.brief(section)}"
        )
    if isinstance(section, Figure) and not section.alt.strip():
        raise ValueError(
            f"the alt text of the figure {section.caption!r} must not be empty; describe the figure"
        )
    if isinstance(section, Text) and isinstance(section.paragraphs, str):
        raise ValueError(f"paragraphs must be a list of text, got {section.paragraphs[:40]!r}")
    if isinstance(section, Numbers):
        widths = {len(row) for row in section.rows} | ({len(section.columns)} - {0})
        if len(widths) > 1:
            raise ValueError(
                f"the rows of a table must have equal length, got lengths {sorted(widths)}"
            )
