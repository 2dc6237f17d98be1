"""`Run`: the contents of a run folder, as written by `taskspace run` and `taskspace fit`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications import answers
from taskspace.applications.answers import Unanswered, answer
from taskspace.applications.search import TaskIndex
from taskspace.applications.selection import SignedComparison
from taskspace.envs.registry import make
from taskspace.files import read_arrays, read_json, write_arrays
from taskspace.models.embedding.reading import Reading, ReadingInformation
from taskspace.models.embedding.spectral import unit
from taskspace.models.embedding.stored import Facts, facts, load_stored
from taskspace.models.success.predicting import Predicting
from taskspace.outcomes import tables, task_names
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.outcomes import Outcomes
from taskspace.report.projections import project
from taskspace.runs import layout, outputs, similar_tasks, task_tables
from taskspace.runs.clusters import Clusters
from taskspace.runs.layout import Part
from taskspace.runs.outputs import plain_name
from taskspace.runs.run_settings import is_run, read_settings
from taskspace.runs.stages import check_result, derive, has_result
from taskspace.runs.stored_parts import (
    load_abilities,
    load_embedder,
    load_profiles,
    load_redundancy,
    load_short_test,
    save_profiles,
)
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.returns import statistics_of
from taskspace.similarity.task_statistics import TaskStatistics

# Answers import NumPy alone; whatever else a part needs is imported when it is loaded.
if TYPE_CHECKING:
    from taskspace.agents.population import Population
    from taskspace.applications.abilities import Abilities
    from taskspace.applications.diagnosis import Diagnosis
    from taskspace.applications.predictor import PerformancePredictor
    from taskspace.applications.redundancy import Redundancy
    from taskspace.applications.subset import Subset
    from taskspace.envs.base import Environment
    from taskspace.models.embedding.base import Embedding
    from taskspace.models.embedding.verdict import Verdict
    from taskspace.models.success.model import SuccessModel
    from taskspace.report.interactive import InteractiveMap

T = TypeVar("T")
MOST_FEATURES = 100  # more, such as the 1800 of a Karel task, are not readable


class Run:
    """A run folder, whose parts are attributes that are loaded on first access.

    A part that is damaged, or that belongs to another run, is refused with a `ValueError`.
    `predictor`, `model`, `layouts`, and for an environment also `redundancy`, `short_test` and
    `abilities`, are computed on first access and saved in the folder.

    Args:
        folder: The run folder.
        parts: Parts that are already in memory, by the names of the attributes.

    Attributes:
        folder: The path of the run folder.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> from taskspace import Outcomes, fit
        >>> solved = np.random.default_rng(0).integers(0, 2, (30, 8))
        >>> outcomes = Outcomes(solved, np.ones_like(solved))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = fit(outcomes, folder, log=lambda line: None)
        ...     again = open_run(folder)
        ...     again.outcomes.n_tasks, sorted(again.results)[:3]
        (8, ['agents', 'difficulty_pair_accuracy', 'dimensions'])
    """

    _stored = True  # whether parts are read from and saved to the folder

    def __init__(self, folder: str | os.PathLike[str], **parts: Any) -> None:
        self.folder = Path(folder)
        self.__dict__.update({name: part for name, part in parts.items() if part is not None})

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}: {self.name}, {self.outcomes.n_tasks} tasks)"

    def _repr_html_(self) -> str:
        """The measurements and the verdict in a notebook."""
        from taskspace.report.sections import measurements_table

        rows = measurements_table(self.results, self.learned_tasks)
        columns = {"measurement": [row[0] for row in rows], "value": [row[1] for row in rows]}
        notes = [str(self.verdict), f"Report: {self.folder / layout.REPORT.file}"]
        return html_table(columns, self.title, notes, "measurements", most=len(rows))

    def variant(self, **parts: Any) -> Run:
        """A copy of the run in memory with some parts replaced; nothing is saved to the folder.

        Args:
            parts: The replaced parts, by the names of the attributes.

        Returns:
            A run with these parts, and otherwise the settings, outcomes and embedder of this run,
            and its environment and population if it has them.

        Raises:
            ValueError: If a run has no such part.
        """
        unknown = [name for name in parts if callable(getattr(Run, name, print))]
        if unknown:
            raise ValueError(f"there is no part {unknown[0]!r} in a run")
        names = ["settings", "outcomes", "embedder"]
        names += [] if self.from_table else ["environment", "population"]
        same = {name: getattr(self, name) for name in names if name not in parts}
        other = Run(self.folder, **same, **parts)
        other._stored = False
        return other

    # -- parts ---------------------------------------------------------------------------------

    @functools.cached_property
    def settings(self) -> dict[str, Any]:
        """The settings of the run, e.g. its seed and preset."""
        found: dict[str, Any] = read_settings(self.folder)["settings"]
        return found

    @property
    def name(self) -> str:
        """The name of the environment or of the table."""
        return str(self.settings.get("environment") or self.settings["name"])

    @property
    def title(self) -> str:
        """The title of the report: the given one, or "A map of" the name in plain words."""
        return str(self.settings.get("title") or f"A map of {plain_name(self.name)}")

    @property
    def short_title(self) -> str:
        """The given title, or the name in plain words; the explorer shows it."""
        return str(self.settings.get("title") or plain_name(self.name))

    @property
    def learned_tasks(self) -> int:
        """The number of tasks that the map was learned from; the outcomes may list fewer."""
        listed = "listed" in self.settings
        return int(self.settings["tasks"]) if listed else self.outcomes.n_tasks

    @property
    def from_table(self) -> bool:
        """Whether the run was made from a table of results."""
        return "environment" not in self.settings

    @property
    def measure(self) -> str:
        """The measure of similarity: "information", in bits, or "correlation"."""
        return self._facts.measure

    @functools.cached_property
    def environment(self) -> Environment:
        """The environment; a run from a table has none."""
        self._refuse_table("environment")
        env = make(self.settings["environment"])
        if not has_result(self.folder, layout.TASKS):
            return env
        from taskspace.runs.sources.karel import load_tasks

        return type(env)(**load_tasks(self._path(layout.TASKS)))

    @functools.cached_property
    def population(self) -> Population:
        """The agents; a run from a table has none."""
        from taskspace.agents.population import Population

        self._refuse_table("population")
        return Population.load(self._path(layout.POPULATION))

    @functools.cached_property
    def subpopulations(self) -> list[str] | None:
        """The subpopulation of each agent of the outcomes; None for a table."""
        from taskspace.agents.storage import read_subpopulations

        # Read from the list of agents: their networks may be large and are not needed.
        if self.from_table:
            return None
        found = read_subpopulations(self._path(layout.POPULATION))
        names = self.outcomes.agents.tolist()
        return [found[name] for name in names] if set(names) <= set(found) else None

    @functools.cached_property
    def outcomes(self) -> Outcomes:
        """The results of the agents on the tasks."""
        return Outcomes.load(self._path(layout.OUTCOMES))

    @functools.cached_property
    def embedder(self) -> Embedding:
        """The map: a fitted `TaskEmbedder`, or the paper's."""
        return load_embedder(self._path(layout.EMBEDDER))

    @functools.cached_property
    def reader(self) -> Reading:
        """The map as far as answers need it: without torch, unless tasks are structured."""
        if not self._stored or "embedder" in self.__dict__:
            return self.embedder
        return load_stored(self._path(layout.EMBEDDER)) or self.embedder

    @functools.cached_property
    def vectors(self) -> Mapping[str, NDArray[np.float64]]:
        """The `vectors` of the tasks of the outcomes, and their `difficulty`."""
        if self._stored:
            return read_arrays(self._path(layout.VECTORS))
        tasks = self.outcomes.task_inputs
        return {
            "vectors": np.asarray(self.embedder.transform(tasks)),
            "difficulty": self.embedder.difficulty(tasks),
        }  # fmt: skip

    @functools.cached_property
    def clusters(self) -> Clusters:
        """The clusters of the tasks."""
        return Clusters.load(self._path(layout.CLUSTERS))

    @functools.cached_property
    def results(self) -> dict[str, Any]:
        """Measurements of the quality of the map."""
        found: dict[str, Any] = read_json(self._path(layout.RESULTS))
        return found

    @property
    def verdict(self) -> Verdict:
        """A verdict on the map that follows from the results; as text, it is one line."""
        from taskspace.models.embedding.verdict import Evidence, judge

        return judge(Evidence.from_results(self.results))

    @functools.cached_property
    def diagnosis(self) -> Diagnosis | Unanswered:
        """Whether the population is good enough, as in `diagnose`; computed on first access."""
        from taskspace.applications.doctor import diagnose

        return answer(lambda: diagnose(self, seed=self.settings["seed"]))

    @functools.cached_property
    def projection(self) -> Mapping[str, NDArray[Any]]:
        """Some tasks with their vectors, clusters and 2-D projections, as shown in the figures."""
        return read_arrays(self._path(layout.PROJECTION))

    @functools.cached_property
    def index(self) -> TaskIndex:
        """A `TaskIndex` of the vectors of the tasks, for searches."""
        found = self.vectors
        return TaskIndex(found["vectors"], self.outcomes.tasks, difficulty=found["difficulty"])

    @property
    def points(self) -> NDArray[np.float32]:
        """The points of the tasks in figures: directions on an information map, else vectors."""
        if isinstance(self.reader, ReadingInformation) and self.reader.n_components_ > 1:
            return unit(self.index.vectors)
        return self.index.vectors

    @functools.cached_property
    def layouts(self) -> dict[str, NDArray[np.float32]]:
        """2-D projections of all tasks, by name."""
        return self._derive(
            layout.LAYOUTS, [layout.EMBEDDER],
            lambda: project(self.points), write_arrays, read_arrays,
        )  # fmt: skip

    @functools.cached_property
    def model(self) -> SuccessModel:
        """The `SuccessModel` behind the map, or else one of the outcomes."""
        from taskspace.models.embedding.task_embedder import TaskEmbedder
        from taskspace.models.success.model import SuccessModel

        if self.has_model:
            assert isinstance(self.embedder, TaskEmbedder)
            found = self.embedder.model_
            assert isinstance(found, SuccessModel)
            return found
        return self._derive(
            layout.MODEL, [layout.OUTCOMES],
            lambda: SuccessModel(random_state=self.settings["seed"]).fit(self.outcomes),
            SuccessModel.save, SuccessModel.load,
        )  # fmt: skip

    @functools.cached_property
    def predictor(self) -> PerformancePredictor:
        """A predictor of the performance of new agents from their results on a quiz.

        If the map has a success model, the predictor is fitted to it, and knows up to 5000 of the
        tasks by name.
        """
        from taskspace.applications.predictor import PerformancePredictor
        from taskspace.runs import predictors

        return self._derive(
            layout.PREDICTOR, [layout.OUTCOMES, layout.EMBEDDER],
            lambda: predictors.fit_predictor(self), PerformancePredictor.save,
            lambda path: predictors.load_predictor(self, path),
        )  # fmt: skip

    @functools.cached_property
    def redundancy(self) -> Redundancy | Unanswered:
        """Near-copies among the tasks, or the reason why they were not looked for."""
        from taskspace.runs import questions

        found: Redundancy | Unanswered = self._derive(
            layout.REDUNDANCY, [layout.OUTCOMES],
            lambda: questions.find_redundant(self.outcomes), answers.save, load_redundancy,
        )  # fmt: skip
        return found

    @functools.cached_property
    def short_test(self) -> Subset | Unanswered:
        """A short test of at most 30 tasks, or the reason why there is none."""
        from taskspace.runs import questions

        found: Subset | Unanswered = self._derive(
            layout.SHORT_TEST, [layout.OUTCOMES],
            lambda: questions.make_short_test(self.outcomes, self.settings["seed"]),
            answers.save, load_short_test,
        )  # fmt: skip
        return found

    @functools.cached_property
    def abilities(self) -> Abilities | Unanswered:
        """Scores and strengths of the agents, or the reason why there are none."""
        from taskspace.runs import questions

        found: Abilities | Unanswered = self._derive(
            layout.ABILITIES, [layout.OUTCOMES, layout.CLUSTERS],
            lambda: questions.describe_agents(self), answers.save, load_abilities,
        )  # fmt: skip
        return found

    @property
    def figures(self) -> Path:
        """The folder of the figures."""
        return self._path(layout.FIGURES)

    def _refuse_table(self, part: str) -> None:
        if self.from_table:
            raise ValueError(
                f"there is no {part} in {self.folder}; it was made from a table of results"
            )

    def _path(self, part: Part) -> Path:
        if not self._stored:
            raise ValueError(
                f"there is no {part.stage} in this variant of {self.folder}; pass it to variant()"
            )
        return check_result(self.folder, part)

    def _derive(
        self, part: Part, after: Sequence[Part], make: Callable[[], T],
        save: Callable[[T, Path], object], load: Callable[[Path], T],
    ) -> T:  # fmt: skip
        return derive(self.folder, part, after, make, save, load) if self._stored else make()

    # -- tasks ---------------------------------------------------------------------------------

    def task_index(self, task: str | int) -> int:
        """The index of a task in the outcomes.

        Args:
            task: The name of the task as text, or its position as an integer.

        Returns:
            The index of the task.

        Raises:
            ValueError: If there is no such task, or if an integer is a position and also the name
                of another task.
        """
        index = int(task_names.find(self._task_indices, [task], "task")[0])
        if index < 0:
            raise ValueError(
                f"there is no task {checks.brief(task)} in {self.folder}; there are"
                f" {self.outcomes.n_tasks} tasks, e.g. {str(self.outcomes.tasks[0])!r}"
            )
        return index

    @functools.cached_property
    def _task_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.outcomes.tasks.tolist())}

    @property
    def feature_columns(self) -> dict[str, NDArray[Any]]:
        """The features of the tasks by name; empty if there are more than 100."""
        features, names = self.outcomes.features, self.outcomes.feature_names
        if features is None or len(names) > MOST_FEATURES:
            return {}
        return dict(zip(names, features.T, strict=True))

    def tasks_in(self, columns: tables.Columns) -> NDArray[Any]:
        """The tasks in a table, given by feature columns or by name.

        In a table, as in a table of results, integers in the column `task` are names too.

        Args:
            columns: The columns of the table: all features, or `task` with names of tasks.

        Returns:
            The tasks, as the embedder expects them.

        Raises:
            ValueError: If a column is missing, or there is no task with one of the names.
        """
        return task_tables.tasks_in(self, columns)

    def describe(self, indices: NDArray[np.int64], **more: Any) -> dict[str, Any]:
        """A table of tasks: name, difficulty, success rate, cluster, features and labels.

        If outcomes are returns, it has the mean return of each task instead of a success rate.

        A feature that has the name of another column, e.g. difficulty, becomes
        `feature:difficulty`, and a label `label:difficulty`.

        Args:
            indices: The indices of the tasks in the outcomes.
            more: Additional columns, which follow the names.

        Returns:
            The columns by name.

        Raises:
            ValueError: If an index is not that of a task.
        """
        return task_tables.described(self, indices, more)

    @functools.cached_property
    def profiles(self) -> NDArray[np.float32] | None:
        """The success probabilities (agents, tasks) by the model of the map; None without one."""
        if not self.has_model:
            return None
        return self._derive(
            layout.PROFILES, [layout.OUTCOMES, layout.EMBEDDER], self.make_profiles,
            save_profiles, load_profiles,
        )  # fmt: skip

    def make_profiles(self) -> NDArray[np.float32]:
        """Compute what `profiles` are.

        Returns:
            The success probabilities (agents, tasks).
        """
        return self.profiler.predict_proba(self.outcomes.task_inputs).astype(np.float32)

    @property
    def has_model(self) -> bool:
        """Whether the map contains a success model."""
        return self._facts.has_model

    @functools.cached_property
    def _facts(self) -> Facts:
        if self._stored and "embedder" not in self.__dict__:
            return facts(self._path(layout.EMBEDDER))
        if not isinstance(self.reader, ReadingInformation):
            return Facts(False, INFORMATION)
        return Facts(self.reader.task_names_ is None, self.reader.measure)

    @property
    def profiler(self) -> Predicting:
        """The success model of the map, as far as answers need it."""
        assert isinstance(self.reader, ReadingInformation)
        return self.reader.model_

    @functools.cached_property
    def statistics(self) -> TaskStatistics:
        """The statistics of the outcomes, from which tasks are compared without a model."""
        return statistics_of(self.outcomes)

    @property
    def comparison(self) -> Predicting | SignedComparison | Reading:
        """What compares tasks that may be new: the success model of the map, or the map itself."""
        if not self.has_model:
            return self.reader
        return self.profiler if self.measure == INFORMATION else SignedComparison(self.profiler)

    def similarities(self, task: str | int | ArrayLike) -> NDArray[np.float64]:
        """The similarity of a task to every task of the outcomes, by the run's measure.

        It comes from the success model of the map, or else from the table of results itself; a new
        task without a success model is compared by its vector.

        Args:
            task: The name of a task of the outcomes as text, its position as an integer, or the
                features of a new task.

        Returns:
            One similarity per task; NaN if too few agents tried both.

        Raises:
            ValueError: If there is no such task, or if its features are invalid.
        """
        return similar_tasks.similarities(self, task)

    def check_tasks(self, rows: Any) -> NDArray[Any]:
        """Check the features of tasks; for an environment, also their ranges.

        An environment knows the valid ranges. For a table of results there is a warning if a
        feature is far outside its range among the tasks of the outcomes.

        Args:
            rows: One row of features per task.

        Returns:
            The rows as an array.

        Raises:
            ValueError: If the tasks have no features, or if a value is invalid.
        """
        return task_tables.checked_rows(self, rows)

    def similar(
        self,
        task: str | int | ArrayLike,
        k: int = 10,
        *,
        harder: bool = False,
        easier: bool = False,
        opposite: bool = False,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Find the tasks of the outcomes that are most similar to a task, or most opposite.

        Args:
            task: The name of a task of the outcomes as text, its position as an integer, or the
                features of a new task.
            k: The largest number of tasks to return.
            harder: Whether to return only harder tasks.
            easier: Whether to return only easier tasks.
            opposite: Whether to return instead the tasks with negative correlations: agents that
                solve the task tend to fail them. Only for runs with `measure="correlation"`.

        Returns:
            The indices of the tasks, most similar (or most opposite) first, and their similarities
            in bits or, if the measure of the run is "correlation", correlations from -1 to 1.

        Raises:
            ValueError: If both `harder` and `easier` are set, if the run has no opposite tasks, or
                if `k` or the task is invalid.
        """
        return similar_tasks.similar(self, task, k, harder, easier, opposite)

    def map(self, projection: str | None = None) -> InteractiveMap:
        """An interactive map of all tasks, which a notebook shows; it needs no network.

        Hover over a task to see its name, difficulty, success rate and labels.

        Args:
            projection: One of `layouts`, e.g. "t-SNE" or "PCA"; by default the first.

        Returns:
            The map; its `save` writes it to a .html file.

        Raises:
            ValueError: If there is no such projection, or if there are more than 100,000 tasks.
        """
        return outputs.interactive_map(self, projection)

    # -- report, page and exports ------------------------------------------------------------------

    def report(
        self, path: str | os.PathLike[str] | None = None, *, title: str | None = None
    ) -> Path:
        """The HTML report of the run.

        Args:
            path: Where to write a copy of the report. By default, nothing is written.
            title: Another title for the copy.

        Returns:
            The path of the copy, or else of the report in the run folder.

        Raises:
            ValueError: If there is a title, but no path for the copy that has it.
        """
        report = self._path(layout.REPORT)
        if path is None:
            if title is not None:
                raise ValueError(f"path must be given for a report with the title {title!r}")
            return report
        return outputs.copy_report(self, report, path, title)

    def explore(self, port: int | None = None, *, open_browser: bool = True) -> None:
        """Serve the explorer page for this run until Ctrl-C, and open it in a browser.

        Args:
            port: The port, by default the first free one starting at 8400.
            open_browser: Whether to open a browser.
        """
        from taskspace.explore.server import serve

        serve(self, port, open_browser=open_browser)

    def export(self, target: str | os.PathLike[str]) -> list[Path]:
        """Export the map for other programs.

        Args:
            target: A .parquet or .csv file (one row per task), a .html file (the explorer page),
                or a folder (files for the TensorBoard projector).

        Returns:
            The paths of the written files.

        Raises:
            ValueError: If the target has another file extension, or is within a part of the run.
        """
        return outputs.export(self, target)


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run folder.

    Args:
        folder: A run folder written by `taskspace run` or `taskspace fit`.

    Returns:
        The run; its parts are loaded on first access.

    Raises:
        FileNotFoundError: If there is no finished map in the folder.
        ValueError: If the folder is damaged or has the format of another version.

    Example:
        >>> import taskspace as ts
        >>> run = ts.open_run("runs/multikeynav")  # doctest: +SKIP
        >>> run.index.hardest(5)  # doctest: +SKIP
        array([310,  42, 187,  96, 233])
    """
    source = checks.path(folder, "the folder")
    if not has_result(source, layout.EMBEDDER):
        if is_run(source):
            raise FileNotFoundError(
                f"{source} must be a finished run, got one without a map; repeat the command that"
                " wrote it, which resumes"
            )
        raise FileNotFoundError(
            f"there is no finished map in {source}; use a run folder that `taskspace run` or"
            " `taskspace fit` has finished"
        )
    read_settings(source)
    return Run(source)
