"""Pretrained maps that ship with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, overload

from taskspace import checks
from taskspace.envs.registry import make
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.models.embedding.task_embedder import TaskEmbedder

FOLDER = Path(__file__).parents[2] / "pretrained"
METHODS = ("information", "ordinal")  # and the folders of their maps


@overload
def load_pretrained(name: str, method: Literal["information"] = ...) -> TaskEmbedder: ...


@overload
def load_pretrained(name: str, method: Literal["ordinal"]) -> OrdinalEmbedder: ...


def load_pretrained(name: str, method: str = "information") -> TaskEmbedder | OrdinalEmbedder:
    """Load the pretrained map of an environment.

    It was created by `python -m taskspace.paper.pretrained`.

    Args:
        name: The name of the environment, e.g. "MultiKeyNav".
        method: "information", or "ordinal" for the paper's map.

    Returns:
        The fitted embedder.

    Raises:
        ValueError: If there is no such environment or no pretrained map of it.

    >>> import taskspace as ts
    >>> env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    >>> embedder.transform(env.sample_tasks(3, seed=0)).shape
    (3, 6)
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {checks.brief(method)}")
    env = make(name)
    known = env.name
    folder = FOLDER / method
    if not (folder / known).is_dir():
        there = ", ".join(sorted(path.name for path in folder.iterdir() if path.is_dir()))
        raise ValueError(f"there is no pretrained map of {known}; there are maps of {there}")
    cls = TaskEmbedder if method == "information" else OrdinalEmbedder
    embedder = cls.load(folder / known)
    embedder.feature_names_ = embedder.feature_names_ or env.state_names
    return embedder
