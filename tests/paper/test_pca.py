"""The PCA plots of a small study."""

from __future__ import annotations

import pytest
from sklearn.decomposition import PCA

from taskspace.paper import pca
from taskspace.paper.study import Study

pytestmark = pytest.mark.slow


def test_the_share_that_is_shown_is_that_of_two_components(study: Study) -> None:
    result = pca.reproduce(study)
    (row,) = result.tables[0].rows
    made = study.map_of("MultiKeyNav")
    vectors = made.embedder.transform(made.outcomes.features)
    shown = PCA(2).fit(vectors).explained_variance_ratio_.sum()
    assert row["explained variance"] == pytest.approx(shown)
    assert row["dimensions"] == 6
    (picture,) = result.pictures
    assert picture.exists()
