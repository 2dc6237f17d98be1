"""The baseline embeddings of a study, trained once and saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from taskspace.agents.policies import ExpertPolicy
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.models.embedding.pred_model import PredModel, expert_episodes
from taskspace.models.embedding.random_model import RandomModel
from taskspace.paper.study import Study
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import ORDINAL_PRESETS, ordinal_plan

PRED_DIMENSIONS = {"MultiKeyNav": 6, "CartPoleVar": 3, "PointMass": 3, "BasicKarel": 8}
PLAIN_DIMENSIONS = {"MultiKeyNav": 5, "CartPoleVar": 2}  # as in the paper without C_NORM
EPISODES = 10_000


def random_model(study: Study, made: Run, seed: int) -> RandomModel:
    """Our network without training."""
    plan = ordinal_plan(made.name, study.preset)
    model = RandomModel(plan.n_components, hidden=plan.hidden, random_state=seed)
    return model.fit(made.outcomes)


def pred_model(study: Study, made: Run, seed: int) -> PredModel:
    """The embedding of prior work, learned from successful episodes of the expert."""
    env = made.environment
    model = PredModel(
        PRED_DIMENSIONS[env.name],
        context=env.context_columns,
        epochs=5 if study.fast else 500,
        random_state=seed,
    )
    episodes = EPISODES // 10 if study.fast else EPISODES
    return study.saved(
        f"{env.name.lower()}-{seed}-pred-model",
        {"environment": env.name, "seed": seed, "episodes": episodes},
        lambda: model.fit(expert_episodes(_expert(made), env, episodes, seed=seed)),
        PredModel.save,
        PredModel.load,
    )


def without_norm(study: Study, made: Run, seed: int) -> OrdinalEmbedder:
    """Our map learned only from similarities (lambda = 0)."""
    changes = {"n_components": PLAIN_DIMENSIONS[made.environment.name], "norm_weight": 0.0}
    return _other_map(study, made, seed, "without-norm", changes)


def as_in_the_paper(study: Study, made: Run, seed: int) -> OrdinalEmbedder:
    """Our map trained as in the paper, on 5000 fixed constraints."""
    keys = ("n_constraints",) if study.fast else ("n_constraints", "steps", "learning_rate")
    changes = {key: ORDINAL_PRESETS["paper"][key] for key in keys}
    return _other_map(study, made, seed, "as-in-the-paper", changes)


def _other_map(
    study: Study, made: Run, seed: int, name: str, changes: dict[str, Any]
) -> OrdinalEmbedder:
    """A map learned from the same outcomes with other settings."""
    plan = replace(ordinal_plan(made.name, study.preset), **changes)
    return study.saved(
        f"{made.environment.name.lower()}-{seed}-{name}",
        {"environment": made.environment.name, "seed": seed, **changes},
        lambda: plan.learn(made.outcomes, seed),
        OrdinalEmbedder.save,
        OrdinalEmbedder.load,
    )


def _expert(made: Run) -> Any:
    """The expert of the environment, or else the most skilled agent."""
    if made.environment.expert is not None:
        return ExpertPolicy(made.environment)
    return max(made.population.agents, key=lambda agent: agent.skill).policy
