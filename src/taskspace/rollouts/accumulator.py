"""Results of episodes, summed per agent and task, wherever they were played."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.checkpoints import Checkpoints
from taskspace.files import read_sealed_arrays, write_sealed_arrays
from taskspace.outcomes.counts import smallest_counts
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.return_moments import ReturnMoments


@dataclass(frozen=True, eq=False)
class PartialResults:
    """The results of some episodes of one agent; episode = task * rollouts + rollout."""

    tasks: slice  # the tasks of these episodes
    successes: NDArray[Any]  # per task
    steps: NDArray[Any]  # per task
    returns: ReturnMoments | None  # per task
    results: NDArray[np.bool_] | None  # per episode
    first_episode: int  # the episode of the first entry of `results`
    errors: Mapping[int, tuple[int, str]] = field(default_factory=dict)  # by task: rollouts, error
    info_keys: frozenset[str] = frozenset()  # entries of a Gymnasium environment's infos

    def compact(self) -> PartialResults:
        """The same results in fewer bytes, to send to another machine."""
        return replace(self, successes=_smallest(self.successes), steps=_smallest(self.steps))


def _smallest(counts: NDArray[Any]) -> NDArray[Any]:
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


@dataclass
class Accumulator:
    """The results of all agents on all tasks so far."""

    names: Sequence[str]
    rollouts: int  # per pair of an agent and a task, if there are no errors
    successes: NDArray[Any]  # (agents, tasks)
    steps: NDArray[Any]
    returns: ReturnMoments | None
    results: NDArray[np.bool_] | None  # (agents, tasks, rollouts)
    errors: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)  # by pair
    info_keys: set[str] = field(default_factory=set)

    @classmethod
    def empty(
        cls, names: Sequence[str], tasks: int, rollouts: int,
        *, keep_results: bool, keep_returns: bool, horizon: int | None = None,
    ) -> Accumulator:  # fmt: skip
        """No results yet.

        With `horizon`, the largest number of steps in an episode, counts have the smallest type
        that holds the largest possible count; otherwise `Outcomes` reduces them at the end.
        """
        shape = (len(names), tasks)
        pairs, bytes_per_pair = len(names) * tasks, 16 + 24 * keep_returns + rollouts * keep_results
        checks.fits_memory(
            pairs * bytes_per_pair, f"the results of {len(names):,} agents on {tasks:,} tasks"
        )
        largest = (rollouts, rollouts * horizon) if horizon is not None else None
        return cls(
            names,
            rollouts,
            np.zeros(shape, np.int64) if largest is None else smallest_counts(shape, largest[0]),
            np.zeros(shape, np.int64) if largest is None else smallest_counts(shape, largest[1]),
            ReturnMoments.zeros(shape) if keep_returns else None,
            np.zeros((*shape, rollouts), np.bool_) if keep_results else None,
        )

    def add(self, agent: int, part: PartialResults) -> None:
        """Add the results of some episodes of an agent."""
        cells = (agent, part.tasks)
        self.successes[cells] += part.successes.astype(self.successes.dtype)
        self.steps[cells] += part.steps.astype(self.steps.dtype)
        if self.returns is not None and part.returns is not None:
            self.returns.add(cells, part.returns)
        if self.results is not None and part.results is not None:
            episodes = slice(part.first_episode, part.first_episode + len(part.results))
            self.results[agent].reshape(-1)[episodes] = part.results
        for task, (count, why) in part.errors.items():
            before, _ = self.errors.get((agent, task), (0, ""))
            self.errors[agent, task] = (before + count, why)
        self.info_keys |= part.info_keys

    def played(self) -> NDArray[Any]:
        """The number of rollouts: one for all pairs, or one per pair if there were errors."""
        kind = self.successes.dtype
        if not self.errors:
            return np.array(self.rollouts, kind)
        table = np.full(self.successes.shape, self.rollouts, kind)
        for pair, (count, _) in self.errors.items():
            table[pair] -= count
        return table

    def error_list(self) -> list[dict[str, str]]:
        """The errors, by agent and task, for `Outcomes.info`."""
        return [
            {"agent": self.names[agent], "task": f"task-{task}", "error": why}
            for (agent, task), (_, why) in sorted(self.errors.items())
        ]

    def _returns(self) -> dict[str, Any]:
        """Mean returns and, if pairs have several rollouts, their spreads."""
        if self.returns is None:
            return {}
        several = {"return_spreads": self.returns.spreads()} if self.rollouts > 1 else {}
        return {"returns": self.returns.means, **several}

    def outcomes(
        self, features: NDArray[Any], feature_names: tuple[str, ...], info: dict[str, Any]
    ) -> Outcomes:
        """All results, for tasks with these features."""
        return Outcomes(
            successes=self.successes,
            rollouts=self.played(),
            agents=np.array(self.names),
            features=features,
            feature_names=feature_names,
            steps=self.steps,
            **self._returns(),
            results=self.results,
            info=info,
        )


_COUNTS = "counts.npz"


@dataclass
class CountsStore:
    """Where an evaluation stores the counts of the agents that have played all their episodes.

    Counts are all that it stores: with single results, returns or errors, nothing is stored.
    """

    checkpoints: Checkpoints
    last: float = field(default_factory=time.monotonic)
    finished: set[int] = field(default_factory=set)

    def finish(self, agent: int, totals: Accumulator) -> None:
        """Note that an agent has finished, and store all counts if the last time is long ago."""
        self.finished.add(agent)
        if (
            time.monotonic() - self.last < self.checkpoints.seconds
            or totals.errors
            or totals.returns is not None
            or totals.results is not None
        ):
            return
        agents = sorted(self.finished)
        counts = {"successes": totals.successes[agents], "steps": totals.steps[agents]}
        self.checkpoints.save(_COUNTS, {"agents": np.array(agents), **counts}, write_sealed_arrays)
        self.last = time.monotonic()

    def restore(self, totals: Accumulator) -> None:
        """Fill in the counts that were stored before a kill."""
        found = self.checkpoints.load(_COUNTS, read_sealed_arrays)
        if found is not None:
            totals.successes[found["agents"]] = found["successes"]
            totals.steps[found["agents"]] = found["steps"]
            self.finished = set(found["agents"].tolist())
