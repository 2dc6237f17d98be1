"""Figures that follow the reader's colour scheme: SVG whose colours are variables."""

from __future__ import annotations

from taskspace.report.plots import (
    COLOURS,
    COLOURS_ON_DARK,
    INK,
    LIGHT,
    LIGHT_ON_DARK,
    MUTED,
    PALE,
)

# The colours of all plots, and what stands for them on a dark ground.
ON_DARK = {
    INK: "#e4e7ec", MUTED: "#a3abb7", PALE: "#2c323b", "#ffffff": "#15181d", LIGHT: LIGHT_ON_DARK,
    **{colour.lower(): dark for colour, dark in zip(COLOURS, COLOURS_ON_DARK, strict=True)},
}  # fmt: skip


def follow_scheme(svg: str) -> str:
    """Let a drawing by Matplotlib be light or dark as the reader prefers; print is always light.

    >>> drawn = '<svg width="1"><path style="fill: #ffffff"/></svg>'
    >>> follow_scheme(drawn)[-37:]
    '<path style="fill: var(--c3)"/></svg>'
    """
    start = svg.find(">", svg.find("<svg")) + 1
    if not start:
        return svg
    head, drawing = svg[:start], svg[start:]
    for number, colour in enumerate(ON_DARK):
        drawing = drawing.replace(colour, f"var(--c{number})")
    light, dark = (
        "".join(f"--c{number}:{colour};" for number, colour in enumerate(colours))
        for colours in (ON_DARK.keys(), ON_DARK.values())
    )
    style = f"svg{{{light}}}@media screen and (prefers-color-scheme:dark){{svg{{{dark}}}}}"
    return f"{head}<style>{style}</style>{drawing}"
