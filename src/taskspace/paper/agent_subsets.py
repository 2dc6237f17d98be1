"""How well some agents show the similarities of the whole population of an environment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.base import Tasks
from taskspace.models.embedding.constraints import Triplets
from taskspace.models.embedding.scoring import inner_products, triplet_accuracy
from taskspace.models.embedding.table_map import fit_table
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.figure5 import fresh_tasks
from taskspace.paper.map_quality import new_triplets
from taskspace.paper.study import Study
from taskspace.rollouts.evaluate import evaluate
from taskspace.similarity.estimates import estimates
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.statistics import SuccessStatistics

TASKS, ROLLOUTS, TRUE_ROLLOUTS = 200, 20, 50


@dataclass(frozen=True, eq=False)
class Reference:
    """The whole population on new tasks: the truth, and results that maps are made from.

    Attributes:
        tasks: The new tasks.
        triplets: Triplets in the order of the whole population's similarities.
        again: An independent evaluation, of which subsets of agents are taken.
        rollouts: The number of its rollouts per pair.
    """

    tasks: Tasks
    triplets: Triplets
    again: Outcomes
    rollouts: int

    def map_accuracy(self, outcomes: Outcomes, size: int | str = "auto") -> float:
        """The triplet accuracy of a map of these outcomes with this number of dimensions."""
        statistics = SuccessStatistics.from_outcomes(outcomes)
        vectors, _ = fit_table(statistics, size, INFORMATION, np.random.default_rng(0))
        return float(triplet_accuracy(inner_products(vectors), self.triplets) or 0.0)

    def accuracy(self, outcomes: Outcomes) -> float:
        """The triplet accuracy of the similarities of success profiles, without a map."""
        found: NDArray[np.float64] = estimates(SuccessStatistics.from_outcomes(outcomes))
        right = triplet_accuracy(lambda first, second: found[first, second], self.triplets)
        return float(right or 0.0)


def reference(study: Study, name: str, seed: int) -> Reference:
    """Evaluate the population of an environment twice on new tasks; fewer with the fast preset."""
    made, parts = study.map_of(name, seed), 5 if study.fast else 1
    tasks = fresh_tasks(made.environment, TASKS // parts, seed + 9000)

    def played(kind: str, rollouts: int, play_seed: int) -> Outcomes:
        return study.saved(
            f"{name.lower()}-{seed}-{kind}",
            {"environment": name, "seed": play_seed, "rollouts": rollouts, "tasks": len(tasks)},
            lambda: evaluate(made.population, made.environment, tasks, rollouts, seed=play_seed),
            Outcomes.save,
            Outcomes.load,
        )

    truth = played("reference", TRUE_ROLLOUTS // parts, seed + 9000)
    again = played("reference-again", ROLLOUTS, seed + 9100)
    triplets = new_triplets(SuccessStatistics.from_outcomes(truth), seed)
    return Reference(tasks, triplets, again, ROLLOUTS)
