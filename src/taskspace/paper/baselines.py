"""The baseline embeddings of a study, trained once and kept."""

from __future__ import annotations

from typing import Any

from taskspace.embedding.estimator import TaskEmbedder
from taskspace.embedding.pred_model import PredModel, expert_episodes
from taskspace.embedding.random_model import RandomModel
from taskspace.paper.study import Study
from taskspace.pipeline import Map, plan_for
from taskspace.population.policies import ExpertPolicy

PRED_DIMENSIONS = {"MultiKeyNav": 6, "CartPoleVar": 3, "PointMass": 3, "BasicKarel": 8}
PLAIN_DIMENSIONS = {"MultiKeyNav": 5, "CartPoleVar": 2}  # the paper's, without C_NORM
EPISODES = 10_000


def random_model(study: Study, made: Map, seed: int) -> RandomModel:
    """Our network before any training."""
    plan = plan_for(made.env, study.preset)
    model = RandomModel(plan.n_components, hidden=plan.hidden, random_state=seed)
    return model.fit(made.outcomes)


def pred_model(study: Study, made: Map, seed: int) -> PredModel:
    """What prior work would learn, from successful episodes of the expert."""
    env = made.env
    model = PredModel(
        PRED_DIMENSIONS[env.name],
        context=tuple(env.state_names.index(name) for name in env.context),
        epochs=5 if study.fast else 500,
        random_state=seed,
    )
    episodes = EPISODES // 10 if study.fast else EPISODES
    return study.kept(
        f"{env.name.lower()}-{seed}-pred-model",
        {"environment": env.name, "seed": seed, "episodes": episodes},
        lambda: model.fit(expert_episodes(_expert(made), env, episodes, seed=seed)),
        PredModel.save,
        PredModel.load,
    )


def without_norm(study: Study, made: Map, seed: int) -> TaskEmbedder:
    """Our map learned from the similarities alone (lambda = 0)."""
    env, plan = made.env, plan_for(made.env, study.preset)
    model = TaskEmbedder(
        PLAIN_DIMENSIONS[env.name],
        norm_weight=0.0,
        hidden=plan.hidden,
        steps=plan.steps,
        learning_rate=plan.learning_rate,
        random_state=seed,
    )
    return study.kept(
        f"{env.name.lower()}-{seed}-without-norm",
        {"environment": env.name, "seed": seed},
        lambda: model.fit(made.outcomes),
        TaskEmbedder.save,
        TaskEmbedder.load,
    )


def _expert(made: Map) -> Any:
    """The environment's expert, or the most skilled agent where there is none."""
    if made.env.expert is not None:
        return ExpertPolicy(made.env)
    return max(made.population.agents, key=lambda agent: agent.skill).policy
