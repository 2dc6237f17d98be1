"""Early stopping inside Inspect, against the installed package and its mock model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from tests.messages import says

pytest.importorskip(
    "inspect_ai", reason="Inspect is not installed: pip install 'taskspace[inspect]'"
)

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from taskspace.applications.early_stopping import ScoreStopping

pytestmark = pytest.mark.slow

N_AGENTS, N_TASKS = 60, 150
RNG = np.random.default_rng(0)
RATES = 1 / (1 + np.exp(RNG.normal(size=(N_TASKS)) - 2 * RNG.normal(size=(N_AGENTS + 1, 1))))
SOLVED = RNG.random((N_AGENTS + 1, N_TASKS)) < RATES  # the last one is the new model
SAMPLES = [Sample(id=f"q{task}", input=f"Question {task}", target="yes") for task in range(N_TASKS)]


def earlier(**labels: Any) -> ts.Outcomes:
    names = np.array([f"sums/q{task}" for task in range(N_TASKS)])
    tried = np.ones((N_AGENTS, N_TASKS), np.uint8)
    return ts.Outcomes(SOLVED[:-1].astype(int), tried, tasks=names, task_labels=labels)


LABELS = {"benchmark": ["sums"] * N_TASKS, "text": [f"Question {task}" for task in range(N_TASKS)]}


def answer(messages: list[Any], *_: Any) -> ModelOutput:
    """What the new model says; the usage is given, since counting tokens needs the network."""
    task = int(messages[-1].text.split()[-1])
    output = ModelOutput.from_content("mockllm/model", "yes" if SOLVED[-1, task] else "no")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def run(folder: Path, stopping: Any, samples: list[Sample] = SAMPLES, **options: Any) -> Any:
    task = Task(
        dataset=samples, solver=generate(), scorer=match(), name="sums", early_stopping=stopping,
        **options,
    )  # fmt: skip
    model = get_model("mockllm/model", custom_outputs=answer)
    return eval(task, model=model, log_dir=str(folder), display="none", max_samples=4)[0]


@pytest.mark.parametrize("labels", [LABELS, {}], ids=["labels", "no labels"])
def test_an_evaluation_ends_when_the_score_is_known(tmp_path: Path, labels: Any) -> None:
    stopping = ScoreStopping(earlier(**labels), half_width=0.1)
    log = run(tmp_path, stopping)
    assert log.status == "success"
    found = log.results.early_stopping
    about = found.metadata
    assert found.manager == "taskspace"
    assert about["stopped"]
    assert (about["high"] - about["low"]) / 2 <= 0.1 + 0.02  # four samples were under way
    assert 10 <= about["answered"] < N_TASKS / 2
    assert about["finished"] + len(found.early_stops) == about["planned"] == N_TASKS
    assert about["tasks"] == N_TASKS
    assert abs(about["score"] - SOLVED[-1].mean()) < 0.1
    read = ts.read_results(tmp_path)
    assert read.n_tasks == about["answered"]


def test_a_score_that_is_never_known_well_enough_takes_all_samples(tmp_path: Path) -> None:
    log = run(tmp_path, ScoreStopping(earlier(**LABELS), half_width=1e-9))
    about = log.results.early_stopping.metadata
    assert (about["answered"], about["stopped"]) == (N_TASKS, False)
    assert about["low"] == about["score"] == about["high"] == pytest.approx(SOLVED[-1].mean())


def test_logs_of_inspect_are_the_earlier_models_and_epochs_are_attempts(tmp_path: Path) -> None:
    run(tmp_path / "logs", None)
    one = ts.read_results(tmp_path / "logs")
    assert one.tasks.tolist() == earlier().tasks.tolist()
    assert one.rates.tolist() == [SOLVED[-1].astype(float).tolist()]
    predictor = ts.PerformancePredictor().fit(earlier(**LABELS))
    log = run(tmp_path / "new", ScoreStopping(predictor, half_width=0.1), epochs=2)
    about = log.results.early_stopping.metadata
    assert about["stopped"]
    assert about["planned"] == 2 * N_TASKS
    assert about["finished"] < N_TASKS


@pytest.mark.parametrize(
    ("sample", "tokens"),
    [
        (Sample(id="new", input="Question 0", target="yes"), "'new' sums"),
        (Sample(id="q0", input="Question 5", target="yes"), "'q0' 'Question shuffled"),
    ],
)
def test_samples_that_the_earlier_models_did_not_try_are_refused(
    tmp_path: Path, sample: Sample, tokens: str
) -> None:
    log = run(tmp_path, ScoreStopping(earlier(**LABELS), half_width=0.1), [*SAMPLES[1:], sample])
    assert log.status == "error"
    assert all(token in log.error.message for token in tokens.split())


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=says("half_width 0")):
        ScoreStopping(earlier(), 0)
    with pytest.raises(ValueError, match=says("0 1 2")):
        ScoreStopping(earlier(), 0.1, level=2)


def test_an_object_serves_one_evaluation_at_a_time() -> None:
    from types import SimpleNamespace

    async def both() -> None:
        stopping = ScoreStopping(earlier(), 0.1)
        spec: Any = SimpleNamespace(task="sums")
        await stopping.start_task(spec, SAMPLES, 1)
        await stopping.start_task(spec, SAMPLES, 1)

    with pytest.raises(ValueError, match=says("one evaluation")):
        asyncio.run(both())


def test_one_of_several_scorers_is_chosen_by_name() -> None:
    from types import SimpleNamespace

    def scored(**values: Any) -> Any:
        return {
            name: SimpleNamespace(score=SimpleNamespace(value=value))
            for name, value in values.items()
        }

    async def finish(metric: str | None, scores: Any) -> Any:
        stopping = ScoreStopping(earlier(), 0.1, metric=metric)
        spec: Any = SimpleNamespace(task="sums")
        await stopping.start_task(spec, SAMPLES, 1)
        await stopping.complete_sample("q0", 1, scores)
        return await stopping.complete_task()

    assert asyncio.run(finish("judge", scored(judge="C", match="I")))["answered"] == 1
    assert asyncio.run(finish(None, {}))["answered"] == 0  # an error
    for metric, values, tokens in (
        (None, {"judge": "C", "match": "I"}, "metric judge match None"),
        ("other", {"match": "I"}, "metric match 'other'"),
        (None, {"match": 7}, "scores 7.0"),
    ):
        with pytest.raises(ValueError, match=says(tokens)):
            asyncio.run(finish(metric, scored(**values)))
