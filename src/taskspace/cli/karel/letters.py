"""Worlds drawn with letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from taskspace.envs.karel.worlds import Worlds

WIDTH = 100  # of two worlds of 16 x 16 and an arrow
_ARROW = " -> "


def side_by_side(before: Worlds, after: Worlds) -> str:
    """Draw two worlds of the same size, with an arrow between them."""
    left, right = drawn(before, after)
    between = [" " * len(_ARROW)] * len(left)
    between[len(left) // 2] = _ARROW
    return "\n".join("".join(line).rstrip() for line in zip(left, between, right, strict=True))


def drawn(*worlds: Worlds) -> list[list[str]]:
    """The lines of each world, with cells of equal width."""
    from taskspace.envs.karel.worlds import to_text

    boards = [[line.split() for line in to_text(world).splitlines()] for world in worlds]
    # Only a hero on ten markers needs three letters; only its column is wider, to save space.
    common = min(2, max(len(cell) for board in boards for line in board for cell in line))
    lines = []
    for board in boards:
        widths = [max(common, *map(len, column)) for column in zip(*board, strict=True)]
        lines.append([" ".join(map(str.ljust, line, widths)) for line in board])
    return lines
