"""What a run answers to the page and to other programs, by calls of the library."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.quiz import Quiz
from taskspace.applications.selection import best_first
from taskspace.explore.programs import read, shown, task_of
from taskspace.report.projections import TSNE, Axes, between

if TYPE_CHECKING:
    from taskspace.runs.run import Run

Floats = NDArray[np.float64]
Task = str | list[float]  # its name, or its features

_FEW = 500  # tasks
_FARTHEST = 1e15  # that a number of a vector may be from 0: products stay finite


LONGEST_TOLD = 100  # characters of a name in a sentence


class UnknownTask(ValueError):
    """A name that no task has."""


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_TOLD else f"{name[:LONGEST_TOLD]}…"


class Answers:
    """A map and its known agents, to be asked by many at the same time.

    Tasks are names of tasks of the map, or rows of features.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self._predictor = run.predictor
        self._views = run.layouts
        self._axes = Axes.of(run.index.vectors)
        self._success = np.nanmean(run.outcomes.rates, axis=0)
        self._places = {name: n for n, name in enumerate(run.outcomes.tasks.tolist())}
        self._clusters = run.clusters.by_task

    # -- tasks ---------------------------------------------------------------------------------

    def place(self, name: str) -> int:
        """The number of the task with this name."""
        try:
            return self._places[name]
        except KeyError:
            raise UnknownTask(f"there is no task {_shortened(name)!r} in this map") from None

    def about(self, place: int) -> dict[str, Any]:
        """What there is to know about a task of the map."""
        index = self.run.index
        columns = self.run.feature_columns
        features = {name: column[place].item() for name, column in columns.items()}
        return {
            **self.row(place),
            "vector": index.vectors[place].tolist(),
            "places": {name: view[place].tolist() for name, view in self._views.items()},
            "features": features or None,
            "groups": self._by_group(place),
        }

    def row(self, place: int) -> dict[str, Any]:
        """The same in short."""
        return {
            "task": str(self.run.outcomes.tasks[place]),
            "difficulty": float(self.run.index.lengths[place]),
            "success": float(self._success[place]),
            "cluster": str(self._clusters[place]),
        }

    def _by_group(self, place: int) -> dict[str, float] | None:
        kinds = self._kinds
        if kinds is None:
            return None
        outcomes = self.run.outcomes
        tried = outcomes.rollouts[:, place] > 0
        rates = outcomes.successes[:, place] / np.maximum(outcomes.rollouts[:, place], 1)
        groups = dict.fromkeys(kinds[tried].tolist())
        return {name: float(rates[tried & (kinds == name)].mean()) for name in groups}

    @functools.cached_property
    def _kinds(self) -> NDArray[np.str_] | None:
        found = self.run.subpopulations
        return None if found is None else np.array(found)

    def vectors(self, tasks: Sequence[Task]) -> Floats:
        """The vectors of tasks (tasks, dimensions)."""
        found = np.empty((len(tasks), self.run.index.vectors.shape[1]))
        new = [number for number, task in enumerate(tasks) if not isinstance(task, str)]
        if new:
            found[new] = self._transform(self._rows([tasks[n] for n in new]))
        known = [number for number, task in enumerate(tasks) if isinstance(task, str)]
        places = [self.place(str(tasks[number])) for number in known]
        found[known] = self.run.index.vectors[places]
        return found

    def _rows(self, tasks: Sequence[Any]) -> NDArray[Any]:
        """Features of tasks, or one sentence on what is wrong with them."""
        features = self.run.outcomes.features
        if features is None:
            raise ValueError("this map knows tasks by their names alone, not by features")
        for number, task in enumerate(tasks):
            if len(task) != features.shape[1]:
                raise ValueError(
                    f"a task has {features.shape[1]} features, but row {number} has {len(task)}"
                )
        rows = np.array(tasks, np.float64)
        return rows if self.run.from_table else self.run.environment.check_tasks(rows)

    def _transform(self, rows: NDArray[Any]) -> Floats:
        vectors = self.run.embedder.transform(rows)
        if not (np.abs(vectors) < _FARTHEST).all():
            raise ValueError("the features are too large: the vectors would not be finite numbers")
        return vectors

    def embed(self, tasks: Sequence[Task]) -> list[dict[str, Any]]:
        """Vector, difficulty and place in each view."""
        vectors = self.vectors(tasks)
        places = {name: self._land(name, vectors) for name in self._views}
        for number, task in enumerate(tasks):
            if isinstance(task, str):  # is drawn already
                for name, view in self._views.items():
                    places[name][number] = view[self._places[task]]
        return [
            {
                "vector": vector.tolist(),
                "difficulty": float(np.linalg.norm(vector)),
                "places": {name: view[number].tolist() for name, view in places.items()},
            }
            for number, vector in enumerate(vectors)
        ]

    def karel(self, program: str, like: str) -> dict[str, Any]:
        """The same of the task that a Karel program makes in the worlds of a task of the map."""
        understood, place = read(program), self.place(like)
        row = task_of(understood, self.run.outcomes.task_inputs[place]).tolist()
        return {"program": shown(understood), "task": row, **self.embed([row])[0]}

    def _land(self, view: str, vectors: Floats) -> NDArray[Any]:
        if view == TSNE:
            return between(vectors, self._tree, self._views[TSNE])
        return self._axes.project(vectors)

    # -- choosing tasks ------------------------------------------------------------------------

    def similar(
        self, task: Task, k: int, harder: bool = False, easier: bool = False
    ) -> list[dict[str, Any]]:
        """The tasks of the map most like this one, itself left out, the most alike first."""
        vector = self.vectors([task])[0]
        found, likeness = self.run.index.similar(vector, k + 1, harder=harder, easier=easier)
        pairs = zip(found.tolist(), likeness.tolist(), strict=True)
        itself = self._places[task] if isinstance(task, str) else -1
        rows = [{**self.row(n), "similarity": like} for n, like in pairs if n != itself]
        return rows[:k]

    def select(
        self, task: Task, options: Sequence[Task], k: int, harder: bool, easier: bool
    ) -> list[dict[str, Any]]:
        """Which options are most like a task, by their numbers in the list, the best first."""
        reference, *rest = self.vectors([task, *options])
        vectors = np.array(rest)
        best = best_first(reference, vectors, harder=harder, easier=easier)[:k]
        likeness, lengths = vectors[best] @ reference, np.linalg.norm(vectors[best], axis=1)
        rows = zip(best.tolist(), likeness.tolist(), lengths.tolist(), strict=True)
        return [{"option": n, "similarity": like, "difficulty": far} for n, like, far in rows]

    # -- the quiz ------------------------------------------------------------------------------

    @staticmethod
    def quick(quiz: Sequence[Task], results: Sequence[float], tasks: Sequence[Task]) -> bool:
        """Whether a prediction without interval is a matter of a millisecond or less."""
        named = {*map(type, quiz), *map(type, tasks)} <= {str}
        return named and {*results} <= {0.0, 1.0} and len(quiz) + len(tasks) <= _FEW

    def predict(
        self, quiz: Sequence[Task], results: Sequence[float], tasks: Sequence[Task],
        interval: float | None = None,
    ) -> tuple[Floats, Floats, Floats] | tuple[Floats, None, None]:  # fmt: skip
        """Probabilities of success of an agent with these results, and bounds if wanted."""
        asked, wanted = self._alike(quiz), self._alike(tasks)
        chances = self._predictor.predict_proba(asked, results, wanted)
        if interval is None:
            return chances, None, None
        return (chances, *self._predictor.interval(asked, results, wanted, interval))

    def next_question(
        self, quiz: Sequence[Task], results: Sequence[float],
        pool: Sequence[str] | None = None, targets: Sequence[str] | None = None,
    ) -> tuple[int, float, float]:  # fmt: skip
        """The most informative question, its probability of success, and the expected error rate.

        The error rate is that of guesses about the targets. Of more than a thousand tasks a random
        thousand counts.
        """
        conversation = Quiz(self._predictor, targets, pool=pool)
        for task, result in zip(self._alike(quiz), results, strict=True):
            conversation.answer(result, task)
        best = conversation.next_number()
        return best, float(conversation.predict_proba([best])[0]), conversation.expected_error_rate

    def _alike(self, tasks: Sequence[Task]) -> Any:
        """All tasks by their names, or all as rows of features."""
        if all(isinstance(task, str) for task in tasks):
            for task in tasks:
                self.place(str(task))  # complains about names that no task has
            return list(tasks)
        features = self.run.outcomes.features
        if features is None:
            return self._rows(tasks)  # complains
        return self._rows([
            features[self.place(task)].tolist() if isinstance(task, str) else task for task in tasks
        ])  # fmt: skip

    @functools.cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.run.index.vectors)
