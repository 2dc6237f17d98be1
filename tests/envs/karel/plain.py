"""Karel once more, as small as possible and from the rules alone: what the tests believe.

A program runs here straight from its tokens: `block` executes (or skips) the text between two
brackets and returns the place after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1)]  # north, east, south, west; row 0 is the bottom row


class Stop(Exception):
    pass


@dataclass
class Plain:
    rows: int
    cols: int
    row: int
    col: int
    facing: int
    walls: list[list[bool]]
    markers: list[list[int]]
    ticks: int = 0
    actions: list[str] = field(default_factory=list)
    entered: set[int] = field(default_factory=set)  # places of the brackets that open bodies

    def run(self, tokens: Sequence[str]) -> str:
        try:
            end = self.block(tokens, 2, True)
        except Stop as stop:
            return str(stop)
        assert end == len(tokens)
        return "done"

    def tick(self) -> None:
        if self.ticks == 200:
            raise Stop("ticks")
        self.ticks += 1

    def free(self, quarter_turns: int) -> bool:
        up, right = STEPS[(self.facing + quarter_turns) % 4]
        row, col = self.row + up, self.col + right
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            return False
        return not self.walls[row][col]

    def act(self, action: str) -> None:
        self.tick()
        self.actions.append(action)
        here = self.markers[self.row][self.col]
        if action == "move":
            if not self.free(0):
                raise Stop("wall")
            self.row += STEPS[self.facing][0]
            self.col += STEPS[self.facing][1]
        elif action == "turnLeft":
            self.facing = (self.facing - 1) % 4
        elif action == "turnRight":
            self.facing = (self.facing + 1) % 4
        elif action == "pickMarker":
            if here == 0:
                raise Stop("none")
            self.markers[self.row][self.col] = here - 1
        else:
            assert action == "putMarker"
            if here == 10:
                raise Stop("full")
            self.markers[self.row][self.col] = here + 1

    def holds(self, words: Sequence[str]) -> bool:
        """`words` is what stands between c( and c)."""
        if words[0] == "not":
            return not self.holds(words[2:-1])
        self.tick()
        return {
            "frontIsClear": self.free(0),
            "leftIsClear": self.free(3),
            "rightIsClear": self.free(1),
            "markersPresent": self.markers[self.row][self.col] > 0,
            "noMarkersPresent": self.markers[self.row][self.col] == 0,
        }[words[0]]

    def block(self, tokens: Sequence[str], place: int, live: bool) -> int:
        if live:
            self.entered.add(place)
        close = tokens[place].replace("(", ")")
        place += 1
        while tokens[place] != close:
            place = self.statement(tokens, place, live)
        return place + 1

    def statement(self, tokens: Sequence[str], place: int, live: bool) -> int:
        word = tokens[place]
        if word == "REPEAT":
            end = self.block(tokens, place + 2, False)
            for _ in range(int(tokens[place + 1][2:]) if live else 0):
                self.tick()
                self.block(tokens, place + 2, True)
            return end
        if word not in ("WHILE", "IF", "IFELSE"):
            if live:
                self.act(word)
            return place + 1
        body = place + (7 if tokens[place + 2] == "not" else 4)
        words = tokens[place + 2 : body - 1]
        if word == "WHILE":
            while live and self.holds(words):
                self.block(tokens, body, True)
            return self.block(tokens, body, False)
        yes = live and self.holds(words)
        end = self.block(tokens, body, yes)
        if word == "IFELSE":
            end = self.block(tokens, end + 1, live and not yes)
        return end
