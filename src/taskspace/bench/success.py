"""Accuracy of the success model by network and by budget of rollouts, and of its similarities.

Everything is measured on new tasks, against success rates of many rollouts.
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
BUDGETS = (
    (40_000, 2),
    (20_000, 4),
    (4_000, 20),
    (1_000, 80),
)  # the same number of rollouts in total
TRUTH_TASKS, TRUTH_ROLLOUTS = 500, 200
ROLLOUTS = (2, 10, 40, 160, 640, 1600)  # per agent and task; for the model as many in total
MODEL_ROLLOUTS = 2  # per task of the model
MOST_MODEL_TASKS = 40_000
_PAIRED_AT_ONCE = 40  # rollouts, to limit memory


@dataclass(frozen=True)
class Errors:
    """Errors of predicted probabilities on new tasks."""

    rmse: float  # in success probability
    excess: float  # log loss in nats per rollout, above that of the true rates
    seconds: float = 0.0  # of training on one core


def errors(profiles: Floats, truth: Outcomes) -> Errors:
    """Errors against the success rates of many rollouts, corrected for the noise of the rates.

    >>> truth = Outcomes(np.array([[0, 50, 100]]), np.array(100))
    >>> found = errors(np.array([[0.1, 0.5, 0.9]]), truth)
    >>> round(found.rmse, 2), round(found.excess, 2)
    (0.08, 0.07)
    """
    n, rates = truth.rollouts.astype(np.float64), truth.rates
    squares = (profiles - rates) ** 2 - rates * (1 - rates) / (n - 1)
    surprise = _surprise(rates, profiles) - _surprise(rates, rates)
    # The bias of the entropy of estimated rates (Miller and Madow).
    bias = np.where((rates > 0) & (rates < 1), 1 / (2 * n), 0.0)
    return Errors(float(np.sqrt(max(squares.mean(), 0.0))), float((surprise - bias).mean()))


def _surprise(rates: Floats, probabilities: Floats) -> Floats:
    p = np.clip(probabilities, 1e-6, 1 - 1e-6)
    return -(rates * np.log(p) + (1 - rates) * np.log1p(-p))


# -- which network ---------------------------------------------------------------------------------


def measure_networks(outcomes: Outcomes, truth: Outcomes) -> dict[str, Errors]:
    """The model, the model without some of its parts, trees, and the mean of each agent."""
    ways: dict[str, Callable[[], Callable[[Any], Floats]]] = {
        "default": lambda: _model(outcomes),
        "without bins": lambda: _model(outcomes, bins=1),
        "without residual layers": lambda: _model(outcomes, blocks=0),
        "twice as wide": lambda: _model(outcomes, width=256),
        "extremely random trees": lambda: _trees(outcomes),
        "mean of each agent": lambda: _means(outcomes),
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
    """Compare many tasks with few rollouts with few tasks with many; `play` as in `Subject`."""
    found = {}
    for seed, (tasks, rollouts) in enumerate(budgets, 100):
        outcomes = play(tasks, rollouts, seed)
        found[f"{tasks:,} x {rollouts}"] = _timed(lambda o=outcomes: _model(o), truth)  # type: ignore[misc]
    return found


# -- similarity ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SimilarityErrors:
    """Root mean square errors in bits over pairs of tasks, for equal total rollouts."""

    paired: float  # Algorithm 2
    rates: float  # the plug-in from success rates
    profiles: float | None  # of the success model; None: not measured


def measure_similarity(
    truth: Outcomes, outcomes: Outcomes, rollouts: tuple[int, ...] = ROLLOUTS
) -> dict[int, SimilarityErrors]:
    """Errors by number of rollouts per agent and task of `truth`.

    Results on these tasks are drawn with the success rates of `truth`. The model is trained on
    other tasks, those of `outcomes`, as many as give the same total number of rollouts.
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
    """Similarities by Algorithm 2 for all pairs, and counts, of rollouts with these success rates.

    The r-th rollouts of an agent on two tasks are a pair.
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
    """The rollouts that Algorithm 2 needs for this error, interpolated on a logarithmic scale.

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
    """Print tables of networks, budgets and similarities."""
    console.print(
        "RMSE: error of predicted probabilities on new tasks; log loss: in nats, above that of the"
        " true success rates; seconds: of training on one core.\n"
    )
    for name in ("CartPoleVar", "MultiKeyNav"):
        subject = Subject.trained(name)
        truth = subject.play(TRUTH_TASKS, TRUTH_ROLLOUTS, 1)
        title = f"{name}: models of {NETWORK_TASKS:,} tasks x {NETWORK_ROLLOUTS} rollouts"
        outcomes = subject.play(NETWORK_TASKS, NETWORK_ROLLOUTS, 2)
        _print_rows(console, title, measure_networks(outcomes, truth), _ERRORS)
    title = "MultiKeyNav: tasks x rollouts per agent, for equal total rollouts"
    _print_rows(console, title, measure_budgets(subject.play, truth), _ERRORS)
    print_similarities(
        console, measure_similarity(truth, subject.play(MOST_MODEL_TASKS, MODEL_ROLLOUTS, 3))
    )
    console.print(
        "Needed: the rollouts that Algorithm 2 needs for the same error, if all pairs of tasks"
        " share the rollouts of a task. The published Algorithm 2 uses new rollouts for every pair,"
        f" i.e. {TRUTH_TASKS - 1} times as many for these {TRUTH_TASKS} tasks. The cost of the"
        " model does not depend on the number of tasks that are compared."
    )


def print_similarities(console: Console, found: dict[int, SimilarityErrors]) -> None:
    """Print errors by number of rollouts, and the rollouts that Algorithm 2 needs."""
    columns: dict[str, Callable[[SimilarityErrors], str]] = {
        "Algorithm 2": lambda each: f"{each.paired:.4f}",
        "success rates": lambda each: f"{each.rates:.4f}",
        "needed": lambda each: needed(found, each.rates),
        "success model": lambda each: "-" if each.profiles is None else f"{each.profiles:.4f}",
        "needed ": lambda each: "-" if each.profiles is None else needed(found, each.profiles),
    }
    title = "Error of similarities in bits, by rollouts per agent and task"
    _print_rows(console, title, {str(number): each for number, each in found.items()}, columns)


def _print_rows(
    console: Console, title: str, found: Mapping[str, T], columns: Mapping[str, Callable[[T], str]]
) -> None:
    """Print a table with one row per entry of `found`."""
    rows = {name: lambda cell, each=each: cell(each) for name, each in found.items()}
    print_lines(console, title, rows, columns)
