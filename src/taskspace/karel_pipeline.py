"""From Karel tasks to their map: the stages of `taskspace run karel`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from taskspace import checks, karel_summary
from taskspace.embedding.karel_embedder import KarelEmbedder
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.environment import Karel
from taskspace.envs.karel.generate import generate_tasks
from taskspace.karel_summary import PARTS
from taskspace.outcomes import Outcomes
from taskspace.pipeline import Map, finish, second_map
from taskspace.population.population import Population
from taskspace.rollout.cluster import connected, on_ray
from taskspace.runs import Run
from taskspace.synthesis.playing import play
from taskspace.synthesis.recipes import train_synthesizers, training_settings


@dataclass(frozen=True)
class Plan:
    """How the map is made."""

    preset: str  # its name, and that of the training settings
    tasks: int | None  # generated; None: as many as the paper's
    side: int  # of the largest world
    width: int  # of the beam; 1: the most likely token each time
    played: int  # training tasks that the map is learned from
    steps: int  # of the embedder
    shown: int  # tasks for each silhouette


PLANS = {
    "fast": Plan("fast", tasks=1000, side=6, width=1, played=300, steps=300, shown=150),
    "small": Plan("small", tasks=10_000, side=8, width=10, played=1500, steps=6000, shown=1000),
    "paper": Plan("paper", tasks=None, side=16, width=10, played=58_737, steps=6000, shown=5000),
}


def plan_for(preset: str) -> Plan:
    """The settings of a preset; what is the default elsewhere is "small" here."""
    if preset == "default":
        return PLANS["small"]
    if preset not in PLANS:
        raise ValueError(f"Karel has no preset {preset!r}; there are: {', '.join(PLANS)}")
    return PLANS[preset]


def run_karel(
    folder: str | os.PathLike[str] | None = None,
    *,
    preset: str = "small",
    seed: int = 0,
    data: str | os.PathLike[str] | None = None,
    executor: str | None = None,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Train synthesizers, have them write programs, learn the map and report on it.

    `data` is a folder that `taskspace karel filter` or `generate` made; without it tasks are
    generated. All else is as in `taskspace.pipeline.run`.
    """
    remote = on_ray(executor)
    plan, seed = plan_for(preset), checks.seed(seed)
    target = Path(folder) if folder is not None else Path("runs") / "karel"
    given = _given(data)  # before there is a folder
    settings = _settings(plan, seed, data)
    with (
        connected() if remote else contextlib.nullcontext(),
        Run(target, settings, say=say) as stages,
    ):
        made = _learn(stages, plan, seed, given, executor)
        again = second_map(
            stages, lambda: _new_map(made.population, made.outcomes, plan, seed + 1), KarelEmbedder
        )
        numbers = finish(
            stages, made, again, karel_summary.shown_tasks(made, seed), settings,
            lambda: karel_summary.measure(made, seed),
        )  # fmt: skip
    return {**numbers, "folder": str(target), "report": str(target / "report.html")}


def learn_karel_map(
    folder: str | os.PathLike[str],
    *,
    preset: str = "small",
    seed: int = 0,
    data: str | os.PathLike[str] | None = None,
    say: Callable[[str], None] | None = None,
) -> Map:
    """The stages of `run_karel` up to the map itself."""
    plan, seed = plan_for(preset), checks.seed(seed)
    given = _given(data)
    with Run(folder, _settings(plan, seed, data), say=say) as stages:
        return _learn(stages, plan, seed, given)


def _settings(plan: Plan, seed: int, data: str | os.PathLike[str] | None) -> dict[str, Any]:
    source = None if data is None else str(Path(data).resolve())
    training = asdict(training_settings(plan.preset))
    return {
        "environment": "Karel", "seed": seed, "data": source, **asdict(plan), "training": training,
    }  # fmt: skip


def _learn(
    stages: Run,
    plan: Plan,
    seed: int,
    given: Mapping[str, KarelTasks] | None,
    executor: str | None = None,
) -> Map:
    tasks = stages.stage(
        "tasks",
        lambda: generate_tasks(plan.tasks, seed, plan.side)[0] if given is None else given,
        _save_tasks,
        _load_tasks,
        file="tasks",
    )
    population = stages.stage(
        "population",
        lambda: train_synthesizers(
            tasks["training"],
            tasks["validation"],
            settings=plan.preset,
            seed=seed,
            executor=executor,
        ),
        Population.save,
        Population.load,
        file="population.zip",
    )
    population = _with_beam(population, plan.width)
    env = Karel(tasks["training"], tasks["validation"])
    outcomes = stages.stage(
        "outcomes",
        lambda: play(population, tasks["training"][: plan.played], executor=executor),
        Outcomes.save,
        Outcomes.load,
        file="outcomes.npz",
    )
    embedder = stages.stage(
        "map",
        lambda: _new_map(population, outcomes, plan, seed),
        KarelEmbedder.save,
        KarelEmbedder.load,
        file="embedder",
    )
    return Map(env, population, outcomes, embedder, plan.shown, "validation")


def _given(data: str | os.PathLike[str] | None) -> Mapping[str, KarelTasks] | None:
    """The user's own tasks; each part must have some of each kind."""
    if data is None:
        return None
    tasks = _load_tasks(Path(data))
    for part, found in tasks.items():
        missing = set(Karel.cluster_names) - set(found.kinds.tolist())
        if missing:
            raise ValueError(
                f"the {part} tasks of {data} have none with {' or '.join(sorted(missing))} programs"
            )
    return tasks


def _save_tasks(tasks: Mapping[str, KarelTasks], folder: Path) -> None:
    folder.mkdir()
    for part in PARTS:
        tasks[part].save(folder / f"{part}.npz")


def _load_tasks(folder: Path) -> Mapping[str, KarelTasks]:
    return {part: KarelTasks.load(folder / f"{part}.npz") for part in PARTS}


def _with_beam(population: Population, width: int) -> Population:
    """The same networks, writing with a beam of this width."""
    agents = [
        replace(agent, policy=replace(agent.policy, width=width)) for agent in population.agents
    ]
    return Population(agents, population.environment)


def _new_map(population: Population, outcomes: Outcomes, plan: Plan, seed: int) -> KarelEmbedder:
    return new_embedder(population, plan, seed).fit(outcomes, encoder=best(population))


def best(population: Population) -> Any:
    """The encoder of the most skilled agent, which the map's network starts from."""
    agent = max(population.agents, key=lambda agent: agent.skill)
    return agent.policy.network.encoder


def new_embedder(population: Population, plan: Plan, seed: int) -> KarelEmbedder:
    """The embedder before it has learned anything; its encoder is as large as the agents'."""
    size = best(population).size
    return KarelEmbedder(
        2, side=size.side, radius=size.radius, channels=size.channels, blocks=size.blocks,
        code=size.code, freeze=True, steps=plan.steps, batch_size=128, random_state=seed,
    )  # fmt: skip
