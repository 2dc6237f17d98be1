"""The task selection benchmark (Section 7.2, Figure 6): selection of the right one of ten tasks.

An example is a reference task and ten options. There are three queries: the option that is most
similar to the reference ("similar", the paper's Type 1), the most similar of those that are harder
("harder", Type 2), and of those that are easier ("easier"). The right option is determined by
similarities and difficulties from many rollouts of the whole population.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.statistics import SuccessStatistics

QUERIES = {"similar": 0, "harder": 1, "easier": -1}  # and the sign of the required difference
DATA_SETS = 4
OPTIONS = 10
EASY = 5  # easy reference tasks per data set, for methods without difficulties
HARDER = 0.01  # a task is harder if its probability of success is lower by more than this
_ROUNDS = 100  # most attempts to draw examples with an option that qualifies


@dataclass(frozen=True, eq=False)
class Judge:
    """The similarities and difficulties of tasks according to a method."""

    similarity: NDArray[np.float64]  # (tasks, tasks)
    difficulty: NDArray[np.float64]  # (tasks,)
    gap: float = 0.0  # a task is harder if its difficulty is higher by more than this

    def __post_init__(self) -> None:
        similarity = checks.numbers(self.similarity, "similarity")
        difficulty = checks.numbers(self.difficulty, "difficulty")
        if difficulty.ndim != 1 or similarity.shape != 2 * difficulty.shape:
            raise ValueError(
                "similarity must have shape (tasks, tasks) and difficulty (tasks,), got"
                f" {similarity.shape} and {difficulty.shape}"
            )
        object.__setattr__(self, "similarity", similarity)
        object.__setattr__(self, "difficulty", difficulty)

    def on(self, tasks: NDArray[np.int64]) -> Judge:
        """The same method on some of the tasks."""
        return Judge(self.similarity[np.ix_(tasks, tasks)], self.difficulty[tasks], self.gap)

    @classmethod
    def by_vectors(cls, vectors: NDArray[np.float64]) -> Judge:
        """Similarity by inner products, difficulty by vector lengths."""
        return cls(vectors @ vectors.T, np.linalg.norm(vectors, axis=1))

    @classmethod
    def by_outcomes(cls, outcomes: Outcomes, agents: Any, tasks: Any) -> Judge:
        """Mutual information and failure probability, from some agents on some tasks."""
        cells = np.ix_(agents, tasks)
        part = Outcomes(outcomes.successes[cells], outcomes.rollouts[cells])
        statistics = SuccessStatistics.from_outcomes(part)
        return cls(statistics.matrix(), 1.0 - statistics.success, HARDER)  # type: ignore[arg-type]

    @classmethod
    def by_easy_tasks(cls, similarity: NDArray[Any], easy: NDArray[np.int64]) -> Judge:
        """Difficulty is the negative similarity to the most similar easy task."""
        return cls(similarity, -similarity[:, easy].max(axis=1))


@dataclass(frozen=True, eq=False)
class Pool:
    """The tasks that examples are drawn from, and the data that methods may use."""

    truth: Outcomes  # of the whole population: the ground truth
    again: Outcomes  # an independent re-evaluation: for OPT and OPT-50
    features: NDArray[np.float64]  # (tasks, features): for StateSim
    actions: Sequence[ArrayLike]  # the expert's actions on each task: for TrajectorySim

    def __post_init__(self) -> None:
        for name in ("agents", "tasks"):
            if not np.array_equal(getattr(self.truth, name), getattr(self.again, name)):
                raise ValueError(f"truth and again must have equal {name}, got different ones")
        least = DATA_SETS * (OPTIONS + 1)
        if self.n_tasks < least:
            raise ValueError(f"the pool must have at least {least} tasks, got {self.n_tasks}")
        features = checks.numbers(self.features, "features")
        _check_rows(features, self.n_tasks, "features")
        object.__setattr__(self, "features", features)
        if len(self.actions) != self.n_tasks:
            raise ValueError(
                f"actions must be one sequence per task ({self.n_tasks}), got {len(self.actions)}"
            )
        object.__setattr__(self, "actions", [_sequence(actions) for actions in self.actions])

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return self.truth.n_tasks


@dataclass(frozen=True)
class Row:
    """The accuracy of a method: mean and standard error over the data sets."""

    method: str
    query: str
    examples: int  # per data set
    top1: float  # fraction of examples where the right option is ranked first
    top1_error: float
    top3: float  # fraction where it is among the first three
    top3_error: float


@dataclass(frozen=True, eq=False)
class Examples:
    """Reference tasks and options of many examples; the eleven tasks of an example differ."""

    reference: NDArray[np.int64]  # (examples,)
    options: NDArray[np.int64]  # (examples, OPTIONS)

    @classmethod
    def draw(cls, truth: Judge, n: int, query: str, rng: np.random.Generator) -> Examples:
        """Draw `n` examples, each with at least one option that qualifies for the query."""
        found: list[NDArray[np.int64]] = []
        missing = n
        for _ in range(_ROUNDS):
            order = rng.random((n, len(truth.difficulty))).argsort(axis=1)[:, : OPTIONS + 1]
            drawn = cls(order[:, 0], order[:, 1:])
            found.append(order[drawn.qualify(truth, query).any(axis=1)][:missing])
            missing -= len(found[-1])
            if not missing:
                rows = np.concatenate(found)
                return cls(rows[:, 0], rows[:, 1:])
        raise ValueError(
            f"the tasks must include {query} ones, whose success rates differ by more than"
            f" {HARDER}, got too few"
        )

    def qualify(self, judge: Judge, query: str) -> NDArray[np.bool_]:
        """Which options are harder (easier) than the reference according to the judge."""
        if not QUERIES[query]:
            return np.ones(self.options.shape, np.bool_)
        more = judge.difficulty[self.options] - judge.difficulty[self.reference][:, None]
        return QUERIES[query] * more > judge.gap

    def similarity(self, judge: Judge) -> NDArray[np.float64]:
        """The similarity of each option to the reference according to the judge."""
        return judge.similarity[self.reference[:, None], self.options]

    def right(self, truth: Judge, query: str) -> NDArray[np.bool_]:
        """Which options are right: the best one that qualifies, and exact ties with it."""
        similarity = np.where(self.qualify(truth, query), self.similarity(truth), -np.inf)
        return similarity == similarity.max(axis=1, keepdims=True)

    def rank(self, judge: Judge, query: str, ties: NDArray[np.float64]) -> NDArray[np.int64]:
        """The options in the order of the judge, best first; `ties` breaks ties.

        Options that do not qualify according to the judge come last.
        """
        last = ~self.qualify(judge, query)
        return np.lexsort((ties, -self.similarity(judge), last), axis=1)


def compare(
    pool: Pool, embeddings: Mapping[str, ArrayLike | Judge], *, examples: int = 50, seed: int = 0
) -> list[Row]:
    """Score all methods on all queries, in four data sets with a quarter of the pool each.

    An embedding is an array of vectors (tasks, dimensions), compared by inner products and lengths,
    or a `Judge` of all tasks. Random, StateSim, TrajectorySim, OPT-50 and OPT are added.
    `examples` is the number of examples per data set. The row of a method does not depend on the
    other methods.

    >>> import taskspace as ts
    >>> rng = np.random.default_rng(0)
    >>> levels, skills = rng.uniform(size=400), rng.uniform(size=(30, 1))
    >>> rates = 1 / (1 + np.exp(20 * (levels - skills)))
    >>> truth, again = (ts.Outcomes(rng.binomial(50, rates), 50) for _ in range(2))
    >>> pool = Pool(truth, again, levels[:, None], actions=[[0]] * 400)
    >>> rows = compare(pool, {"no map": np.zeros((400, 2))}, examples=500)
    >>> {row.method: row.top1 > 0.5 for row in rows if row.query == "harder"}
    {'Random': False, 'StateSim': True, 'TrajectorySim': False, 'no map': False,
     'OPT-50': True, 'OPT': True}
    """
    count, key = checks.whole(examples, "examples", 1), checks.seed(seed)
    given = {name: _checked(name, value, pool.n_tasks) for name, value in embeddings.items()}
    truth = Judge.by_outcomes(pool.truth, range(pool.truth.n_agents), range(pool.n_tasks))
    rng = np.random.default_rng(key)
    quarters = np.array_split(rng.permutation(pool.n_tasks), DATA_SETS)
    scores = [
        _score(_judges(pool, given, tasks, truth.on(tasks), own), truth.on(tasks), count, own)
        for tasks, own in zip(quarters, rng.spawn(DATA_SETS), strict=True)
    ]
    return [
        _row(method, query, count, np.array([score[query, method] for score in scores]))
        for query, method in scores[0]
    ]


def _checked(name: str, value: ArrayLike | Judge, tasks: int) -> NDArray[np.float64] | Judge:
    if name in _BASELINES:
        raise ValueError(f"the name of an embedding must not be that of a baseline, got {name!r}")
    if isinstance(value, Judge):
        _check_rows(value.similarity, tasks, name)
        return value
    vectors = checks.numbers(value, name)
    _check_rows(vectors, tasks, name)
    return vectors


def _check_rows(table: NDArray[np.float64], tasks: int, what: str) -> None:
    if table.ndim != 2 or len(table) != tasks:
        raise ValueError(
            f"{what} must have one row per task ({tasks}), got an array of shape {table.shape}"
        )


def _score(
    judges: Mapping[str, Judge], truth: Judge, count: int, rng: np.random.Generator
) -> dict[tuple[str, str], tuple[float, float]]:
    """Top-1 and Top-3 accuracy on one data set, for every query and method."""
    scores = {}
    for query in QUERIES:
        drawn = Examples.draw(truth, count, query, rng)
        ties, right = rng.random(drawn.options.shape), drawn.right(truth, query)
        for name, judge in judges.items():
            hits = np.take_along_axis(right, drawn.rank(judge, query, ties), axis=1)
            top1, top3 = hits[:, 0].mean(), hits[:, :3].any(axis=1).mean()
            scores[query, name] = (float(top1), float(top3))
    return scores


_BASELINES = ("Random", "StateSim", "TrajectorySim", "OPT-50", "OPT")


def _judges(
    pool: Pool,
    given: Mapping[str, NDArray[np.float64] | Judge],
    tasks: NDArray[np.int64],
    truth: Judge,
    rng: np.random.Generator,
) -> dict[str, Judge]:
    """The judges of all methods on the tasks of one data set."""
    easy = np.argsort(truth.difficulty, kind="stable")[:EASY]
    agents = pool.again.n_agents
    half = rng.choice(agents, max(1, agents // 2), replace=False)
    nothing = Judge(np.zeros((len(tasks), len(tasks))), np.zeros(len(tasks)))
    by_states = state_similarity(pool.features[tasks])
    by_actions = trajectory_similarity([pool.actions[task] for task in tasks])
    return {
        "Random": nothing,  # all options tie
        "StateSim": Judge.by_easy_tasks(by_states, easy),
        "TrajectorySim": Judge.by_easy_tasks(by_actions, easy),
        **{
            name: value.on(tasks) if isinstance(value, Judge) else Judge.by_vectors(value[tasks])
            for name, value in given.items()
        },
        "OPT-50": Judge.by_outcomes(pool.again, half, tasks),
        "OPT": Judge.by_outcomes(pool.again, range(agents), tasks),
    }


def state_similarity(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Negative Euclidean distances between standardized features of tasks.

    >>> state_similarity(np.array([[0.0, 5.0], [2.0, 5.0]]))
    array([[-0., -2.],
           [-2., -0.]])
    """
    from scipy.spatial.distance import cdist

    scale = features.std(axis=0)
    scaled = features / np.where(scale > 0, scale, 1.0)
    return -cdist(scaled, scaled)


