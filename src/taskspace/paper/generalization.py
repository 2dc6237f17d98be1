"""Appendix "Generalization", and Figure 3d: the map of Karel, on tasks that no agent has seen."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from taskspace import karel_pipeline
from taskspace.embedding.karel_embedder import KarelEmbedder
from taskspace.karel_summary import (
    PARTS,
    coded_pca,
    sample_part,
    separation,
    skill_by_kind,
    state_pca,
)
from taskspace.paper.drawing import Panel, draw_panels
from taskspace.paper.study import KAREL, Result, Study, Table
from taskspace.pipeline import MOST_SHOWN, Map

OURS, RANDOM, PLAIN = "ours", "RandomModel", "PCA of the state"
CODES = "PCA of the agent's codes"


def reproduce(study: Study) -> Result:
    """Silhouettes of the kinds of programs on training and validation tasks; both maps."""
    if study.environments is not None:
        study.chosen([KAREL])  # complains if something else was asked for
    made = study.map_of(KAREL)
    models = [_models(study, made, seed) for seed in range(study.seeds)]
    rows = [
        _row(made, [run[name] for run in models], name) for name in (OURS, RANDOM, PLAIN, CODES)
    ]
    seeds = f"{study.seeds} seed{'s' if study.seeds > 1 else ''} of the embedder"
    skills = skill_by_kind(made)
    panels = [_panel(made, part) for part in PARTS]
    return Result(
        "generalization",
        "Karel: Figure 3d, and generalization to new tasks",
        tables=[
            Table("generalization", f"Silhouette of plain, loops, conditionals over {seeds}", rows),
            Table(
                "generalization-skills", "Success of the last agents on validation tasks, by kind",
                [{"subpopulation": name, **row} for name, row in skills.items()],
            ),
            Table(
                "generalization-agents", "The population", _agents(made),
                note="skill: of the best agent on the tasks that agents are judged by, without the"
                " beam with which they write for the map.",
            ),
        ],
        pictures={
            study.draw("generalization", draw_panels(panels)): "The map of Karel: training tasks"
            " and validation tasks, from which no agent has learned."
        },
    )  # fmt: skip


def _models(study: Study, made: Map, seed: int) -> dict[str, Any]:
    """What gives vectors to tasks: our map with another seed, and what it must beat."""
    plan = karel_pipeline.plan_for(study.preset)
    fresh = karel_pipeline.new_embedder(made.population, plan, seed)
    start = karel_pipeline.best(made.population)
    embedder = made.embedder if seed == 0 else study.kept(
        f"karel-0-map-{seed}",
        {"environment": KAREL, "seed": seed},
        lambda: fresh.fit(made.outcomes, encoder=start),
        KarelEmbedder.save,
        KarelEmbedder.load,
    )  # fmt: skip
    untrained = fresh.set_params(freeze=False, steps=0).fit(made.outcomes)
    return {
        OURS: embedder.transform,
        RANDOM: untrained.transform,
        PLAIN: functools.partial(state_pca, size=start.size),
        CODES: functools.partial(coded_pca, encoder=start),
    }


def _row(made: Map, transforms: list[Any], name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"model": name}
    for part in PARTS:
        scores = [
            float(np.mean(separation(made, transform, part, seed)))
            for seed, transform in enumerate(transforms)
        ]
        row[part], row[f"{part} ±"] = float(np.mean(scores)), float(np.std(scores))
    return row


def _agents(made: Map) -> list[dict[str, Any]]:
    rows = []
    for name in made.population.subpopulations:
        skills = [agent.skill for agent in made.population.select(name).agents]
        rows.append({"subpopulation": name, "agents": len(skills), "skill": max(skills)})
    return rows


def _panel(made: Map, part: str) -> Panel:
    """The two dimensions of the map as they are."""
    tasks = sample_part(made.env, min(made.shown, MOST_SHOWN), 2, part)
    vectors = made.embedder.transform(tasks)
    norms = np.linalg.norm(vectors, axis=1)
    title = f"Karel, {part} tasks"
    return Panel(title, vectors, norms, made.env.clusters(tasks), made.env.cluster_names)
