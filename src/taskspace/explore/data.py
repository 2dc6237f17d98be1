"""The data behind the explorer's page: one JSON file of a few megabytes."""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.dependence import Dependence
from taskspace.applications.posterior import Posterior
from taskspace.applications.return_answers import difficulty_in_words, margin_of
from taskspace.envs.base import Environment
from taskspace.explore.answers import answers_of
from taskspace.explore.network import page_network, sixteen_bits
from taskspace.explore.omitted import omitted_share
from taskspace.explore.positions import Positions
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.labels import by_frequency, divides, shortened
from taskspace.outcomes.rates import mean_rates
from taskspace.report.cluster_titles import cluster_titles
from taskspace.report.sections import depends_on_seed
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.return_profiles import attempts
from taskspace.similarity.returns import ReturnStatistics

if TYPE_CHECKING:
    from taskspace.runs.run import Run

FORMAT, FORMAT_VERSION = "taskspace explorer", 5
SHOWN = 5000  # tasks of a run with a success model; the quiz stores 500 bytes per task
CANDIDATES = 500  # in the page's quiz, which reweights all of them after every answer
KNOWN = 300  # of these candidates, agents of the population
LONGEST = 200  # characters of a label; prompts may have thousands
MOST_COLOURED = 1000  # values of a label in the legend and in filters
MOST_GROUPS = 12  # values of a label of agents; the less frequent ones are left out
NOT_TRIED = 255  # in place of a rate; rates are stored in steps of half a percent


def explorer_data(run: Run) -> dict[str, Any]:
    """Everything the page needs, as plain values and arrays; `encode` converts it to bytes."""
    outcomes, clusters, positions = run.outcomes, run.clusters, Positions(run)
    some = slice(tasks_shown(run))
    rates = outcomes.rates[:, some]
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "title": run.short_title,
        "environment": None if run.from_table else run.name,
        "description": describe(run),
        "stability": _stability(run),
        "verdict": _verdict(run),
        "cluster_description": clusters.description,
        "informative": positions.informative,
        "measure": run.measure,
        "total": outcomes.n_tasks,
        "tasks": outcomes.tasks[some].tolist(),
        "vectors": np.ascontiguousarray(run.index.vectors[some]),
        "difficulty": run.index.difficulty[some].astype(np.float32),
        "success": mean_rates(rates, axis=0).astype(np.float32),
        "profiles": None if run.profiles is None else sixteen_bits(run.profiles[:, some]),
        "projections": {name: found[some] for name, found in positions.known.items()},
        "axes": {
            "mean": positions.axes.mean.tolist(),
            "directions": positions.axes.directions.tolist(),
        },
        "cluster_names": list(_cluster_names(run)),
        "clusters": clusters.labels[some].astype(np.uint16),
        "columns": {name: _smallest(column[some]) for name, column in _numbers(run).items()},
        "labels": _labels(run, some),
        "rows": _rows(run, some),
        "agents": outcomes.agents.tolist(),
        **_subpopulations(run),
        "agent_labels": _agent_labels(run),
        "rates": np.where(np.isnan(rates), NOT_TRIED, np.nan_to_num(200 * rates).round()).astype(
            np.uint8
        ),
        "posterior": _posterior(run.predictor.posterior_, outcomes.n_agents, some),
        "omitted": omitted_share(run.predictor, outcomes.rates),
        "returns": _returns(run, some),
        "answers": answers_of(run),
        "drawing": None if run.from_table else run.environment.page_drawing,
        "form_kind": form_kind(run),
        "form": _form(run),
        "network": page_network(run.embedder),
    }


def tasks_shown(run: Run) -> int:
    """The number of tasks on the page: all of a table, else at most the first 5000.

    Tasks are drawn at random, so the first ones represent all.
    """
    count = run.outcomes.n_tasks
    return count if run.profiles is None else min(count, SHOWN)


