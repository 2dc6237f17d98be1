"""Bases of tasks: components of a population's profiles, and random features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from taskspace.curriculum.basis import feature_basis, population_basis, principal_components


class Linear:
    """Agents whose logits are linear in two hidden numbers of each task."""

    def __init__(self, hidden: Any, agents: int) -> None:
        self.logits = np.random.default_rng(1).normal(size=(agents, 2)) @ hidden.T

    def predict_proba(self, tasks: Any) -> Any:
        return expit(self.logits)


def test_population_basis_spans_what_moves_the_logits() -> None:
    hidden = np.random.default_rng(0).normal(size=(300, 2))
    basis = population_basis(Linear(hidden, 20), np.zeros((300, 1)))
    assert basis.shape[0] == 300
    assert (basis[:, 0] == 1).all()
    np.testing.assert_allclose(basis[:, 1:].std(0), 1, rtol=1e-9)
    _, residual, *_ = np.linalg.lstsq(basis[:, :3], hidden, rcond=None)
    assert residual.max() / 300 < 1e-3  # two components say it all


def test_components_are_those_of_the_covariance() -> None:
    rows = np.random.default_rng(0).normal(size=(100, 4)) * [4, 3, 2, 1]
    found = principal_components(rows, 2)
    _, _, axes = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    for column, axis in zip(found.T, axes, strict=False):
        assert abs(np.corrcoef(column, rows @ axis)[0, 1]) > 1 - 1e-9


def test_agents_that_agree_on_all_tasks_leave_the_constant() -> None:
    class Same:
        def predict_proba(self, tasks: Any) -> Any:
            return np.full((5, len(tasks)), 0.5)

    assert population_basis(Same(), np.zeros((7, 1))).shape == (7, 1)


def test_feature_basis_ignores_scale_and_constant_columns() -> None:
    tasks = np.random.default_rng(0).normal(size=(50, 3))
    more = np.column_stack([1000 * tasks, np.ones(50)])
    np.testing.assert_allclose(feature_basis(more), feature_basis(tasks), atol=1e-9)
