"""The statistics of a run of HELM, of which only the wanted ones are parsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from taskspace.outcomes.readers import helm_stats
from taskspace.outcomes.readers.helm_stats import instances
from tests.messages import says
from tests.outcomes.readers.logs import REAL, helm_instance, helm_stat, needs_real_logs, write

PERTURBATION = {"name": "typos", "computed_on": "perturbed"}
RUN = [
    helm_instance(0, helm_stat("num_tokens", 7), helm_stat("exact_match", 1)),
    helm_instance(1, helm_stat("exact_match", 0), helm_stat("num_tokens", 9)),
    helm_instance(1, helm_stat("exact_match", 0, perturbation=PERTURBATION)),
    helm_instance(2, helm_stat('num_"}, {"', 3), helm_stat("f1", None)),
    helm_instance(3),
]


def skip(metric: str) -> bool:
    return metric.startswith("num_")


def wanted(run: list[Any]) -> list[Any]:
    """The instances without the statistics that are skipped."""
    kept = [[stat for stat in each["stats"] if not skip(stat["name"]["name"])] for each in run]
    return [{**each, "stats": stats} for each, stats in zip(run, kept, strict=True)]


@pytest.mark.parametrize("indent", [None, 2, 4])
@pytest.mark.parametrize("chunk", [1, 50, 1 << 22])
def test_any_layout_has_the_same_instances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None, chunk: int
) -> None:
    monkeypatch.setattr(helm_stats, "_CHUNK", chunk)
    path = write(tmp_path / "stats.json", json.dumps(RUN, indent=indent))
    assert wanted(list(instances(path, skip))) == wanted(RUN)


def test_skipped_statistics_are_seen_once(tmp_path: Path) -> None:
    """So that a list of metrics has them all."""
    path = write(tmp_path / "stats.json", json.dumps(RUN[:2], indent=2))
    first, second = instances(path, skip)
    assert [len(each["stats"]) for each in (first, second)] == [2, 1]


@pytest.mark.parametrize("cut", [1, 3, 30, 200])
def test_a_file_without_its_end_is_refused(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path / "stats.json", json.dumps(RUN[:3], indent=2)[:-cut])
    with pytest.raises(ValueError, match=says("damaged")):
        list(instances(path, skip))


def test_what_follows_the_end_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "stats.json", json.dumps(RUN[:3], indent=2) + "\n[]")
    with pytest.raises(ValueError, match=says("damaged")):
        list(instances(path, skip))


@needs_real_logs
def test_a_real_run() -> None:
    (path,) = REAL.rglob("per_instance_stats.json")
    assert wanted(list(instances(path, skip))) == wanted(json.loads(path.read_text()))
