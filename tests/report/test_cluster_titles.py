"""Titles of clusters: a label is named only if it prevails beyond chance."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from taskspace.report.cluster_titles import cluster_titles, prevailing


def run_of(labels: Any, *, weak: bool = False, table: bool = True) -> Any:
    clusters = SimpleNamespace(names=("cluster 1", "cluster 2"), labels=np.repeat([0, 1], 10))
    outcomes = SimpleNamespace(task_labels={"topic": np.array(labels, object)})
    verdict = SimpleNamespace(weak=weak)
    return SimpleNamespace(clusters=clusters, outcomes=outcomes, verdict=verdict, from_table=table)


SORTED = ["sums"] * 10 + ["areas"] * 9 + [""]


def test_clusters_have_the_label_that_prevails() -> None:
    assert cluster_titles(run_of(SORTED)) == ("cluster 1: sums", "cluster 2: areas")


@pytest.mark.parametrize(
    "run",
    [
        run_of(SORTED, weak=True),
        run_of(SORTED, table=False),
        run_of(["sums", "areas"] * 10),  # mixed
        run_of([f"topic {n}" for n in range(20)]),  # all different
        run_of(["sums"] * 20),
    ],
)
def test_otherwise_they_keep_their_names(run: Any) -> None:
    assert cluster_titles(run) == ("cluster 1", "cluster 2")


def test_a_small_cluster_may_be_chance() -> None:
    topics = np.array(["sums", "areas"] * 10, object)
    assert prevailing(np.arange(20) == 0, [topics]) == ""
