"""Candidates for who a new agent is like."""

from __future__ import annotations

import numpy as np

from taskspace.applications.candidates import (
    ON_MAP,
    SKILLS,
    TILTS,
    of_their_own_skill,
    on_map,
)


def test_own_skill_reaches_from_all_the_same_to_as_hard_as_for_others() -> None:
    ease = np.array([-2.0, 0.0, 2.0])
    chances = of_their_own_skill(ease).reshape(len(TILTS), SKILLS, 3)
    np.testing.assert_allclose(chances[0].std(1), 0, atol=1e-12)
    logits = np.log(chances / (1 - chances))
    np.testing.assert_allclose(np.diff(logits[2], axis=1), 2.0)
    np.testing.assert_allclose(logits[2].mean(0), ease, atol=1e-9)


def test_on_the_map_neighbours_are_alike() -> None:
    places = np.array([[0.0, 0.0], [0.01, 0.0], [5.0, 5.0], [9.0, 1.0]])
    chances = on_map(places, np.zeros(4), np.random.default_rng(0))
    assert chances.shape == (ON_MAP, 4)
    apart = np.abs(chances - chances[:, :1]).mean(0)
    assert apart[1] < 0.01 < 0.1 < apart[2]
    together = on_map(np.zeros((3, 2)), np.zeros(3), np.random.default_rng(0))
    np.testing.assert_allclose(together.std(1), 0, atol=1e-12)
