"""From Karel tasks to their map: the stages of `taskspace run karel`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace import checks, summary
from taskspace.embedding.karel_embedder import KarelEmbedder, encode
from taskspace.envs.base import Environment
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.environment import Karel
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.grids import to_grids
from taskspace.files import read_arrays, read_json, write_arrays, write_json
from taskspace.outcomes import Outcomes
from taskspace.pipeline import MOST_SHOWN, Map
from taskspace.population.population import Population
from taskspace.report import write_report
from taskspace.runs import Run
from taskspace.synthesis.network import Encoder, Size
from taskspace.synthesis.playing import SynthesisPolicy, play
from taskspace.synthesis.recipes import train_synthesizers

PARTS = ("training", "validation")


@dataclass(frozen=True)
class Plan:
    """How the map is made."""

    schooling: str  # and the name of the plan
    tasks: int | None  # generated; None: as many as the paper's
    side: int  # of the largest world
    width: int  # of the beam; 1: the most likely token each time
    played: int  # training tasks that the map is learned from
    steps: int  # of the embedder
    shown: int  # tasks for each silhouette


PLANS = {
    "fast": Plan("fast", tasks=1000, side=6, width=1, played=300, steps=300, shown=150),
    "small": Plan("small", tasks=10_000, side=8, width=1, played=4000, steps=6000, shown=1000),
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
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Train synthesizers, have them write programs, learn the map and report on it.

    `data` is a folder that `taskspace karel filter` or `generate` made; without it tasks are
    generated. All else is as in `taskspace.pipeline.run`.
    """
    plan, seed = plan_for(preset), checks.seed(seed)
    target = Path(folder) if folder is not None else Path("runs") / "karel"
    settings = _settings(plan, seed, data)
    with Run(target, settings, say=say) as stages:
        made = _learn(stages, plan, seed, data)
        numbers = stages.stage(
            "numbers", lambda: _measure(made, seed), write_json, read_json,
            file="results.json",
        )  # fmt: skip
        view = stages.stage(
            "view", lambda: summary.project(made.embedder, _shown(made, seed)),
            write_arrays, read_arrays, file="view.npz",
        )  # fmt: skip
        things = summary.Things(
            made.env, made.population, made.outcomes, made.embedder, numbers, view
        )
        stages.stage("pictures", lambda: things, summary.save_figures, _as_path, file="figures")
        stages.stage(
            "report",
            lambda: things,
            lambda given, path: write_report(
                path, title="A map of Karel", sections=summary.sections(given, settings)
            ),
            _as_path,
            file="report.html",
        )
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
    with Run(folder, _settings(plan, seed, data), say=say) as stages:
        return _learn(stages, plan, seed, data)


def _settings(plan: Plan, seed: int, data: str | os.PathLike[str] | None) -> dict[str, Any]:
    if data is not None:
        _check_kinds(_load_tasks(Path(data)), data)  # before there is a folder
    source = None if data is None else str(Path(data).resolve())
    return {"environment": "Karel", "seed": seed, "data": source, **asdict(plan)}


def _learn(stages: Run, plan: Plan, seed: int, data: str | os.PathLike[str] | None) -> Map:
    tasks = stages.stage(
        "tasks", lambda: _tasks(plan, seed, data), _save_tasks, _load_tasks, file="tasks"
    )
    population = stages.stage(
        "population",
        lambda: train_synthesizers(
            tasks["training"], tasks["validation"], schooling=plan.schooling, seed=seed
        ),
        Population.save,
        Population.load,
        file="population.zip",
    )
    env = Karel(tasks["training"], tasks["validation"])
    outcomes = stages.stage(
        "outcomes",
        lambda: play(_with_beam(population, plan.width), tasks["training"][: plan.played]),
        Outcomes.save,
        Outcomes.load,
        file="outcomes.npz",
    )
    embedder = stages.stage(
        "map",
        lambda: new_embedder(population, plan, seed).fit(outcomes, encoder=best(population)),
        KarelEmbedder.save,
        KarelEmbedder.load,
        file="embedder",
    )
    return Map(env, population, outcomes, embedder, plan.shown, "validation")


def _tasks(plan: Plan, seed: int, data: str | os.PathLike[str] | None) -> Mapping[str, KarelTasks]:
    if data is not None:
        return _load_tasks(Path(data))
    return generate_tasks(plan.tasks, seed, plan.side)[0]


