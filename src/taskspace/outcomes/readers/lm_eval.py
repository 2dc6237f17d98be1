"""Logs of lm-evaluation-harness: `samples_<task>_<date>.jsonl`, one line per item and filter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from taskspace.files import read_json
from taskspace.outcomes.readers.agent_names import FolderName
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.json_lines import end_from, first_object, rows, whole
from taskspace.outcomes.readers.sheets import Sheet

_NAME = re.compile(r"^(?:samples_)?(.+?)(?:_(\d{4}-\d\d-\d\dT[\d:.-]+?))?$")
_FIELDS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
_TEXTS = (
    "question", "query", "problem", "prompt", "instruction", "input", "ctx", "goal", "sentence",
    "text",
)  # fmt: skip
_RESULTS = "results_*.json"
_PROMPTING = ("system_instruction", "chat_template", "fewshot_as_multiturn")  # settings
_HIGHER = "higher_is_better"  # by benchmark and metric
_START = b'{"doc_id": '  # of a line
_DIGITS = 16  # of the hash of a document that names it; 64 bits


class LmEval(Reader):
    """Reads samples; the model is what the results beside them say, or else the folder."""

    name = "lm-evaluation-harness"
    files = "samples_*.jsonl"

    def recognises(self, path: Path) -> bool:
        """Whether the first line is a sample."""
        return path.suffix == ".jsonl" and {"doc_id", "doc"} <= first_object(path).keys()

    def beside(self, path: Path) -> Iterable[Path]:
        """The results, which name the model."""
        return path.parent.glob(_RESULTS)

    def read(self, path: Path, results: Collector) -> None:
        """Read one file; items are known by the hash of their document."""
        if not isinstance(first_object(path).get("doc_hash"), str):
            raise ValueError(
                f"the lines of {path} must have a doc_hash, a text that names the item, got none in"
                " the first line; evaluate again with a newer lm-evaluation-harness"
            )
        benchmark, date = _benchmark(path)
        _check_name(path, results)
        about = _about(path, date)
        agent, settings = _agent(path, about), _settings(about, benchmark)
        if results.is_copy(path, agent, benchmark, settings):
            return
        if not about and not results.is_new(f"lm {path.absolute().parent} {benchmark}"):
            results.warn(
                f"{path} counts as a repeated run of {agent}, since there are no results_*.json"
                " that say otherwise; put the logs of each model into a folder of its own"
            )
        lower = {
            metric
            for metric in _lower_is_better(about, benchmark)
            if not results.takes_lower(benchmark, metric)
        }
        sheets: dict[tuple[str, str], Sheet] = {}
        left_out: set[str] = set()
        attempts: Counter[str] = Counter()  # by filter
        for row, line in rows(path, results, _parse):
            task, filter = row["doc_hash"][:_DIGITS], row.get("filter") or ""
            attempts[filter] += 1
            for metric in row.get("metrics") or _others(row):
                value = row.get(metric)
                if metric in lower or isinstance(value, (list, dict)):
                    left_out.add(metric)
                    continue
                sheet = sheets.get((metric, filter))
                if sheet is None:
                    sheet = results.sheet(agent, benchmark, metric, filter, settings)
                    sheets[metric, filter] = sheet
                if sheet.wanted:
                    sheet.add(task, value, None if sheet.knows(task) else _text(line))
        for filter, number in attempts.items():
            results.count(agent, benchmark, filter, settings, number)
        if left_out and not sheets:
            raise ValueError(
                f"{path} must have a metric with one number per item, of which more is better, got"
                f" {', '.join(sorted(left_out))}"
            )


def _parse(line: bytes) -> dict[str, Any] | None:
    """The fields at the end of a line, which is where the results are."""
    if line.count(_START) > 1 and whole(line) is None:
        return None  # a line that a killed run left, and the next one
    for marker in (b', "filter": ', b', "doc_hash": '):
        row = end_from(line, marker)
        if row is not None and isinstance(row.get("doc_hash"), str):
            if _has_metrics(row):
                return row
            break
    row = whole(line)
    return row if row is not None and isinstance(row.get("doc_hash"), str) else None


def _has_metrics(row: dict[str, Any]) -> bool:
    listed = row.get("metrics")
    return row.keys() >= set(listed) if listed else any(name not in _FIELDS for name in row)


def _others(row: dict[str, Any]) -> Iterable[str]:
    """The metrics in the logs of old versions, which do not list them."""
    return [name for name in row if name not in _FIELDS]


def _text(line: bytes) -> str:
    """The question in a document; its longest text if no field has a usual name."""
    document = (whole(line) or {}).get("doc")
    if isinstance(document, str):
        return document
    fields = document if isinstance(document, dict) else {}
    texts = {k: v for k, v in fields.items() if isinstance(v, str)}
    for name in _TEXTS:
        if texts.get(name, "").strip():
            return texts[name]
    return max(texts.values(), key=len, default="")


# -- the model -------------------------------------------------------------------------------------


def _benchmark(path: Path) -> tuple[str, str | None]:
    match = _NAME.match(path.stem)
    assert match is not None
    return match[1], match[2]


def _check_name(path: Path, results: Collector) -> None:
    """Refuse a second renamed file in a folder: does its name say the task, or the model?"""
    if not path.name.startswith("samples_") and not results.is_new(f"lm renamed {path.parent}"):
        raise ValueError(
            f"{path} must be named samples_<task>_<date>.jsonl, since there are several logs in its"
            " folder, got a name that does not say what the task is; put the logs of each model"
            " into a folder of its own"
        )


def _about(path: Path, date: str | None) -> dict[str, Any]:
    """The results of the same run, or what all results in the folder agree on."""
    same = path.with_name(f"results_{date}.json")
    if date and same.is_file():
        return _read(same)
    found = [_read(other) for other in sorted(path.parent.glob(_RESULTS))]
    models = {_model(about) for about in found}
    if len(models) > 1:
        raise ValueError(
            f"the model of {path} must be clear, got results of {_both(models)} beside it; put the"
            " logs of each model into a folder of its own"
        )
    return _agreed(found) if found else {}


def _agreed(found: list[dict[str, Any]]) -> dict[str, Any]:
    """What all results say, and about each metric what any says: not all are of all benchmarks."""
    agreed = {k: v for k, v in found[0].items() if all(other.get(k) == v for other in found)}
    higher: dict[str, dict[str, bool]] = {}
    for about in found:
        for benchmark, said in (about.get(_HIGHER) or {}).items():
            known = higher.setdefault(benchmark, {})
            known |= {metric: value and known.get(metric, True) for metric, value in said.items()}
    return {**agreed, "model_name": _model(found[0]), _HIGHER: higher}


def _both(models: Iterable[str | None]) -> str:
    return " and ".join(sorted(map(str, models))[:2])


def _read(path: Path) -> dict[str, Any]:
    try:
        found = read_json(path)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"cannot read {path}, the results of a model: {error}") from error
    return found if isinstance(found, dict) else {}


def _model(about: dict[str, Any]) -> str | None:
    name = about.get("model_name")
    if not name:
        arguments = _arguments(about)
        named = [arguments[key] for key in ("pretrained", "model", "path") if key in arguments]
        name = named[0] if named else None
    return str(name) if name else None


def _agent(path: Path, about: dict[str, Any]) -> str:
    return _model(about) or FolderName(path.absolute().parent.name)


def _arguments(about: dict[str, Any]) -> dict[str, str]:
    given = (about.get("config") or {}).get("model_args") or {}
    if isinstance(given, str):
        pairs = (part.partition("=") for part in given.split(","))
        return {key.strip(): value for key, _, value in pairs}
    return {str(key): str(value) for key, value in given.items()}


def _settings(about: dict[str, Any], benchmark: str) -> dict[str, Any]:
    """What distinguishes runs of one model: e.g. its revision, and the number of examples."""
    said = {
        "gen_kwargs": (about.get("config") or {}).get("gen_kwargs"),
        "num_fewshot": (about.get("n-shot") or {}).get(benchmark),
        **{key: about.get(key) for key in _PROMPTING},
    }
    given = {key: value for key, value in said.items() if value not in (None, "", {})}
    return {**_arguments(about), **given}


def _lower_is_better(about: dict[str, Any], benchmark: str) -> set[str]:
    said = (about.get(_HIGHER) or {}).get(benchmark) or {}
    return {metric for metric, higher in said.items() if higher is False}
