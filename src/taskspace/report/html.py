"""Reports: one HTML file with embedded figures, which works offline and prints well."""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from taskspace import checks
from taskspace._version import __version__
from taskspace.files import atomic_path

_MEDIA = {".png": "image/png", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class Figure:
    """An image with a caption and an alternative text (`alt`) for screen readers."""

    caption: str
    image: Path  # a .png or .svg file
    alt: str
    heading: str = ""
    wide: bool = False  # consecutive narrow figures are placed side by side


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


Section = Figure | Numbers | Settings | Text


def write_report(path: str | os.PathLike[str], *, title: str, sections: Iterable[Section]) -> None:
    """Write a self-contained HTML file atomically; equal input gives bit-identical files."""
    parts = list(sections)
    for part in parts:
        _check(part)
    body = [f"<header>\n<h1>{_escape(title)}</h1>"]
    if parts and isinstance(parts[0], Text):
        body.append(_text(parts.pop(0), "lead"))  # type: ignore[arg-type]
    body += ["</header>", "<main>", *_render(parts), "</main>"]
    around = {"title": _escape(title), "style": _STYLE, "version": _escape(__version__)}
    page = _PAGE.format(body="\n".join(body), **around)
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _check(section: Any) -> None:
    if not isinstance(section, (Figure, Numbers, Settings, Text)):
        raise TypeError(
            f"a section must be a Figure, Numbers, Settings or Text, got {checks.brief(section)}"
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


def _render(sections: Sequence[Section]) -> list[str]:
    parts: list[str] = []
    in_row = False
    for section in sections:
        narrow = isinstance(section, Figure) and not section.wide
        if narrow != in_row:
            parts.append('<div class="row">' if narrow else "</div>")
            in_row = narrow
        parts.append(_section(section))
    return parts + (["</div>"] if in_row else [])


def _section(section: Section) -> str:
    if isinstance(section, Figure):
        return _figure(section)
    if isinstance(section, Text):
        return _text(section)
    if isinstance(section, Numbers):
        return _table(section, "words" if section.words else "numbers")
    rows = [(name, _exact(value)) for name, value in _flat(section.mapping)]
    return _table(Numbers(rows, ("setting", "value"), section.heading), "settings")


def _text(section: Text, kind: str = "text") -> str:
    paragraphs = "\n".join(f"<p>{_escape(text)}</p>" for text in section.paragraphs)
    if section.command:
        paragraphs += f"\n<pre><code>{_escape(section.command)}</code></pre>"
    return f'<section class="{kind}">\n{_heading(section.heading)}{paragraphs}\n</section>'


def _figure(section: Figure) -> str:
    # As images, SVG files cannot clash by the ids inside them.
    return (
        f"<figure>\n{_heading(section.heading)}"
        f'<img src="{_data(section.image)}" alt="{_escape(section.alt)}">\n'
        f"<figcaption>{_escape(section.caption)}</figcaption>\n</figure>"
    )


def _data(image: Path) -> str:
    """The data URL of an image."""
    return f"data:{_MEDIA[image.suffix]};base64,{base64.b64encode(image.read_bytes()).decode()}"


def _table(section: Numbers, kind: str) -> str:
    names = "".join(f'<th scope="col">{_escape(name)}</th>' for name in section.columns)
    head = f"<thead><tr>{names}</tr></thead>" if names else ""
    rows = "\n".join(_row(row) for row in section.rows)
    caption = f"<caption>{_escape(section.caption)}</caption>" if section.caption else ""
    table = f"<table>{caption}{head}<tbody>\n{rows}\n</tbody></table>"
    heading, shown = _heading(section.heading), f'<div class="scroll">{table}</div>'
    if section.folded:
        shown = f"<details><summary>{_escape(section.folded)}</summary>{shown}</details>"
    return f'<section class="{kind}">\n{heading}{shown}\n</section>'


def _row(cells: Sequence[Any]) -> str:
    first = f'<th scope="row">{_escape(cells[0])}</th>' if len(cells) else ""
    return f"<tr>{first}{''.join(f'<td>{_escape(_shown(cell))}</td>' for cell in cells[1:])}</tr>"


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
    return f"<h2>{_escape(text)}</h2>\n" if text else ""


def _escape(text: Any) -> str:
    return html.escape(str(text), quote=True)


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<footer>Written by taskspace {version}.</footer>
</body>
</html>
"""

# In dark mode, figures keep a dimmed white background, for which their colours were chosen.
_STYLE = """
:root { --ink: #22262d; --muted: #5d6570; --line: #dfe3e9; --ground: #fff; --accent: #0072b2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --muted: #a3abb7; --line: #343a44; --ground: #15181d; --accent: #56b4e9; }
  img { filter: brightness(0.93); } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.5rem; max-width: 62rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { margin: 0 0 1rem; padding-bottom: .8rem; border-bottom: 3px solid var(--accent);
  font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 0 0 .7rem; font-size: 1.2rem; line-height: 1.3; }
p { margin: 0 0 .8rem; max-width: 46rem; }
.lead p { max-width: none; font-size: 1.06rem; }
section, figure { margin: 2.2rem 0 0; min-width: 0; }
.lead { margin: 0; }
img { display: block; width: 100%; height: auto; padding: .8rem; background: #fff;
  border: 1px solid var(--line); border-radius: 8px; }
figcaption, caption { margin-top: .6rem; color: var(--muted); font-size: .92rem; line-height: 1.5; }
caption { caption-side: bottom; text-align: left; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  column-gap: 1.6rem; align-items: start; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .95rem; font-variant-numeric: tabular-nums; }
th, td { padding: .38rem 1.4rem .38rem .5rem; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; overflow-wrap: anywhere; }
.numbers td, .numbers thead th + th { padding: .38rem .5rem .38rem 1.1rem; text-align: right; }
.numbers td, thead th { white-space: nowrap; } .words :is(th, td) { overflow-wrap: break-word; }
.numbers table { min-width: min(100%, 34rem); } tbody th { font-weight: 500; }
thead th { color: var(--muted); font-weight: 600; font-size: .85rem; }
.settings tbody :is(th, td) { font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
summary { cursor: pointer; color: var(--accent); } details .scroll { margin-top: .6rem; }
pre { margin: 0; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 8px;
  overflow-x: auto; font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line);
  color: var(--muted); font-size: .85rem; }
@media print {
  :root { --ink: #000; --muted: #444; --line: #ccc; --ground: #fff; }
  @page { margin: 16mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  img { filter: none; border: 0; padding: 0; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .row { grid-template-columns: 1fr 1fr; } }
"""
