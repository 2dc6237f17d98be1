"""The data behind the explorer's page: one JSON file of a few megabytes."""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.posterior import Posterior
from taskspace.envs.base import Environment
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.network import layers_of
from taskspace.models.embedding.network_embedding import NetworkEmbedding
from taskspace.report.projections import Axes

if TYPE_CHECKING:
    from taskspace.runs.run import Run

FORMAT, FORMAT_VERSION = "taskspace explorer", 2
CANDIDATES = 500  # in the page's quiz, which reweights all of them after every answer
KNOWN = 300  # of these candidates, agents of the population
NOT_TRIED = 255  # in place of a rate; rates are stored in steps of half a percent


def explorer_data(run: Run) -> dict[str, Any]:
    """Everything the page needs, as plain values and arrays; `encode` converts it to bytes."""
    outcomes, clusters, vectors = run.outcomes, run.clusters, run.index.vectors
    rates = outcomes.rates
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "title": run.name,
        "environment": None if run.from_table else run.name,
        "description": describe(run),
        "stability": _stability(run),
        "cluster_description": clusters.description,
        "tasks": outcomes.tasks.tolist(),
        "vectors": np.ascontiguousarray(vectors),
        "difficulty": run.index.difficulty.astype(np.float32),
        "success": np.nanmean(rates, axis=0).astype(np.float32),
        "projections": run.layouts,
        "cluster_names": list(clusters.names),
        "clusters": clusters.labels.astype(np.uint16),
        "columns": _columns(run),
        "rows": _rows(run),
        "agents": outcomes.agents.tolist(),
        **_subpopulations(run),
        "rates": np.where(np.isnan(rates), NOT_TRIED, np.nan_to_num(200 * rates).round()).astype(
            np.uint8
        ),
        "posterior": _posterior(run.predictor.posterior_, outcomes.n_agents),
        "drawing": None if run.from_table else run.environment.page_drawing,
        "form_kind": form_kind(run),
        "form": _form(run),
        "network": _network(run.embedder, vectors),
    }


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
    return (
        f"{outcomes.n_tasks} tasks in {size} dimension{'s' if size > 1 else ''}, learned from the"
        f" results of {outcomes.n_agents} agents. Similar tasks lie in the same direction from the"
        " origin; harder tasks lie further out."
    )


def _stability(run: Run) -> float | None:
    """The Spearman correlation with a map from another seed, if the run has measured it."""
    try:
        found = float(run.results["stability"]["similarity"])
    except FileNotFoundError:
        return None
    return found if math.isfinite(found) else None


def _columns(run: Run) -> dict[str, NDArray[Any]]:
    return {name: _smallest(column) for name, column in run.feature_columns.items()}


def _smallest(column: NDArray[Any]) -> NDArray[Any]:
    """Small integers as bytes; other numbers in single precision, clipped to its range."""
    fit_bytes = ((column >= 0) & (column <= 255) & (column == np.floor(column))).all()
    if fit_bytes:
        return column.astype(np.uint8)
    largest = np.finfo(np.float32).max
    return np.clip(column, -largest, largest).astype(np.float32)


def _rows(run: Run) -> NDArray[np.uint8] | None:
    """Tasks as rows of bytes, where they have too many values for columns."""
    features = run.outcomes.features
    if features is None or run.feature_columns or features.dtype != np.uint8:
        return None
    return features


def _subpopulations(run: Run) -> dict[str, Any]:
    """The subpopulation of each agent, if the run folder lists them."""
    found = run.subpopulations
    if found is None:
        return {"subpopulations": None, "agent_subpopulations": None}
    names = list(dict.fromkeys(found))
    numbers = {name: number for number, name in enumerate(names)}
    of_agents = np.array([numbers[name] for name in found], np.uint16)
    return {"subpopulations": names, "agent_subpopulations": of_agents}


def _posterior(posterior: Posterior, agents: int) -> dict[str, Any]:
    chosen, prior = thinned(posterior.prior, agents)
    known = chosen[chosen < agents]
    return {
        "profiles": (255 * posterior.profiles[:, chosen]).round().astype(np.uint8),
        "prior": prior.astype(np.float32),
        "agents": len(known),
        "known": known.astype(np.int32),
        "temper": posterior.temper,
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


def _network(embedder: Embedding, vectors: NDArray[np.float32]) -> dict[str, Any] | None:
    """The network, so that the page can embed a task itself: ReLU between the layers only."""
    layers = layers_of(embedder.network_) if isinstance(embedder, NetworkEmbedding) else []
    if not layers:
        return None
    axes = Axes.of(vectors)
    return {
        "mean": embedder.mean_.tolist(),
        "scale": embedder.scale_.tolist(),
        "layers": [
            {"weight": layer.weight.tolist(), "bias": layer.bias.tolist()} for layer in layers
        ],
        "axes": {"mean": axes.mean.tolist(), "directions": axes.directions.tolist()},
    }
