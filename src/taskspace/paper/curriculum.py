"""Curricula compared: a learner from scratch with sparse reward on 24,000 tasks.

Settings of all methods, ours included, were chosen on seeds from `TUNING_SEED` on. The seeds of a
study, which are reported, begin at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from taskspace.agents.agent import Agent
from taskspace.agents.population import Population
from taskspace.curriculum.curriculum import Curriculum
from taskspace.curriculum.targets import Target, raw_similarity
from taskspace.envs.base import Environment, Tasks
from taskspace.envs.registry import make
from taskspace.models.success.model import SuccessModel
from taskspace.paper.harness.curricula import (
    BlackBox,
    Fixed,
    PrioritizedReplay,
    Proximal,
    SampledLearnability,
    TaskChooser,
)
from taskspace.paper.harness.curriculum_trial import train
from taskspace.paper.study import Result, Study, Table
from taskspace.runs.sources.environment import evaluate_pool
from taskspace.runs.sources.plans import information_plan
from taskspace.training.recipes import train_population

TUNING_SEED = 1000
POOL, HELD_OUT = 24_000, 1000
LEVELS = (0.05, 0.2, 0.5)  # of held-out success, to which steps are counted
EARLIER_LEARNERS = 4  # whose snapshots are the expert-free population
BOOTSTRAP = 10_000


@dataclass(frozen=True)
class Setting:
    """A space of tasks to learn, and the tasks that count.

    Attributes:
        name: The name of the setting.
        environment: The name of the environment.
        steps: The environment steps of a training.
        counts: Which tasks count, if not all.
        fast: Whether sizes are tiny, for tests.
    """

    name: str
    environment: str
    steps: int
    counts: Callable[[Environment, Tasks], Any] | None = None
    fast: bool = False

    @cached_property
    def env(self) -> Environment:
        """The environment."""
        return make(self.environment)

    @cached_property
    def pool(self) -> Tasks:
        """The tasks to train on."""
        return self.env.sample_tasks(POOL // 50 if self.fast else POOL, seed=TUNING_SEED)

    @cached_property
    def target(self) -> Any:
        """Which tasks of the pool count; None if all do."""
        return None if self.counts is None else self.counts(self.env, self.pool)

    @cached_property
    def held_out(self) -> Tasks:
        """New tasks that count."""
        distribution = "validation" if self.environment == "BasicKarel" else "all"
        count = HELD_OUT // 20 if self.fast else HELD_OUT
        most = 2400 if distribution == "validation" else 20 * count
        tasks = self.env.sample_tasks(most, seed=TUNING_SEED + 1, distribution=distribution)
        if self.counts is not None:
            tasks = tasks[self.counts(self.env, tasks)]
        return tasks[:count]


def two_keys(env: Any, tasks: Tasks) -> Any:
    """Tasks of MultiKeyNav in which two keys have to be picked."""
    return np.array([int(bits).bit_count() == 2 for bits in env.missing(tasks)])


def narrow_gates(env: Environment, tasks: Tasks) -> Any:
    """Tasks of PointMass with a gate that is narrow."""
    return tasks[:, env.state_names.index("width")] < 1.5


SETTINGS = (
    Setting("basickarel", "BasicKarel", 600_000),
    Setting("multikeynav-two-keys", "MultiKeyNav", 700_000, two_keys),
    Setting("multikeynav", "MultiKeyNav", 700_000),
    Setting("pointmass-narrow", "PointMass", 600_000, narrow_gates),
)

# -- models of populations -------------------------------------------------------------------------


def population_model(study: Study, setting: Setting) -> SuccessModel:
    """The success model of the paper's population."""
    preset = "fast" if setting.fast else study.preset

    def learn() -> SuccessModel:
        plan = information_plan(setting.environment, preset)
        population = train_population(setting.env, seed=TUNING_SEED, fast=setting.fast)
        outcomes = evaluate_pool(setting.env, population, plan, TUNING_SEED)
        return plan.success_model(0).fit(outcomes)

    name = f"curriculum-{setting.environment.lower()}-model"
    return study.saved(name, {}, learn, SuccessModel.save, SuccessModel.load)


