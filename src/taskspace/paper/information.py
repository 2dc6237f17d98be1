"""The success models and information maps of a study."""

from __future__ import annotations

import numpy as np

from taskspace.envs.base import Tasks
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.success.model import SuccessModel
from taskspace.paper.harness.task_selection import HARDER, Judge
from taskspace.paper.study import Study
from taskspace.runs.run import Run
from taskspace.runs.sources.environment import evaluate_pool
from taskspace.runs.sources.plans import INFORMATION_PLANS, information_plan

LABEL = "information map"
MORE_DIMENSIONS = 6  # enough for most of the information in every environment


def success_model(study: Study, made: Run, seed: int) -> SuccessModel:
    """A success model of the population, trained on many tasks with few rollouts each."""

    plan = information_plan(made.environment.name, study.preset)

    def learn() -> SuccessModel:
        outcomes = evaluate_pool(made.environment, made.population, plan, seed + 7000)
        return plan.success_model(seed).fit(outcomes)

    name = f"{made.environment.name.lower()}-{seed}-success-model"
    settings = {"environment": made.environment.name, "seed": seed}
    return study.saved(name, settings, learn, SuccessModel.save, SuccessModel.load)


def dimensions(environment: str) -> int:
    """The number of dimensions of the information map in Table 1."""
    return INFORMATION_PLANS[environment].n_components


def sizes(environment: str) -> list[int]:
    """The numbers of dimensions to compare: that of Table 1 and, if that is less, 6."""
    return sorted({dimensions(environment), MORE_DIMENSIONS})


def information_map(
    study: Study, made: Run, seed: int, n_components: int | None = None
) -> TaskEmbedder:
    """The information map of the population, by default with the dimensions of Table 1."""
    size = dimensions(made.environment.name) if n_components is None else n_components
    return TaskEmbedder(size).fit(success_model(study, made, seed))


def judge(embedder: TaskEmbedder, tasks: Tasks) -> Judge:
    """Similarities and difficulties of tasks according to an information map."""
    return Judge(embedder.similarity(tasks, tasks), embedder.difficulty(tasks), HARDER)


def judge_of_model(model: SuccessModel, tasks: Tasks) -> Judge:
    """Similarities and difficulties of tasks according to a success model."""
    similarity = model.similarity(tasks).astype(np.float64)
    return Judge(similarity, model.difficulty(tasks), HARDER)
