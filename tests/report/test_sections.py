"""The numbers of a run in words."""

from __future__ import annotations

from typing import Any

import pytest

from taskspace.report.sections import measurements_table

TABLE: dict[str, Any] = {
    "environment": "course", "agents": 60, "tasks": 40, "dimensions": 2,
    "triplet_accuracy": 0.8125, "difficulty_pair_accuracy": None,
    "norm_difficulty_rank_correlation": 0.91234,
    "stability": {"similarity": 0.71, "difficulty": 0.9876},
}  # fmt: skip
ENVIRONMENT = {
    **TABLE, "silhouette": 0.75, "silhouette_spread": 0.0125, "difficulty_pair_accuracy": 0.9,
    "noise_ceiling": 0.85,
}  # fmt: skip
INFORMATION = {
    **{name: value for name, value in ENVIRONMENT.items() if not name.startswith("norm")},
    "kept_information": 0.9512, "similarity_error_bits": 0.01234, "success_model": {},
}  # fmt: skip
TABLE_MAP = {
    **{name: value for name, value in TABLE.items() if not name.startswith("norm")},
    "kept_information": 1.0,
}

SIGNED = {
    **{name: value for name, value in INFORMATION.items() if "bits" not in name},
    "measure": "correlation", "similarity_error_correlation": 0.01234,
}  # fmt: skip
LABELS = {
    **TABLE,
    "labels": {
        "topic": {"values": 3, "purity": 0.654, "chance": 0.3333, "silhouette": 0.1234},
        "skill": {"values": 900, "purity": 0.01, "chance": 0.0, "silhouette": None},
    },
}


@pytest.mark.parametrize(
    ("numbers", "values"),
    [
        (TABLE, "60 40 2 81.2% 0.912 0.710 0.988"),
        (ENVIRONMENT, "60 40 2 0.750±0.013 81.2% 85.0% 90.0% 0.912 0.710 0.988"),
        (LABELS, "60 40 2 81.2% 0.912 65.4%(bychance33.3%) 0.123 1.0%(bychance0.0%) 0.710 0.988"),
        (SIGNED, "60 40 2 0.750±0.013 81.2% 85.0% 90.0% 95.1% 0.0123 0.710 0.988"),
        ({**TABLE, "population": {"reliability": 0.4444}}, "60 40 2 81.2% 0.44 0.912 0.710 0.988"),
        (INFORMATION, "60 40 2 0.750±0.013 81.2% 85.0% 90.0% 95.1% 0.0123bits 0.710 0.988"),
        ({**TABLE_MAP, "success_model": {}}, "60 40 2 81.2% 100.0% 0.710 0.988"),
        (TABLE_MAP, "60 40 2 81.2% 100.0%"),  # no seed changes it
    ],
)
def test_every_number_that_there_is_has_a_row(numbers: dict[str, Any], values: str) -> None:
    rows = measurements_table(numbers)
    assert [value.replace(" ", "") for _, value in rows] == values.split()
    labels = [label for label, _ in rows]
    assert len(set(labels)) == len(labels)
    assert any("clusters" in label for label in labels) == ("silhouette" in numbers)
    assert any("topic" in label for label in labels) == ("labels" in numbers)


def test_tasks_learned_from_are_told_beside_those_listed() -> None:
    rows = dict(measurements_table({**TABLE, "tasks": 5000}, learned=40_000))
    assert rows["tasks"] == "40,000 (5,000 listed)"
    assert dict(measurements_table(TABLE, learned=40))["tasks"] == "40"


@pytest.mark.parametrize(("pairs", "held"), [(780, "(held out"), (0, "(not held out")])
def test_chance_and_what_is_not_held_out_are_marked(pairs: int, held: str) -> None:
    labels = [label for label, _ in measurements_table({**ENVIRONMENT, "tested_pairs": pairs})]
    marked = [label for label in labels if "accuracy" in label]
    assert len(marked) == 2
    assert all("50%" in label and held in label for label in marked)
