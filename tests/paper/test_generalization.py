"""Maps of Karel tasks without learning; the whole part runs with the pipeline of Karel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from taskspace.agents.karel.network import Encoder, Size
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.grids import to_grids
from taskspace.models.success.karel_encoder import encode
from taskspace.paper import generalization
from taskspace.paper.study import NothingHereError, Study
from tests.messages import says

SIZE = Size(side=6, radius=5, channels=4, blocks=1, code=8, token=8, hidden=16)


@pytest.fixture(scope="module")
def tasks() -> NDArray[np.uint8]:
    rows: NDArray[np.uint8] = generate_tasks(40, seed=0, side=6, progress=False)[0][
        "training"
    ].rows()
    return rows


def two_main_directions(values: NDArray[np.floating], found: NDArray[np.float64]) -> None:
    """Both are known up to their signs, and explain as much as any two directions can."""
    flat = values.reshape(len(values), -1)
    assert found.shape == (len(values), 2)
    np.testing.assert_allclose(found.mean(0), 0, atol=1e-4)
    variances = PCA(2, svd_solver="full").fit(flat).explained_variance_
    np.testing.assert_allclose(found.var(0, ddof=1), variances, rtol=0.02)


def test_the_state_is_seen_as_the_network_sees_it(tasks: NDArray[np.uint8]) -> None:
    grids = to_grids(KarelTasks.from_rows(tasks), SIZE.side, radius=SIZE.radius)
    two_main_directions(grids, generalization.state_pca(tasks, SIZE))


def test_codes_are_those_of_the_encoder(tasks: NDArray[np.uint8]) -> None:
    torch.manual_seed(0)
    encoder = Encoder(SIZE)
    found = generalization.coded_pca(tasks, encoder)
    with torch.no_grad():
        two_main_directions(encode(encoder, torch.from_numpy(tasks)).numpy(), found)


def test_only_karel_has_this_part(tmp_path: Path) -> None:
    study = Study(tmp_path / "runs", ("MultiKeyNav",))
    with pytest.raises(NothingHereError, match=says("MultiKeyNav Karel")):
        generalization.reproduce(study)
    assert not (tmp_path / "runs").exists()
