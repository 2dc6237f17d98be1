"""Answers about a table of results, kept in files: what report and explorer show of a run.

An answer is a result object, such as a `Redundancy`, or `Unanswered` with the reason why not.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from taskspace.files import read_arrays, write_arrays
from taskspace.outcomes.outcomes import Outcomes

T = TypeVar("T")
SHORT_TEST, SHORTEST = 30, 3  # tasks of a short test, if there are many or few
TEST_AGENTS, TEST_AGENTS_WITH_GAPS = 150, 60  # from which it is chosen within seconds
_PLAIN, _INSIDE = "plain values", "/"  # of a file: what is not an array; nested names


@dataclass(frozen=True)
class Unanswered:
    """A question that the results cannot answer, or not in a short time.

    Attributes:
        reason: One sentence that says why.
    """

    reason: str


def size_of_test(tasks: int) -> int:
    """The size of a short test if none is asked for: 30, or a quarter of fewer than 120 tasks."""
    return min(SHORT_TEST, max(tasks // 4, SHORTEST))


def agents_of_test(outcomes: Outcomes) -> int:
    """The number of agents from which a run chooses its short test; of more, some are drawn."""
    most = TEST_AGENTS if outcomes.rollouts.all() else TEST_AGENTS_WITH_GAPS
    return min(most, outcomes.n_agents)


def note_on_test(outcomes: Outcomes) -> str:
    """A sentence that says so if only some of the agents were used, or else nothing.

    >>> note_on_test(Outcomes(np.ones((400, 9), int), 1))
    'It was chosen from the results of 150 of the 400 agents, to save time; the command uses all.'
    """
    used = agents_of_test(outcomes)
    if used == outcomes.n_agents:
        return ""
    return (
        f"It was chosen from the results of {used} of the {outcomes.n_agents:,} agents, to save"
        " time; the command uses all."
    )


def answer(ask: Callable[[], T]) -> T | Unanswered:
    """Ask a question; a `ValueError` about the data becomes the reason why it has no answer.

    >>> def ask():
    ...     raise ValueError("outcomes must have at least 5 agents, got 2")
    >>> answer(ask).reason
    'outcomes must have at least 5 agents, got 2.'
    """
    try:
        return ask()
    except ValueError as error:
        return Unanswered(f"{str(error).rstrip('.')}.")


def save(found: Any, path: Path) -> None:
    """Write an answer: a dataclass of arrays, plain values, and further such dataclasses."""
    arrays, plain = _split(found)
    packed = np.frombuffer(json.dumps(plain, ensure_ascii=False).encode(), np.uint8)
    write_arrays({**arrays, _PLAIN: packed}, path)


def load(path: Path, *kinds: type[Any]) -> Any:
    """Read an answer of one of these kinds, or `Unanswered`, written by `save`.

    Raises:
        ValueError: If the answer has other fields, i.e. if another version has written it.
    """
    arrays = read_arrays(path)
    plain = json.loads(arrays.pop(_PLAIN).tobytes())
    try:
        return _join(arrays, plain, {kind.__name__: kind for kind in (*kinds, Unanswered)})
    except TypeError as error:
        raise ValueError(
            f"{path} must be written by this version of taskspace, got the file of another one;"
            " delete it, and it is made again"
        ) from error


def _split(found: Any) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays of a dataclass by name, and everything else as plain values."""
    arrays: dict[str, NDArray[Any]] = {}
    plain: dict[str, Any] = {"kind": type(found).__name__, "values": {}, "parts": {}, "texts": {}}
    for field in dataclasses.fields(found):
        value = getattr(found, field.name)
        if dataclasses.is_dataclass(value):
            inner, plain["parts"][field.name] = _split(value)
            arrays |= {f"{field.name}{_INSIDE}{name}": each for name, each in inner.items()}
        elif isinstance(value, np.ndarray) and value.dtype.kind == "O":
            plain["texts"][field.name] = value.tolist()  # arrays of objects would be pickled
        elif isinstance(value, np.ndarray):
            arrays[field.name] = value
        else:
            plain["values"][field.name] = value
    return arrays, plain


def _join(
    arrays: dict[str, NDArray[Any]], plain: dict[str, Any], kinds: dict[str, type[Any]]
) -> Any:
    fields = {name: value for name, value in arrays.items() if _INSIDE not in name}
    for name, inner in plain["parts"].items():
        start = f"{name}{_INSIDE}"
        own = {
            key.removeprefix(start): each for key, each in arrays.items() if key.startswith(start)
        }
        fields[name] = _join(own, inner, kinds)
    for name, texts in plain["texts"].items():
        fields[name] = np.empty(np.shape(texts), object)
        fields[name][:] = texts
    values = {name: _immutable(value) for name, value in plain["values"].items()}
    return kinds[plain["kind"]](**fields, **values)


def _immutable(value: Any) -> Any:
    """JSON has lists only; results have tuples."""
    return tuple(map(_immutable, value)) if isinstance(value, list) else value
