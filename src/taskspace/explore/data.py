"""All that the explorer's page knows about a map: one file of JSON, a few megabytes."""

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
from taskspace.models.embedding.estimator import TaskEmbedder
from taskspace.models.embedding.network import layers_of
from taskspace.report.projections import Axes

if TYPE_CHECKING:
    from taskspace.runs.run import Run

FORMAT, FORMAT_VERSION = "taskspace explorer", 1
CANDIDATES = 500  # that the page's quiz is about: it weighs them all at every answer
KNOWN = 300  # of them, agents that were played
NEVER = 255  # the rate of an agent on a task that it did not try; others are half percents


def explorer_data(run: Run) -> dict[str, Any]:
    """What the page needs, as plain values and arrays; `encode` writes it."""
    outcomes, clusters, vectors = run.outcomes, run.clusters, run.index.vectors
    rates = outcomes.rates
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "title": run.name,
        "environment": None if run.from_table else run.name,
        "told": told(run),
        "agreement": _agreement(run),
        "clusters_told": clusters.description,
        "tasks": outcomes.tasks.tolist(),
        "vectors": np.ascontiguousarray(vectors),
        "difficulty": run.index.lengths,
        "success": np.nanmean(rates, axis=0).astype(np.float32),
        "views": run.layouts,
        "cluster_names": list(clusters.names),
        "clusters": clusters.labels.astype(np.uint16),
        "columns": _columns(run),
        "rows": _rows(run),
        "agents": outcomes.agents.tolist(),
        **_groups(run),
        "rates": np.where(np.isnan(rates), NEVER, np.nan_to_num(200 * rates).round()).astype(
            np.uint8
        ),
        "posterior": _posterior(run.predictor.posterior_, outcomes.n_agents),
        "drawing": None if run.from_table else run.environment.page_drawing,
        "form_kind": form_kind(run),
        "form": _form(run),
        "network": _network(run.embedder, vectors),
    }


def encode(data: dict[str, Any]) -> bytes:
    """The data as JSON, compressed with gzip; an array is its kind, its shape and its bytes.

    >>> json.loads(gzip.decompress(encode({"a": np.array([1, 2], np.uint8)})))
    {'a': {'dtype': 'uint8', 'shape': [2], 'data': 'AQI='}}
    """
    try:
        text = json.dumps(
            data, default=_packed, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
    except ValueError as error:
        raise ValueError("the map holds numbers that are too large for the page") from error
    return gzip.compress(text.encode(), 6, mtime=0)


def _packed(array: NDArray[Any]) -> dict[str, Any]:
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    data = base64.b64encode(plain.tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def told(run: Run) -> str:
    """What the map is, in one sentence."""
    outcomes, size = run.outcomes, run.embedder.n_components_
    return (
        f"{outcomes.n_tasks} tasks, placed in {size} dimension{'s' if size > 1 else ''} by how"
        f" {outcomes.n_agents} agents did on them: alike tasks lie in the same direction, hard"
        " ones further out."
    )


def _agreement(run: Run) -> float | None:
    """How well a map that was learned from another seed agrees, where the run has got so far."""
    try:
        found = float(run.results["stability"]["similarity"])
    except FileNotFoundError:
        return None
    return found if math.isfinite(found) else None


def _columns(run: Run) -> dict[str, NDArray[Any]]:
    return {name: _smallest(column) for name, column in run.feature_columns.items()}


def _smallest(column: NDArray[Any]) -> NDArray[Any]:
    """Small whole numbers as bytes; the others in single precision, which has a largest number."""
    bytes_do = ((column >= 0) & (column <= 255) & (column == np.floor(column))).all()
    if bytes_do:
        return column.astype(np.uint8)
    most = np.finfo(np.float32).max
    return np.clip(column, -most, most).astype(np.float32)


def _rows(run: Run) -> NDArray[np.uint8] | None:
    """Tasks that are too long for columns, and small enough to draw."""
    features = run.outcomes.features
    if features is None or run.feature_columns or features.dtype != np.uint8:
        return None
    return features


def _groups(run: Run) -> dict[str, Any]:
    """The subpopulation of each agent, where the run folder knows it."""
    found = run.subpopulations
    if found is None:
        return {"groups": None, "agent_groups": None}
    names = list(dict.fromkeys(found))
    numbers = {name: number for number, name in enumerate(names)}
    return {"groups": names, "agent_groups": np.array([numbers[n] for n in found], np.uint16)}


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
    """Some of many candidates, and their prior; the first `agents` of them are known agents.

    Candidates of one kind have the same prior. Of each kind, some are left, evenly spaced, with
    all of the prior of their kind.

    >>> thinned(np.array([0.3, 0.3, 0.2, 0.2]), 2)
    (array([0, 1, 2, 3]), array([0.3, 0.3, 0.2, 0.2]))
    """
    if len(prior) <= CANDIDATES:
        return np.arange(len(prior)), prior
    ends = 1 + np.flatnonzero(np.diff(prior[agents:])) + agents
    known, *kinds = np.split(np.arange(len(prior)), [agents, *ends])
    kept = [_evenly(known, KNOWN)]
    left, total = CANDIDATES - len(kept[0]), len(prior) - agents
    kept += [_evenly(kind, max(left * len(kind) // total, 1)) for kind in kinds]
    scales = (len(kind) / len(few) for kind, few in zip((known, *kinds), kept, strict=True))
    shares = [prior[few] * scale for few, scale in zip(kept, scales, strict=True)]
    return np.concatenate(kept), np.concatenate(shares)


def _evenly(numbers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    if len(numbers) <= most:
        return numbers
    return numbers[(2 * np.arange(most) + 1) * len(numbers) // (2 * most)]


def form_kind(run: Run) -> str:
    """The form of a new task, by its name in `assets/tasks/form.js`."""
    return Environment.page_form if run.from_table else run.environment.page_form


def _form(run: Run) -> list[dict[str, Any]] | None:
    """The fields that make a new task: the environment's, or what the table's tasks span."""
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


def _network(embedder: TaskEmbedder, vectors: NDArray[np.float32]) -> dict[str, Any] | None:
    """What the page needs to embed a task itself: ReLU between the layers, none at the end."""
    layers = layers_of(embedder.network_)
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
