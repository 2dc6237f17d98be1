"""Draws by weights."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.curriculum.draws import TaskDraws
from tests.messages import says


def test_frequencies_are_the_weights() -> None:
    draws = TaskDraws(4, seed=0)
    draws.set_weights([1, 0, 2, 1])
    counts = np.bincount(draws.draw(20_000), minlength=4) / 20_000
    np.testing.assert_allclose(counts, [0.25, 0, 0.5, 0.25], atol=0.02)
    draws.reseed(7)
    first = draws.draw(5)
    draws.reseed(7)
    assert (draws.draw(5) == first).all()


@pytest.mark.parametrize("weights", [[1, 1], [1, -1, 1], [0, 0, 0], [1, float("nan"), 1], None])
def test_bad_weights_are_refused(weights: object) -> None:
    with pytest.raises(ValueError, match=says("weights")):
        TaskDraws(3, seed=0).set_weights(weights)
