"""Logs of Inspect: `.json`, and `.eval`, which is a zip file."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.json_text import JsonText
from taskspace.outcomes.readers.sheets import Sheet
from taskspace.outcomes.readers.zip_members import open_member

_HEADER, _START = "header.json", "_journal/start.json"  # the latter if a run did not end
_SUMMARIES, _JOURNAL = "summaries.json", "_journal/summaries/"
_SAMPLE = re.compile(r"samples/.*_epoch_\d+(/sample)?\.json$")  # the latter if it is in parts
_ATTACHMENT = "attachment://"
_LOOKED_AT = 1 << 12  # characters at the start of a log that say that it is one
_SETTINGS = ("model_args", "model_generate_config", "task_args_passed", "solver_args_passed")

_KEPT = 5000  # characters of a text; summaries have no more

Record = dict[str, Any]


class _Scored(NamedTuple):
    """What is kept of a sample."""

    text: str | None
    scores: tuple[tuple[str, Any], ...]
    uuid: str | None


class Inspect(Reader):
    """Reads logs; epochs are attempts, and scorers are metrics."""

    name = "Inspect"
    files = "*.eval, or *.json"

    def recognises(self, path: Path) -> bool:
        """Whether the file begins like a log, or has the ending of one."""
        if path.suffix == ".eval":
            return True
        if path.suffix != ".json":
            return False
        try:
            with path.open(encoding="utf-8") as file:
                start = file.read(_LOOKED_AT)
        except (OSError, UnicodeDecodeError):
            return False
        return all(f'"{key}"' in start for key in ("version", "status", "eval", "run_id"))

    def read(self, path: Path, results: Collector) -> None:
        """Read one log; a log that was read in the other format is skipped."""
        with _opened(path) as (header, samples):
            _read(path, header, samples, results)


def _read(path: Path, header: Record, samples: Iterable[Record], results: Collector) -> None:
    spec = header["eval"]
    identity = spec.get("eval_id") or f"{spec.get('run_id')} {spec.get('task_id')}"
    if not results.is_new(f"inspect {identity}"):
        results.warn(f"skipped {path}: the same run is in another log")
        return
    latest = _latest(samples)
    if header.get("invalidated"):
        results.warn(f"skipped {path}: the log says that it is invalidated")
        return
    agent, benchmark, settings = spec["model"], spec["task"], _settings(spec)
    known = [key for key, sample in latest.items() if _is_known(agent, sample.uuid, results)]
    if known:
        number = f"{len(known):,} of {len(latest):,} samples"
        results.warn(f"skipped {number} of {path}: they are in another log")
    for key in known:
        del latest[key]
    results.count(agent, benchmark, "", settings, len(latest))
    sheets: dict[str, Sheet] = {}
    for (task, _), (text, scores, _) in latest.items():
        for metric, value in scores:
            sheet = sheets.get(metric)
            if sheet is None:
                sheet = sheets[metric] = results.sheet(agent, benchmark, metric, "", settings)
            sheet.add(task, value, text)


def _latest(samples: Iterable[Record]) -> dict[tuple[str, int], _Scored]:
    """The text and the scores of each sample and epoch; one that was run again replaces itself."""
    found: dict[tuple[str, int], _Scored] = {}
    for sample in samples:
        scores = () if sample.get("invalidation") else tuple(scores_of(sample))
        text = _text(sample)
        key = (str(sample["id"]), sample.get("epoch", 1))
        found[key] = _Scored(text[:_KEPT] if text else None, scores, sample.get("uuid"))
    return found


def _is_known(agent: str, uuid: str | None, results: Collector) -> bool:
    """Whether a sample was read from another log: a run that is tried again keeps its samples."""
    return uuid is not None and not results.is_new(f"inspect sample {agent} {uuid}")


def _settings(spec: Record) -> dict[str, Any]:
    """What distinguishes runs of one model on one benchmark."""
    groups: dict[str, Record] = {name: spec.get(name) or {} for name in _SETTINGS}
    found = {key: value for group in groups.values() for key, value in group.items()}
    return {**found, "solver": spec["solver"]} if spec.get("solver") else found


def scores_of(sample: Record) -> Iterator[tuple[str, Any]]:
    """The scores of a sample by scorer; a scorer with several values has one metric for each."""
    scores = sample.get("scores") or {}
    if not scores and sample.get("score"):  # in logs of old versions
        scores = {"score": sample["score"]}
    for scorer, score in scores.items():
        value = score["value"]
        if isinstance(value, dict):
            yield from ((f"{scorer}/{name}", part) for name, part in value.items())
        else:
            yield scorer, value


def _text(sample: Record) -> str | None:
    """The input of a sample: a text, or the last message of the user."""
    found = sample.get("input")
    if isinstance(found, list):
        users = [message for message in found if message.get("role") == "user"]
        found = (users or found or [{}])[-1].get("content")
    if isinstance(found, list):
        found = " ".join(part["text"] for part in found if part.get("type") == "text")
    if isinstance(found, str) and found.startswith(_ATTACHMENT):
        found = (sample.get("attachments") or {}).get(found.removeprefix(_ATTACHMENT))
    return found if isinstance(found, str) else None


# -- files -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[Record, Iterable[Record]]]:
    """The header of a log and its samples, which are read one by one."""
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            yield _header(path, archive), _samples(archive)
        return
    with path.open(encoding="utf-8") as file:
        text, header = JsonText(file), {}
        members = text.members()
        for key in members:
            if key == "samples":
                break
            header[key] = text.value()
        else:
            yield header, ()
            return
        yield header, _then_the_rest(text, members, header)


def _then_the_rest(text: JsonText, members: Iterator[str], header: Record) -> Iterator[Record]:
    """The samples; after them, the rest of the header is read."""
    yield from text.items()
    for key in members:
        header[key] = text.value()


def _header(path: Path, archive: zipfile.ZipFile) -> Record:
    names = set(archive.namelist())
    found = _HEADER if _HEADER in names else _START
    if found not in names:
        raise ValueError(f"cannot read {path} as a log of Inspect: it has no {_HEADER}")
    header: Record = next(_values(archive, [found]))
    return header


def _samples(archive: zipfile.ZipFile) -> Iterator[Record]:
    """The summaries of the samples, or the samples themselves if there are none."""
    names = archive.namelist()
    journal = {name for name in names if name.startswith(_JOURNAL)}
    lists = [_SUMMARIES] if _SUMMARIES in names else sorted(journal, key=_number)
    if not lists:
        full = dict.fromkeys(name for name in names if _SAMPLE.match(name))
        yield from _values(archive, full)
    for name in lists:
        with _text_of(archive, name) as file:
            text = JsonText(file)
            yield from text.items()
            text.end()


def _number(name: str) -> int:
    digits = Path(name).stem
    return int(digits) if digits.isdecimal() else 0


def _values(archive: zipfile.ZipFile, names: Iterable[str]) -> Iterator[Any]:
    for name in names:
        with _text_of(archive, name) as file:
            text = JsonText(file)
            value = text.value()
            text.end()
            yield value


def _text_of(archive: zipfile.ZipFile, name: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(open_member(archive, name), encoding="utf-8")
