"""Logs in the schema of Every Eval Ever: `*_samples.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from taskspace.files import read_json
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.json_lines import end_from, first_object, rows, start_to, whole
from taskspace.outcomes.readers.sheets import Sheet

SCORE, IS_CORRECT = "score", "is_correct"
_RESULT = "evaluation_result_id"
_NEEDED = {"model_id", "evaluation_name", "sample_id"}
_DIGITS = 16  # of the hash of a sample that names it; 64 bits


class _Metric(NamedTuple):
    """What the file about the whole evaluation says about one of its results."""

    name: str = SCORE
    bounds: tuple[float, float] | None = None  # the lowest and the highest possible score
    settings: dict[str, Any] | None = None
    lower: bool = False  # whether less is better


class EveryEvalEver(Reader):
    """Reads samples; the file about the whole evaluation says what their metrics are."""

    name = "Every Eval Ever"
    files = "*_samples.jsonl"

    def recognises(self, path: Path) -> bool:
        """Whether the first line is a sample."""
        if path.suffix != ".jsonl":
            return False
        return {"evaluation_id", "sample_id", "evaluation"} <= first_object(path).keys()

    def beside(self, path: Path) -> Iterable[Path]:
        """The file about the whole evaluation."""
        return [_about(path)]

    def read(self, path: Path, results: Collector) -> None:
        """Read one file."""
        metrics = _metrics(path)
        _check_direction(path, metrics, results)
        if results.is_copy(path, metrics):
            return
        correct = results.asked_for(IS_CORRECT)
        sheets: dict[tuple[str, str, str], Sheet] = {}
        for row, line in rows(path, results, _parse):
            about = _metric_of(row, metrics, path)
            metric = IS_CORRECT if correct else about.name
            key = (row["model_id"], row["evaluation_name"], row.get(_RESULT) or "")
            sheet = sheets.get(key)
            if sheet is None:
                if about.lower:
                    results.takes_lower(key[1], about.name)
                sheet = sheets[key] = results.sheet(*key[:2], metric, settings=about.settings)
            if sheet.wanted:
                digest = row.get("sample_hash")
                task = digest[:_DIGITS] if digest else row["sample_id"]
                text = None if digest and sheet.knows(task) else _text(line)
                found = row["evaluation"].get(IS_CORRECT if correct else SCORE)
                bounds = None if correct or results.any_numbers else about.bounds
                if bounds and isinstance(found, (int, float)):
                    found = sheet.rescaled(found, *bounds)
                sheet.add(task, found, text)


def _parse(line: bytes) -> dict[str, Any] | None:
    """What a line says besides inputs and outputs."""
    start, end = start_to(line, b', "input": '), end_from(line, b', "evaluation": ')
    if start is None or end is None or not start.keys() >= _NEEDED:
        start, end = whole(line) or {}, {}
    start |= end
    return start if start.keys() >= _NEEDED and "evaluation" in start else None


def _text(line: bytes) -> str:
    found = (whole(line) or {}).get("input") or {}
    return str(found.get("raw") or "")


def _about(path: Path) -> Path:
    return path.with_name(re.sub(r"(_samples)?\.jsonl$", ".json", path.name))


def _metric_of(row: dict[str, Any], metrics: dict[str, _Metric], path: Path) -> _Metric:
    """What is known about the score of a sample."""
    result = row.get(_RESULT)
    if result:
        return metrics.get(result, _Metric())
    if len(metrics) > 1:
        names = ", ".join(metric.name for metric in metrics.values())
        raise ValueError(
            f"the samples of {path} must have an {_RESULT}, since the file beside it has several"
            f" metrics ({names}), got none for {row['sample_id']}"
        )
    return next(iter(metrics.values()), _Metric())


def _metrics(path: Path) -> dict[str, _Metric]:
    """The metrics of the evaluation by the identifiers of its results."""
    about = _about(path)
    if not about.is_file():
        return {}
    found = {}
    for result in read_json(about).get("evaluation_results") or []:
        metric = result.get("metric_config") or {}
        name = str(metric.get("metric_id") or metric.get("metric_name") or SCORE)
        low, high = metric.get("min_score"), metric.get("max_score")
        bounds = None if high is None else (float(low or 0), float(high))
        settings = (result.get("generation_config") or {}).get("generation_args") or {}
        lower = bool(metric.get("lower_is_better"))
        found[result.get(_RESULT) or ""] = _Metric(name, bounds, settings, lower)
    return found


def _check_direction(path: Path, metrics: dict[str, _Metric], results: Collector) -> None:
    """Refuse a metric of which less is better, unless scores are returns, which can be negated."""
    for metric in metrics.values():
        if metric.lower and not results.any_numbers:
            raise ValueError(
                f"the metrics of {_about(path)} must be better if higher, got {metric.name}; read"
                " it as negative returns by returns=True (--returns)"
            )
