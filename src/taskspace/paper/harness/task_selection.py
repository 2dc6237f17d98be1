"""The task selection benchmark (Section 7.2, Figure 6): who picks the right task out of ten?

An example is a reference task and ten options. There are three queries: the option that is most
similar to the reference ("similar", the paper's Type 1), the most similar of those that are harder
("harder", Type 2), and of those that are easier ("easier"). What is right is decided by
similarities and difficulties that come from many rollouts of the whole population.
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

QUERIES = {"similar": 0, "harder": 1, "easier": -1}  # and the sign of the wanted difference
DATA_SETS = 4
OPTIONS = 10
EASY = 5  # easy reference tasks of a data set, for methods that know nothing of difficulty
HARDER = 0.01  # a task is harder if its probability of success is lower by more than this
_ROUNDS = 100  # how often examples are drawn again, if hardly any has an option that qualifies


@dataclass(frozen=True, eq=False)
class Judge:
    """What a method thinks of tasks."""

    similarity: NDArray[np.float64]  # (tasks, tasks)
    difficulty: NDArray[np.float64]  # (tasks,)
    gap: float = 0.0  # harder than another task is what is more difficult by more than this

    def __post_init__(self) -> None:
        similarity = checks.numbers(self.similarity, "similarity")
        difficulty = checks.numbers(self.difficulty, "difficulty")
        if difficulty.ndim != 1 or similarity.shape != 2 * difficulty.shape:
            raise ValueError(
                "similarity must be tasks x tasks and difficulty a number for each task;"
                f" got arrays of shape {similarity.shape} and {difficulty.shape}"
            )
        object.__setattr__(self, "similarity", similarity)
        object.__setattr__(self, "difficulty", difficulty)

    def on(self, tasks: NDArray[np.int64]) -> Judge:
        """The same for some of the tasks."""
        return Judge(self.similarity[np.ix_(tasks, tasks)], self.difficulty[tasks], self.gap)

    @classmethod
    def by_vectors(cls, vectors: NDArray[np.float64]) -> Judge:
        """Inner products and lengths."""
        return cls(vectors @ vectors.T, np.linalg.norm(vectors, axis=1))

    @classmethod
    def by_outcomes(cls, outcomes: Outcomes, agents: Any, tasks: Any) -> Judge:
        """Mutual information and probability of failure, from some agents on some tasks."""
        cells = np.ix_(agents, tasks)
        part = Outcomes(outcomes.successes[cells], outcomes.rollouts[cells])
        statistics = SuccessStatistics.from_outcomes(part)
        return cls(statistics.matrix(), 1.0 - statistics.success, HARDER)  # type: ignore[arg-type]

    @classmethod
    def by_easy_tasks(cls, similarity: NDArray[Any], easy: NDArray[np.int64]) -> Judge:
        """A task is the harder the less similar it is to the easy task most similar to it."""
        return cls(similarity, -similarity[:, easy].max(axis=1))


@dataclass(frozen=True, eq=False)
class Pool:
    """The tasks that examples are drawn from, and what methods may know about them."""

    truth: Outcomes  # of the whole population: decides what is right
    again: Outcomes  # the same agents and tasks, played once more: for OPT and OPT-50
    features: NDArray[np.float64]  # (tasks, features): for StateSim
    actions: Sequence[ArrayLike]  # the expert's actions on each task: for TrajectorySim

    def __post_init__(self) -> None:
        for name in ("agents", "tasks"):
            if not np.array_equal(getattr(self.truth, name), getattr(self.again, name)):
                raise ValueError(f"truth and again must be of the same {name} in the same order")
        least = DATA_SETS * (OPTIONS + 1)
        if self.n_tasks < least:
            raise ValueError(f"the pool has {self.n_tasks} tasks; expected at least {least}")
        features = checks.numbers(self.features, "features")
        _check_rows(features, self.n_tasks, "features")
        object.__setattr__(self, "features", features)
        if len(self.actions) != self.n_tasks:
            raise ValueError(f"{len(self.actions)} sequences of actions for {self.n_tasks} tasks")
        object.__setattr__(self, "actions", [_sequence(actions) for actions in self.actions])

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return self.truth.n_tasks


@dataclass(frozen=True)
class Row:
    """How often a method is right: mean over the data sets and standard error across them."""

    method: str
    query: str
    examples: int  # in each data set
    top1: float  # share of examples where the right option is ranked first
    top1_error: float
    top3: float  # … among the first three
    top3_error: float


@dataclass(frozen=True, eq=False)
class Examples:
    """Reference tasks and options of many examples; all eleven tasks of one are different."""

    reference: NDArray[np.int64]  # (examples,)
    options: NDArray[np.int64]  # (examples, OPTIONS)

    @classmethod
    def draw(cls, truth: Judge, n: int, query: str, rng: np.random.Generator) -> Examples:
        """`n` examples, each with an option that is in truth harder (easier) if that is asked."""
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
            f"hardly any of these tasks is {query} than another: their probabilities of success"
            f" differ too little (expected differences of more than {HARDER})"
        )

    def qualify(self, judge: Judge, query: str) -> NDArray[np.bool_]:
        """Which options the judge thinks harder (easier) than the reference, if that is asked."""
        if not QUERIES[query]:
            return np.ones(self.options.shape, np.bool_)
        more = judge.difficulty[self.options] - judge.difficulty[self.reference][:, None]
        return QUERIES[query] * more > judge.gap

    def similarity(self, judge: Judge) -> NDArray[np.float64]:
        """How similar the judge thinks each option to the reference."""
        return judge.similarity[self.reference[:, None], self.options]

    def right(self, truth: Judge, query: str) -> NDArray[np.bool_]:
        """Which options are right: the best that qualifies, and what ties with it exactly."""
        similarity = np.where(self.qualify(truth, query), self.similarity(truth), -np.inf)
        return similarity == similarity.max(axis=1, keepdims=True)

    def rank(self, judge: Judge, query: str, ties: NDArray[np.float64]) -> NDArray[np.int64]:
        """The judge's order of the options, best first; `ties` decides between equals.

        What the judge does not think harder (easier) comes last, rather than not at all.
        """
        last = ~self.qualify(judge, query)
        return np.lexsort((ties, -self.similarity(judge), last), axis=1)


def compare(
    pool: Pool, embeddings: Mapping[str, ArrayLike | Judge], *, examples: int = 50, seed: int = 0
) -> list[Row]:
    """Put all queries to every method, in four data sets with a quarter of the pool each.

    An embedding is an array of vectors (tasks, dimensions), which is judged by inner products and
    lengths, or a `Judge` of all tasks. Random, StateSim, TrajectorySim, OPT-50 and OPT are added.
    `examples` is their number in each data set. A method's row depends on no other method.

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
        raise ValueError(f"{name!r} is the name of a baseline; call the embedding something else")
    if isinstance(value, Judge):
        _check_rows(value.similarity, tasks, name)
        return value
    vectors = checks.numbers(value, name)
    _check_rows(vectors, tasks, name)
    return vectors


