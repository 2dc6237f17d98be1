"""Labels: what columns of text, categories or numbers say about tasks or agents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes import tables
from taskspace.outcomes.columns import is_numeric
from taskspace.outcomes.tables import Columns

Labels = dict[str, NDArray[Any]]  # per name one value per task: float64, or objects that are str

LABEL = "label:"  # precedes the name of a label that is also a column of a table of tasks
MOSTLY = 0.5  # the least fraction of tasks with a single value, if others have several


def check_labels(labels: Any, count: int, what: str) -> Labels:
    """Copy labels, one value per task or agent: text, or numbers of which NaN is a missing one.

    >>> check_labels({"topic": ["sums", None]}, 2, "task")
    {'topic': array(['sums', ''], dtype=object)}
    """
    if not isinstance(labels, Mapping):
        raise ValueError(
            f"the labels of {what}s must be a mapping from names to columns, got"
            f" {type(labels).__name__}"
        )
    found = {}
    for name, values in labels.items():
        if not isinstance(name, str) or not name:
            raise ValueError(f"the name of a label must be text, got {name!r}")
        array = checks.array(values, f"the label {name!r}")
        if array.shape != (count,):
            raise ValueError(
                f"the label {name!r} must have one value for each of the {count} {what}s, got an"
                f" array of shape {array.shape}"
            )
        found[name] = array.astype(np.float64) if array.dtype.kind in "iuf" else _texts(array)
    return found


def _texts(values: NDArray[Any]) -> NDArray[np.object_]:
    texts = np.empty(len(values), object)
    texts[:] = ["" if value is None or value != value else str(value) for value in values.tolist()]
    return texts


def divides(values: NDArray[Any]) -> bool:
    """Whether a label divides tasks or agents into groups: texts that are not nearly all different.

    >>> divides(np.array(["sums", "areas", "", *["sums"] * 3], object))
    True
    """
    if values.dtype.kind != "O":
        return False
    known = [value for value in values.tolist() if value]
    return 2 <= len(set(known)) < len(known) / 2


def value_text(value: float | str) -> str:
    """A value of a label as people write it.

    >>> value_text(12.0), value_text(0.5), value_text("sums")
    ('12', '0.5', 'sums')
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def by_frequency(values: NDArray[np.object_]) -> tuple[list[str], NDArray[np.int64]]:
    """The different texts, the most frequent first, and the number of each one; -1 if missing.

    >>> by_frequency(np.array(["areas", "", "sums", "sums"], object))
    (['sums', 'areas'], array([ 1, -1,  0,  0]))
    """
    counts = Counter(value for value in values.tolist() if value)
    names = [name for name, _ in counts.most_common()]
    numbers = {"": -1, **{name: number for number, name in enumerate(names)}}
    return names, np.array([numbers[value] for value in values.tolist()], np.int64)


def shortened(text: str, longest: int) -> str:
    """A text in one line of at most so many characters.

    >>> shortened("What is one plus two?", 12)
    'What is one…'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def without_middle(name: str, longest: int) -> str:
    """A name of at most so many characters; names differ most often at the start and the end.

    >>> without_middle("mmlu_abstract_algebra/id4711", 15)
    'mmlu_ab…/id4711'
    """
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[len(name) - end :]}"


def pack(tasks: Labels, agents: Labels) -> NDArray[np.uint8] | None:
    """Labels as the bytes of JSON, for a file; None if there are none."""
    if not tasks and not agents:
        return None
    plain = {
        part: {name: _plain(values) for name, values in labels.items()}
        for part, labels in (("task_labels", tasks), ("agent_labels", agents))
    }
    return np.frombuffer(json.dumps(plain, ensure_ascii=False).encode(), np.uint8)


def unpack(packed: NDArray[np.uint8]) -> dict[str, Labels]:
    """The `task_labels` and `agent_labels` from what `pack` returned."""
    found = json.loads(packed.tobytes())
    return {
        part: {name: _column(values) for name, values in found[part].items()}
        for part in ("task_labels", "agent_labels")
    }


def _plain(values: NDArray[Any]) -> list[Any]:
    if values.dtype.kind == "f":
        return [None if value != value else value for value in values.tolist()]
    return list(values)


def _column(values: list[Any]) -> NDArray[Any]:
    numeric = not any(isinstance(value, str) for value in values)
    return np.array(values, np.float64 if numeric else object)


# -- from the rows of a table ----------------------------------------------------------------------


def values_of(values: Any) -> NDArray[Any]:
    """One label per row: numbers, or text that is empty where the value is missing.

    Raises:
        ValueError: If the column has neither text nor numbers.
    """
    import pyarrow

    if is_numeric(values) and not pyarrow.types.is_boolean(values.type):
        return tables.numbers(values, "label", "numbers").astype(np.float64)
    try:
        if pyarrow.types.is_binary(values.type) or pyarrow.types.is_large_binary(values.type):
            raise pyarrow.ArrowInvalid("bytes")
        texts = values.cast(pyarrow.large_string()).fill_null("")
    except pyarrow.ArrowException as error:
        raise ValueError(f"must have text or numbers, got {values.type}") from error
    return np.array(texts.to_pylist(), object)


def per_owner(
    values: NDArray[Any], owner: NDArray[np.int64], count: int, *, several: bool = False
) -> NDArray[Any] | None:
    """One label per task or agent from one per row; None if an owner has different values.

    With `several`, some owners may have different texts, which are joined: a problem may need two
    skills. Most owners must have a single one.
    """
    distinct, code = _coded(values)
    pairs = np.unique(np.column_stack([owner, code]), axis=0)
    differs = np.bincount(pairs[:, 0], minlength=count) > 1
    found = np.empty(count, values.dtype)
    found[pairs[:, 0]] = distinct[pairs[:, 1]]
    if not differs.any():
        return found
    if not several or values.dtype.kind == "f" or differs.mean() > 1 - MOSTLY:
        return None
    joined: dict[int, list[str]] = {}
    for one, number in pairs[differs[pairs[:, 0]]].tolist():
        joined.setdefault(one, []).append(distinct[number])
    for one, texts in joined.items():
        found[one] = " + ".join(texts)
    return found


def _coded(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different values, texts in the order of their appearance, and the number of each row."""
    if values.dtype.kind == "f":
        distinct, code = np.unique(values, return_inverse=True)
        return distinct, code.astype(np.int64)
    numbers: dict[Any, int] = {}
    code = np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)
    distinct = np.empty(len(numbers), object)
    distinct[:] = list(numbers)
    return distinct, code


def of_rows(columns: Columns, order: NDArray[np.int64], what: str) -> Labels:
    """The labels in a table with one row per task or agent; `order` gives the wanted rows."""
    found = {}
    for name, values in columns.items():
        try:
            found[name] = values_of(values)[order]
        except ValueError as error:
            raise ValueError(f"the column {name!r} about {what}s {error}") from error
    return found
