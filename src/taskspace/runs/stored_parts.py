"""How the parts of a run folder are saved and loaded, where this is not a method of the part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications import answers
from taskspace.files import read_arrays, write_arrays
from taskspace.runs import layout

# Answers import NumPy alone; whatever else a part needs is imported when it is loaded.
if TYPE_CHECKING:
    from taskspace.models.embedding.base import Embedding

_EMBEDDERS = {
    "TaskEmbedder": "taskspace.models.embedding.task_embedder",
    "OrdinalEmbedder": "taskspace.models.embedding.ordinal_embedder",
    "KarelEmbedder": "taskspace.models.embedding.karel_embedder",
}


def load_embedder(folder: Path) -> Embedding:
    """Load a map of any type that a run may have."""
    from taskspace.models.embedding.storage import load_any

    found: Embedding = load_any(folder, _EMBEDDERS)
    return found


def save_profiles(profiles: NDArray[np.float32], path: Path) -> None:
    """Save what `Run.profiles` is."""
    write_arrays({layout.PROFILES.stage: profiles}, path)


def load_profiles(path: Path) -> NDArray[np.float32]:
    """Load what `Run.profiles` is."""
    found: NDArray[np.float32] = read_arrays(path)[layout.PROFILES.stage]
    return found


def load_redundancy(path: Path) -> Any:
    """Load what `Run.redundancy` is."""
    from taskspace.applications.redundancy import Redundancy

    return answers.load(path, Redundancy)


def load_short_test(path: Path) -> Any:
    """Load what `Run.short_test` is."""
    from taskspace.applications.subset import Subset
    from taskspace.applications.subset_comparison import SubsetComparison

    return answers.load(path, Subset, SubsetComparison)


def load_abilities(path: Path) -> Any:
    """Load what `Run.abilities` is."""
    from taskspace.applications.abilities import Abilities

    return answers.load(path, Abilities)
