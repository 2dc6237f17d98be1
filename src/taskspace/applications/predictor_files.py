"""Files of predictors: everything that was learned, without the embedder or the success model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.dependence import Dependence
from taskspace.applications.learned import Learned, of_model
from taskspace.applications.model_candidates import ModelCandidates, Profiler
from taskspace.applications.posterior import Posterior
from taskspace.applications.task_mixtures import KnownTasks
from taskspace.files import (
    atomic_path,
    check_format,
    check_seal,
    check_unfolded_size,
    read_arrays,
    seal,
    write_arrays,
)
from taskspace.models.linear_population import LinearPopulation
from taskspace.outcomes.labels import pack, unpack
from taskspace.outcomes.returns import pack_scale, unpack_scale

FORMAT, FORMAT_VERSION = "taskspace predictor", 1
_PARTS = {"tasks", "profiles", "prior", "numbers"}

FilePath = str | os.PathLike[str]


def write(learned: Learned, path: FilePath) -> None:
    """Write one .npz file, completely or not at all."""
    tasks, posterior, found = learned.tasks, learned.posterior, learned.candidates
    arrays: dict[str, NDArray[Any]] = {
        "format": np.array([FORMAT, str(FORMAT_VERSION)]),
        "tasks": tasks.names,
        "columns": np.array(tasks.feature_names, np.str_),
        "attempt_noise": np.array(learned.attempt_noise),
        **pack_scale(learned.scale),
        "profiles": posterior.profiles,
        "prior": posterior.prior,
        "numbers": np.array([posterior.temper, posterior.strength]),
        "noise": np.array([posterior.noise, *posterior.strengths]),
        "linear_share": np.array(learned.linear_share),
    }
    if tasks.features is not None:
        arrays["features"] = tasks.features
    if posterior.dependence is not None:
        arrays |= posterior.dependence.arrays()
    if found is not None:  # the success model gives the profiles of new tasks
        arrays["mix"] = np.array(found.mix)
        arrays["candidates"] = np.array([found.temper, found.centre, found.seed])
    if learned.population is not None:
        arrays |= learned.population.arrays()
    labels = pack(learned.labels, {})
    if labels is not None:
        arrays["labels"] = labels
    with atomic_path(path) as temporary:
        write_arrays(arrays, temporary)
        seal(temporary)


def read(path: FilePath, model: Profiler | None) -> Learned:
    """Read what `write` wrote; `model` is the success model that it was learned from, if any."""
    arrays = _checked_arrays(path)
    candidates = None
    if "mix" in arrays:
        if model is None:
            raise ValueError(
                f"the predictor in {path} was fitted to a success model; pass it as model"
            )
        candidates = _candidates_in(arrays)
    if candidates is not None and model is not None and "profiles" not in arrays:
        # saved by an earlier version
        rows = arrays.get("features", arrays["tasks"])
        learned = of_model(model, candidates, rows, model.predict_proba(rows), arrays["tasks"])
    else:
        learned = replace(_learned_in(arrays, path), candidates=candidates)
        if candidates is not None:
            _check_same_tasks(arrays.get("features", arrays["tasks"]), model, path)
    labels = unpack(arrays["labels"])["task_labels"] if "labels" in arrays else {}
    return replace(
        learned,
        population=LinearPopulation.from_arrays(arrays),
        labels=labels,
        attempt_noise=float(arrays.get("attempt_noise", 0.0)),
    )


def _checked_arrays(path: FilePath) -> dict[str, Any]:
    if not checks.path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    check_unfolded_size(path)
    try:
        check_seal(path)
        arrays = read_arrays(Path(path))
        kind, version = arrays["format"].tolist()
        form = kind, int(version)
    except Exception as error:  # NumPy and zipfile raise many types of errors on damaged bytes
        raise ValueError(f"{path} is damaged or not a predictor") from error
    check_format(path, form, (FORMAT, FORMAT_VERSION))
    return arrays


def _learned_in(arrays: Mapping[str, Any], path: FilePath) -> Learned:
    """The tasks, candidates and scale in a file."""
    complete = set(arrays) >= _PARTS
    if not complete or arrays["profiles"].shape != (len(arrays["tasks"]), len(arrays["prior"])):
        raise ValueError(f"{path} is damaged or not a predictor; some of its parts are missing")
    columns = tuple(arrays["columns"].tolist()) if "columns" in arrays else ()  # older: none
    temper, strength = arrays["numbers"].tolist()
    given = arrays["profiles"], arrays["prior"], temper, strength
    return Learned(
        KnownTasks(arrays["tasks"], arrays.get("features"), columns),
        Posterior(*given, Dependence.from_arrays(arrays), None, *_noise_in(arrays)),
        linear_share=float(arrays.get("linear_share", 0.0)),
        scale=unpack_scale(dict(arrays)).get("scale"),
    )


def _candidates_in(arrays: Mapping[str, Any]) -> ModelCandidates:
    temper, centre, seed = arrays["candidates"].tolist()
    mix = tuple(arrays["mix"].tolist())
    return ModelCandidates(mix, temper, centre, int(seed), *_noise_in(arrays))


def _noise_in(arrays: Mapping[str, Any]) -> tuple[float, tuple[float, ...]]:
    """The noise and the strengths in a file; older ones are of successes."""
    noise, *strengths = arrays["noise"].tolist() if "noise" in arrays else (1.0,)
    return noise, tuple(strengths)


def _check_same_tasks(tasks: NDArray[Any], model: Any, path: FilePath) -> None:
    """Refuse a success model of other tasks, as far as their form shows it."""
    sample = np.asarray(model.sample_)
    named = sample.dtype.kind in "US"
    if named != (tasks.dtype.kind in "US") or sample.shape[1:] != tasks.shape[1:]:
        raise ValueError(
            f"model must be the success model that the predictor in {path} was fitted to, got one"
            " of other tasks"
        )
