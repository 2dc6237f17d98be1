"""Run folders as `taskspace run` and `taskspace fit` leave them, from parts that tests make."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from taskspace.envs.registry import make
from taskspace.files import read_arrays, write_arrays
from taskspace.models.embedding.base import Embedding
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs import layout
from taskspace.runs.clusters import Clusters
from taskspace.runs.run import Run, open_run
from taskspace.runs.stages import Stages


def write_run(
    folder: Path,
    settings: Mapping[str, Any],
    outcomes: Outcomes,
    embedder: Embedding,
    subpopulations: Mapping[str, str] | None = None,
) -> Run:
    """The stages up to the clusters; agents are no more than their names and subpopulations."""
    name = settings.get("environment")
    if name is None:
        clusters = Clusters.found(embedder.points(outcomes.task_inputs))
    else:
        clusters = Clusters.known(make(name), outcomes.task_inputs)
    agents = subpopulations or dict.fromkeys(outcomes.agents.tolist(), "all")
    with Stages(folder, {"seed": 0, **settings}, log=lambda line: None) as stages:
        if name is not None:
            stages.stage(layout.POPULATION, lambda: agents, _write_agents, _same)
        stages.stage(layout.OUTCOMES, lambda: outcomes, Outcomes.save, Outcomes.load)
        kind = type(embedder)
        stages.stage(layout.EMBEDDER, lambda: embedder, kind.save, kind.load)
        stages.stage(
            layout.VECTORS,
            lambda: {
                "vectors": embedder.transform(outcomes.task_inputs),
                "difficulty": embedder.difficulty(outcomes.task_inputs),
            },
            write_arrays,
            read_arrays,
        )
        stages.stage(layout.CLUSTERS, lambda: clusters, Clusters.save, Clusters.load)
    return open_run(folder)


def _write_agents(subpopulations: Mapping[str, str], path: Path) -> None:
    agents = [{"name": name, "subpopulation": kind} for name, kind in subpopulations.items()]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("population.json", json.dumps({"agents": agents}))


def _same(path: Path) -> Any:
    return path
