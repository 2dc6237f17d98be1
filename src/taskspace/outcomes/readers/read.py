"""`read_results`: outcomes from evaluation logs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers import tables
from taskspace.outcomes.readers.agent_names import alike
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.choices import Choice
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.log_files import as_paths, files_in
from taskspace.outcomes.readers.registry import formats, reader_of, readers
from taskspace.outcomes.result_tables import check_max_score

READING = "reading"  # the key of `info` that says what was read
_MOST_LISTED = 10  # benchmarks, each on a line
_MOST_NAMED = 3  # files on a line
_FEWEST_EQUAL = 20  # tasks on which two agents have the same results by more than chance


def read_results(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    metric: str | Iterable[str] | None = None,
    filter: str | Iterable[str] | None = None,
    max_score: float = 1,
) -> Outcomes:
    """Read the logs of evaluation harnesses.

    The formats are those of lm-evaluation-harness, Inspect, HELM, Every Eval Ever and py-irt,
    tables of results, and those that installed packages add by entry points (`Reader`). A model is
    an agent, and an item of a benchmark is a task. Its labels are `benchmark` and `text`, if
    known. Repeated runs, epochs and trials are attempts; pairs without a result have 0 rollouts.

    `info["reading"]` says which files were read as what, and which were ignored. Lines that are
    damaged, as a killed run leaves them, are skipped with a warning.

    Args:
        paths: Files or folders, which are searched for logs.
        metric: The metric to read, if the logs have several. Of several names (a list, or one text
            with commas), the first one that a benchmark has is read.
        filter: The filter to read, if the logs have several, as `metric`. For HELM, the name of a
            perturbation, or "original".
        max_score: The highest possible score; scores are divided by it.

    Returns:
        The outcomes.

    Raises:
        FileNotFoundError: If there is no such file.
        UnclearResults: If there are several metrics or filters and none was chosen; the message
            lists them.
        ValueError: If there is no log, if a log is damaged, or if a score is not from 0 to
            `max_score`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "responses.jsonl")
    ...     _ = log.write_text('{"subject_id": "a", "responses": {"q1": 1, "q2": 0}}')
    ...     read_results(folder)
    Outcomes(1 agent x 2 tasks, 1 rollout per pair, 50 % solved)
    """
    choice, most = Choice.of(metric, filter), check_max_score(max_score)
    known = readers()
    found = _find(as_paths(paths), known)
    if found.tables:
        choice.refuse(f"tables such as {found.tables[0]}; it is for logs")
        outcomes = tables.read_tables(found.tables, most)
        lines = [_named("read", found.tables, f" as {tables.NAME}"), *_ignored(found)]
        outcomes.info[READING] = lines
        return outcomes
    results = Collector(choice, most)
    for path, reader in found.logs.items():
        _read(path, reader, results)
    outcomes = Outcomes(**results.parts())
    _warn_of_doubles(outcomes, results)
    outcomes.info[READING] = _said(found, results, outcomes)
    return outcomes


def is_log(results: Any) -> bool:
    """Whether results are logs for `read_results`, and not a table for `Outcomes.from_table`."""
    if isinstance(results, (str, os.PathLike)):
        is_file = os.path.exists(results) and not tables.is_table(Path(results))
        return is_file or os.path.isdir(results)
    is_list = isinstance(results, (list, tuple)) and len(results) > 0
    return is_list and all(isinstance(path, (str, os.PathLike)) for path in results)


@dataclass
class _Found:
    """The files that are read, in order, and those that are not."""

    logs: dict[Path, Reader] = field(default_factory=dict)
    tables: list[Path] = field(default_factory=list)
    ignored: list[Path] = field(default_factory=list)


def _find(paths: list[Path], known: list[Reader]) -> _Found:
    found, in_folders = _Found(), _Found()
    given = [path for path in paths if not path.is_dir()]
    inside = [file for path in paths if path.is_dir() for file in files_in(path)]
    seen: set[str] = set()  # a file may be found by several paths and links
    for paths_there, into in ((given, found), (inside, in_folders)):
        for path in paths_there:
            if os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                _sort(path, known, into)
    if found.ignored:
        raise ValueError(f"{str(found.ignored[0])!r} must be in a known format: {formats(known)}")
    if found.logs and found.tables:
        raise ValueError(
            "paths must be either logs or tables, got both; read them separately:"
            f" {next(iter(found.logs))} and {found.tables[0]}"
        )
    if not found.tables:
        found.logs |= in_folders.logs
    if not found.logs:
        found.tables += in_folders.tables
    read = {*found.logs, *found.tables}
    same = {os.path.realpath(path) for path in read}
    found.ignored = [path for path in inside if os.path.realpath(path) not in same]
    if not read:
        raise ValueError(
            f"{str(paths[0])!r} must have at least one log in a known format, got none among"
            f" {len(inside)} files; the formats are {formats(known)}"
        )
    return found


def _sort(path: Path, known: list[Reader], found: _Found) -> None:
    if not path.is_file():  # e.g. a pipe, or a link that leads nowhere
        found.ignored.append(path)
    elif tables.is_table(path):
        found.tables.append(path)
    elif (reader := reader_of(path, known)) is None:
        found.ignored.append(path)
    else:
        found.logs[path] = reader


def _read(path: Path, reader: Reader, results: Collector) -> None:
    """Read one log; what is wrong with it is said in one sentence."""
    results.begin_log(reader.name)
    try:
        reader.read(path, results)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"cannot read {path} as a log of {reader.name}: {type(error).__name__}: {error}"
        ) from error
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"cannot read {path} as a log of {reader.name}: {error}") from error
    results.finish_log(path)


def _warn_of_doubles(outcomes: Outcomes, results: Collector) -> None:
    """Tell about agents that may be one model under two names."""
    for one, other in alike(outcomes.agents.tolist()):
        results.warn(f"the agents {one!r} and {other!r} may be one model under two names")
    if outcomes.n_tasks < _FEWEST_EQUAL:
        return
    rows: dict[bytes, str] = {}
    for name, row in zip(outcomes.agents.tolist(), outcomes.rates, strict=True):
        known = row[~np.isnan(row)]
        if len(known) >= _FEWEST_EQUAL and known.min() < known.max():
            first = rows.setdefault(row.tobytes(), name)
            if first != name:
                results.warn(
                    f"the agents {first!r} and {name!r} have the same results on all"
                    f" {len(known):,} tasks; they may be one model under two names"
                )


# -- what was read ---------------------------------------------------------------------------------


def _said(found: _Found, results: Collector, outcomes: Outcomes) -> list[str]:
    lines = []
    for name in dict.fromkeys(reader.name for reader in found.logs.values()):
        paths = [path for path, reader in found.logs.items() if reader.name == name]
        lines.append(_named("read", paths, f" as logs of {name}"))
    chosen = [(benchmark, names) for (_, benchmark), names in results.used.items()]
    lines += [_metric(*one) for one in chosen[:_MOST_LISTED]]
    if len(chosen) > _MOST_LISTED:
        lines.append(f"and {len(chosen) - _MOST_LISTED} more benchmarks")
    if results.unscored:
        lines.append(f"left out: {results.unscored:,} attempts without a score")
    missing = int((outcomes.rollouts == 0).sum())
    if missing:
        lines.append(f"pairs without a result: {missing:,} of {outcomes.rollouts.size:,}")
    if outcomes.rollouts.max() > 1:
        lines.append(f"attempts per pair: up to {outcomes.rollouts.max()}, e.g. of repeated runs")
    return lines + _ignored(found)


def _metric(benchmark: str, chosen: tuple[str, str]) -> str:
    metric, filter = chosen
    filtered = f", filter {filter!r}" if filter else ""
    return f"results{f' of {benchmark}' if benchmark else ''}: metric {metric!r}{filtered}"


def _ignored(found: _Found) -> list[str]:
    """What was not read, without the files that readers read along with logs."""
    beside = {other for path, reader in found.logs.items() for other in reader.beside(path)}
    left = [path for path in found.ignored if path not in beside]
    lines = []
    others = [path for path in left if not tables.is_table(path)]
    if others:
        lines.append(_named("ignored", others, ""))
    if len(others) < len(left):
        skipped = [path for path in left if tables.is_table(path)]
        lines.append(_named("ignored", skipped, ", tables beside logs: read them separately"))
    return lines


def _named(what: str, paths: list[Path], how: str) -> str:
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    names = ", ".join(map(str, paths[:_MOST_NAMED]))
    return f"{what} {len(paths)} file{'' if len(paths) == 1 else 's'}{how}: {names}{more}"
