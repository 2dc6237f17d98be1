"""From agents to a map in one call: every stage in a run folder, and a report at the end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from taskspace import checks, summary
from taskspace.embedding.estimator import TaskEmbedder
from taskspace.envs.base import Environment, Tasks
from taskspace.envs.registry import make
from taskspace.files import read_arrays, read_json, write_arrays, write_json
from taskspace.outcomes import Outcomes
from taskspace.population.population import Population
from taskspace.report import write_report
from taskspace.rollout.cluster import connected, on_ray
from taskspace.rollout.evaluate import evaluate
from taskspace.runs import Run
from taskspace.training.recipes import train_population


@dataclass(frozen=True)
class Plan:
    """How a map is made: the population, the pool of tasks, the network."""

    n_components: int
    hidden: tuple[int, ...] = (32, 32)
    norm_weight: float = 0.4
    fast: bool = False  # a population trained for a fraction of the time
    tasks: int = 5000
    rollouts: int = 20
    steps: int = 6000
    learning_rate: float = 3e-3
    n_constraints: int | None = None  # as the paper's; None: fresh ones for every step
    shown: int = 1000  # tasks for each silhouette


@dataclass(frozen=True)
class Map:
    """A learned map and all that it was learned from."""

    env: Any  # an Environment, or another TaskSpace
    population: Any  # a Population; None where there is only a table of results
    outcomes: Outcomes
    embedder: TaskEmbedder
    shown: int  # tasks for each silhouette
    fresh: str = "all"  # the distribution of tasks that the map is shown on


# The paper's dimensions with C_NORM; the variants are one key pair and one key simpler.
PLANS = {
    "MultiKeyNav": Plan(6),
    "MultiKeyNavAB": Plan(4),
    "MultiKeyNavA": Plan(3),
    "CartPoleVar": Plan(3),
    "PointMass": Plan(3),
    "BasicKarel": Plan(1, hidden=(64, 32), tasks=20_000, rollouts=10, shown=5000),
}
MOST_SHOWN = 1000
PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"fast": True, "tasks": 500, "rollouts": 10, "steps": 750, "shown": 300},
    "default": {},
    "paper": {"rollouts": 100, "steps": 12_000, "learning_rate": 1e-3, "n_constraints": 5000},
}


def plan_for(env: Environment, preset: str = "default") -> Plan:
    """The settings for an environment."""
    if preset not in PRESETS:
        raise ValueError(f"there is no preset {preset!r}; there are: {', '.join(PRESETS)}")
    if env.name not in PLANS:
        raise ValueError(f"{env.name} has a pipeline of its own: taskspace.karel_pipeline")
    return replace(PLANS[env.name], **PRESETS[preset])


def run(
    environment: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    preset: str = "default",
    seed: int = 0,
    executor: str | None = None,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Train a population, play it, learn the map and report on it; returns the numbers.

    Everything lands in `folder` (`runs/<environment>` by default). A run that was stopped goes on
    where it was; a folder of a run with other settings is refused. With `executor="ray"` agents
    train and play on a Ray cluster; that changes no result, and so is no setting of the run.
    """
    remote = on_ray(executor)
    env = make(environment)
    plan, seed = plan_for(env, preset), checks.seed(seed)
    target = Path(folder) if folder is not None else Path("runs") / env.name.lower()
    settings = _settings(env, plan, preset, seed)
    with (
        connected() if remote else contextlib.nullcontext(),
        Run(target, settings, say=say) as stages,
    ):
        made = _learn(stages, env, plan, seed, executor)
        population, outcomes, embedder = made.population, made.outcomes, made.embedder
        again = second_map(stages, lambda: new_embedder(plan, seed + 1).fit(outcomes))
        numbers = finish(
            stages, made, again, _shown(env, plan, seed), settings,
            lambda: summary.measure(env, population, outcomes, embedder, plan.shown, seed),
        )  # fmt: skip
    return {**numbers, "folder": str(target), "report": str(target / "report.html")}