def encode(data: dict[str, Any]) -> bytes:
    """The data as JSON, compressed with gzip; arrays become objects of dtype, shape and data.

    >>> json.loads(gzip.decompress(encode({"a": np.array([1, 2], np.uint8)})))
    {'a': {'dtype': 'uint8', 'shape': [2], 'data': 'AQI='}}
    """
    try:
        text = json.dumps(
            data, default=_packed, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
    except ValueError as error:
        raise ValueError("the numbers of the map must be finite, got infinity or NaN") from error
    return gzip.compress(text.encode(), 6, mtime=0)


def _packed(array: NDArray[Any]) -> dict[str, Any]:
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    data = base64.b64encode(plain.tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def describe(run: Run) -> str:
    """What the map shows, in plain words."""
    outcomes, size = run.outcomes, run.embedder.n_components_
    results = "results" if outcomes.scale is None else "returns"
    length = "harder tasks lie further out."
    if isinstance(run.embedder, TaskEmbedder):
        length = "the squared length of a vector is information, not difficulty."
    if run.measure == CORRELATION:
        opposite = "put the agents in opposite orders"
        if outcomes.scale is None:
            opposite = "are solved by opposite agents"
        length = f"tasks that {opposite} lie in opposite directions."
    return (
        f"{outcomes.n_tasks:,} tasks in {size} dimension{'s' if size > 1 else ''}, learned from the"
        f" {results} of {outcomes.n_agents:,} agents. Similar tasks lie in the same direction from"
        f" the origin; {length}"
    )


def _stability(run: Run) -> float | None:
    """The Spearman correlation with a map from another seed, if it is known and says anything."""
    try:
        results = run.results
    except FileNotFoundError:
        return None
    if not depends_on_seed(results):
        return None
    found = float(results["stability"]["similarity"])
    return found if math.isfinite(found) else None


def _cluster_names(run: Run) -> tuple[str, ...]:
    """The names of the clusters as in the report, if the run has measured how good its map is."""
    try:
        return cluster_titles(run)
    except FileNotFoundError:
        return run.clusters.names


def _verdict(run: Run) -> dict[str, Any] | None:
    """The verdict on the map, if the run has measured its quality."""
    try:
        found = run.verdict
    except FileNotFoundError:
        return None
    return {"text": str(found), "weak": found.weak}


def _smallest(column: NDArray[Any]) -> NDArray[Any]:
    """Small integers as bytes; other numbers in single precision, clipped to its range."""
    fit_bytes = ((column >= 0) & (column <= 255) & (column == np.floor(column))).all()
    if fit_bytes:
        return column.astype(np.uint8)
    largest = np.finfo(np.float32).max
    return np.clip(column, -largest, largest).astype(np.float32)


def _numbers(run: Run) -> dict[str, NDArray[Any]]:
    """The columns of numbers about tasks: features, and labels that are numbers."""
    labels = run.outcomes.task_labels
    numbers = {name: values for name, values in labels.items() if values.dtype.kind == "f"}
    return {**run.feature_columns, **numbers}


def _labels(run: Run, some: slice) -> dict[str, Any]:
    """The labels of tasks that are texts: the different ones, and the number of each task's.

    If tasks lack the label, the last text is empty. Only a label that is `coloured` has colours and
    filters, because it divides the tasks into groups.
    """
    found = {}
    for name, values in run.outcomes.task_labels.items():
        if values.dtype.kind == "f":
            continue
        texts, codes = by_frequency(values[some])
        missing = [""] if (codes < 0).any() else []
        found[name] = {
            "texts": [shortened(text, LONGEST) for text in (*texts, *missing)],
            "codes": np.where(codes < 0, len(texts), codes).astype(np.int32),
            "coloured": divides(values) and len(texts) <= MOST_COLOURED,
        }
    return found


def _agent_labels(run: Run) -> dict[str, Any]:
    """The labels that divide the agents into groups: the names of groups, and that of each agent.

    Agents in no group, or in a small one of many, have the number after the last name.
    """
    found = {}
    for name, values in run.outcomes.agent_labels.items():
        if divides(values):
            texts, codes = by_frequency(values)
            names = [shortened(text, LONGEST) for text in texts[:MOST_GROUPS]]
            of_agents = np.where(codes < 0, len(names), np.minimum(codes, len(names)))
            found[name] = {"names": names, "of_agents": of_agents.astype(np.uint16)}
    return found


def _rows(run: Run, some: slice) -> NDArray[np.uint8] | None:
    """Tasks as rows of bytes, where they have too many values for columns."""
    features = run.outcomes.features
    if features is None or run.feature_columns or features.dtype != np.uint8:
        return None
    return features[some]


def _subpopulations(run: Run) -> dict[str, Any]:
    """The subpopulation of each agent, if the run folder lists them."""
    found = run.subpopulations
    if found is None:
        return {"subpopulations": None, "agent_subpopulations": None}
    names = list(dict.fromkeys(found))
    numbers = {name: number for number, name in enumerate(names)}
    of_agents = np.array([numbers[name] for name in found], np.uint16)
    return {"subpopulations": names, "agent_subpopulations": of_agents}


def _posterior(posterior: Posterior, agents: int, some: slice) -> dict[str, Any]:
    chosen, prior = thinned(posterior.prior, agents)
    known = chosen[chosen < agents]
    return {
        "profiles": (255 * posterior.profiles[some, chosen]).round().astype(np.uint8),
        "prior": prior.astype(np.float32),
        "agents": len(known),
        "known": known.astype(np.int32),
        "temper": posterior.temper,
        "noise": posterior.noise,
        "dependence": _dependence(posterior.dependence, some),
    }


def _returns(run: Run, some: slice) -> dict[str, Any] | None:
    """The scale of returns: on the page, results are normalised ones. None for successes.

    The predictor may have a wider range; `shift` and `stretch` turn results into those on it.
    """
    scale, wide = run.outcomes.scale, run.predictor.scale_
    if scale is None or wide is None:
        return None
    shift, stretch = margin_of(scale, wide)
    count = run.outcomes.n_tasks
    low, high = (np.broadcast_to(end, count)[some] for end in (scale.low, scale.high))
    return {
        "low": low.astype(np.float32),
        "high": high.astype(np.float32),
        "shared": not scale.low.ndim,
        "shift": shift,
        "stretch": stretch,
        "difficulty": f"Difficulty is {difficulty_in_words(scale)}.",
        "scores": _return_scores(run, some),
    }


def _return_scores(run: Run, some: slice) -> dict[str, Any]:
    """The normal scores (tasks, agents) whose products are similarities, as `Run` compares tasks.

    Those of a table are corrected by the reliability of each task; those of a model contain it.
    """
    if run.profiles is not None and isinstance(run.embedder, TaskEmbedder):
        dispersion = run.embedder.model_.dispersion_
        assert dispersion is not None  # a model of returns has one
        found = attempts(run.profiles[:, some], dispersion)
        return {"values": np.ascontiguousarray(found.T, np.float32), "reliability": None}
    statistics = ReturnStatistics.from_outcomes(run.outcomes)
    reliability = statistics.reliability[some].astype(np.float32)
    return {"values": statistics.scores[some], "reliability": reliability}


def _dependence(dependence: Dependence | None, some: slice) -> dict[str, Any]:
    """The pairs of dependent tasks on the page; without any, empty arrays."""
    if dependence is None:
        dependence = Dependence(np.empty((0, 2), np.int64), np.empty(0), np.empty(0))
    shown = (dependence.pairs < some.stop).all(1)
    return {
        "pairs": dependence.pairs[shown].astype(np.int32),
        "covariances": dependence.covariances[shown].astype(np.float32),
        "variances": dependence.variances[some].astype(np.float32),
    }


def thinned(prior: NDArray[np.float64], agents: int) -> tuple[NDArray[np.int64], Any]:
    """A subset of many candidates, and their prior; the first `agents` of them are known agents.

    Candidates from the same source have the same prior. Of each source, some candidates remain,
    evenly spaced, and share the total prior of their source.

    >>> thinned(np.array([0.3, 0.3, 0.2, 0.2]), 2)
    (array([0, 1, 2, 3]), array([0.3, 0.3, 0.2, 0.2]))
    """
    if len(prior) <= CANDIDATES:
        return np.arange(len(prior)), prior
    ends = 1 + np.flatnonzero(np.diff(prior[agents:])) + agents
    known, *sources = np.split(np.arange(len(prior)), [agents, *ends])
    chosen = [_evenly(known, KNOWN)]
    left, total = CANDIDATES - len(chosen[0]), len(prior) - agents
    chosen += [_evenly(source, max(left * len(source) // total, 1)) for source in sources]
    scales = (len(all_) / len(few) for all_, few in zip((known, *sources), chosen, strict=True))
    priors = [prior[few] * scale for few, scale in zip(chosen, scales, strict=True)]
    return np.concatenate(chosen), np.concatenate(priors)


def _evenly(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    if len(numbers) <= count:
        return numbers
    return numbers[(2 * np.arange(count) + 1) * len(numbers) // (2 * count)]


def form_kind(run: Run) -> str:
    """The kind of form for a new task: a key of PANELS in `assets/tasks/form.js`."""
    return Environment.page_form if run.from_table else run.environment.page_form


def _form(run: Run) -> list[dict[str, Any]] | None:
    """The fields of a new task; for tables, with the range of values that the tasks have."""
    if not run.feature_columns:
        return None
    if not run.from_table:
        return [
            {"name": c.name, "low": c.low, "high": c.high, "whole": c.integer}
            for c in run.environment.columns
        ]
    return [
        {
            "name": name,
            "low": float(column.min()),
            "high": float(column.max()),
            "whole": bool((column == np.floor(column)).all()),
        }
        for name, column in run.feature_columns.items()
    ]
