"""How well profiles are learned, how to spend rollouts on them, and what similarities they give.

Everything is measured on tasks that no model saw, against success rates of many rollouts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from taskspace.bench.printing import print_lines
from taskspace.bench.subjects import Subject
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.information import mutual_information
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]
T = TypeVar("T")

NETWORK_TASKS, NETWORK_ROLLOUTS = 10_000, 2
BUDGETS = ((40_000, 2), (20_000, 4), (4_000, 20), (1_000, 80))  # the same rollouts in all
TRUTH_TASKS, TRUTH_ROLLOUTS = 500, 200
ROLLOUTS = (2, 10, 40, 160, 640, 1600)  # an agent and task; of the model: as many in all
MODEL_ROLLOUTS = 2  # … on each of its own tasks
MOST_MODEL_TASKS = 40_000
_PAIRED_AT_ONCE = 40  # rollouts, so that memory stays bounded


@dataclass(frozen=True)
class Errors:
    """Of profiles on fresh tasks."""

    rmse: float  # in success probability
    excess: float  # log loss in nats a rollout, above that of knowing the truth
    seconds: float = 0.0  # of learning, on one core


def errors(profiles: Floats, truth: Outcomes) -> Errors:
    """Against the success rates of many rollouts; what their own noise adds is taken off.

    >>> truth = Outcomes(np.array([[0, 50, 100]]), np.array(100))
    >>> found = errors(np.array([[0.1, 0.5, 0.9]]), truth)
    >>> round(found.rmse, 2), round(found.excess, 2)
    (0.08, 0.07)
    """
    n, rates = truth.rollouts.astype(np.float64), truth.rates
    squares = (profiles - rates) ** 2 - rates * (1 - rates) / (n - 1)
    surprise = _surprise(rates, profiles) - _surprise(rates, rates)
    # Entropies of rates are too small by about this (Miller and Madow).
    bias = np.where((rates > 0) & (rates < 1), 1 / (2 * n), 0.0)
    return Errors(float(np.sqrt(max(squares.mean(), 0.0))), float((surprise - bias).mean()))


def _surprise(rates: Floats, chances: Floats) -> Floats:
    p = np.clip(chances, 1e-6, 1 - 1e-6)
    return -(rates * np.log(p) + (1 - rates) * np.log1p(-p))


# -- which network ---------------------------------------------------------------------------------


def measure_networks(outcomes: Outcomes, truth: Outcomes) -> dict[str, Errors]:
    """The model as it is and without each of its parts; trees; an agent's mean, all the same."""
    ways: dict[str, Callable[[], Callable[[Any], Floats]]] = {
        "as it is": lambda: _model(outcomes),
        "without bins": lambda: _model(outcomes, bins=1),
        "without residual layers": lambda: _model(outcomes, blocks=0),
        "twice as wide": lambda: _model(outcomes, width=256),
        "extremely random trees": lambda: _trees(outcomes),
        "an agent's mean": lambda: _means(outcomes),
    }
    return {name: _timed(learn, truth) for name, learn in ways.items()}


def _timed(learn: Callable[[], Callable[[Any], Floats]], truth: Outcomes) -> Errors:
    start = time.process_time()
    profile = learn()
    seconds = time.process_time() - start
    found = errors(profile(truth.features), truth)
    return Errors(found.rmse, found.excess, seconds)


def _model(outcomes: Outcomes, **settings: Any) -> Callable[[Any], Floats]:
    from taskspace.models.success.model import SuccessModel

    model = SuccessModel(random_state=0, **settings).fit(outcomes)
    return model.predict_proba


def _trees(outcomes: Outcomes) -> Callable[[Any], Floats]:
    from sklearn.ensemble import ExtraTreesRegressor

    trees = ExtraTreesRegressor(100, min_samples_leaf=5, random_state=0)
    trees.fit(outcomes.features, outcomes.rates.T)
    return lambda tasks: np.clip(trees.predict(tasks), 1e-3, 1 - 1e-3).T


def _means(outcomes: Outcomes) -> Callable[[Any], Floats]:
    means = outcomes.rates.mean(1, keepdims=True)
    return lambda tasks: np.repeat(means, len(tasks), axis=1)


# -- how to spend rollouts -------------------------------------------------------------------------


def measure_budgets(
    play: Callable[[int, int, int], Outcomes],
    truth: Outcomes,
    budgets: tuple[tuple[int, int], ...] = BUDGETS,
) -> dict[str, Errors]:
    """Many tasks with few rollouts each against few tasks with many; `play` as in `Subject`."""
    found = {}
    for seed, (tasks, rollouts) in enumerate(budgets, 100):
        outcomes = play(tasks, rollouts, seed)
        found[f"{tasks:,} x {rollouts}"] = _timed(lambda o=outcomes: _model(o), truth)  # type: ignore[misc]
    return found


# -- similarity ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SimilarityErrors:
    """Root mean square errors in bits over pairs of different tasks, at equal rollouts in all."""

    paired: float  # Algorithm 2
    rates: float  # the plug-in from success rates
    profiles: float | None  # of the success model; None: not measured


