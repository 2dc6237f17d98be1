"""What came of episodes, added up per agent and task."""

from __future__ import annotations

from typing import Any

import numpy as np

from taskspace.rollouts.accumulator import Accumulator, PartialResults
from taskspace.rollouts.return_moments import ReturnMoments


def part(first: int, solved: list[int], **named: Any) -> PartialResults:
    """Two tasks, three rollouts each: results of the episodes from `first` on."""
    task = np.arange(first, first + len(solved)) // 3
    return PartialResults(
        tasks=slice(task[0], task[-1] + 1),
        successes=np.bincount(task - task[0], solved).astype(np.int64),
        steps=np.bincount(task - task[0]) * 10,
        returns=ReturnMoments.of_episodes(
            task - task[0], np.array(solved, np.float64), task[-1] + 1 - task[0]
        ),
        results=np.array(solved, np.bool_),
        first_episode=first,
        **named,
    )


def empty(**named: Any) -> Accumulator:
    keep: dict[str, Any] = {"keep_results": True, "keep_returns": True}
    return Accumulator.empty(["a", "b"], 2, 3, **{**keep, **named})


def test_parts_add_up_in_any_order() -> None:
    parts = [(0, part(0, [1, 0])), (0, part(2, [1, 1, 0, 1])), (1, part(0, [0, 0, 1, 1, 1, 1]))]
    for order in ((0, 1, 2), (2, 1, 0)):
        total = empty()
        for index in order:
            total.add(*parts[index])
        assert total.successes.tolist() == [[2, 2], [1, 3]]
        assert total.steps.tolist() == [[30, 30], [30, 30]]
        assert total.returns is not None
        np.testing.assert_allclose(total.returns.means, [[2 / 3, 2 / 3], [1 / 3, 1]], rtol=1e-6)
        third = 3**-0.5  # of 0, 0 and 1, or of 0, 1 and 1
        np.testing.assert_allclose(total.returns.spreads(), [[third, third], [third, 0]])
        assert total.results is not None
        assert total.results[0].astype(int).tolist() == [[1, 0, 1], [1, 0, 1]]
        assert total.played() == 3
        assert total.error_list() == []


def test_what_is_not_kept_takes_no_memory() -> None:
    total = empty(keep_results=False, keep_returns=False, horizon=50)
    total.add(1, part(0, [1, 1, 1]))
    assert (total.results, total.returns) == (None, None)
    assert total.successes.tolist() == [[0, 0], [3, 0]]
    assert total.successes.dtype == total.steps.dtype == np.uint8
    assert empty(horizon=100).steps.dtype == np.uint16  # three times 100


def test_rollouts_that_went_wrong_do_not_count() -> None:
    total = empty()
    total.add(1, part(0, [1, 1, 1], errors={0: (1, "first")}, info_keys=frozenset({"won"})))
    total.add(1, part(0, [0], errors={0: (1, "second")}, info_keys=frozenset({"time"})))
    total.add(0, part(3, [0, 1], errors={1: (1, "other")}))
    assert total.played().tolist() == [[3, 2], [1, 3]]
    assert total.info_keys == {"won", "time"}
    assert total.error_list() == [
        {"agent": "a", "task": "task-1", "error": "other"},
        {"agent": "b", "task": "task-0", "error": "second"},
    ]


def test_a_compact_part_is_the_same_part() -> None:
    whole = part(0, [1, 0, 1, 1, 1, 1])
    small = whole.compact()
    assert small.successes.dtype == small.steps.dtype == np.uint8
    assert small.successes.tolist() == whole.successes.tolist()
    one, other = empty(), empty()
    one.add(0, whole)
    other.add(0, small)
    assert one.successes.tolist() == other.successes.tolist()
    assert one.steps.tolist() == other.steps.tolist()


def test_outcomes_are_all_of_it() -> None:
    total = empty()
    total.add(0, part(0, [1, 0, 1, 1, 1, 1]))
    total.add(1, part(0, [0] * 6))
    outcomes = total.outcomes(np.array([[1.0], [2.0]]), ("size",), {"seed": 4})
    assert outcomes.agents.tolist() == ["a", "b"]
    np.testing.assert_allclose(outcomes.rates, [[2 / 3, 1.0], [0.0, 0.0]])
    assert outcomes.mean_lengths.tolist() == [[10, 10], [10, 10]]
    assert (outcomes.feature_names, outcomes.info) == (("size",), {"seed": 4})
    assert outcomes.results is not None
    assert (outcomes.results.sum(2) == outcomes.successes).all()
