"""How much of the similarities in the outcomes each map keeps, and how long its fit takes."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.constraints import Triplets, draw_triplets
from taskspace.models.embedding.scoring import PairSimilarity, inner_products
from taskspace.models.embedding.table_map import fit_table
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.paper.figure6 import evaluated_twice
from taskspace.paper.information import LABEL, sizes, success_model
from taskspace.paper.study import Study, Table, mean_and_spread
from taskspace.runs.measures import CLEAR, silhouettes, similarity_scores
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import ordinal_plan
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.statistics import SuccessStatistics

ORDINAL = "ordinal map"
TRIPLETS = 20_000
COLUMNS = {
    "triplets": "triplet_accuracy",
    "clear triplets": "clear_triplet_accuracy",
    "silhouette": "silhouette",
    "error in bits": "similarity_error_bits",
}
NOTE = (
    "Accuracies and errors are measured on new tasks with 100 rollouts per agent. triplets: triplet"
    " accuracy in which each order is weighted with its probability, as in training; clear"
    f" triplets: those whose two similarities differ by more than {CLEAR} bits. Two similarities"
    " are often nearly equal, so even a second evaluation of the same agents and tasks (last row)"
    " falls short of 1 in the first column; that is the ceiling, and only clear triplets show how"
    " many orders a map gets wrong. The map of the second evaluation shows what the dimensions"
    " alone cost: it has seen the new tasks themselves. silhouette: as in Table 1; error in bits:"
    " root mean square over all pairs of tasks (inner products of the ordinal map are not in bits)."
)

Row = dict[str, Any]
Runs = Sequence[Sequence[Mapping[str, Any]]]  # the rows of each seed


def tables(study: Study, environments: Sequence[str]) -> list[Table]:
    """A table of the quality of all maps, and one of the times of their fits."""
    rows, fits = [], []
    for name in environments:
        runs = [_run(study, name, seed) for seed in range(study.seeds)]
        rows += list(_rows(name, runs))
        fits.append({"environment": name, **_fits(runs)})
    return [
        Table("beyond-map", "Similarities of new tasks according to each map", rows, NOTE),
        Table(
            "beyond-fit", "Seconds of the fit of a map, in the same process", fits,
            "The information map is fitted to a success model that exists already, the ordinal map"
            " to outcomes.",
        ),
    ]  # fmt: skip


def _rows(environment: str, runs: Runs) -> Iterator[Row]:
    for same in zip(*runs, strict=True):
        row = {"environment": environment, "map": same[0]["map"]}
        row["dimensions"] = same[0]["dimensions"]
        for heading, key in COLUMNS.items():
            row |= mean_and_spread(heading, [found[key] for found in same])
        yield row


def _fits(runs: Runs) -> Row:
    """The times of the maps with the dimensions of Table 1."""
    columns: Row = {}
    for name in (LABEL, ORDINAL):
        first = [next(row for row in run if row["map"] == name) for run in runs]
        columns |= mean_and_spread(name, [row["seconds"] for row in first])
    return columns


def _run(study: Study, environment: str, seed: int) -> list[Row]:
    made = study.map_of(environment, seed)
    name = f"{environment.lower()}-{seed}-map-quality"
    return study.saved_rows(name, {"seed": seed}, lambda: list(_measured(study, made, seed)))


def _measured(study: Study, made: Run, seed: int) -> Iterator[Row]:
    """One row per map, then the success model and the second evaluation, in as many dimensions."""
    played, repeated = evaluated_twice(study, made, seed)
    truth, again = (SuccessStatistics.from_outcomes(part) for part in (played, repeated))
    triplets = new_triplets(truth, seed)

    def row(name: str, similarity: PairSimilarity, **more: Any) -> Row:
        found = similarity_scores(similarity, truth, triplets)
        columns = dict.fromkeys(("dimensions", "silhouette", "seconds"))
        return {"map": name, **columns, **found, **more}

    tasks, model = played.features, success_model(study, made, seed)
    for name, embedder, seconds in _maps(study, made, seed):
        scores = silhouettes(made.environment, embedder, made.settings["shown"], seed)
        yield row(
            name,
            inner_products(embedder.transform(tasks)),
            dimensions=embedder.n_components_,
            silhouette=float(np.mean(scores)),
            seconds=seconds,
            **({"similarity_error_bits": None} if name == ORDINAL else {}),
        )
    exact = model.similarity(tasks).astype(np.float64)
    yield row("success model", lambda first, second: exact[first, second])
    for size in sizes(made.name):
        vectors, _ = fit_table(again, size, INFORMATION, np.random.default_rng(seed))
        yield row("map of the second evaluation", inner_products(vectors), dimensions=size)
    yield row("second evaluation", again.pairs)


def new_triplets(truth: SuccessStatistics, seed: int) -> Triplets:
    """The triplets on which all maps are tested."""
    rng = np.random.default_rng(seed)
    return draw_triplets(truth, TRIPLETS, rng, np.arange(truth.n_tasks))


def _maps(study: Study, made: Run, seed: int) -> Iterator[tuple[str, Embedding, float]]:
    """The maps with their names and the seconds of their fits."""
    plan, model = ordinal_plan(made.name, study.preset), success_model(study, made, seed)
    yield ORDINAL, *_timed(lambda: plan.learn(made.outcomes, seed))
    for size in sizes(made.name):
        yield LABEL, *_timed(functools.partial(TaskEmbedder(size).fit, model))


def _timed(fit: Callable[[], Embedding]) -> tuple[Embedding, float]:
    started = time.perf_counter()
    fitted = fit()
    return fitted, time.perf_counter() - started
