"""A comparison of predictors that all know the same agents and answers.

The baselines of Figure 5 are oracles, which have seen the quizzed agents before. Here, none has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.applications.model_candidates import ModelCandidates, Profiler
from taskspace.applications.soft_neighbours import soft_vote, squared_distances
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.envs.base import Environment, Tasks
from taskspace.models.success.factors import Floats
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.figure5 import fresh_tasks
from taskspace.paper.harness.predictor_comparison import (
    Predictor,
    PredictorScore,
    calibration_error,
    compare_predictors,
    mean_curve,
    mean_reliability,
)
from taskspace.paper.harness.quiz_prediction import MULTIPLES, draw_datasets, tune_beta
from taskspace.paper.new_agents import new_population
from taskspace.paper.study import Study, mean_and_spread
from taskspace.report import plots
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import ordinal_plan
from taskspace.training.recipes import NEW_AGENTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KNOWN, STRANGERS, NEW = "known subpopulation", "unknown subpopulation", "new agents"
MODEL = "success model"
METHODS = ("quiz mean", "item mean", "map, soft vote", MODEL)
QUIZ_SIZES = (1, 5, 20)
DRAWN = 5  # the quiz size of the figure
TASKS, ROLLOUTS = 1000, 10  # for quizzes and predictions
NOTE = (
    "Without oracles, no method has seen the quizzed agent. Known subpopulation: each agent of the"
    " population is left out in turn. Unknown subpopulation: the whole subpopulation of the agent"
    " is left out; the map is learned without it, and its agents are not candidates of the success"
    " model (whose network was trained on them, too). New agents: those of the paper's appendix."
    " The quiz mean is the success rate of the agent on the quiz, the item mean the success rate of"
    " the known agents on the task. The sharpness of the soft vote is tuned on the known agents."
    " Accuracy: fraction of attempts whose more probable outcome occurs. Brier score: mean squared"
    " difference between predicted probability and result. ECE: expected calibration error with"
    " ten bins."
)

Row = Mapping[str, Any]
Runs = Sequence[Sequence[Row]]  # the rows of each seed


@dataclass(frozen=True)
class Knowledge:
    """The data that predictors may use: known agents, and a model and a map of them."""

    outcomes: Outcomes  # of the known agents on the tasks of the quizzes
    model: Profiler
    candidates: ModelCandidates
    vectors: Floats  # (tasks, dimensions)


@dataclass(frozen=True)
class Others:
    """A success model without some of its agents."""

    model: Profiler
    included: NDArray[np.bool_]  # (agents,)

    @property
    def sample_(self) -> NDArray[Any]:
        """Tasks that the model was trained on."""
        return self.model.sample_

    def predict_proba(self, tasks: Any, /) -> Floats:
        """Success probabilities of the included agents."""
        return self.model.predict_proba(tasks)[self.included]


def _knowledge(outcomes: Outcomes, model: Profiler, vectors: Floats, seed: int) -> Knowledge:
    candidates = ModelCandidates.fit(model.predict_proba(model.sample_), seed)
    return Knowledge(outcomes, model, candidates, vectors)


def run(study: Study, made: Run, model: SuccessModel, seed: int) -> list[dict[str, Any]]:
    """One row per set of agents, method and quiz size."""

    def make() -> list[dict[str, Any]]:
        tasks = fresh_tasks(made.environment, TASKS // 10 if study.fast else TASKS, seed + 8000)
        played = _play(made.population, made.environment, tasks, seed)
        known = _knowledge(played, model, made.embedder.transform(tasks), seed)
        found = {
            KNOWN: _leave_one_out(known, seed),
            STRANGERS: _leave_subpopulation_out(study, made, known, seed),
        }
        if made.environment.name in NEW_AGENTS:
            new = new_population(study, made, seed)
            found[NEW] = _new_agents(known, _play(new, made.environment, tasks, seed), seed)
        return [{"who": who, **row} for who, agents in found.items() for row in _rows(agents)]

    return study.saved_rows(
        f"{made.environment.name.lower()}-{seed}-predictors", {"seed": seed}, make
    )


def accuracies(runs: Runs) -> list[dict[str, Any]]:
    """Prediction accuracy: one row per set of agents and method, one column per quiz size."""
    return _table(runs, {f"quiz {size}": (size, _accuracy) for size in QUIZ_SIZES})


def brier_scores(runs: Runs) -> list[dict[str, Any]]:
    """The same for Brier scores, and the expected calibration error."""
    scores = {f"quiz {size}": (size, _brier) for size in QUIZ_SIZES}
    return _table(runs, {**scores, f"ECE, quiz {DRAWN}": (DRAWN, _ece)})


def _accuracy(row: Row) -> float:
    return float(row["accuracy"])


def _brier(row: Row) -> float:
    return float(row["brier"])


def _ece(row: Row) -> float:
    return calibration_error(row["reliability"])


def _table(
    runs: Runs, columns: Mapping[str, tuple[int, Callable[[Row], float]]]
) -> list[dict[str, Any]]:
    seeds = [{(row["who"], row["method"], row["quiz"]): row for row in run} for run in runs]
    rows = []
    for who, method in dict.fromkeys(key[:2] for key in seeds[0]):
        row: dict[str, Any] = {"agents": who, "method": method}
        for heading, (size, score) in columns.items():
            values = [score(found[who, method, size]) for found in seeds]
            row |= mean_and_spread(heading, values)
        rows.append(row)
    return rows


def curves(runs: Runs) -> dict[str, Floats]:
    """The reliability (3, bins) of the success model per set of agents, over all runs."""
    found: dict[str, list[Any]] = {}
    for row in (row for run in runs for row in run):
        if (row["method"], row["quiz"]) == (MODEL, DRAWN):
            found.setdefault(row["who"], []).append(row["reliability"])
    return {who: mean_curve(same) for who, same in found.items()}


def figure(curves: Mapping[str, Mapping[str, Floats]]) -> Figure:
    """Draw reliability curves, one panel per environment."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(3.8 * len(curves), 4.2), layout="constrained")
    axes = np.atleast_1d(drawn.subplots(1, len(curves), sharey=True))
    for ax, (environment, found) in zip(axes, curves.items(), strict=True):
        plots.plot_reliability(found, title=environment, ax=ax)
    return drawn