def measure_similarity(
    truth: Outcomes, outcomes: Outcomes, rollouts: tuple[int, ...] = ROLLOUTS
) -> dict[int, SimilarityErrors]:
    """By rollouts of an agent on each task of the truth.

    Results on those tasks are drawn with the rates of the truth. The model never sees the tasks: it
    learns from some of the `outcomes`, on tasks of its own, so many that rollouts in all are equal.
    """
    exact = SuccessStatistics.from_rates(truth.rates).matrix()
    off = ~np.eye(len(exact), dtype=np.bool_)

    def error(similarities: NDArray[Any]) -> float:
        return float(np.sqrt(((similarities - exact)[off] ** 2).mean()))

    found = {}
    for number in rollouts:
        paired, counts = _drawn(truth.rates, number)
        rates = SuccessStatistics.from_outcomes(Outcomes(counts, np.array(number))).matrix()
        tasks = truth.n_tasks * number // int(outcomes.rollouts[0, 0])
        learned = None
        if tasks <= outcomes.n_tasks:
            profiles = _model(_first(outcomes, tasks))(truth.features)
            learned = error(SuccessStatistics.from_rates(profiles).matrix())
        found[number] = SimilarityErrors(error(paired), error(rates), learned)
    return found


def _drawn(rates: Floats, rollouts: int) -> tuple[Floats, NDArray[np.int64]]:
    """Algorithm 2 on all pairs of tasks, and the counts, of rollouts with these success rates.

    An agent's r-th rollouts on two tasks go together.
    """
    rng, (agents, tasks) = np.random.default_rng(0), rates.shape
    both, counts = np.zeros((tasks, tasks)), np.zeros((agents, tasks), np.int64)
    for start in range(0, rollouts, _PAIRED_AT_ONCE):
        size = min(_PAIRED_AT_ONCE, rollouts - start)
        results = (rng.random((size, agents, tasks), np.float32) < rates).reshape(-1, tasks)
        single = results.astype(np.float32)
        both += single.T @ single
        counts += results.reshape(size, agents, tasks).sum(0)
    success = counts.sum(0) / (agents * rollouts)
    return mutual_information(both / (agents * rollouts), success[:, None], success), counts


def _first(outcomes: Outcomes, tasks: int) -> Outcomes:
    """The outcomes on the first tasks."""
    assert outcomes.features is not None
    return Outcomes(
        outcomes.successes[:, :tasks],
        outcomes.rollouts[:, :tasks],
        agents=outcomes.agents,
        features=outcomes.features[:tasks],
    )


def needed(found: dict[int, SimilarityErrors], error: float) -> str:
    """Rollouts with which Algorithm 2 errs as little, by interpolation on a logarithmic scale.

    >>> found = {10: SimilarityErrors(0.1, 0.1, None), 1000: SimilarityErrors(0.01, 0.01, None)}
    >>> needed(found, 0.0316), needed(found, 0.001)
    ('100', '> 1000')
    """
    paired = np.log([each.paired for each in found.values()])
    if np.log(error) < paired[-1]:
        return f"> {max(found)}"
    return f"{np.exp(np.interp(-np.log(error), -paired, np.log(list(found)))):.0f}"


# -- the report ------------------------------------------------------------------------------------

_ERRORS: dict[str, Callable[[Errors], str]] = {
    "RMSE": lambda found: f"{found.rmse:.4f}",
    "log loss": lambda found: f"{found.excess:.4f}",
    "seconds": lambda found: f"{found.seconds:.1f}",
}


def print_report(console: Console) -> None:
    """Networks, budgets, similarities."""
    console.print(
        "RMSE: error of success probabilities on fresh tasks; log loss: above that of the truth,"
        " in nats; seconds: of learning, on one core.\n"
    )
    for name in ("CartPoleVar", "MultiKeyNav"):
        subject = Subject.trained(name)
        truth = subject.play(TRUTH_TASKS, TRUTH_ROLLOUTS, 1)
        title = f"{name}: profiles from {NETWORK_TASKS:,} tasks x {NETWORK_ROLLOUTS} rollouts"
        outcomes = subject.play(NETWORK_TASKS, NETWORK_ROLLOUTS, 2)
        _print_rows(console, title, measure_networks(outcomes, truth), _ERRORS)
    title = "MultiKeyNav: tasks x rollouts of an agent, the same rollouts in all"
    _print_rows(console, title, measure_budgets(subject.play, truth), _ERRORS)
    print_similarities(
        console, measure_similarity(truth, subject.play(MOST_MODEL_TASKS, MODEL_ROLLOUTS, 3))
    )
    console.print(
        "Needed: rollouts with which Algorithm 2 errs as little, where all pairs of tasks share the"
        " rollouts on a task. Algorithm 2 as written plays every pair anew:"
        f" {TRUTH_TASKS - 1} times as many for all pairs of these {TRUTH_TASKS} tasks. What the"
        " model costs does not depend on how many tasks are compared."
    )


def print_similarities(console: Console, found: dict[int, SimilarityErrors]) -> None:
    """Errors by rollouts, and what the same error costs Algorithm 2."""
    columns: dict[str, Callable[[SimilarityErrors], str]] = {
        "Algorithm 2": lambda each: f"{each.paired:.4f}",
        "success rates": lambda each: f"{each.rates:.4f}",
        "needed": lambda each: needed(found, each.rates),
        "success model": lambda each: "-" if each.profiles is None else f"{each.profiles:.4f}",
        "needed ": lambda each: "-" if each.profiles is None else needed(found, each.profiles),
    }
    title = "Error of similarities in bits, by rollouts an agent and task"
    _print_rows(console, title, {str(number): each for number, each in found.items()}, columns)


def _print_rows(
    console: Console, title: str, found: Mapping[str, T], columns: Mapping[str, Callable[[T], str]]
) -> None:
    """A row for each thing measured."""
    rows = {name: lambda cell, each=each: cell(each) for name, each in found.items()}
    print_lines(console, title, rows, columns)
