"""What all reproductions share: the study folder, its maps, and the type of the results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from taskspace import checks
from taskspace.envs.registry import make
from taskspace.files import explain_errors, read_json, write_figure, write_json
from taskspace.outcomes import tables
from taskspace.runs.layout import Part
from taskspace.runs.pipeline import learn
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import ORDINAL, PRESETS
from taskspace.runs.stages import Stages

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")
ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "PointMass", "BasicKarel")
MOST_SEEDS = 1000
KAREL = "Karel"  # only if requested
_SPREAD = " ±"  # "ours ±" is the standard deviation of "ours", and shown with it


class NothingHereError(ValueError):
    """A reproduction does not include any of the requested environments."""


@dataclass(frozen=True)
class Table:
    """Rows of results; a column "x ±" is the standard deviation of the column "x"."""

    name: str  # of the CSV file
    title: str
    rows: Sequence[Mapping[str, Any]]
    note: str = ""

    def headings(self) -> list[str]:
        """All columns except the standard deviations, which are shown with their means."""
        return [heading for heading in self.rows[0] if not heading.endswith(_SPREAD)]

    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [[_shown(row, heading) for heading in self.headings()] for row in self.rows]


@dataclass(frozen=True)
class Result:
    """The result of a reproduction: tables, figures (PNG files, each with an SVG) and notes."""

    name: str
    title: str
    tables: Sequence[Table] = ()
    pictures: Mapping[Path, str] = field(default_factory=dict)  # with their captions
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Study:
    """The options of a reproduction. Results are saved in `folder`; interrupted studies resume."""

    folder: Path
    environments: tuple[str, ...] | None = None  # None: all environments of the reproduction
    seeds: int = 3
    preset: str = "default"
    karel: bool = False  # include Karel, which takes longer than all others together
    log: Callable[[str], None] | None = None
    _maps: dict[str, Run] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checks.whole(self.seeds, "seeds", 1, MOST_SEEDS)
        if self.preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {self.preset!r}")
        if self.environments is not None:
            names = tuple(dict.fromkeys(make(name).name for name in self.environments))
            object.__setattr__(self, "environments", names)

    @property
    def fast(self) -> bool:
        """Whether to use small sizes, for a quick try."""
        return self.preset == "fast"

    def chosen(self, known: Sequence[str]) -> list[str]:
        """The requested environments among those that a reproduction has."""
        wanted = self.environments
        if wanted is None:
            wanted = (*ENVIRONMENTS, KAREL) if self.karel else ENVIRONMENTS
        chosen = [name for name in known if name in wanted]
        if not chosen:
            raise NothingHereError(
                f"the environments must include one of {', '.join(known)}, got {', '.join(wanted)}"
            )
        return chosen

    def options(self) -> str:
        """The command line options that reproduce the same result."""
        environments = "".join(f"--env {name} " for name in self.environments or ())
        return (
            f"{environments}--seeds {self.seeds} --preset {self.preset}"
            f"{' --karel' if self.karel else ''}"
        )

    def over_seeds(self, of: str = "the whole pipeline", *, spread: bool = True) -> str:
        """What the values of a table are, in words."""
        if self.seeds == 1:
            return f"one seed of {of}"
        return f"mean{' ± standard deviation' if spread else ''} over {self.seeds} seeds of {of}"

    def map_of(self, environment: str, seed: int = 0) -> Run:
        """The paper's map of an environment: loaded if it exists, otherwise learned."""
        name = f"{environment.lower()}-{seed}"
        if name not in self._maps:
            folder, log = self.folder / name, self._log_of(name)
            self._maps[name] = learn(
                environment, folder, preset=self.preset, seed=seed, method=ORDINAL, log=log
            )
        return self._maps[name]

    def _log_of(self, name: str) -> Callable[[str], None]:
        """A log whose lines begin with the name of a map."""
        log = self.log if self.log is not None else lambda line: print(line, file=sys.stderr)
        return lambda line: log(f"{name}: {line}")

    def saved(
        self,
        name: str,
        settings: Mapping[str, Any],
        make: Callable[[], T],
        save: Callable[[T, Path], object],
        load: Callable[[Path], T],
    ) -> T:
        """A result with its own run folder: loaded if it exists, otherwise computed and saved."""
        every = {"preset": self.preset, **settings}
        with Stages(self.folder / name, every, log=self.log) as stages:
            return stages.stage(Part(name, "result"), make, save, load)

    def saved_rows(
        self, name: str, settings: Mapping[str, Any], make: Callable[[], Any]
    ) -> list[dict[str, Any]]:
        """The same for rows of plain numbers and text."""
        rows: list[dict[str, Any]] = self.saved(name, settings, make, write_json, read_json)
        return rows

    def draw(self, name: str, figure: Figure) -> Path:
        """Write a figure as PNG and SVG, and return the path of the PNG."""
        figures = self.folder / "figures"
        with explain_errors(figures):
            figures.mkdir(parents=True, exist_ok=True)
        write_figure(figure, figures / f"{name}.svg")
        path = figures / f"{name}.png"
        write_figure(figure, path, dpi=150)
        return path

    def write(self, result: Result) -> None:
        """Write the tables of a result as CSV files."""
        with explain_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        for table in result.tables:
            columns = {key: [row[key] for row in table.rows] for key in table.rows[0]}
            tables.write(columns, self.folder / f"{table.name}.csv")


def mean_and_spread(heading: str, values: Sequence[float | None]) -> dict[str, float | None]:
    """The columns "x" and "x ±" of values over seeds; None if they are unknown.

    A single value has no spread.

    >>> mean_and_spread("score", [0.5, 1.0]), mean_and_spread("score", [0.5])
    ({'score': 0.75, 'score ±': 0.25}, {'score': 0.5, 'score ±': None})
    """
    known = [value for value in values if value is not None]
    mean = float(np.mean(known)) if known else None
    return {heading: mean, heading + _SPREAD: float(np.std(known)) if len(known) > 1 else None}


def _shown(row: Mapping[str, Any], heading: str) -> str:
    text = _number(row[heading])
    spread = row.get(heading + _SPREAD)
    return text if spread is None else f"{text} ± {_number(spread)}"


def _number(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
