"""Embedders that ship with the package, for a look at a map without training anything."""

from __future__ import annotations

from pathlib import Path

from taskspace.envs.registry import make
from taskspace.models.embedding.estimator import TaskEmbedder

FOLDER = Path(__file__).parents[2] / "pretrained"


def load_pretrained(name: str) -> TaskEmbedder:
    """The embedder of an environment, as `python -m taskspace.paper.pretrained` made it.

    >>> import taskspace as ts
    >>> env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    >>> embedder.transform(env.sample_tasks(3, seed=0)).shape
    (3, 6)
    """
    known = make(name).name
    if not (FOLDER / known).is_dir():
        there = ", ".join(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
        raise ValueError(f"there is no pretrained embedder for {known}; there are: {there}")
    return TaskEmbedder.load(FOLDER / known)
