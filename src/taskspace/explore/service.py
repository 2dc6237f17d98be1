"""The calls to the library behind each request of the HTTP API."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.agent_comparison import compare_agents
from taskspace.applications.answers import Unanswered, agents_of_test
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.quiz import Quiz
from taskspace.applications.selection import select
from taskspace.applications.subset import Subset, choose_subset
from taskspace.explore.answers import (
    abilities_values,
    comparison_values,
    diagnosis_values,
    redundancy_values,
    score_values,
    subset_values,
)
from taskspace.explore.positions import Positions
from taskspace.explore.programs import read, shown, task_of
from taskspace.outcomes.rates import mean_rates

if TYPE_CHECKING:
    from taskspace.runs.run import Run

T = TypeVar("T")
Floats = NDArray[np.float64]
Task = str | list[float]  # its name, or its features

_FEW = 500  # tasks that are predicted within a millisecond
_LARGEST = 1e15  # coordinate of a vector; with larger ones, products might overflow


LONGEST_NAME = 100  # characters of a name that an error message quotes


def _answered(found: T | Unanswered) -> T:
    """The answer; the reason why there is none becomes the error message."""
    if isinstance(found, Unanswered):
        raise ValueError(found.reason.rstrip("."))
    return found


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
        self._predictable = frozenset(self._predictor.tasks_.tolist())
        self.returns = run.predictor.scale_ is not None  # otherwise, results are successes
        self._positions = Positions(run)
        self._success = mean_rates(run.outcomes.rates, axis=0)
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
        positions = {name: found[number].tolist() for name, found in self._positions.known.items()}
        return {
            **self.summary(number),
            "vector": index.vectors[number].tolist(),
            "information": self._information(index.vectors[number]),
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

    def _information(self, vector: NDArray[Any]) -> float | None:
        """The squared length of a vector, which has a meaning on an information map only."""
        return float(vector @ vector) if self._positions.informative else None

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
        return self._known_or_new(tasks, self.run.index.vectors, self._transform)

    def _difficulty(self, tasks: Sequence[Task]) -> Floats:
        index, source = self.run.index, self.run.comparison
        return self._known_or_new(tasks, index.difficulty, source.difficulty)

    def _known_or_new(
        self, tasks: Sequence[Task], known: NDArray[Any], new: Callable[[NDArray[Any]], Floats]
    ) -> Floats:
        """The `known` value of each task of the map; `new` computes those of other tasks."""
        found = np.empty((len(tasks), *known.shape[1:]))
        unknown = [index for index, task in enumerate(tasks) if not isinstance(task, str)]
        if unknown:
            found[unknown] = new(self._rows([tasks[index] for index in unknown]))
        named = [index for index, task in enumerate(tasks) if isinstance(task, str)]
        found[named] = known[[self.number(str(tasks[index])) for index in named]]
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
                    f" in {checks.row(number)}"
                )
        return self.run.check_tasks(tasks)

    def _transform(self, rows: NDArray[Any]) -> Floats:
        vectors = np.asarray(self.run.embedder.transform(rows))
        if not (np.abs(vectors) < _LARGEST).all():
            raise ValueError("features must be small enough for finite vectors, got larger values")
        return vectors

    def embed(self, tasks: Sequence[Task]) -> list[dict[str, Any]]:
        """Vector, difficulty, information, and position in each projection."""
        vectors, difficulty = self.vectors(tasks), self._difficulty(tasks)
        positions = self._positions.of(vectors, difficulty)
        for index, task in enumerate(tasks):
            if isinstance(task, str):  # exactly where the page draws it
                for name, found in self._positions.known.items():
                    positions[name][index] = found[self._numbers[task]]
        return [
            {
                "vector": vector.tolist(),
                "difficulty": float(hard),
                "information": self._information(vector),
                "positions": {name: found[index].tolist() for name, found in positions.items()},
            }
            for index, (vector, hard) in enumerate(zip(vectors, difficulty, strict=True))
        ]

    def karel(self, program: str, like: str) -> dict[str, Any]:
        """The new task that a Karel program defines in the worlds of the task `like`."""
        understood, number = read(program), self.number(like)
        row = task_of(understood, self.run.outcomes.task_inputs[number])
        return {
            "program": shown(understood),
            "task": row.tolist(),
            "profile": self._profile(row),
            **self.embed([row.tolist()])[0],
        }

    def _profile(self, row: NDArray[Any]) -> list[float] | None:
        """The success probability of every agent on a new task, if there is a success model."""
        if self.run.profiles is None:
            return None
        found: list[float] = self.run.model.predict_proba(row)[:, 0].tolist()
        return found

    # -- choosing tasks ------------------------------------------------------------------------

    def similar(
        self, task: Task, k: int, harder: bool = False, easier: bool = False,
        opposite: bool = False,
    ) -> list[dict[str, Any]]:  # fmt: skip
        """The k tasks of the map most similar to this one, or most opposite; best first."""
        known = self.run.outcomes.tasks
        given = str(known[self.number(task)]) if isinstance(task, str) else self._rows([task])[0]
        found, values = self.run.similar(given, k, harder=harder, easier=easier, opposite=opposite)
        pairs = zip(found.tolist(), values.tolist(), strict=True)
        return [{**self.summary(n), "similarity": value} for n, value in pairs]

    def select(
        self, task: Task, options: Sequence[Task], k: int, harder: bool, easier: bool
    ) -> list[dict[str, Any]]:
        """The k options most similar to a task, by their indices in the list; best first."""
        tasks, source = self._inputs([task, *options]), self.run.comparison
        best = select(source, tasks[:1], tasks[1:], k=k, harder=harder, easier=easier)
        if not len(best):
            return []
        chosen = [tasks[1:][n] for n in best]
        similarity, difficulty = source.similarity(tasks[:1], chosen)[0], source.difficulty(chosen)
        rows = zip(best.tolist(), similarity.tolist(), difficulty.tolist(), strict=True)
        return [{"option": n, "similarity": value, "difficulty": hard} for n, value, hard in rows]

    # -- the quiz ------------------------------------------------------------------------------

    def is_fast(
        self, quiz: Sequence[Task], results: Sequence[float], tasks: Sequence[Task]
    ) -> bool:
        """Whether a prediction without an interval takes about a millisecond or less."""
        few = {*results} <= {0.0, 1.0} and len(quiz) + len(tasks) <= _FEW
        return few and self._are_predictable(quiz) and self._are_predictable(tasks)

    def _are_predictable(self, tasks: Sequence[Task]) -> bool:
        """Whether the predictor knows all of these tasks by name."""
        return {*map(type, tasks)} <= {str} and self._predictable.issuperset(map(str, tasks))

    def predict(
        self, quiz: Sequence[Task], results: Sequence[float], tasks: Sequence[Task],
        interval: float | None = None,
    ) -> tuple[Floats, Floats, Floats] | tuple[Floats, None, None]:  # fmt: skip
        """Probabilities of success, or returns, of an agent with these results, and bounds."""
        asked, wanted = self._for_predictor(quiz), self._for_predictor(tasks)
        probabilities = self._predictor.predict(asked, results, wanted)
        if interval is None:
            return probabilities, None, None
        return (probabilities, *self._predictor.interval(asked, results, wanted, interval))

    def next_question(
        self, quiz: Sequence[Task], results: Sequence[float],
        pool: Sequence[str] | None = None, targets: Sequence[str] | None = None,
    ) -> tuple[str, float, float]:  # fmt: skip
        """The most informative question, its probability of success, and the expected error rate.

        The error rate is that of guesses about the targets. Of more than 1,000 tasks, a random
        sample of 1,000 is considered.
        """
        conversation = Quiz(self._predictor_of(pool, targets), targets, pool=pool)
        for task, result in zip(self._for_predictor(quiz), results, strict=True):
            conversation.answer(result, task)
        best = conversation.next()
        probability = float(conversation.predict([best])[0])
        return best, probability, conversation.expected_error_rate

    def score(
        self, quiz: Sequence[Task], results: Sequence[float], by: str | None, level: float
    ) -> dict[str, Any]:
        """The full score of an agent with these results, or one per value of a label."""
        asked = self._for_predictor(quiz)
        return score_values(self._predictor.score(asked, results, by=by, level=level))

    # -- answers about agents and tasks ------------------------------------------------------------

    def redundant(self) -> dict[str, Any]:
        """Near-copies among the tasks."""
        return redundancy_values(_answered(self.run.redundancy))

    def agents(self) -> dict[str, Any]:
        """Scores and strengths of the agents."""
        return abilities_values(_answered(self.run.abilities))

    def compare(self, first: str, second: str, by: str | None) -> dict[str, Any]:
        """Two agents side by side."""
        return comparison_values(compare_agents(self.run, first, second, by=by))

    def doctor(self) -> dict[str, Any]:
        """Whether the population is good enough."""
        return diagnosis_values(_answered(self.run.diagnosis))

    def short_test(self, k: int, by: str | None) -> dict[str, Any]:
        """A short test of k tasks."""
        stored, outcomes = self.run.short_test, self.run.outcomes
        complete = agents_of_test(outcomes) == outcomes.n_agents
        if complete and by is None and isinstance(stored, Subset) and len(stored.tasks) == k:
            return subset_values(stored)
        return self._new_test(k, by)

    @functools.lru_cache(maxsize=32)  # noqa: B019 - a server has one service as long as it lives
    def _new_test(self, k: int, by: str | None) -> dict[str, Any]:
        seed = self.run.settings["seed"]
        found = choose_subset(self.run.outcomes, k, by=by, seed=seed, progress=False)
        return subset_values(found)

    def _predictor_of(self, *lists: Sequence[str] | None) -> PerformancePredictor:
        """A predictor that knows the tasks of these lists by name; None stands for all it knows."""
        names = {name: self.number(name) for each in lists for name in each or ()}
        if self._predictable.issuperset(names):
            return self._predictor
        if None in lists:
            names |= {name: self.number(name) for name in self._predictable}
        numbers = sorted(names.values())
        return self._predictor.over(
            self.run.outcomes.task_inputs[numbers], self.run.outcomes.tasks[numbers]
        )

    def _for_predictor(self, tasks: Sequence[Task]) -> Any:
        """All tasks by name if the predictor knows them, or else all as rows of features."""
        if self._are_predictable(tasks):
            return list(tasks)
        return self._inputs(tasks)

    def _inputs(self, tasks: Sequence[Task]) -> Any:
        """The tasks as the map takes them: rows of features, or names if tasks have none."""
        numbers = [self.number(task) if isinstance(task, str) else -1 for task in tasks]
        features = self.run.outcomes.features
        if features is None and min(numbers) >= 0:
            return list(tasks)
        return self._rows([
            task if number < 0 or features is None else features[number].tolist()
            for number, task in zip(numbers, tasks, strict=True)
        ])  # fmt: skip
