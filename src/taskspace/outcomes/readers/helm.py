"""Runs of HELM: `per_instance_stats.json` with `run_spec.json` beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from taskspace.files import read_json
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.helm_stats import instances
from taskspace.outcomes.readers.json_text import JsonText
from taskspace.outcomes.readers.sheets import Sheet

ORIGINAL = "original"  # the filter of instances that are not perturbed
_SPEC, _INSTANCES, _STATE = "run_spec.json", "instances.json", "scenario_state.json"
# Statistics of the request, which are no metrics unless the user names one.
_BOOKKEEPING = re.compile(
    r"num_|training_|inference_|finish_reason_|(batch_size|prompt_truncated|max_prob|logprob"
    r"|perplexity|bits_per_byte|predicted_index)$"
)
# What the adapter says besides settings: which model, and which part of the benchmark, is run.
_NO_SETTINGS = {
    "model", "max_eval_instances", "num_trials", "num_train_trials", "eval_splits", "random",
}  # fmt: skip

_Run = tuple[str, str, dict[str, str]]  # model, benchmark, and other settings


class Helm(Reader):
    """Reads runs. Trials with other examples are attempts; each perturbation is a filter."""

    name = "HELM"
    files = "per_instance_stats.json, with run_spec.json beside it"

    def recognises(self, path: Path) -> bool:
        """Whether the file has the name that HELM gives it."""
        return path.name == "per_instance_stats.json"

    def beside(self, path: Path) -> Iterable[Path]:
        """The settings of the run, and the inputs."""
        return [path.with_name(name) for name in (_SPEC, _INSTANCES, _STATE)]

    def read(self, path: Path, results: Collector) -> None:
        """Read one run."""
        run = _run(path)
        if results.is_copy(path, run):
            return
        sheets: dict[tuple[str, str], Sheet | None] = {}
        tried: dict[str, Sheet] = {}
        for instance in instances(path, lambda metric: _is_unwanted(results, metric)):
            task = str(instance["instance_id"])
            for stat in instance["stats"]:
                name = stat["name"]
                key = (name["name"], _perturbation(name, instance))
                if key not in sheets:
                    sheets[key] = _sheet(results, run, *key)
                sheet = sheets[key]
                if sheet is None:
                    continue
                tried[task] = sheet
                sheet.add(task, _mean(stat))
        for task, text in _texts(path):
            if task in tried:
                tried[task].describe(task, text)


def _is_unwanted(results: Collector, metric: str) -> bool:
    """Whether a statistic is bookkeeping, or another one than the user has named."""
    return not results.wants(metric) or _is_bookkeeping(results, metric)


def _is_bookkeeping(results: Collector, metric: str) -> bool:
    return bool(_BOOKKEEPING.match(metric)) and not results.asked_for(metric)


def _sheet(results: Collector, run: _Run, metric: str, filter: str) -> Sheet | None:
    """Where a statistic is added; None if it is not wanted."""
    if _is_bookkeeping(results, metric):
        return None
    agent, benchmark, settings = run
    sheet = results.sheet(agent, benchmark, metric, filter, settings)
    return sheet if sheet.wanted else None


def _run(path: Path) -> _Run:
    """The model, the benchmark, and the other settings of a run."""
    spec_path = path.with_name(_SPEC)
    if not spec_path.is_file():
        raise FileNotFoundError(f"there is no {_SPEC} beside {path}; it says which model it is")
    spec = read_json(spec_path)
    head, _, rest = str(spec["name"]).partition(":")
    said = dict(part.partition("=")[::2] for part in rest.split(",") if part)
    said.pop("model", None)
    # Names of runs have settings that only some models need, so they do not name the benchmark.
    chosen = (spec.get("scenario_spec") or {}).get("args") or {}
    named = ",".join(f"{key}={value}" for key, value in chosen.items() if key in said)
    settings = {key: value for key, value in said.items() if key not in chosen}
    adapter = spec["adapter_spec"]
    given = {key: value for key, value in adapter.items() if key not in _NO_SETTINGS}
    settings |= {key: value for key, value in given.items() if value not in (None, "", [])}
    return str(adapter["model"]), f"{head}:{named}" if named else head, settings


def _perturbation(name: dict[str, Any], instance: dict[str, Any]) -> str:
    """Which version of an instance a statistic is about."""
    found = name.get("perturbation") or instance.get("perturbation")
    if not found:
        return ORIGINAL
    computed_on = found.get("computed_on", "perturbed")
    return found["name"] if computed_on == "perturbed" else f"{found['name']}:{computed_on}"


def _mean(stat: dict[str, Any]) -> Any:
    count = stat.get("count", 1)
    if not count:
        return None
    return stat["mean"] if "mean" in stat else stat["sum"] / count


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """The inputs of the instances of a run that are not perturbed."""
    listed, state = path.with_name(_INSTANCES), path.with_name(_STATE)
    if listed.is_file():
        with listed.open(encoding="utf-8") as file:
            yield from (_text(instance) for instance in JsonText(file).items())
    elif state.is_file():
        with state.open(encoding="utf-8") as file:
            text = JsonText(file)
            for key in text.members():
                if key == "request_states":
                    yield from (_text(request["instance"]) for request in text.items())
                else:
                    text.value()


def _text(instance: dict[str, Any]) -> tuple[str, str]:
    if instance.get("perturbation"):
        return "", ""
    found = instance.get("input") or {}
    return str(instance.get("id")), str(found.get("text") or "")
