"""The calls to the library behind each request of the HTTP API."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.quiz import Quiz
from taskspace.applications.selection import select
from taskspace.explore.programs import read, shown, task_of
from taskspace.models.embedding.axes import unit
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.report.projections import TSNE, Axes, between

if TYPE_CHECKING:
    from taskspace.runs.run import Run

Floats = NDArray[np.float64]
Task = str | list[float]  # its name, or its features

_FEW = 500  # tasks that are predicted within a millisecond
_LARGEST = 1e15  # coordinate of a vector; with larger ones, products might overflow


LONGEST_NAME = 100  # characters of a name that an error message quotes


class UnknownTask(ValueError):
    """There is no task with this name in the map."""


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


class Service:
    """Answers questions about a run; safe to call from several threads.

    A task is the name of a task of the map, or a list of features.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self._predictor = run.predictor
        self._projections = run.layouts
        self._axes = Axes.of(run.points)
        self._success = np.nanmean(run.outcomes.rates, axis=0)
        self._numbers = {name: n for n, name in enumerate(run.outcomes.tasks.tolist())}
        self._clusters = run.clusters.by_task

    # -- tasks ---------------------------------------------------------------------------------

    def number(self, name: str) -> int:
        """The number of the task with this name."""
        try:
            return self._numbers[name]
        except KeyError:
            raise UnknownTask(f"there is no task {_shortened(name)!r} in this map") from None

    def describe(self, number: int) -> dict[str, Any]:
        """Everything known about a task of the map."""
        index, columns = self.run.index, self.run.feature_columns
        features = {name: column[number].item() for name, column in columns.items()}
        positions = {name: found[number].tolist() for name, found in self._projections.items()}
        return {
            **self.summary(number),
            "vector": index.vectors[number].tolist(),
            "positions": positions,
            "features": features or None,
            "subpopulations": self._by_subpopulation(number),
        }

    def summary(self, number: int) -> dict[str, Any]:
        """Name, difficulty, success rate and cluster of a task of the map."""
        return {
            "task": str(self.run.outcomes.tasks[number]),
            "difficulty": float(self.run.index.difficulty[number]),
            "success": float(self._success[number]),
            "cluster": str(self._clusters[number]),
        }

    def _by_subpopulation(self, number: int) -> dict[str, float] | None:
        """The success rate of each subpopulation on a task, where subpopulations are known."""
        of_agents = self._subpopulations
        if of_agents is None:
            return None
        outcomes = self.run.outcomes
        tried = outcomes.rollouts[:, number] > 0
        rates = outcomes.successes[:, number] / np.maximum(outcomes.rollouts[:, number], 1)
        names = dict.fromkeys(of_agents[tried].tolist())
        return {name: float(rates[tried & (of_agents == name)].mean()) for name in names}

    @functools.cached_property
    def _subpopulations(self) -> NDArray[np.str_] | None:
        found = self.run.subpopulations
        return None if found is None else np.array(found)

    def vectors(self, tasks: Sequence[Task]) -> Floats:
        """The vectors of tasks (tasks, dimensions)."""
        found = np.empty((len(tasks), self.run.index.vectors.shape[1]))
        new = [index for index, task in enumerate(tasks) if not isinstance(task, str)]
        if new:
            found[new] = self._transform(self._rows([tasks[index] for index in new]))
        known = [index for index, task in enumerate(tasks) if isinstance(task, str)]
        numbers = [self.number(str(tasks[index])) for index in known]
        found[known] = self.run.index.vectors[numbers]
        return found

    def _rows(self, tasks: Sequence[Any]) -> NDArray[Any]:
        """Features of tasks as an array, checked."""
        features = self.run.outcomes.features
        if features is None:
            raise ValueError("the tasks of this map have no features; use their names")
        for number, task in enumerate(tasks):
            if len(task) != features.shape[1]:
                raise ValueError(
                    f"a task must be a list of {features.shape[1]} features, got {len(task)}"
                    f" in row {number}"
                )
        rows = np.array(tasks, np.float64)
        return rows if self.run.from_table else self.run.environment.check_tasks(rows)

    def _transform(self, rows: NDArray[Any]) -> Floats:
        vectors = self.run.embedder.transform(rows)
        if not (np.abs(vectors) < _LARGEST).all():
            raise ValueError("features must be small enough for finite vectors, got larger values")
        return vectors

    def embed(self, tasks: Sequence[Task]) -> list[dict[str, Any]]:
        """Vector, difficulty, and position in each projection."""
        vectors = self.vectors(tasks)
        difficulty = self.run.comparison.difficulty(self._uniform(tasks))
        points = unit(vectors) if isinstance(self.run.embedder, TaskEmbedder) else vectors
        positions = {name: self._project(name, points) for name in self._projections}
        for index, task in enumerate(tasks):
            if isinstance(task, str):  # exactly where the page draws it
                for name, found in self._projections.items():
                    positions[name][index] = found[self._numbers[task]]
        return [
            {
                "vector": vector.tolist(),
                "difficulty": float(hard),
                "positions": {name: found[index].tolist() for name, found in positions.items()},
            }
            for index, (vector, hard) in enumerate(zip(vectors, difficulty, strict=True))
        ]

    def karel(self, program: str, like: str) -> dict[str, Any]:
        """The new task that a Karel program defines in the worlds of the task `like`."""
        understood, number = read(program), self.number(like)
        row = task_of(understood, self.run.outcomes.task_inputs[number]).tolist()
        return {"program": shown(understood), "task": row, **self.embed([row])[0]}

    def _project(self, projection: str, points: Floats) -> NDArray[Any]:
        if projection == TSNE:
            return between(points, self._tree, self._projections[TSNE])
        return self._axes.project(points)

    # -- choosing tasks ------------------------------------------------------------------------

    def similar(
        self, task: Task, k: int, harder: bool = False, easier: bool = False
    ) -> list[dict[str, Any]]:
        """The k tasks of the map most similar to this one, excluding itself; best first."""
        given = self.number(task) if isinstance(task, str) else self._rows([task])[0]
        found, bits = self.run.similar(given, k, harder=harder, easier=easier)
        pairs = zip(found.tolist(), bits.tolist(), strict=True)
        return [{**self.summary(n), "similarity": value} for n, value in pairs]

    def select(
        self, task: Task, options: Sequence[Task], k: int, harder: bool, easier: bool
    ) -> list[dict[str, Any]]:
        """The k options most similar to a task, by their indices in the list; best first."""
        tasks, source = self._uniform([task, *options]), self.run.comparison
        best = select(source, tasks[:1], tasks[1:], k=k, harder=harder, easier=easier)
        if not len(best):
            return []
        chosen = [tasks[1:][n] for n in best]
        similarity, difficulty = source.similarity(tasks[:1], chosen)[0], source.difficulty(chosen)
        rows = zip(best.tolist(), similarity.tolist(), difficulty.tolist(), strict=True)
        return [{"option": n, "similarity": value, "difficulty": hard} for n, value, hard in rows]

    # -- the quiz ------------------------------------------------------------------------------

    @staticmethod
    def is_fast(quiz: Sequence[Task], results: Sequence[float], tasks: Sequence[Task]) -> bool:
        """Whether a prediction without an interval takes about a millisecond or less."""
        named = {*map(type, quiz), *map(type, tasks)} <= {str}
        return named and {*results} <= {0.0, 1.0} and len(quiz) + len(tasks) <= _FEW

    def predict(
        self, quiz: Sequence[Task], results: Sequence[float], tasks: Sequence[Task],
        interval: float | None = None,
    ) -> tuple[Floats, Floats, Floats] | tuple[Floats, None, None]:  # fmt: skip
        """Probabilities of success of an agent with these results, and bounds if wanted."""
        asked, wanted = self._uniform(quiz), self._uniform(tasks)
        probabilities = self._predictor.predict_proba(asked, results, wanted)
        if interval is None:
            return probabilities, None, None
        return (probabilities, *self._predictor.interval(asked, results, wanted, interval))

    def next_question(
        self, quiz: Sequence[Task], results: Sequence[float],
        pool: Sequence[str] | None = None, targets: Sequence[str] | None = None,
    ) -> tuple[int, float, float]:  # fmt: skip
        """The most informative question, its probability of success, and the expected error rate.

        The error rate is that of guesses about the targets. Of more than 1,000 tasks, a random
        sample of 1,000 is considered.
        """
        conversation = Quiz(self._predictor, targets, pool=pool)
        for task, result in zip(self._uniform(quiz), results, strict=True):
            conversation.answer(result, task)
        best = conversation.next_number()
        return best, float(conversation.predict_proba([best])[0]), conversation.expected_error_rate

    def _uniform(self, tasks: Sequence[Task]) -> Any:
        """All tasks by their names, or all as rows of features."""
        if all(isinstance(task, str) for task in tasks):
            for task in tasks:
                self.number(str(task))  # raises for unknown names
            return list(tasks)
        features = self.run.outcomes.features
        if features is None:
            return self._rows(tasks)  # raises
        return self._rows([
            features[self.number(task)].tolist() if isinstance(task, str) else task
            for task in tasks
        ])  # fmt: skip

    @functools.cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.run.points)