def _check_kinds(tasks: Mapping[str, KarelTasks], data: str | os.PathLike[str]) -> None:
    """Each part must have some tasks of each kind."""
    for part, found in tasks.items():
        missing = set(Karel.cluster_names) - set(found.kinds.tolist())
        if missing:
            raise ValueError(
                f"the {part} tasks of {data} have none with {' or '.join(sorted(missing))} programs"
            )


def _save_tasks(tasks: Mapping[str, KarelTasks], folder: Path) -> None:
    folder.mkdir()
    for part in PARTS:
        tasks[part].save(folder / f"{part}.npz")


def _load_tasks(folder: Path) -> Mapping[str, KarelTasks]:
    return {part: KarelTasks.load(folder / f"{part}.npz") for part in PARTS}


def _with_beam(population: Population, width: int) -> dict[str, SynthesisPolicy]:
    return {name: replace(policy, width=width) for name, policy in population.items()}


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


# -- numbers ---------------------------------------------------------------------------------------


def _measure(made: Map, seed: int) -> dict[str, Any]:
    """The usual numbers, and what else there is here.

    The silhouette is that of tasks that no agent has learned from, orders are those of played ones.
    """
    scores = {part: separation(made, made.embedder.transform, part, seed) for part in PARTS}
    agents, outcomes, embedder = made.population, made.outcomes, made.embedder
    return {
        **summary.numbers_of(made.env, agents, outcomes, embedder, scores["validation"], None),
        "silhouettes_training": scores["training"],
        "skill_by_kind": skill_by_kind(made),
    }


def separation(
    made: Map,
    transform: Callable[[NDArray[np.uint8]], NDArray[np.float64]],
    part: str,
    seed: int,
) -> list[float]:
    """Silhouettes of the kinds of programs, by vectors that `transform` gives to tasks."""
    from sklearn.metrics import silhouette_score

    scores = []
    for index in range(summary.SILHOUETTE_SEEDS):
        tasks = sample_part(made.env, made.shown, seed + 1000 + index, part)
        scores.append(float(silhouette_score(transform(tasks), made.env.clusters(tasks))))
    return scores


def sample_part(env: Environment, count: int, seed: int, part: str) -> Any:
    """Tasks of the training or of the validation set, as many as there are at most."""
    assert isinstance(env, Karel)
    distribution = "validation" if part == "validation" else "all"
    few = min(count, len(getattr(env, part)))
    return env.sample_tasks(few, seed=seed, distribution=distribution)


def state_pca(tasks: NDArray[np.uint8], size: Size) -> NDArray[np.float64]:
    """The two main directions of what the network sees: a map without any learning."""
    from sklearn.decomposition import PCA

    grids = to_grids(KarelTasks.from_rows(tasks), size.side, radius=size.radius)
    found: NDArray[np.float64] = PCA(2, random_state=0).fit_transform(grids.reshape(len(grids), -1))
    return found


def coded_pca(tasks: NDArray[np.uint8], encoder: Encoder) -> NDArray[np.float64]:
    """The two main directions of an agent's codes: what its encoder knows, without the map."""
    from sklearn.decomposition import PCA

    with torch.no_grad():
        codes = encode(encoder, torch.from_numpy(tasks)).numpy()
    found: NDArray[np.float64] = PCA(2, random_state=0).fit_transform(codes)
    return found


def skill_by_kind(made: Map) -> dict[str, dict[str, float]]:
    """Success of each subpopulation's last agent on new tasks, by the kind of program wanted."""
    tasks = sample_part(made.env, made.shown, 3, "validation")
    clusters, packed = made.env.clusters(tasks), KarelTasks.from_rows(tasks)
    rows = {}
    for name in made.population.subpopulations:
        solved = made.population.select(name).agents[-1].policy.solves(packed)
        rows[name] = {
            kind: float(solved[clusters == number].mean())
            for number, kind in enumerate(made.env.cluster_names)
        }
    return rows


def _shown(made: Map, seed: int) -> Any:
    return sample_part(made.env, min(MOST_SHOWN, made.shown), seed + 2, "validation")


def _as_path(path: Path) -> Any:
    return path