def learn_map(
    environment: str,
    folder: str | os.PathLike[str],
    *,
    preset: str = "default",
    seed: int = 0,
    say: Callable[[str], None] | None = None,
) -> Map:
    """The stages of `run` up to the map itself; `run` goes on from there."""
    env = make(environment)
    plan, seed = plan_for(env, preset), checks.seed(seed)
    with Run(folder, _settings(env, plan, preset, seed), say=say) as stages:
        return _learn(stages, env, plan, seed)


def second_map(
    stages: Run, learn: Callable[[], TaskEmbedder], kind: type[TaskEmbedder] = TaskEmbedder
) -> TaskEmbedder:
    """The map learned once more, with another seed, to see whether it tells the same story."""
    return stages.stage("again", learn, kind.save, kind.load, file="embedder-again")


def finish(
    stages: Run,
    made: Map,
    again: TaskEmbedder,
    shown: Any,
    settings: Mapping[str, Any],
    measure: Callable[[], dict[str, Any]],
) -> dict[str, Any]:
    """The last stages of any run: the orders, what `measure` finds and how far the map `again`
    agrees; then views of the tasks `shown`, figures and the report. Returns the numbers.
    """
    stages.stage(
        "orders",
        lambda: summary.count_constraints(made.outcomes, settings["seed"]),
        write_json,
        read_json,
        file="constraints.json",
    )
    numbers = stages.stage(
        "numbers",
        lambda: {**measure(), **summary.compare(made.embedder, again, made.outcomes)},
        write_json,
        read_json,
        file="results.json",
    )
    view = stages.stage(
        "view",
        lambda: summary.project(made.embedder, shown),
        write_arrays,
        read_arrays,
        file="view.npz",
    )
    things = summary.Things(made.env, made.population, made.outcomes, made.embedder, numbers, view)
    stages.stage("pictures", lambda: things, summary.save_figures, _as_path, file="figures")
    stages.stage(
        "report",
        lambda: things,
        lambda given, path: write_report(
            path, title=f"A map of {made.env.name}", sections=summary.sections(given, settings)
        ),
        _as_path,
        file="report.html",
    )
    return dict(numbers)


def _settings(env: Environment, plan: Plan, preset: str, seed: int) -> dict[str, Any]:
    return {"environment": env.name, "preset": preset, "seed": seed, **asdict(plan)}


def _learn(
    stages: Run, env: Environment, plan: Plan, seed: int, executor: str | None = None
) -> Map:
    population = stages.stage(
        "population",
        lambda: train_population(env, seed=seed, fast=plan.fast, executor=executor),
        Population.save,
        Population.load,
        file="population.zip",
    )
    outcomes = stages.stage(
        "outcomes",
        lambda: play_pool(env, population, plan, seed, executor),
        Outcomes.save,
        Outcomes.load,
        file="outcomes.npz",
    )
    embedder = stages.stage(
        "map",
        lambda: new_embedder(plan, seed).fit(outcomes),
        TaskEmbedder.save,
        TaskEmbedder.load,
        file="embedder",
    )
    return Map(env, population, outcomes, embedder, plan.shown)


def play_pool(
    env: Environment, population: Population, plan: Plan, seed: int, executor: str | None = None
) -> Outcomes:
    """How the population does on the tasks that the map is learned from."""
    tasks = env.sample_tasks(plan.tasks, seed=seed + 1)
    return evaluate(population, env, tasks, plan.rollouts, seed=seed, executor=executor)


def _shown(env: Environment, plan: Plan, seed: int) -> Tasks:
    """The tasks on the picture of the map: fresh ones, not too many to look at."""
    return env.sample_tasks(min(plan.shown, MOST_SHOWN), seed=seed + 2)


def new_embedder(plan: Plan, seed: int) -> TaskEmbedder:
    """The embedder of a plan, before it has learned anything."""
    return TaskEmbedder(
        plan.n_components,
        norm_weight=plan.norm_weight,
        hidden=plan.hidden,
        steps=plan.steps,
        learning_rate=plan.learning_rate,
        n_constraints=plan.n_constraints,
        random_state=seed,
    )


def _as_path(path: Path) -> Any:
    return path
