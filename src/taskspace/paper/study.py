"""What every reproduction shares: its folder, the maps it rests on, and what it hands back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from taskspace import checks
from taskspace.envs.registry import make
from taskspace.files import read_json, telling, write_figure, write_json
from taskspace.outcomes import tables
from taskspace.runs.layout import Part
from taskspace.runs.pipeline import learn
from taskspace.runs.run import Run
from taskspace.runs.sources.environment import PRESETS
from taskspace.runs.stages import Stages

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")
ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "PointMass", "BasicKarel")
KAREL = "Karel"  # done only when asked for
_SPREAD = " ±"  # "ours ±" is the spread of "ours", and shown with it


class NothingHereError(ValueError):
    """A reproduction has none of the environments that were asked for."""


@dataclass(frozen=True)
class Table:
    """Rows of results; a column "x ±" is the spread of the column "x"."""

    name: str  # of its CSV file
    title: str
    rows: Sequence[Mapping[str, Any]]
    note: str = ""

    def headings(self) -> list[str]:
        """What is shown: every column but the spreads, which are shown with their means."""
        return [heading for heading in self.rows[0] if not heading.endswith(_SPREAD)]

    def cells(self) -> list[list[str]]:
        """The rows as they are shown."""
        return [[_shown(row, heading) for heading in self.headings()] for row in self.rows]


@dataclass(frozen=True)
class Result:
    """What came of a reproduction: tables, pictures (PNG files, an SVG beside each) and words."""

    name: str
    title: str
    tables: Sequence[Table] = ()
    pictures: Mapping[Path, str] = field(default_factory=dict)  # with a caption each
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Study:
    """What is asked for. Results are kept in `folder`, and a stopped study goes on there."""

    folder: Path
    environments: tuple[str, ...] | None = None  # None: all that the reproduction has
    seeds: int = 3
    preset: str = "default"
    karel: bool = False  # Karel too, which takes longer than all others together
    log: Callable[[str], None] | None = None
    _maps: dict[str, Run] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checks.whole(self.seeds, "seeds", 1)
        if self.preset not in PRESETS:
            raise ValueError(f"there is no preset {self.preset!r}; there are: {', '.join(PRESETS)}")
        if self.environments is not None:
            names = tuple(dict.fromkeys(make(name).name for name in self.environments))
            object.__setattr__(self, "environments", names)

    @property
    def fast(self) -> bool:
        """Whether sizes should be cut, to try things out."""
        return self.preset == "fast"

    def chosen(self, known: Sequence[str]) -> list[str]:
        """The environments to do, of those that a reproduction has."""
        asked_for = self.environments
        if asked_for is None:
            asked_for = (*ENVIRONMENTS, KAREL) if self.karel else ENVIRONMENTS
        chosen = [name for name in known if name in asked_for]
        if not chosen:
            asked = ", ".join(asked_for)
            raise NothingHereError(f"there is nothing on {asked} here, only on {', '.join(known)}")
        return chosen

    def options(self) -> str:
        """The command that reproduces the same result."""
        environments = "".join(f"--env {name} " for name in self.environments or ())
        return (
            f"{environments}--seeds {self.seeds} --preset {self.preset}"
            f"{' --karel' if self.karel else ''}"
        )

    def map_of(self, environment: str, seed: int = 0) -> Run:
        """The map of `taskspace run`: loaded if it is there, else learned."""
        name = f"{environment.lower()}-{seed}"
        if name not in self._maps:
            folder, log = self.folder / name, self._tell(name)
            self._maps[name] = learn(environment, folder, preset=self.preset, seed=seed, log=log)
        return self._maps[name]

    def _tell(self, name: str) -> Callable[[str], None]:
        """Say which map a line is about."""
        log = self.log if self.log is not None else lambda line: print(line, file=sys.stderr)
        return lambda line: log(f"{name}: {line}")

    def kept(
        self,
        name: str,
        settings: Mapping[str, Any],
        make: Callable[[], T],
        save: Callable[[T, Path], object],
        load: Callable[[Path], T],
    ) -> T:
        """A result in a run folder of its own: loaded if it is there, else made and saved."""
        asked = {"preset": self.preset, **settings}
        with Stages(self.folder / name, asked, log=self.log) as stages:
            return stages.stage(Part(name, "result"), make, save, load)

    def kept_rows(
        self, name: str, settings: Mapping[str, Any], make: Callable[[], Any]
    ) -> list[dict[str, Any]]:
        """The same for rows of plain numbers and text."""
        rows: list[dict[str, Any]] = self.kept(name, settings, make, write_json, read_json)
        return rows

    def draw(self, name: str, figure: Figure) -> Path:
        """Write a picture as PNG and SVG; the path of the PNG."""
        pictures = self.folder / "pictures"
        with telling(pictures):
            pictures.mkdir(parents=True, exist_ok=True)
        write_figure(figure, pictures / f"{name}.svg")
        path = pictures / f"{name}.png"
        write_figure(figure, path, dpi=150)
        return path

    def write(self, result: Result) -> None:
        """Write the tables of a result as CSV files."""
        with telling(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        for table in result.tables:
            columns = {key: [row[key] for row in table.rows] for key in table.rows[0]}
            tables.write(columns, self.folder / f"{table.name}.csv")


def _shown(row: Mapping[str, Any], heading: str) -> str:
    text = _number(row[heading])
    spread = row.get(heading + _SPREAD)
    return text if spread is None else f"{text} ± {_number(spread)}"


def _number(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
