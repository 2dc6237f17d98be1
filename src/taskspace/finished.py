"""A finished map on disk: what `taskspace run` and `taskspace fit` leave for others to use."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import tables
from taskspace.applications.posterior import AgentPosterior, fit_posterior
from taskspace.applications.search import TaskIndex
from taskspace.embedding.estimator import TaskEmbedder
from taskspace.embedding.karel_embedder import KarelEmbedder
from taskspace.envs.registry import make
from taskspace.groups import FoundGroups, TaskSpace
from taskspace.outcomes import Outcomes
from taskspace.runs import read_settings

MOST_FEATURES = 100  # a Karel task has 1800 numbers, which say nothing to anybody
_KINDS: dict[str, type[TaskEmbedder]] = {
    "TaskEmbedder": TaskEmbedder,
    "KarelEmbedder": KarelEmbedder,
}


@dataclass(frozen=True, eq=False)
class FinishedMap:
    """The map of a run folder, and the outcomes that it was learned from.

    Tasks are rows of numbers where the map was learned with features, else names.
    """

    folder: Path
    embedder: TaskEmbedder
    outcomes: Outcomes

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> FinishedMap:
        """Read a run folder; one whose map is not finished is refused."""
        source = Path(folder)
        if not (source / "map.json").is_file():
            raise FileNotFoundError(
                f"there is no finished map in {source}; expected a folder that `taskspace run` or"
                " `taskspace fit` made"
            )
        kind = _KINDS[_kind(source / "embedder")]
        return cls(source, kind.load(source / "embedder"), Outcomes.load(source / "outcomes.npz"))

    @property
    def named(self) -> bool:
        """Whether tasks are known by their names alone."""
        return self.outcomes.features is None

    @property
    def tasks(self) -> NDArray[Any]:
        """The tasks that the map was learned from."""
        return self.outcomes.tasks if self.outcomes.features is None else self.outcomes.features

    @functools.cached_property
    def space(self) -> TaskSpace:
        """The environment, or where there is none, groups found in the map."""
        settings = read_settings(self.folder)["settings"]
        if "environment" in settings:
            return make(settings["environment"])
        return FoundGroups.find(settings["name"], self.embedder, self.tasks)

    @functools.cached_property
    def index(self) -> TaskIndex:
        """Their vectors, to search in."""
        return TaskIndex.of(self.embedder, self.tasks, self.outcomes.tasks)

    @functools.cached_property
    def known_agents(self) -> AgentPosterior:
        """What a quiz tells about a new agent, learned from the agents that were played."""
        return fit_posterior(self.outcomes, vectors=self.index.vectors)

    def tasks_in(self, columns: tables.Columns) -> NDArray[Any]:
        """The tasks that a table describes: by its feature columns, or by their names."""
        features, wanted = self.outcomes.features, self.outcomes.feature_names
        if features is not None and ("task" not in columns or set(wanted) & set(columns)):
            tables.require(columns, wanted)
            return tables.features({name: columns[name] for name in wanted})
        tables.require(columns, ["task"])
        names = columns["task"].to_pylist()
        places = [self.place(str(name)) for name in names]
        return self.tasks[places]

    def place(self, name: str) -> int:
        """Which of the tasks has this name."""
        if name not in self._places:
            raise ValueError(
                f"there is no task {name!r} in {self.folder}; it has {self.outcomes.n_tasks} tasks,"
                f" such as {str(self.outcomes.tasks[0])!r}"
            )
        return self._places[name]

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.outcomes.tasks.tolist())}

    def about(self, places: NDArray[np.int64], **more: Any) -> dict[str, Any]:
        """Columns that describe some of the tasks, and `more` of them."""
        outcomes = self.outcomes
        columns = {
            "task": outcomes.tasks[places],
            **more,
            "difficulty": self.index.lengths[places],
            "success": np.nanmean(outcomes.rates[:, places], axis=0),
            "cluster": np.array(list(self.space.cluster_names))[self.clusters[places]],
        }
        if outcomes.features is not None and len(outcomes.feature_names) <= MOST_FEATURES:
            shown = zip(outcomes.feature_names, outcomes.features[places].T, strict=True)
            columns |= dict(shown)
        return columns

    @functools.cached_property
    def clusters(self) -> NDArray[np.int64]:
        """The cluster of each task."""
        return self.space.clusters(self.tasks)


def _kind(folder: Path) -> str:
    try:
        kind = json.loads((folder / "embedder.json").read_text()).get("kind", "TaskEmbedder")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"the embedder in {folder} is damaged; run again to make it anew"
        ) from error
    if kind not in _KINDS:
        raise ValueError(f"{folder} holds a {kind}; expected one of {', '.join(_KINDS)}")
    return str(kind)
