"""`read_results`: outcomes from evaluation logs."""

from __future__ import annotations

import contextlib
import gc
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from taskspace.outcomes.attempts import Returns
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers import tables
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.choices import Choice
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.log_files import as_paths, find
from taskspace.outcomes.readers.reading import ignored_lines, lines_about, named, warn_of_doubles
from taskspace.outcomes.readers.registry import readers
from taskspace.outcomes.result_tables import MAX_SCORE, check_max_score, max_score_of
from taskspace.outcomes.returns import check_return_options

# Keys of `info`: what was read, and by which metrics and filters.
READING, METRICS = "reading", "metrics"


def read_results(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    metric: str | Iterable[str] | None = None,
    filter: str | Iterable[str] | None = None,
    max_score: float = 1,
    returns: bool = False,
    best: float | None = None,
    success: float | None = None,
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
        max_score: The highest possible score; numbers are divided by it.
        returns: Whether scores are returns, i.e. any numbers, e.g. a judge's marks from 1 to 10.
            Those by a metric of which less is better, e.g. a perplexity, are negated.
        best: The best possible return, if it is known, as in `Outcomes.from_returns`.
        success: The return from which on a task counts as solved, if there is a threshold.

    Returns:
        The outcomes; with `returns`, they have a `scale`.

    Raises:
        FileNotFoundError: If there is no such file.
        UnclearResults: If there are several metrics or filters and none was chosen; the message
            lists them.
        ValueError: If there is no log, if a log is damaged, or if a score is not from 0 to
            `max_score` or, of returns, not a finite number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "responses.jsonl")
    ...     _ = log.write_text('{"subject_id": "a", "responses": {"q1": 1, "q2": 0}}')
    ...     read_results(folder)
    Outcomes(1 agent x 2 tasks, 1 rollout per pair, 50 % solved)
    """
    check_return_options(returns, best=best, success=success)
    choice, most = Choice.of(metric, filter), check_max_score(max_score, returns)
    return _read_all(paths, choice, most, returns, best, success)


def read_as_before(
    paths: str | os.PathLike[str],
    known: Outcomes,
    *,
    metric: str | None = None,
    filter: str | None = None,
) -> Outcomes:
    """Read the logs of new agents as those of the known agents were.

    Results by another metric or filter are refused, since they could not be compared.
    """
    choice = Choice.of(metric, filter)
    for format, benchmark, *chosen in known.info.get(METRICS, []):
        choice.before[format, benchmark] = (chosen[0], chosen[1])
    most, returns = max_score_of(known.info), known.scale is not None
    return _read_all(paths, choice, most, returns, None, None, known)


def _read_all(
    paths: Any,
    choice: Choice,
    most: float,
    returns: bool,
    best: float | None,
    success: float | None,
    others: Outcomes | None = None,
) -> Outcomes:
    known_of: dict[str, Any] = {"best": best, "success": success} if returns else {}
    known = readers()
    found = find(as_paths(paths), known)
    if found.tables:
        choice.refuse(f"tables such as {found.tables[0]}; it is for logs")
        different = tables.each_once(found.tables)
        outcomes = tables.read_tables(different, max_score=most, returns=returns, **known_of)
        lines = [named("read", different, f" as {tables.NAME}"), *ignored_lines(found)]
        outcomes.info[READING] = lines
        return outcomes
    results = Collector(choice, most, Returns(best) if returns else None)
    with _without_garbage_collection():
        for path, reader in found.logs.items():
            _read(path, reader, results)
    parts = {**results.parts(None if others is None else others.rates), **known_of}
    outcomes = Outcomes.from_returns(**parts) if returns else Outcomes(**parts)
    warn_of_doubles(outcomes, results)
    outcomes.info[READING] = lines_about(found, results, outcomes)
    outcomes.info[METRICS] = [[*place, *chosen] for place, chosen in results.used.items()]
    outcomes.info.update({} if most == 1 else {MAX_SCORE: most})
    return outcomes


def is_log(results: Any) -> bool:
    """Whether results are logs for `read_results`, and not a table for `Outcomes.from_table`."""
    if isinstance(results, (str, os.PathLike)):
        is_name = bool(os.fspath(results)) and not tables.is_table(Path(results))
        return is_name or os.path.isdir(results)
    is_list = isinstance(results, (list, tuple)) and len(results) > 0
    return is_list and all(isinstance(path, (str, os.PathLike)) for path in results)


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """What is parsed has no cycles, but the collector would look at all of it again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(path: Path, reader: Reader, results: Collector) -> None:
    """Read one log; what is wrong with it is said in one sentence."""
    results.begin_log(reader.name)
    try:
        reader.read(path, results)
    except (MemoryError, ImportError):
        raise
    except Exception as error:  # damaged files raise many types of errors
        if str(path) in str(error):
            raise
        problem = f"cannot read {path} as a log of {reader.name}: {_said(error)}"
        raise ValueError(problem) from error
    results.finish_log(path)


def _said(error: Exception) -> str:
    """What is wrong with a file, without the words of Python."""
    if isinstance(error, (zipfile.BadZipFile, zlib.error, EOFError)):
        return "it is no complete zip file, or it is damaged; copy it again"
    if isinstance(error, KeyError):
        return f"it must have {error}, got none; it is damaged, or of an unknown version"
    if isinstance(error, (ValueError, OSError)):
        return str(error)
    return "its values must be of the types of this format; it is damaged, or of another version"
