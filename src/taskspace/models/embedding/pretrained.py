"""Pretrained embedders that ship with the package."""

from __future__ import annotations

from pathlib import Path

from taskspace.envs.registry import make
from taskspace.models.embedding.task_embedder import TaskEmbedder

FOLDER = Path(__file__).parents[2] / "pretrained"


def load_pretrained(name: str) -> TaskEmbedder:
    """Load the pretrained embedder of an environment.

    It was created by `python -m taskspace.paper.pretrained`.

    Args:
        name: The name of the environment, e.g. "MultiKeyNav".

    Returns:
        The fitted embedder.

    Raises:
        ValueError: If there is no such environment or no pretrained embedder for it.

    >>> import taskspace as ts
    >>> env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    >>> embedder.transform(env.sample_tasks(3, seed=0)).shape
    (3, 6)
    """
    known = make(name).name
    if not (FOLDER / known).is_dir():
        there = ", ".join(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
        raise ValueError(
            f"there is no pretrained embedder for {known}; there are embedders for {there}"
        )
    return TaskEmbedder.load(FOLDER / known)
