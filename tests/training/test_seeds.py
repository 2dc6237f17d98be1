"""Many seeds from one."""

from __future__ import annotations

from taskspace.training.seeds import child_seeds


def test_more_seeds_begin_with_the_same() -> None:
    assert child_seeds(5, 100)[:7] == child_seeds(5, 7)
    assert child_seeds(5, 0) == []


def test_seeds_differ_and_can_be_seeds_again() -> None:
    found = child_seeds(0, 500) + child_seeds(1, 500) + child_seeds(child_seeds(0, 1)[0], 500)
    assert len(set(found)) == 1500
    assert all(0 <= seed < 2**63 for seed in found)
    assert max(found) > 2**62  # all bits but the sign's are used
