"""`Run`: what `taskspace run` and `taskspace fit` leave in a folder, for others to use."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.agents.storage import read_subpopulations
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.search import TaskIndex
from taskspace.envs.base import Environment
from taskspace.envs.registry import make
from taskspace.files import read_arrays, read_json, write_arrays
from taskspace.models.embedding.estimator import TaskEmbedder
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes import tables
from taskspace.outcomes.outcomes import Outcomes
from taskspace.report.projections import project
from taskspace.runs import layout
from taskspace.runs.clusters import Clusters
from taskspace.runs.layout import Part
from taskspace.runs.stages import check_result, derive, has_result, read_settings

T = TypeVar("T")
MOST_FEATURES = 100  # a Karel task has 1800 numbers, which say nothing to anybody
_EMBEDDERS: dict[str, type[TaskEmbedder]] = {
    "TaskEmbedder": TaskEmbedder,
    "KarelEmbedder": KarelEmbedder,
}


class Run:
    """A run folder. Its parts are attributes, each of which is loaded when it is first asked for.

    A part that is damaged, or that belongs to another run, is refused. `predictor`, `model` and
    `layouts` are made when they are first asked for, and kept in the folder.

    Attributes:
        folder: Where it is.
    """

    _stored = True  # whether parts may be read from the folder, and written to it

    def __init__(self, folder: str | os.PathLike[str], **parts: Any) -> None:
        self.folder = Path(folder)
        self.__dict__.update({name: part for name, part in parts.items() if part is not None})

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}: {self.name}, {self.outcomes.n_tasks} tasks)"

    def variant(self, **parts: Any) -> Run:
        """The same run with other parts, in memory alone: what follows from them is not stored.

        Args:
            parts: The parts that differ, by the names of the attributes.

        Returns:
            A run that has settings, outcomes and embedder, environment and population if there are
            any, and the given parts.
        """
        names = ["settings", "outcomes", "embedder"]
        names += [] if self.from_table else ["environment", "population"]
        same = {name: getattr(self, name) for name in names if name not in parts}
        other = Run(self.folder, **same, **parts)
        other._stored = False
        return other

    # -- parts ---------------------------------------------------------------------------------

    @functools.cached_property
    def settings(self) -> dict[str, Any]:
        """What the run depends on: its seed, its preset and so on."""
        found: dict[str, Any] = read_settings(self.folder)["settings"]
        return found

    @property
    def name(self) -> str:
        """What the tasks are called together."""
        return str(self.settings.get("environment") or self.settings["name"])

    @property
    def from_table(self) -> bool:
        """Whether the run was made from a table of results."""
        return "environment" not in self.settings

    @functools.cached_property
    def environment(self) -> Environment:
        """What was to be solved; a run from a table has none."""
        self._refuse_table("environment")
        env = make(self.settings["environment"])
        if not has_result(self.folder, layout.TASKS):
            return env
        from taskspace.runs.sources.karel import load_tasks

        return type(env)(**load_tasks(self._path(layout.TASKS)))

    @functools.cached_property
    def population(self) -> Population:
        """Who solved it; a run from a table has none."""
        self._refuse_table("population")
        return Population.load(self._path(layout.POPULATION))

    @functools.cached_property
    def subpopulations(self) -> list[str] | None:
        """The subpopulation of each agent of the outcomes; None for a table."""
        # From the list of agents alone: their networks may be large, and are not needed.
        if self.from_table:
            return None
        kinds = read_subpopulations(self.folder / layout.POPULATION.file)
        names = self.outcomes.agents.tolist()
        return [kinds[name] for name in names] if set(names) <= set(kinds) else None

    @functools.cached_property
    def outcomes(self) -> Outcomes:
        """How it went."""
        return Outcomes.load(self._path(layout.OUTCOMES))

    @functools.cached_property
    def embedder(self) -> TaskEmbedder:
        """The map."""
        folder = self._path(layout.EMBEDDER)
        return _EMBEDDERS[_kind(folder)].load(folder)

    @functools.cached_property
    def clusters(self) -> Clusters:
        """The clusters of the tasks."""
        return Clusters.load(self._path(layout.CLUSTERS))

    @functools.cached_property
    def results(self) -> dict[str, Any]:
        """What the map is worth, in numbers."""
        found: dict[str, Any] = read_json(self._path(layout.RESULTS))
        return found

    @functools.cached_property
    def projection(self) -> Mapping[str, NDArray[Any]]:
        """Some tasks, their vectors and clusters, and projections to two dimensions."""
        return read_arrays(self._path(layout.PROJECTION))

    @functools.cached_property
    def index(self) -> TaskIndex:
        """The vectors of the tasks that were played, to search in."""
        return TaskIndex.of(self.embedder, self.outcomes.task_inputs, self.outcomes.tasks)

    @functools.cached_property
    def layouts(self) -> dict[str, NDArray[np.float32]]:
        """Projections of all tasks that were played."""
        return self._derive(
            layout.LAYOUTS, [layout.EMBEDDER],
            lambda: project(self.index.vectors), write_arrays, read_arrays,
        )  # fmt: skip

    @functools.cached_property
    def model(self) -> SuccessModel:
        """A `SuccessModel` of the outcomes."""
        return self._derive(
            layout.MODEL, [layout.OUTCOMES],
            lambda: SuccessModel(random_state=self.settings["seed"]).fit(self.outcomes),
            SuccessModel.save, SuccessModel.load,
        )  # fmt: skip

    @functools.cached_property
    def predictor(self) -> PerformancePredictor:
        """What a quiz tells about a new agent."""
        return self._derive(
            layout.PREDICTOR, [layout.OUTCOMES, layout.EMBEDDER],
            lambda: PerformancePredictor(embedder=self.embedder).fit(self.outcomes),
            PerformancePredictor.save,
            lambda path: PerformancePredictor.load(path, embedder=self.embedder),
        )  # fmt: skip

    @property
    def figures(self) -> Path:
        """The folder of its figures."""
        return self._path(layout.FIGURES)

    def _refuse_table(self, part: str) -> None:
        if self.from_table:
            raise ValueError(f"{self.folder} was made from a table of results; it has no {part}")

    def _path(self, part: Part) -> Path:
        if not self._stored:
            raise ValueError(f"a variant of {self.folder} has no {part.stage} of its own")
        return check_result(self.folder, part)

    def _derive(
        self, part: Part, after: Sequence[Part], make: Callable[[], T],
        save: Callable[[T, Path], object], load: Callable[[Path], T],
    ) -> T:  # fmt: skip
        return derive(self.folder, part, after, make, save, load) if self._stored else make()

    # -- tasks ---------------------------------------------------------------------------------

    def number(self, task: str) -> int:
        """Which of the tasks that were played has this name."""
        if task not in self._numbers:
            raise ValueError(
                f"there is no task {task!r} in {self.folder}; it has {self.outcomes.n_tasks} tasks,"
                f" such as {str(self.outcomes.tasks[0])!r}"
            )
        return self._numbers[task]

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.outcomes.tasks.tolist())}

    @property
    def feature_columns(self) -> dict[str, NDArray[Any]]:
        """The features of the tasks by name; none where they are too many to be read by anybody."""
        features, names = self.outcomes.features, self.outcomes.feature_names
        if features is None or len(names) > MOST_FEATURES:
            return {}
        return dict(zip(names, features.T, strict=True))

    def tasks_in(self, columns: tables.Columns) -> NDArray[Any]:
        """The tasks that a table describes: by its feature columns, or by their names."""
        features, wanted = self.outcomes.features, self.outcomes.feature_names
        if features is not None and ("task" not in columns or set(wanted) & set(columns)):
            tables.require(columns, wanted)
            return tables.features({name: columns[name] for name in wanted})
        tables.require(columns, ["task"])
        numbers = [self.number(str(name)) for name in columns["task"].to_pylist()]
        return self.outcomes.task_inputs[numbers]

    def describe(self, numbers: NDArray[np.int64], **more: Any) -> dict[str, Any]:
        """Columns that describe some of the tasks, and `more` of them."""
        outcomes = self.outcomes
        columns = {
            "task": outcomes.tasks[numbers],
            **more,
            "difficulty": self.index.lengths[numbers],
            "success": np.nanmean(outcomes.rates[:, numbers], axis=0),
            "cluster": self.clusters.of_tasks[numbers],
        }
        features = {name: column[numbers] for name, column in self.feature_columns.items()}
        return {**columns, **features}

    # -- what to do with it --------------------------------------------------------------------

    def report(self, path: str | os.PathLike[str] | None = None) -> Path:
        """The path of the HTML report; with `path`, of a copy that is written there."""
        report = self._path(layout.REPORT)
        return report if path is None else Path(shutil.copyfile(report, path))

    def explore(self, port: int | None = None, *, open_browser: bool = True) -> None:
        """Serve a page to explore the map with, and open it in a browser, until Ctrl-C.

        Args:
            port: Where to serve it, by default the first free one from 8400.
            open_browser: Whether to open a browser.
        """
        from taskspace.explore.server import serve

        serve(self, port, open_browser=open_browser)

    def export(self, target: str | os.PathLike[str]) -> list[Path]:
        """Write the map for other programs.

        Args:
            target: A .parquet, .csv or .html file, or a folder for TensorBoard's projector.

        Returns:
            The files that were written.
        """
        from taskspace.explore.export import export_page
        from taskspace.report.export import export

        if Path(target).suffix.lower() == ".html":
            export_page(self, target)
            return [Path(target)]
        return export(self, target)


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run folder; one whose map is not finished is refused.

    Args:
        folder: What `taskspace run` or `taskspace fit` made.

    Returns:
        The run; its parts are loaded when they are first asked for.

    Raises:
        FileNotFoundError: There is no finished map.
        ValueError: It was made by another version of taskspace, or is damaged.
    """
    source = Path(folder)
    if not has_result(source, layout.EMBEDDER):
        raise FileNotFoundError(
            f"there is no finished map in {source}; expected a folder that `taskspace run` or"
            " `taskspace fit` made"
        )
    read_settings(source)
    return Run(source)


def _kind(folder: Path) -> str:
    try:
        kind = json.loads((folder / "embedder.json").read_text()).get("kind", "TaskEmbedder")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"the embedder in {folder} is damaged; run again to make it anew"
        ) from error
    if kind not in _EMBEDDERS:
        raise ValueError(f"{folder} holds a {kind}; expected one of {', '.join(_EMBEDDERS)}")
    return str(kind)
