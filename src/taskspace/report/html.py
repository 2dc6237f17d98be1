"""Reports: one HTML file with embedded figures, which works offline and prints well."""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from taskspace._version import __version__
from taskspace.files import atomic_path
from taskspace.report.html_sections import (
    BAD,
    CARE,
    GOOD,
    UNKNOWN,
    Card,
    Cards,
    Commands,
    Figure,
    Numbers,
    Section,
    Settings,
    Text,
    check_section,
)
from taskspace.report.page_style import PAGE, STYLE
from taskspace.report.svg import ON_DARK, follow_scheme

__all__ = [
    "BAD", "CARE", "GOOD", "UNKNOWN", "Card", "Cards", "Commands", "Figure", "Numbers", "Section",
    "Settings", "Text", "write_report",
]  # fmt: skip


FEWEST_LISTED = 6  # headings, from which on a report has a list of them
LONGEST_SHORT = 18  # characters of a cell of a table that stays on one line


def write_report(
    path: str | os.PathLike[str],
    *,
    title: str,
    sections: Iterable[Section],
    terms: Mapping[str, str] | None = None,
) -> None:
    """Write a self-contained HTML file atomically; equal input gives bit-identical files.

    Where a term is used, its definition is shown on hover; the terms that are used are listed with
    their definitions at the end.
    """
    parts, page = list(sections), _Page(terms or {})
    for part in parts:
        check_section(part)
    body = [f"<header>\n<h1>{_escape(title)}</h1>"]
    if parts and isinstance(parts[0], Text):
        body.append(page.text(parts.pop(0), "lead"))  # type: ignore[arg-type]
    body += [
        *_contents(parts),
        "</header>",
        "<main>",
        *page.render(parts),
        *page.definitions(),
        "</main>",
    ]
    around = {"title": _escape(title), "style": STYLE, "version": _escape(__version__)}
    whole = PAGE.format(body="\n".join(body), **around)
    with atomic_path(path) as temporary:
        temporary.write_text(whole, encoding="utf-8")


class _Page:
    """Sections as HTML; it notes which terms they use."""

    def __init__(self, terms: Mapping[str, str]) -> None:
        self.terms = {term.lower(): definition for term, definition in terms.items()}
        self.names = {term.lower(): term for term in terms}
        self.used: set[str] = set()
        longest = sorted(map(re.escape, self.terms), key=len, reverse=True)
        self.pattern = re.compile(rf"\b({'|'.join(longest)})(?:s?)(?!\w)", re.IGNORECASE)

    def words(self, text: Any, seen: set[str] | None = None) -> str:
        """Escaped text, in which the first use of each term leads to its definition."""
        known = set() if seen is None else seen

        def link(match: re.Match[str]) -> str:
            term = match[1].lower()
            if term in known:
                return match[0]
            known.add(term)
            self.used.add(term)
            told = _escape(self.terms[term])
            return f'<a class="term" href="#{_anchor(term)}" title="{told}">{match[0]}</a>'

        return self.pattern.sub(link, _escape(text)) if self.terms else _escape(text)

    def render(self, sections: Sequence[Section]) -> list[str]:
        """All sections; consecutive narrow figures are in a row."""
        parts: list[str] = []
        in_row = False
        for section in sections:
            narrow = isinstance(section, Figure) and not section.wide
            if narrow != in_row:
                parts.append('<div class="row">' if narrow else "</div>")
                in_row = narrow
            parts.append(self.section(section))
        return parts + (["</div>"] if in_row else [])

    def section(self, section: Section) -> str:
        """One section."""
        if isinstance(section, Figure):
            return self.figure(section)
        if isinstance(section, Text):
            return self.text(section)
        if isinstance(section, Cards):
            return self.cards(section)
        if isinstance(section, Commands):
            return self.commands(section)
        if isinstance(section, Numbers):
            return self.table(section, "words" if section.words else "numbers")
        rows = [(name, _exact(value)) for name, value in _flat(section.mapping)]
        return self.table(Numbers(rows, ("setting", "value"), section.heading), "settings")

    def text(self, section: Text, kind: str = "text") -> str:
        """Paragraphs, and a command if there is one."""
        inside = self.paragraphs(section.paragraphs)
        if section.command:
            inside += f"\n{_command(section.command)}"
        named = f"{kind} {section.mood}".rstrip()
        return f'<section class="{named}">\n{_heading(section.heading)}{inside}\n</section>'

    def paragraphs(self, texts: Sequence[str]) -> str:
        """Paragraphs with their terms."""
        seen: set[str] = set()
        return "\n".join(f"<p>{self.words(text, seen)}</p>" for text in texts)

    def figure(self, section: Figure) -> str:
        """An image; a page that is shown on screen covers it."""
        image = _image(section.image, section.alt)
        shown = _covered(image, section.live) if section.live else image
        return (
            f"<figure>\n{_heading(section.heading)}{shown}\n"
            f"<figcaption>{self.words(section.caption)}</figcaption>\n</figure>"
        )

    def cards(self, section: Cards) -> str:
        """Cards side by side."""
        cards = "\n".join(map(self.card, section.cards))
        inside = f'{self.paragraphs(section.paragraphs)}\n<div class="cards">\n{cards}\n</div>'
        return f'<section class="text">\n{_heading(section.heading)}{inside}\n</section>'

    def card(self, card: Card) -> str:
        """One card."""
        dot = f'<i style="{_ground(card.colour)}"></i>' if card.colour else ""
        image = _image(card.image, card.alt) if card.image is not None else ""
        example = f'<p class="example">{_escape(card.example)}</p>' if card.example else ""
        return (
            f'<div class="card">\n<h3>{dot}{_escape(card.name)}</h3>\n'
            f"<p>{self.words(card.text)}</p>\n{image}{example}</div>"
        )

    def commands(self, section: Commands) -> str:
        """Commands with their purposes."""
        lines = [
            f"<p>{_escape(purpose)}</p>\n{_command(command)}"
            for command, purpose in section.commands.items()
        ]
        inside = "\n".join([self.paragraphs(section.paragraphs), *lines])
        return f'<section class="commands">\n{_heading(section.heading)}{inside}\n</section>'

    def table(self, section: Numbers, kind: str) -> str:
        """A table; a long one is folded."""
        names = "".join(f'<th scope="col">{self.words(name)}</th>' for name in section.columns)
        head = f"<thead><tr>{names}</tr></thead>" if names else ""
        link = self.words if kind == "numbers" else _escape
        rows = "\n".join(_row(row, link) for row in section.rows)
        caption = f"<caption>{self.words(section.caption)}</caption>" if section.caption else ""
        table = f"<table>{caption}{head}<tbody>\n{rows}\n</tbody></table>"
        # What scrolls can be reached by keyboard.
        heading, shown = (
            _heading(section.heading),
            f'<div class="scroll" tabindex="0">{table}</div>',
        )
        if section.folded:
            shown = f"<details><summary>{_escape(section.folded)}</summary>{shown}</details>"
        return f'<section class="{kind}">\n{heading}{shown}\n</section>'

    def definitions(self) -> list[str]:
        """The terms that were used, with their definitions; nothing if there are none."""
        used = [term for term in self.terms if term in self.used]
        if not used:
            return []
        listed = "\n".join(
            f'<dt id="{_anchor(term)}">{_escape(self.names[term])}</dt>\n'
            f"<dd>{_escape(self.terms[term])}</dd>"
            for term in used
        )
        return [f'<section class="text">\n{_heading("Terms")}<dl>\n{listed}\n</dl>\n</section>']