def _play(population: Population, env: Environment, tasks: Tasks, seed: int) -> Outcomes:
    return evaluate(population, env, tasks, ROLLOUTS, seed=seed + 8000)


def _leave_one_out(known: Knowledge, seed: int) -> list[list[PredictorScore]]:
    """Quiz every known agent as if it were new."""
    probabilities, rates = known.model.predict_proba(known.outcomes.features), known.outcomes.rates
    betas, found = _betas(known, seed), []
    for agent in range(len(rates)):
        rest = np.arange(len(rates)) != agent
        methods = _methods(known, probabilities[rest], rates[rest], betas)
        found.append(_scores(methods, known.outcomes, agent, seed))
    return found


def _leave_subpopulation_out(
    study: Study, made: Run, known: Knowledge, seed: int
) -> list[list[PredictorScore]]:
    """Quiz the agents of each subpopulation without knowledge of that subpopulation."""
    names = np.array([agent.subpopulation for agent in made.population.agents])
    played, found = known.outcomes, []
    for name in made.population.subpopulations[: 2 if study.fast else None]:
        kept = names != name
        learned_from = made.outcomes.of_agents(made.outcomes.agents[kept])
        embedder = ordinal_plan(made.name, study.preset).learn(learned_from, seed)
        others = _knowledge(
            played.of_agents(played.agents[kept]),
            Others(known.model, kept),
            embedder.transform(played.features),
            seed,
        )
        found += _new_agents(others, played.of_agents(played.agents[~kept]), seed)
    return found


def _new_agents(known: Knowledge, new: Outcomes, seed: int) -> list[list[PredictorScore]]:
    """Quiz agents of an unknown subpopulation."""
    probabilities = known.model.predict_proba(known.outcomes.features)
    methods = _methods(known, probabilities, known.outcomes.rates, _betas(known, seed))
    return [_scores(methods, new, agent, seed) for agent in range(new.n_agents)]


def _rows(agents: Sequence[Sequence[PredictorScore]]) -> list[dict[str, Any]]:
    """Means over agents with equal weights."""
    return [
        {
            "method": scores[0].method,
            "quiz": scores[0].quiz_size,
            "accuracy": float(np.mean([score.accuracy for score in scores])),
            "brier": float(np.mean([score.brier for score in scores])),
            "reliability": mean_reliability(scores).tolist(),
        }
        for scores in zip(*agents, strict=True)
    ]


def _scores(
    methods: Mapping[str, Predictor], outcomes: Outcomes, agent: int, seed: int
) -> list[PredictorScore]:
    alone = outcomes.of_agents(outcomes.agents[[agent]])
    return compare_predictors(methods, alone, quiz_sizes=QUIZ_SIZES, seed=1000 * seed + agent)


def _betas(known: Knowledge, seed: int) -> dict[int, float]:
    """The sharpness of the soft vote by quiz size, tuned on the known agents."""
    rng = np.random.default_rng(seed)
    shape = known.outcomes.n_agents, known.outcomes.n_tasks
    solved = rng.random(shape) < known.outcomes.rates
    return {
        size: tune_beta(known.vectors, solved, draw_datasets(*shape, size, rng)[0], MULTIPLES)[0]
        for size in QUIZ_SIZES
    }


def _methods(
    known: Knowledge, probabilities: Floats, rates: Floats, betas: Mapping[int, float]
) -> dict[str, Predictor]:
    """Predictors from the probabilities and the success rates of the known agents."""
    posterior, means, vectors = (
        known.candidates.posterior(probabilities),
        rates.mean(0),
        known.vectors,
    )

    def vote(quiz: NDArray[np.int64], results: Floats, tasks: NDArray[np.int64]) -> Floats:
        return soft_vote(
            squared_distances(vectors[tasks], vectors[quiz]), results, betas[len(quiz)]
        )

    predictors: tuple[Predictor, ...] = (
        lambda quiz, results, tasks: np.full(len(tasks), results.mean()),
        lambda quiz, results, tasks: means[tasks],
        vote,
        lambda quiz, results, tasks: posterior.predict_proba(
            TaskMixture.known(quiz), results, TaskMixture.known(tasks)
        ),
    )
    return dict(zip(METHODS, predictors, strict=True))