def _check_rows(table: NDArray[np.float64], tasks: int, what: str) -> None:
    if table.ndim != 2 or len(table) != tasks:
        raise ValueError(
            f"{what} must have a row for each of the {tasks} tasks;"
            f" got an array of shape {table.shape}"
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
    """What every method thinks of the tasks of one data set."""
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
    """Negative Euclidean distances between tasks whose features are standardized.

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
            "TrajectorySim needs rapidfuzz: pip install 'taskspace[paper]'"
        ) from error
    words = ["".join(map(chr, _sequence(sequence))) for sequence in actions]
    distances = cdist(words, words, scorer=Levenshtein.distance, dtype=np.int32)
    return 0.0 - distances.astype(np.float64)


def _sequence(actions: ArrayLike) -> NDArray[np.int64]:
    """A sequence of actions, which have numbers from 0 on."""
    found = checks.array(actions, "a sequence of actions")
    whole = found.dtype.kind in "iu" or not found.size
    if found.ndim != 1 or not whole or (found.size and found.min() < 0):
        raise ValueError("a sequence of actions must be whole numbers from 0 on, one for each step")
    return found.astype(np.int64)


def _row(method: str, query: str, examples: int, scores: NDArray[np.float64]) -> Row:
    top1, top3 = scores.mean(axis=0)
    error1, error3 = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
    return Row(method, query, examples, *map(float, (top1, error1, top3, error3)))