def _image(image: Path, alt: str) -> str:
    """An image within the page; as images, SVG files cannot clash by the ids inside them."""
    return f'<img src="{_data(image)}" alt="{_escape(alt)}">'


def _covered(image: str, page: str) -> str:
    """A page in front of an image.

    The page is in a frame without rights of the report: nothing in the data can reach it. Chromium
    does not draw such a frame until it is near the visible part of the report, so that pictures of
    the whole report lack it; the image behind it is then seen.
    """
    frame = (
        '<iframe sandbox="allow-scripts" title="Interactive map"'
        f' srcdoc="{_escape(page)}"></iframe>'
    )
    return f'<div class="live">{image}\n{frame}</div>'


def _data(image: Path) -> str:
    """The data URL of an image; drawings follow the colour scheme."""
    if image.suffix == ".svg":
        drawing = follow_scheme(image.read_text(encoding="utf-8")).encode()
        return f"data:image/svg+xml;base64,{base64.b64encode(drawing).decode()}"
    return f"data:image/png;base64,{base64.b64encode(image.read_bytes()).decode()}"


def _command(command: str) -> str:
    return f'<pre tabindex="0"><code>{_escape(command)}</code></pre>'


def _anchor(term: str) -> str:
    return f"term-{re.sub(r'[^a-z0-9]+', '-', term)}"


def _row(cells: Sequence[Any], words: Callable[[Any], str]) -> str:
    first = f'<th scope="row">{words(cells[0])}</th>' if len(cells) else ""
    return f"<tr>{first}{''.join(map(_cell, map(_shown, cells[1:])))}</tr>"


def _cell(text: str) -> str:
    """A cell; a short text stays on one line."""
    short = ' class="short"' if len(text) <= LONGEST_SHORT else ""
    return f"<td{short}>{_escape(text)}</td>"


def _exact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _shown(cell: Any) -> str:
    if isinstance(cell, (bool, str)) or not isinstance(cell, (int, float, np.number)):
        return str(cell)
    return (f"{cell:,}" if isinstance(cell, (int, np.integer)) else f"{cell:.4g}").replace("-", "−")


def _flat(mapping: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in mapping.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _heading(text: str) -> str:
    return f'<h2 id="{_slug(text)}">{_escape(text)}</h2>\n' if text else ""


def _ground(colour: str) -> str:
    """The background in a colour; on a dark ground, in the one that stands for it there."""
    dark = ON_DARK.get(colour.lower(), colour)
    both = f"light-dark({colour}, {dark})"
    return _escape(f"background: {colour}; background: {both}")


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-")


def _contents(sections: Sequence[Section]) -> list[str]:
    """Links to the headings of a long report."""
    large = [each for each in sections if not isinstance(each, Figure) or each.wide]
    headings = [each.heading for each in large if each.heading]
    if len(headings) < FEWEST_LISTED:
        return []
    links = "\n".join(f'<a href="#{_slug(text)}">{_escape(text)}</a>' for text in headings)
    return [f'<nav class="contents" aria-label="Contents">\n{links}\n</nav>']


def _escape(text: Any) -> str:
    return html.escape(str(text), quote=True)
