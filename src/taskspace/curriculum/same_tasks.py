"""Whether a curriculum and environments have the same tasks: results are counted by position."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from taskspace.curriculum.reading import read_tasks

Fingerprint = tuple[str, int, str]  # the form of the tasks, how many they are, and a digest


def fingerprint(tasks: Any) -> Fingerprint | None:
    """A few characters that stand for tasks in their order; None if they are other objects.

    Environments may run in other processes, to which whole tables would take long.

    >>> fingerprint(["a", "b"]) == fingerprint(["b", "a"])
    False
    >>> fingerprint([{"mass": 1.0}])
    """
    try:
        read, features = read_tasks(tasks)
    except (ValueError, TypeError):  # a sampler may have tasks of any kind
        return None
    if features is None:
        return "names", len(read), _digest("\n".join(map(str, read)).encode())
    # Adding 0 turns -0 into 0, which is the same task.
    rows = np.ascontiguousarray(features, np.float64) + 0.0
    return f"rows of {rows.shape[1]}", len(rows), _digest(rows.tobytes())


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def check_same_tasks(tasks: Any, others: Iterable[Fingerprint | None]) -> None:
    """Refuse a curriculum whose tasks differ from those of an environment, or have another order.

    Tasks are only compared in the same form: names say nothing about rows of numbers.
    """
    own = fingerprint(tasks)
    for other in others:
        if own is None or other is None or own[0] != other[0] or own == other:
            continue
        counts = f"{own[1]} tasks instead of {other[1]}"
        got = "other tasks or another order" if own[1] == other[1] else counts
        raise ValueError(
            "curriculum must have the tasks of the environments in the same order, got"
            f" {got}; make it with the tasks that the environments draw from"
        )