def earlier_model(study: Study, setting: Setting) -> SuccessModel:
    """The success model of snapshots of earlier learners, which had no expert and no population."""

    def learn() -> SuccessModel:
        found: list[Agent] = []
        for seed in range(TUNING_SEED + 500, TUNING_SEED + 500 + EARLIER_LEARNERS):
            chooser = BlackBox(Curriculum(setting.pool, target=setting.target, seed=seed))
            train(
                setting.env, setting.pool, setting.held_out, chooser,
                steps=setting.steps, seed=seed, snapshot=found.append,
            )  # fmt: skip
        plan = information_plan(setting.environment, "fast" if setting.fast else study.preset)
        outcomes = evaluate_pool(setting.env, Population(found), plan, TUNING_SEED + 500)
        return plan.success_model(0).fit(outcomes)

    name = f"curriculum-{setting.name}-earlier-model"
    settings = {"steps": setting.steps}
    return study.saved(name, settings, learn, SuccessModel.save, SuccessModel.load)


# -- methods ---------------------------------------------------------------------------------------

Maker = Callable[[Study, Setting, int], TaskChooser]


def _iid(study: Study, setting: Setting, seed: int) -> TaskChooser:
    return Fixed(np.ones(len(setting.pool)), seed)


def _iid_target(study: Study, setting: Setting, seed: int) -> TaskChooser:
    return Fixed(np.asarray(setting.target, float), seed)


def _black_box(model: Any = None, **options: Any) -> Maker:
    def build(study: Study, setting: Setting, seed: int) -> TaskChooser:
        known = None if model is None else model(study, setting)
        return BlackBox(
            Curriculum(setting.pool, known, target=setting.target, seed=seed, **options)
        )

    return build


def _per_task(rule: str) -> Maker:
    def build(study: Study, setting: Setting, seed: int) -> TaskChooser:
        names = [str(index) for index in range(len(setting.pool))]
        return BlackBox(Curriculum(names, rule=rule, guard=False, seed=seed))

    return build


def _raw_proximal(study: Study, setting: Setting, seed: int) -> TaskChooser:
    """The target rule with distances of raw features, and p from the population's basis."""
    chooser = _black_box(population_model, rule="proximal", guard=False)(study, setting, seed)
    target: Target = chooser.curriculum.target  # type: ignore[attr-defined]
    raw = raw_similarity(setting.pool, setting.pool[target.chosen]).astype(np.float32)
    chooser.curriculum.target = replace(target, similarity=raw)  # type: ignore[attr-defined]
    return chooser


def _plr(study: Study, setting: Setting, seed: int) -> TaskChooser:
    return PrioritizedReplay(
        len(setting.pool), seed, temperature=0.3, staleness=0.1, replay=0.8
    )


def _sfl(study: Study, setting: Setting, seed: int) -> TaskChooser:
    tasks = min(1000, len(setting.pool))
    return SampledLearnability(setting.pool, seed, tasks=tasks, rollouts=5, kept=200, every=16)


def _procurl_rollouts(study: Study, setting: Setting, seed: int) -> TaskChooser:
    tasks = min(500, len(setting.pool))
    return Proximal(setting.pool, seed, sharpness=20, rollouts=4, tasks=tasks, every=8)


def _procurl_critic(study: Study, setting: Setting, seed: int) -> TaskChooser:
    return Proximal(setting.pool, seed, sharpness=20)


METHODS: dict[str, Maker] = {
    "IID": _iid,
    "IID on target": _iid_target,
    "PLR": _plr,
    "ours": _black_box(population_model),
    "ours, no population": _black_box(),
    "ours, expert-free": _black_box(earlier_model),
    "ours, no guard": _black_box(population_model, guard=False),
    "SFL": _sfl,
    "ProCuRL, rollouts": _procurl_rollouts,
    "ProCuRL, critic": _procurl_critic,
    "learning progress": _per_task("progress"),
    "Beta per task": _per_task("frontier"),
    "proximal, raw": _raw_proximal,
    "proximal, learned": _black_box(population_model, rule="proximal", guard=False),
}
NEED_TARGET = ("IID on target", "proximal, raw", "proximal, learned")
