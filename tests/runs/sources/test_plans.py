"""The plans of both methods: every environment has one, and presets change them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.runs.sources import plans
from taskspace.runs.sources.plans import (
    METHODS,
    PRESETS,
    InformationPlan,
    OrdinalPlan,
    check_map,
    check_method,
    information_plan,
    ordinal_plan,
)
from tests.messages import says


def test_every_environment_has_a_plan_of_each_method() -> None:
    assert set(plans.INFORMATION_PLANS) == set(plans.ORDINAL_PLANS) == set(ENVIRONMENTS)
    assert set(plans.INFORMATION_PRESETS) == set(plans.ORDINAL_PRESETS) == set(PRESETS)


def test_a_preset_changes_the_plan_of_the_environment() -> None:
    found = ordinal_plan("BasicKarel", "paper")
    assert (found.n_components, found.hidden, found.rollouts) == (1, (64, 32), 100)
    for plan in (information_plan, ordinal_plan):
        fast, default, paper = (plan("MultiKeyNav", preset) for preset in PRESETS)  # type: ignore[operator]
        assert fast.fast
        assert fast.tasks < default.tasks
        assert default.rollouts < paper.rollouts


@pytest.mark.parametrize("plan", [information_plan, ordinal_plan])
def test_other_presets_are_refused(plan: Any) -> None:
    with pytest.raises(ValueError, match=says("'x' fast default paper")):
        plan("BasicKarel", "x")


def test_methods_are_checked() -> None:
    assert [check_method(method) for method in METHODS] == ["information", "ordinal"]
    with pytest.raises(ValueError, match=says("method information ordinal 'x'")):
        check_method("x")


def test_the_papers_map_has_one_measure() -> None:
    assert check_map("information", "correlation") == ("information", "correlation")
    assert check_map("ordinal", "information") == ("ordinal", "information")
    with pytest.raises(ValueError, match=says("measure information ordinal correlation")):
        check_map("ordinal", "correlation")
    with pytest.raises(ValueError, match=says("measure information correlation 'bits'")):
        check_map("information", "bits")


def test_the_paper_embedder_has_the_settings_of_the_plan() -> None:
    rng = np.random.default_rng(0)
    outcomes = ts.Outcomes(rng.integers(0, 5, (6, 30)), np.array(4), features=rng.random((30, 2)))
    plan = replace(ordinal_plan("BasicKarel", "paper"), steps=2, n_constraints=50)
    embedder = plan.learn(outcomes, 7)
    found = embedder.get_params()
    for name in ("n_components", "hidden", "norm_weight", "steps", "n_constraints"):
        assert found[name] == getattr(plan, name)
    assert found["random_state"] == 7
    assert isinstance(embedder, ts.OrdinalEmbedder)


def test_the_information_map_is_that_of_a_success_model() -> None:
    rng = np.random.default_rng(0)
    outcomes = ts.Outcomes(rng.integers(0, 5, (6, 30)), np.array(4), features=rng.random((30, 2)))
    embedder = InformationPlan(2).learn(outcomes, 7)
    assert isinstance(embedder, ts.TaskEmbedder)
    assert embedder.n_components_ == 2
    assert embedder.model_.random_state == 7
    assert embedder.measure == "information"
    assert InformationPlan(2).learn(outcomes, 7, "correlation").measure == "correlation"


def test_plans_are_immutable() -> None:
    with pytest.raises(AttributeError):
        OrdinalPlan(2).tasks = 1  # type: ignore[misc]
