"""Rules: closed forms."""

from __future__ import annotations

import numpy as np

from taskspace.curriculum.rules import RULES, Situation

P = np.array([0.0, 0.1, 0.5, 1.0])
NONE = np.zeros((4, 0), np.float32)
NOW = Situation(P, P, np.array([0.2, 0.1, 0.4, 0.9]), np.zeros(0), NONE, NONE[:, 0:0])


def test_closed_forms() -> None:
    expected: dict[str, list[float]] = {
        "uniform": [1, 1, 1, 1],
        "learnability": [0, 0.09, 0.25, 0],
        "frontier": [0.04, 0.14 * 0.9**4, 0.54 * 0.5**4, 0],
        "progress": [0.2, 0, 0.1, 0.1],
    }
    for name, weights in expected.items():
        np.testing.assert_allclose(RULES[name](NOW), weights, atol=1e-12)


def test_solved_tasks_lose_weight_sooner_on_the_frontier() -> None:
    nearly = Situation(np.array([0.1, 0.9]), P, P, np.zeros(0), NONE, NONE[:, 0:0])
    even = RULES["learnability"](nearly)
    np.testing.assert_allclose(even[0], even[1])
    hard, easy = RULES["frontier"](nearly)
    assert hard > 100 * easy


def test_proximal_is_the_largest_product() -> None:
    similarity = np.array([[1, 0], [0, 1], [0.5, 0.5], [1, 1]], np.float32)
    now = Situation(P, P, P, np.array([0.5, 0.1]), similarity, similarity.max(1))
    gains = np.array([0.25, 0.09])
    plain = [p * (1 - p) * max(row * gains) for p, row in zip(P, similarity, strict=True)]
    np.testing.assert_allclose(RULES["proximal"](now), plain, rtol=1e-6)
    towards = RULES["frontier"](now) * similarity.max(1)
    np.testing.assert_allclose(RULES["towards"](now), towards)