def trajectory_similarity(actions: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Negative edit distances between sequences of actions.

    >>> trajectory_similarity([[0, 1, 1], [0, 1], [2]])
    array([[ 0., -1., -3.],
           [-1.,  0., -2.],
           [-3., -2.,  0.]])
    """
    try:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist
    except ImportError as error:
        raise ImportError(
            "there is no package rapidfuzz; install it with pip install 'taskspace[paper]'"
        ) from error
    words = ["".join(map(chr, _sequence(sequence))) for sequence in actions]
    distances = cdist(words, words, scorer=Levenshtein.distance, dtype=np.int32)
    return 0.0 - distances.astype(np.float64)


def _sequence(actions: ArrayLike) -> NDArray[np.int64]:
    """A sequence of actions, as integers of at least 0."""
    found = checks.array(actions, "a sequence of actions")
    whole = found.dtype.kind in "iu" or not found.size
    if found.ndim != 1 or not whole or (found.size and found.min() < 0):
        raise ValueError("a sequence of actions must be integers of at least 0, one per step")
    return found.astype(np.int64)


def _row(method: str, query: str, examples: int, scores: NDArray[np.float64]) -> Row:
    top1, top3 = scores.mean(axis=0)
    error1, error3 = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
    return Row(method, query, examples, *map(float, (top1, error1, top3, error3)))
