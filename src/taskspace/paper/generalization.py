"""Appendix "Generalization" and Figure 3d: the map of Karel on unseen tasks."""

from __future__ import annotations

import functools
import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.karel.network import Encoder, Size
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.grids import to_grids
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.embedding.verdict import WeakMapWarning
from taskspace.models.success.karel_encoder import encode
from taskspace.paper.drawing import Panel, draw_panels
from taskspace.paper.study import KAREL, Result, Study, Table, mean_and_spread
from taskspace.runs.measures import sample_at_most, silhouettes
from taskspace.runs.run import Run
from taskspace.runs.sources.base import MOST_SHOWN
from taskspace.runs.sources.karel import (
    DIMENSIONS,
    ORDINAL_DIMENSIONS,
    best_encoder,
    information_map,
    karel_settings,
    new_embedder,
    skill_by_program_type,
)

OURS, INFORMATION = "ours", f"information map, {DIMENSIONS} dimensions"
RANDOM, PLAIN = "RandomModel", "PCA of the state"
CODES = "PCA of the encoder's output"
DISTRIBUTIONS = {"training": "all", "validation": "validation"}


def reproduce(study: Study) -> Result:
    """Silhouettes of the types of programs on training and validation tasks, and maps of both."""
    if study.environments is not None:
        study.chosen([KAREL])  # raises if other environments were requested
    made = study.map_of(KAREL)
    models = [_models(study, made, seed) for seed in range(study.seeds)]
    rows = [
        _row(made, [run[name] for run in models], name)
        for name in (OURS, INFORMATION, RANDOM, PLAIN, CODES)
    ]
    skills = skill_by_program_type(made.environment, made.population, made.settings["shown"])
    panels = [_panel(made, part) for part in DISTRIBUTIONS]
    return Result(
        "generalization",
        "Karel: Figure 3d, and generalization to new tasks",
        tables=[
            Table(
                "generalization",
                f"Silhouette of program types, {study.over_seeds('the embedder')}", rows,
            ),
            Table(
                "generalization-outcomes",
                "Silhouette of program types in the outcomes of the played tasks themselves",
                _outcomes(made),
                note="The information map of the success rates, without a network that reads tasks:"
                " what these agents say about the types of programs.",
            ),
            Table(
                "generalization-skills",
                "Success rate of the last agents on validation tasks, by type of program",
                [{"subpopulation": name, **row} for name, row in skills.items()],
            ),
            Table(
                "generalization-agents", "Population", _agents(made),
                note="skill: success rate of the best agent on the tasks of skill measurements,"
                " without beam search.",
            ),
        ],
        pictures={
            study.draw("generalization", draw_panels(panels)): "Map of Karel: training tasks,"
            " and validation tasks that no agent was trained on."
        },
    )  # fmt: skip


def _models(study: Study, made: Run, seed: int) -> dict[str, Any]:
    """The models to compare: the paper's map with this seed, the information map, and baselines."""
    fresh = new_embedder(made.population, karel_settings(study.preset), seed)
    start = best_encoder(made.population)
    embedder = made.embedder if seed == 0 else study.saved(
        f"karel-0-map-{seed}",
        {"environment": KAREL, "seed": seed},
        lambda: fresh.fit(made.outcomes, encoder=start),
        KarelEmbedder.save,
        KarelEmbedder.load,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakMapWarning)  # as it should be
        untrained = fresh.set_params(freeze=False, steps=0).fit(made.outcomes)
    information = study.saved(
        f"karel-0-information-{seed}",
        {"environment": KAREL, "seed": seed, "dimensions": DIMENSIONS},
        lambda: information_map(start, made.outcomes, seed),
        TaskEmbedder.save,
        TaskEmbedder.load,
    )
    return {
        OURS: embedder.transform,
        INFORMATION: information.points,
        RANDOM: untrained.transform,
        PLAIN: functools.partial(state_pca, size=start.size),
        CODES: functools.partial(coded_pca, encoder=start),
    }


def _outcomes(made: Run) -> list[dict[str, Any]]:
    """Silhouettes of maps of the outcomes, which know the played tasks by name."""
    from sklearn.metrics import silhouette_score

    played = replace(made.outcomes, features=None, feature_names=())
    types = made.environment.clusters(made.outcomes.task_inputs)
    rows = []
    for count in (ORDINAL_DIMENSIONS, DIMENSIONS):
        points = TaskEmbedder(count).fit(played).points(played.tasks)
        rows.append({"dimensions": count, "silhouette": float(silhouette_score(points, types))})
    return rows


def _row(made: Run, transforms: list[Any], name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"model": name}
    for part in DISTRIBUTIONS:
        scores = [
            _silhouette(made, transform, DISTRIBUTIONS[part], seed)
            for seed, transform in enumerate(transforms)
        ]
        row |= mean_and_spread(part, scores)
    return row


def _silhouette(made: Run, transform: Any, distribution: str, seed: int) -> float:
    model: Any = SimpleNamespace(points=transform)
    shown = made.settings["shown"]
    return float(np.mean(silhouettes(made.environment, model, shown, seed, distribution)))


def state_pca(tasks: NDArray[np.uint8], size: Size) -> NDArray[np.float64]:
    """The first two principal components of the network input: a map without training."""
    from sklearn.decomposition import PCA

    grids = to_grids(KarelTasks.from_rows(tasks), size.side, radius=size.radius)
    found: NDArray[np.float64] = PCA(2, random_state=0).fit_transform(grids.reshape(len(grids), -1))
    return found


def coded_pca(tasks: NDArray[np.uint8], encoder: Encoder) -> NDArray[np.float64]:
    """The first two principal components of the output of an agent's encoder."""
    from sklearn.decomposition import PCA

    with torch.no_grad():
        codes = encode(encoder, torch.from_numpy(tasks)).numpy()
    found: NDArray[np.float64] = PCA(2, random_state=0).fit_transform(codes)
    return found


def _agents(made: Run) -> list[dict[str, Any]]:
    rows = []
    for name in made.population.subpopulations:
        skills = [agent.skill for agent in made.population.select(name).agents]
        rows.append({"subpopulation": name, "agents": len(skills), "skill": max(skills)})
    return rows


def _panel(made: Run, part: str) -> Panel:
    """The panel of a map, which has two dimensions and needs no projection."""
    count = min(made.settings["shown"], MOST_SHOWN)
    tasks = sample_at_most(made.environment, count, 2, DISTRIBUTIONS[part])
    vectors = made.embedder.transform(tasks)
    norms = np.linalg.norm(vectors, axis=1)
    title = f"Karel, {part} tasks"
    return Panel(
        title, vectors, norms, made.environment.clusters(tasks), made.environment.cluster_names
    )
