"""Learn a map of tasks from how a population of agents performs on them.

    import taskspace as ts

    env = ts.make("MultiKeyNav")
    population = ts.train_population(env, seed=0)
    outcomes = ts.evaluate(population, env, env.sample_tasks(5000, seed=1), rollouts=20)
    embedder = ts.TaskEmbedder(n_components=6).fit(outcomes)
    ts.predict(embedder, quiz_tasks, quiz_results, new_tasks)
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
    from taskspace.applications.prediction import predict
    from taskspace.applications.selection import select
    from taskspace.embedding.estimator import TaskEmbedder
    from taskspace.embedding.pretrained import load_pretrained
    from taskspace.envs.base import Environment
    from taskspace.envs.registry import make
    from taskspace.outcomes import Outcomes
    from taskspace.plots import plot_map
    from taskspace.population.policies import Categorical, ExpertPolicy, Gaussian, MLPPolicy
    from taskspace.population.population import Population
    from taskspace.rollout.evaluate import evaluate
    from taskspace.rollout.trajectories import Episodes, record
    from taskspace.training.recipes import train_population

_HOMES = {
    "Categorical": "taskspace.population.policies",
    "Environment": "taskspace.envs.base",
    "Episodes": "taskspace.rollout.trajectories",
    "ExpertPolicy": "taskspace.population.policies",
    "Gaussian": "taskspace.population.policies",
    "MLPPolicy": "taskspace.population.policies",
    "Outcomes": "taskspace.outcomes",
    "Population": "taskspace.population.population",
    "TaskEmbedder": "taskspace.embedding.estimator",
    "evaluate": "taskspace.rollout.evaluate",
    "load_pretrained": "taskspace.embedding.pretrained",
    "make": "taskspace.envs.registry",
    "plot_map": "taskspace.plots",
    "predict": "taskspace.applications.prediction",
    "record": "taskspace.rollout.trajectories",
    "select": "taskspace.applications.selection",
    "train_population": "taskspace.training.recipes",
}

__all__ = [
    "Categorical",
    "Environment",
    "Episodes",
    "ExpertPolicy",
    "Gaussian",
    "MLPPolicy",
    "Outcomes",
    "Population",
    "TaskEmbedder",
    "__version__",
    "evaluate",
    "load_pretrained",
    "make",
    "plot_map",
    "predict",
    "record",
    "select",
    "train_population",
]


_register()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'taskspace' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
