"""The types of requests: strict, bounded, and with examples that are themselves requests."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from taskspace.explore import models

REQUESTS: list[type[BaseModel]] = [
    models.Embed, models.Similar, models.Select, models.Karel, models.Predict, models.NextQuestion,
]  # fmt: skip


@pytest.mark.parametrize("request_type", REQUESTS)
def test_examples_are_requests(request_type: type[BaseModel]) -> None:
    (example,) = request_type.model_json_schema()["examples"]
    assert set(example) <= set(request_type.model_validate(example).model_dump())


@pytest.mark.parametrize("request_type", REQUESTS)
def test_other_fields_are_refused(request_type: type[BaseModel]) -> None:
    (example,) = request_type.model_json_schema()["examples"]
    with pytest.raises(ValidationError, match="nonsense"):
        request_type.model_validate({**example, "nonsense": 1})


@pytest.mark.parametrize(
    ("request_type", "request_body"),
    [
        (models.Embed, {"tasks": []}),
        (models.Embed, {"tasks": ["a"] * (models.MAX_EMBEDDED + 1)}),
        (models.Embed, {"tasks": [[float("nan")]]}),
        (models.Embed, {"tasks": [["1.0"]]}),
        (models.Similar, {"task": "a", "k": 0}),
        (models.Similar, {"task": "a", "k": "3"}),
        (models.Similar, {"task": "a", "k": models.MAX_FOUND + 1}),
        (models.Similar, {"task": "a", "harder": 1}),
        (models.Select, {"task": "a", "options": []}),
        (models.Predict, {"quiz": [], "tasks": ["a"], "interval": 1.0}),
        (models.Predict, {"quiz": [{"task": "a"}], "tasks": ["a"]}),
        (models.Predict, {"quiz": [{"task": "a", "result": 1.5}], "tasks": ["a"]}),
        (models.Predict, {"quiz": [{"task": "a", "result": "1"}], "tasks": ["a"]}),
        (models.Karel, {"program": "x" * (models.LONGEST_PROGRAM + 1), "like": "a"}),
        (models.NextQuestion, {"pool": []}),
    ],
)
def test_requests_out_of_bounds_are_refused(
    request_type: type[BaseModel], request_body: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError):
        request_type.model_validate(request_body)


@pytest.mark.parametrize("task", [1, None, {"name": "a"}, [["a"]], True])
def test_a_value_of_several_kinds_gets_one_error(task: Any) -> None:
    with pytest.raises(ValidationError) as error:
        models.Similar.model_validate({"task": task})
    (one,) = error.value.errors()
    assert (one["loc"], one["type"]) == (("task",), "expected")


@pytest.mark.parametrize("result", [True, False, 0, 1, 0.25])
def test_results_are_success_rates(result: float) -> None:
    assert models.QuizAnswer.model_validate({"task": "a", "result": result}).result == result


def test_limits_are_those_that_requests_have() -> None:
    limits = models.Limits(body_bytes=1, seconds=2.0).model_dump()
    expected = (models.MAX_EMBEDDED, models.MAX_QUIZ, models.MAX_TASKS, models.MAX_FOUND)
    assert tuple(limits.values()) == (*expected, 1, 2.0)
