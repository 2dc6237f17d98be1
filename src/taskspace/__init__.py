"""Learn a map of tasks from how a population of agents performs on them.

    import taskspace as ts

    env = ts.make("MultiKeyNav")
    population = ts.train_population(env, seed=0)
    outcomes = ts.evaluate(population, env, env.sample_tasks(5000, seed=1), rollouts=20)
    embedder = ts.TaskEmbedder(n_components=6).fit(outcomes)
    ts.predict(outcomes, quiz, results, new_tasks, embedder=embedder)
    ts.select(embedder, reference, options, harder=True)

Importing the package registers its environments with Gymnasium, as `taskspace/<name>-v0`. Other
names are loaded when they are first used, so that the import is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from taskspace._version import __version__
from taskspace.envs.registry import register as _register

if TYPE_CHECKING:
    from taskspace.agents.policies import MLPPolicy
    from taskspace.agents.population import Population
    from taskspace.agents.sb3_snapshots import SnapshotCallback
    from taskspace.applications.abilities import abilities
    from taskspace.applications.agent_comparison import compare_agents
    from taskspace.applications.diverse import choose_diverse, train_diverse
    from taskspace.applications.doctor import diagnose
    from taskspace.applications.predictor import PerformancePredictor, predict
    from taskspace.applications.quiz import Quiz
    from taskspace.applications.redundancy import redundant
    from taskspace.applications.search import TaskIndex
    from taskspace.applications.selection import select
    from taskspace.applications.subset import choose_subset
    from taskspace.curriculum.curriculum import Curriculum
    from taskspace.curriculum.sb3 import CurriculumCallback
    from taskspace.curriculum.task_sampler import TaskSampler
    from taskspace.curriculum.vector_sampler import VectorTaskSampler
    from taskspace.envs.base import Environment
    from taskspace.envs.from_gymnasium import GymEnvironment
    from taskspace.envs.registry import make
    from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
    from taskspace.models.embedding.pretrained import load_pretrained
    from taskspace.models.embedding.task_embedder import TaskEmbedder
    from taskspace.models.success.model import SuccessModel
    from taskspace.outcomes.outcomes import Outcomes
    from taskspace.outcomes.readers.read import read_results
    from taskspace.report.plots import plot_map
    from taskspace.rollouts.evaluate import evaluate
    from taskspace.runs.pipeline import fit, run
    from taskspace.runs.run import open_run
    from taskspace.training.recipes import train_population

_HOMES = {
    "Curriculum": "taskspace.curriculum.curriculum",
    "CurriculumCallback": "taskspace.curriculum.sb3",
    "Environment": "taskspace.envs.base",
    "GymEnvironment": "taskspace.envs.from_gymnasium",
    "MLPPolicy": "taskspace.agents.policies",
    "OrdinalEmbedder": "taskspace.models.embedding.ordinal_embedder",
    "Outcomes": "taskspace.outcomes.outcomes",
    "PerformancePredictor": "taskspace.applications.predictor",
    "Population": "taskspace.agents.population",
    "Quiz": "taskspace.applications.quiz",
    "SnapshotCallback": "taskspace.agents.sb3_snapshots",
    "SuccessModel": "taskspace.models.success.model",
    "TaskEmbedder": "taskspace.models.embedding.task_embedder",
    "TaskIndex": "taskspace.applications.search",
    "TaskSampler": "taskspace.curriculum.task_sampler",
    "VectorTaskSampler": "taskspace.curriculum.vector_sampler",
    "abilities": "taskspace.applications.abilities",
    "choose_diverse": "taskspace.applications.diverse",
    "choose_subset": "taskspace.applications.subset",
    "compare_agents": "taskspace.applications.agent_comparison",
    "diagnose": "taskspace.applications.doctor",
    "evaluate": "taskspace.rollouts.evaluate",
    "fit": "taskspace.runs.pipeline",
    "load_pretrained": "taskspace.models.embedding.pretrained",
    "make": "taskspace.envs.registry",
    "open_run": "taskspace.runs.run",
    "plot_map": "taskspace.report.plots",
    "predict": "taskspace.applications.predictor",
    "read_results": "taskspace.outcomes.readers.read",
    "redundant": "taskspace.applications.redundancy",
    "run": "taskspace.runs.pipeline",
    "select": "taskspace.applications.selection",
    "train_diverse": "taskspace.applications.diverse",
    "train_population": "taskspace.training.recipes",
}

__all__ = [
    "Curriculum",
    "CurriculumCallback",
    "Environment",
    "GymEnvironment",
    "MLPPolicy",
    "OrdinalEmbedder",
    "Outcomes",
    "PerformancePredictor",
    "Population",
    "Quiz",
    "SnapshotCallback",
    "SuccessModel",
    "TaskEmbedder",
    "TaskIndex",
    "TaskSampler",
    "VectorTaskSampler",
    "__version__",
    "abilities",
    "choose_diverse",
    "choose_subset",
    "compare_agents",
    "diagnose",
    "evaluate",
    "fit",
    "load_pretrained",
    "make",
    "open_run",
    "plot_map",
    "predict",
    "read_results",
    "redundant",
    "run",
    "select",
    "train_diverse",
    "train_population",
]


_register()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'taskspace' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
