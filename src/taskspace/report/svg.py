"""Figures that follow the reader's colour scheme: SVG whose neutral colours are variables."""

from __future__ import annotations

from taskspace.report.plots import INK, MUTED, PALE

# The neutral colours of all plots, and what stands for them on a dark ground. Other colours were
# chosen to be seen on both.
_DARK = {INK: "#e4e7ec", MUTED: "#a3abb7", PALE: "#2c323b", "#ffffff": "#15181d"}


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
    for number, colour in enumerate(_DARK):
        drawing = drawing.replace(colour, f"var(--c{number})")
    light, dark = (
        "".join(f"--c{number}:{colour};" for number, colour in enumerate(colours))
        for colours in (_DARK.keys(), _DARK.values())
    )
    style = f"svg{{{light}}}@media screen and (prefers-color-scheme:dark){{svg{{{dark}}}}}"
    return f"{head}<style>{style}</style>{drawing}"
