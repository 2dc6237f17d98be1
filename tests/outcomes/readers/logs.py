"""Small logs, written by the formats."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

REAL = Path("/work/shared/data/logs")

needs_real_logs = pytest.mark.skipif(not REAL.is_dir(), reason=f"there are no real logs in {REAL}")


def write(path: Path, content: Any) -> Path:
    """Write text, bytes, or a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


# -- lm-evaluation-harness -------------------------------------------------------------------------


def lm_sample(item: int, filter: str = "none", **metrics: Any) -> dict[str, Any]:
    """A line; the values of the metrics come last, as in real logs."""
    return {
        "doc_id": item,
        "doc": {"question": f"What is {item}?", "filter": "inner", "acc": 7},
        "target": "2",
        "arguments": {"gen_args_0": {"arg_0": f'say ", "filter": "x" {item}'}},
        "resps": [["two"]],
        "filtered_resps": ["two"],
        "filter": filter,
        "metrics": list(metrics),
        "doc_hash": f"{item:04d}" * 16,
        "prompt_hash": "0" * 64,
        "target_hash": "1" * 64,
        **metrics,
    }


def lm_log(
    folder: Path, *rows: Any, task: str = "arc", date: str = "2026-01-01T00-00-00.1"
) -> Path:
    return write(folder / f"samples_{task}_{date}.jsonl", lines(*rows))


def lm_results(folder: Path, model: str, date: str = "2026-01-01T00-00-00.1", **more: Any) -> Path:
    return write(folder / f"results_{date}.json", {"model_name": model, **more})


# -- Inspect ---------------------------------------------------------------------------------------


def inspect_header(model: str, run: str | None = None, **more: Any) -> dict[str, Any]:
    spec = {
        "eval_id": run or f"run of {model}",
        "run_id": "r",
        "task": "arc",
        "model": model,
        **more,
    }
    return {"version": 2, "status": "success", "eval": spec}


def inspect_sample(item: int, value: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    scores = {"choice": {"value": value}}
    return {"id": item, "epoch": epoch, "input": f"What is {item}?", "scores": scores, **more}


def inspect_json(path: Path, model: str, *samples: Any, **more: Any) -> Path:
    log = {
        **inspect_header(model, **more),
        "samples": samples,
        "reductions": [{"scorer": "choice"}],
    }
    return write(path, log)


def inspect_eval(path: Path, members: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))
    return path


# -- HELM ------------------------------------------------------------------------------------------


def helm_stat(name: str, mean: float | None, **more: Any) -> dict[str, Any]:
    named = {"name": name, "split": "test", **more}
    if mean is None:
        return {"name": named, "count": 0, "sum": 0}
    return {"name": named, "count": 1, "sum": mean, "mean": mean}


def helm_instance(item: int, *stats: Any, trial: int = 0, **more: Any) -> dict[str, Any]:
    return {"instance_id": f"id{item}", "train_trial_index": trial, "stats": list(stats), **more}


def helm_run(folder: Path, model: str, *instances: Any, name: str = "mmlu:subject=maths") -> Path:
    spec = {
        "name": f"{name},model={model.replace('/', '_')}",
        "scenario_spec": {"class_name": "X", "args": {"subject": "maths"}},
        "adapter_spec": {"model": model},
    }
    write(folder / "run_spec.json", spec)
    states = [
        {"instance": {"id": f"id{item}", "input": {"text": f"What is {item}?"}}}
        for item in range(10)
    ]
    write(folder / "scenario_state.json", {"adapter_spec": {}, "request_states": states})
    path = folder / "per_instance_stats.json"
    return write(path, json.dumps(list(instances), indent=2))


# -- Every Eval Ever -------------------------------------------------------------------------------


def eee_sample(model: str, item: int, score: Any, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e",
        "model_id": model,
        "evaluation_name": "bench",
        "evaluation_result_id": "bench",
        "sample_id": f"s{item}",
        "sample_hash": f"{item:04d}" * 16,
        "interaction_type": "single_turn",
        "input": {"raw": f"What is {item}?", "reference": ["4"]},
        "output": {"raw": ["4"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1},
        "metadata": {"subject": "maths"},
        **more,
    }
