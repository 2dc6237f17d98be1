"""The map of tasks with success profiles, from the eigenvectors of the similarity of landmarks.

With the eigenvalues L and eigenvectors U of the similarity K of some landmark tasks, the vector of
any task is k U / sqrt(L), where k are its similarities to the landmarks (Nyström's method). The
inner products of the landmarks' vectors are then nearest to K. A rotation to canonical axes, which
changes no inner product, comes last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.spectral import canonical_rotation, eigen, enough_dimensions
from taskspace.similarity.profiles import profile_similarity

Floats = NDArray[np.float64]

BLOCK = 1 << 13  # tasks whose similarities with the landmarks are held at a time


@dataclass(frozen=True, eq=False)
class ProfileMap:
    """Maps success profiles to vectors."""

    landmarks: Floats  # (agents, landmarks): the profiles of the landmark tasks
    weights: Floats  # (landmarks, dimensions)
    measure: str
    dispersion: float | None = None  # of attempts, if the profiles are of normalised returns

    def vectors(self, profiles: Floats) -> Floats:
        """The vectors (tasks, dimensions) of tasks with these profiles (agents, tasks)."""
        starts = range(0, max(profiles.shape[1], 1), BLOCK)
        return np.concatenate([self._some(profiles[:, start : start + BLOCK]) for start in starts])

    def _some(self, profiles: Floats) -> Floats:
        near = profile_similarity(profiles, self.landmarks, self.measure, self.dispersion)
        return near @ self.weights


def fit_profiles(
    landmarks: Floats, size: int | str, measure: str, dispersion: float | None = None
) -> tuple[ProfileMap, Floats]:
    """The map with `size` dimensions, or with 95 % of the information if `size` is "auto".

    Args:
        landmarks: The profiles of the landmark tasks (agents, tasks).
        size: The number of dimensions, or "auto".
        measure: The measure of similarity.
        dispersion: That of attempts, if the profiles are of returns; see `profile_similarity`.

    Returns:
        The map, and the eigenvalues of the similarities of the landmarks, the largest first.

    >>> rng = np.random.default_rng(0)
    >>> profiles = np.repeat(rng.integers(0, 2, (50, 3)), 20, axis=1) * 0.8 + 0.1  # three skills
    >>> found, values = fit_profiles(profiles, "auto", "information")
    >>> found.vectors(profiles).shape, len(values)
    ((60, 3), 3)
    """
    landmarks = np.ascontiguousarray(
        landmarks
    )  # as in a loaded map: another order rounds otherwise
    values, axes = eigen(profile_similarity(landmarks, landmarks, measure, dispersion))
    count = enough_dimensions(values) if size == "auto" else int(size)
    axes, scale = axes[:, :count], np.sqrt(values[:count])
    weights = axes / scale @ canonical_rotation(axes * scale)
    missing = count - weights.shape[1]  # dimensions without information are 0
    weights = np.pad(weights, ((0, 0), (0, missing)))
    return ProfileMap(landmarks, weights, measure, dispersion), values
