"""Entropy and mutual information have their closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.similarity.information import entropy, mutual_information, paired_similarity


def test_entropy_has_its_closed_form() -> None:
    np.testing.assert_allclose(entropy([0, 0.11002786443835955, 0.5, 1]), [0, 0.5, 1, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("both", "first", "second", "bits"),
    [
        (0.5, 0.5, 0.5, 1.0),  # the same outcome
        (0.0, 0.5, 0.5, 1.0),  # the opposite outcome tells as much
        (0.12, 0.3, 0.4, 0.0),  # independent
        (1.0, 1.0, 1.0, 0.0),  # constant
        (0.0, 0.0, 0.7, 0.0),
    ],
)
def test_information_has_its_closed_form(
    both: float, first: float, second: float, bits: float
) -> None:
    assert mutual_information(both, first, second) == pytest.approx(bits, abs=1e-12)


def test_pairs_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"first and second .*outcomes.* got 1 and 2"):
        paired_similarity([1], [1, 0])
