"""The curricula that are compared, with the options that were chosen on tuning seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from taskspace.curriculum.curriculum import SHARE, SHARE_WITH_TARGET, Curriculum
from taskspace.curriculum.targets import raw_similarity
from taskspace.paper.curriculum_settings import Setting, earlier_model, population_model
from taskspace.paper.harness.curricula import (
    BlackBox,
    Fixed,
    PrioritizedReplay,
    Proximal,
    SampledLearnability,
    TaskChooser,
)
from taskspace.paper.study import Study

Maker = Callable[..., TaskChooser]  # of a study, a setting, a seed, and options of the method


def _iid(study: Study, setting: Setting, seed: int) -> TaskChooser:
    return Fixed(np.ones(len(setting.pool)), seed)


def _iid_target(study: Study, setting: Setting, seed: int) -> TaskChooser:
    return Fixed(np.asarray(setting.target, float), seed)


def _black_box(model: Any = None, **options: Any) -> Maker:
    def build(study: Study, setting: Setting, seed: int, **more: Any) -> TaskChooser:
        known = None if model is None else model(study, setting)
        return BlackBox(
            Curriculum(setting.pool, known, target=setting.target, seed=seed, **options, **more)
        )

    return build


def _per_task(rule: str) -> Maker:
    def build(study: Study, setting: Setting, seed: int) -> TaskChooser:
        names = [str(index) for index in range(len(setting.pool))]
        share = SHARE if setting.target is None else SHARE_WITH_TARGET  # as in ours
        return BlackBox(Curriculum(names, rule=rule, share=share, handover=False, seed=seed))

    return build


def _raw_proximal(study: Study, setting: Setting, seed: int) -> TaskChooser:
    """The target rule with distances of raw features, and p from the population's basis."""
    curriculum = Curriculum(
        setting.pool, population_model(study, setting), rule="proximal", target=setting.target,
        handover=False, seed=seed,
    )  # fmt: skip
    target = curriculum.target
    raw = raw_similarity(setting.pool, setting.pool[target.chosen]).astype(np.float32)
    curriculum.target = replace(target, similarity=raw)
    return BlackBox(curriculum)


def _plr(study: Study, setting: Setting, seed: int, **options: Any) -> TaskChooser:
    return PrioritizedReplay(len(setting.pool), seed, **options)


def _sfl(study: Study, setting: Setting, seed: int, **options: Any) -> TaskChooser:
    tasks = min(1000, len(setting.pool))
    return SampledLearnability(setting.pool, seed, tasks=tasks, rollouts=5, kept=200, **options)


def _procurl_rollouts(study: Study, setting: Setting, seed: int, **options: Any) -> TaskChooser:
    tasks = min(500, len(setting.pool))
    return Proximal(setting.pool, seed, rollouts=4, tasks=tasks, every=8, **options)


def _procurl_critic(study: Study, setting: Setting, seed: int, **options: Any) -> TaskChooser:
    return Proximal(setting.pool, seed, **options)


METHODS: dict[str, Maker] = {
    "IID": _iid,
    "IID on target": _iid_target,
    "PLR": _plr,
    "ours": _black_box(population_model),
    "ours, no population": _black_box(),
    "ours, expert-free": _black_box(earlier_model),
    "ours, no handover": _black_box(population_model, handover=False),
    "ours, handover": _black_box(population_model, handover=True),
    "SFL": _sfl,
    "ProCuRL, rollouts": _procurl_rollouts,
    "ProCuRL, critic": _procurl_critic,
    "learning progress": _per_task("progress"),
    "Beta per task": _per_task("frontier"),
    "proximal, raw": _raw_proximal,
    "proximal, learned": _black_box(population_model, rule="proximal", handover=False),
}
# The default of ours is a handover without a target, and none with one.
NEED_TARGET = ("IID on target", "proximal, raw", "proximal, learned", "ours, handover")
NO_TARGET = ("ours, no handover",)

# The options among which the best is chosen, in each setting, on seeds that are not reported.
OPTIONS: dict[str, list[dict[str, float]]] = {
    "PLR": [
        {"temperature": 0.1, "staleness": 0.1, "replay": 0.5},
        {"temperature": 0.3, "staleness": 0.1, "replay": 0.5},
        {"temperature": 0.3, "staleness": 0.3, "replay": 0.5},
        {"temperature": 1.0, "staleness": 0.3, "replay": 0.5},
        {"temperature": 0.3, "staleness": 0.1, "replay": 0.8},
        {"temperature": 1.0, "staleness": 0.1, "replay": 0.8},
    ],
    "SFL": [{"every": 16}, {"every": 32}],
    "ProCuRL, rollouts": [{"sharpness": 20.0}, {"sharpness": 80.0}],
    "ProCuRL, critic": [{"sharpness": 5.0}, {"sharpness": 20.0}, {"sharpness": 80.0}],
}
