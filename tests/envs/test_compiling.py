"""Compiled functions built from parts, and found again on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from numba import njit

from taskspace.envs.compiling import build


@njit
def add_one(x: Any) -> Any:
    return x + 1


@njit
def double(x: Any) -> Any:
    return 2 * x


def twice(part: Any) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return part(part(x))

    return function


def plus_five(part: Any) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return part(x) + 5

    return function


def compiled_anew(part: Any) -> Any:
    """As in another process: what is in memory does not count."""
    return build.__wrapped__(twice, part)


def test_the_same_parts_are_built_once() -> None:
    assert build(twice, add_one) is build(twice, add_one)
    assert build(twice, add_one) is not build(twice, double)


def test_functions_of_other_parts_are_not_confused_on_disk() -> None:
    for _ in range(2):
        assert compiled_anew(add_one)(5) == 7
        assert compiled_anew(double)(5) == 20


def test_the_next_process_finds_it_on_disk() -> None:
    compiled_anew(add_one)(5)
    again = compiled_anew(add_one)
    assert again(5) == 7
    assert sum(again.stats.cache_hits.values()) == 1
    assert not again.stats.cache_misses


def test_parts_of_built_functions_are_known() -> None:
    outer = build(plus_five, build(twice, double))
    assert outer.parts == (double,)
    assert outer(1) == 9


def test_parts_that_live_in_no_file_work_too() -> None:
    space: dict[str, Any] = {}
    exec("def typed(x):\n    return 3 * x", space)
    assert build(twice, njit(space["typed"]))(2) == 18


def test_bad_parts_fail_at_once() -> None:
    with pytest.raises(TypeError):
        build(twice, add_one, double)
