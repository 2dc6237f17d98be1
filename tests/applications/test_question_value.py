"""The value of a question, compared with an enumeration of all answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.applications.dependence import Dependence
from taskspace.applications.posterior import Posterior
from taskspace.applications.question_value import Objective
from taskspace.applications.task_mixtures import TaskMixture

RNG = np.random.default_rng(1)
PROFILES = RNG.uniform(0.05, 0.95, size=(6, 4)).astype(np.float32)
PRIOR = RNG.dirichlet(np.ones(4))
POSTERIOR = Posterior(PROFILES, PRIOR, 1.0, 32.0)
EVERY = np.arange(6)


def variance(weights: Any, tasks: Any, known: Any) -> float:
    """The variance of the mean result over tasks, of which the known ones are certain."""
    left = [task for task in tasks if task not in known]
    means = PROFILES[left] @ weights
    within = float(((PROFILES[left] * (1 - PROFILES[left])) @ weights).sum())
    total = PROFILES[left].sum(0)
    between = float(weights @ total**2 - (weights @ total) ** 2)
    assert means.shape == (len(left),)
    return (within + between) / len(tasks) ** 2


def enumerated(groups: Any, task: int, weights: Any, known: tuple[int, ...] = ()) -> float:
    """The reduction of the variances of the groups' means by the answer on a task."""
    found = sum(variance(weights, group, known) for group in groups)
    for answer in (0, 1):
        joint = weights * (PROFILES[task] if answer else 1 - PROFILES[task])
        later = sum(variance(joint / joint.sum(), group, (*known, task)) for group in groups)
        found -= joint.sum() * later
    return found


@pytest.mark.parametrize("known", [(), (2,), (2, 5)])
@pytest.mark.parametrize(
    ("targets", "groups"),
    [
        (EVERY, None),
        (np.array([1, 2, 4]), None),
        (EVERY, np.zeros(6, np.int64)),
        (np.array([0, 2, 3, 5]), np.array([0, 1, 1, 0])),
    ],
)
def test_it_is_the_expected_reduction_of_the_variance(
    targets: Any, groups: Any, known: tuple[int, ...]
) -> None:
    answered = np.array(known, np.int64)
    weights = POSTERIOR.weights(TaskMixture.known(answered), np.ones(len(known)))
    found = Objective(EVERY, targets, groups).reductions(POSTERIOR, weights, answered)
    sets = [[t] for t in targets] if groups is None else [targets[groups == g] for g in (0, 1)]
    sets = [group for group in sets if len(group)]
    for task in set(range(6)) - set(known):
        assert found[task] == pytest.approx(enumerated(sets, task, weights, known), abs=1e-6)


def test_a_certain_answer_has_no_value() -> None:
    sure = Posterior(np.array([[1, 1], [0, 1]], np.float32), np.array([0.5, 0.5]), 1.0, 32.0)
    found = Objective(np.arange(2), np.arange(2), None).reductions(
        sure, sure.prior, np.array([], np.int64)
    )
    np.testing.assert_allclose(found, [0, 0.25], atol=1e-6)


def test_a_copy_of_an_answered_task_has_little_value() -> None:
    profiles = np.full((3, 2), 0.5, np.float32)
    copies = Dependence(np.array([[0, 1]]), np.array([0.23]), np.full(3, 0.25))
    posterior = Posterior(profiles, np.array([0.5, 0.5]), 1.0, 32.0, copies)
    objective, nothing = Objective(np.arange(3), np.arange(3), None), np.array([], np.int64)
    before = objective.reductions(posterior, posterior.prior, nothing)
    np.testing.assert_allclose(before, [0.25 + 0.23**2 / 0.25, 0.25 + 0.23**2 / 0.25, 0.25], 1e-5)
    known = posterior.after(np.array([0]), np.array([1.0]))
    after = objective.reductions(known, known.prior, np.array([0]))
    assert after[1] < 0.1 < after[2]
