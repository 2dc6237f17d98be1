"""What a predictor learns: from the outcomes of other agents, or from a success model of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.candidates import Table, candidates
from taskspace.applications.dependence import find_dependence
from taskspace.applications.model_candidates import ModelCandidates, Profiler
from taskspace.applications.posterior import Posterior
from taskspace.applications.prior import choose_prior, spread
from taskspace.applications.return_answers import widened
from taskspace.applications.return_noise import ReturnNoise, calibrate
from taskspace.applications.task_mixtures import Embedder, KnownTasks, vectors_of
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.dispersion import dispersion_of
from taskspace.models.success.factors import Floats
from taskspace.models.success.low_rank import fit, learn
from taskspace.outcomes.labels import Labels
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.return_scale import ReturnScale
from taskspace.outcomes.task_names import positions


@dataclass(frozen=True, eq=False)
class Learned:
    """What is known about tasks and agents; see the attributes of `PerformancePredictor`."""

    tasks: KnownTasks
    posterior: Posterior
    population: LinearPopulation | None = None
    linear_share: float = 0.0
    labels: Labels = field(default_factory=dict)
    scale: ReturnScale | None = None
    attempt_noise: float = 0.0
    candidates: ModelCandidates | None = None  # if it was learned from a success model


def from_outcomes(outcomes: Outcomes, embedder: Embedder | None, seed: int) -> Learned:
    """Learn from outcomes; the map is used if it helps to predict left-out agents."""
    from threadpoolctl import threadpool_limits

    outcomes, vectors = widened(outcomes), None
    noise = _noise_of(outcomes)
    if embedder is not None:
        vectors = vectors_of(embedder, outcomes.task_inputs, "the tasks of the outcomes")
    posterior, share, population = _candidates_of(outcomes, vectors, noise, seed)
    if noise is None:
        with threadpool_limits(1):
            found = find_dependence(outcomes.rates, posterior.profiles, posterior.prior)
        posterior = replace(posterior, dependence=found)
    return Learned(
        KnownTasks(outcomes.tasks, outcomes.features, outcomes.feature_names),
        posterior,
        population,
        share,
        outcomes.task_labels,
        outcomes.scale,
        0.0 if noise is None else noise.attempt - noise.measured,
    )


def _candidates_of(
    outcomes: Outcomes, vectors: Floats | None, noise: ReturnNoise | None, seed: int
) -> tuple[Posterior, float, LinearPopulation | None]:
    """The candidates, the share of the linear model in predictions, and the linear model.

    What is in use here takes several times the memory of what is returned.
    """
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(seed)
    table = _table(outcomes, vectors, noise)
    with threadpool_limits(1):
        dispersion = None if noise is None else table.dispersion
        factors, settings = learn(table.successes, table.attempts, None, seed, dispersion)

        def make(rest: Table) -> list[Floats]:
            others = fit(rest.successes, rest.attempts, *settings.of_fit)
            return candidates(rest, others, settings, rng)

        chosen = choose_prior(table, make, rng)
        strengths = () if noise is None else noise.strengths(calibrate(table, make, chosen, rng))
        groups = candidates(table, factors, settings, rng)
    population = _population(outcomes.rates, groups[0], seed)
    mix = chosen.mix
    if not mix[-1]:  # the map does not help
        mix, groups = mix[:-1], groups[:-1]
    every = np.concatenate(groups, dtype=np.float32, casting="same_kind")
    profiles, prior = np.ascontiguousarray(every.T), spread(mix, groups)
    if noise is None:
        posterior = Posterior(profiles, prior, chosen.temper, settings.strength)
    else:
        of_answers = {"noise": noise.answer(strengths), "strengths": strengths}
        posterior = Posterior(profiles, prior, chosen.temper, strengths[0], **of_answers)  # type: ignore[arg-type]
    return posterior, chosen.linear, population


def _noise_of(outcomes: Outcomes) -> ReturnNoise | None:
    """The noise of returns; None for successes.

    If it is unknown, because each pair has one attempt, it is part of what sets agents apart.
    """
    if outcomes.scale is None:
        return None
    dispersion = dispersion_of(outcomes)
    if dispersion is None:
        return ReturnNoise(attempt=0.0, measured=0.0)
    tried = outcomes.rollouts > 0
    return ReturnNoise(dispersion, dispersion * float((1 / outcomes.rollouts[tried]).mean()))


def _table(outcomes: Outcomes, vectors: Floats | None, noise: ReturnNoise | None) -> Table:
    results = outcomes.successes.astype(float), outcomes.rollouts.astype(float)
    if noise is None:
        return Table(*results, vectors)
    # A result is a mean over attempts, whereas an answer is a single attempt.
    more = noise.attempt * (1 - 1 / np.maximum(results[1], 1))
    return Table(*results, vectors, noise.attempt or 1.0, more)


def from_model(model: Profiler, seed: int) -> Learned:
    """Learn from a success model; the known tasks are those of its sample."""
    profiles = model.predict_proba(model.sample_)
    noise = _noise_of_model(model)
    found = ModelCandidates.fit(profiles, seed, noise)
    attempt_noise = 0.0 if noise is None else noise.attempt + noise.missed
    return of_model(model, found, model.sample_, profiles, attempt_noise=attempt_noise)


def of_model(
    model: Profiler,
    candidates: ModelCandidates,
    rows: NDArray[Any],
    profiles: Floats,
    names: Any = None,
    attempt_noise: float = 0.0,
) -> Learned:
    """What is known about any tasks of a success model, with these profiles (agents, tasks).

    The tasks are names, or rows of features which may have names.
    """
    if rows.dtype.kind in "OUS":
        tasks = KnownTasks(rows.astype(np.str_), None)
    else:
        default = [f"task-{number}" for number in range(len(rows))]
        columns = getattr(model, "feature_names_", ())
        tasks = KnownTasks(np.array(default if names is None else names, np.str_), rows, columns)
    return Learned(
        tasks,
        candidates.posterior(profiles),
        _population(profiles, None, candidates.seed),
        scale=_scale_of_model(model, rows),
        attempt_noise=attempt_noise,
        candidates=candidates,
    )


def _noise_of_model(model: Profiler) -> ReturnNoise | None:
    """The noise of returns around the profiles of a success model; None for successes."""
    if getattr(model, "scale_", None) is None:
        return None
    found: Any = model
    return ReturnNoise(attempt=found.dispersion_, measured=0.0, missed=found.misfit_)


def _scale_of_model(model: Profiler, rows: NDArray[Any]) -> ReturnScale | None:
    """The scale of the returns of some tasks of a success model."""
    scale: ReturnScale | None = getattr(model, "scale_", None)
    names = getattr(model, "task_names_", None)
    if scale is None or names is None:
        return scale
    return scale.of_tasks(positions(names, rows, "model"))


def _population(rates: Floats, predicted: Floats | None, seed: int) -> LinearPopulation | None:
    """The linear model of at least two agents."""
    return LinearPopulation.from_rates(rates, predicted, seed) if len(rates) > 1 else None
