"""From agents, or a table of results, to a map in one call: the stages, and the report at the end.

Environments, tables and Karel differ in where outcomes come from and in what a task is, which
their sources say; the stages after that are the same.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from taskspace import checks
from taskspace.envs.registry import PROGRAMMING, make
from taskspace.files import read_arrays, read_json, write_arrays, write_json
from taskspace.outcomes.outcomes import Outcomes
from taskspace.report import figures, sections
from taskspace.report.projections import project
from taskspace.rollouts.ray import connected, on_ray
from taskspace.runs import layout, measures
from taskspace.runs.clusters import Clusters
from taskspace.runs.run import Run
from taskspace.runs.sources.base import Played, Source
from taskspace.runs.stages import Stages

Say = Callable[[str], None]


def run(
    environment: str,
    out: str | os.PathLike[str] | None = None,
    *,
    preset: str = "default",
    seed: int = 0,
    data: str | os.PathLike[str] | None = None,
    executor: str | None = None,
    say: Say | None = None,
) -> Run:
    """Train a population, play it, learn the map and report on it.

    An interrupted run resumes; a folder of a run with other settings is refused.

    Args:
        environment: Its name, as `taskspace envs` lists it.
        out: The run folder, `runs/<environment>` by default.
        preset: How much work to do: "fast", "default" or "paper".
        seed: Of all that is drawn at random.
        data: For Karel, a folder of tasks that `taskspace karel filter` or `generate` made;
            without it tasks are generated.
        executor: With "ray", agents train and play on a Ray cluster. That changes no result, and
            so is no setting of the run.
        say: Is given a line for each stage; without it the lines go to standard error.

    Returns:
        The finished run.

    Raises:
        ValueError: An argument is wrong, or the folder holds something else.
    """
    remote = on_ray(executor)
    source = _source(environment, preset, seed, data, executor)
    folder = Path(out) if out is not None else Path("runs") / source.name.lower()
    with connected() if remote else contextlib.nullcontext():
        return _run(source, folder, say)


def fit(
    results: Any,
    out: str | os.PathLike[str],
    *,
    features: Any = None,
    n_components: int | str = 3,
    steps: int = 6000,
    seed: int = 0,
    name: str | None = None,
    say: Say | None = None,
) -> Run:
    """Learn a map from results alone and report on it.

    An interrupted fit resumes; a folder of another run is refused.

    Args:
        results: `Outcomes`, or a table as `Outcomes.from_table` takes it.
        out: The run folder.
        features: A table of the tasks' features, as `Outcomes.from_table` takes it.
        n_components: The dimension of the map, or "auto".
        steps: Training steps of the map.
        seed: Of all that is drawn at random.
        name: What the report calls the tasks, by default the name of the table's file.
        say: Is given a line for each stage; without it the lines go to standard error.

    Returns:
        The finished run.

    Raises:
        ValueError: An argument is wrong, or the folder holds something else.
    """
    from taskspace.runs.sources.table import TableSource

    if isinstance(results, Outcomes):
        outcomes = results
    else:
        outcomes = Outcomes.from_table(results, features=features)
    if name is None:
        name = Path(results).name if isinstance(results, (str, os.PathLike)) else "results"
    source = TableSource(outcomes, name, n_components, steps, checks.seed(seed))
    return _run(source, Path(out), say)


def learn(
    environment: str,
    out: str | os.PathLike[str],
    *,
    preset: str = "default",
    seed: int = 0,
    data: str | os.PathLike[str] | None = None,
    say: Say | None = None,
) -> Run:
    """The stages of `run` up to the map itself; `run` goes on from there."""
    source = _source(environment, preset, seed, data, None)
    with Stages(out, source.settings(), say=say) as stages:
        played = source.play(stages)
        return _learned(stages, source, played)


def _source(
    environment: str,
    preset: str,
    seed: int,
    data: str | os.PathLike[str] | None,
    executor: str | None,
) -> Source:
    env, seed = make(environment), checks.seed(seed)
    if env.name in PROGRAMMING:
        from taskspace.runs.sources.karel import KarelSource

        return KarelSource(preset, seed, data, executor)
    if data is not None:
        raise ValueError(f"--data is for Karel; {env.name} makes its own tasks")
    from taskspace.runs.sources.environment import EnvironmentSource, map_settings

    map_settings(env.name, preset)  # complains about an unknown preset
    return EnvironmentSource(env, preset, seed, executor)


def _run(source: Source, folder: Path, say: Say | None) -> Run:
    """Every stage."""
    with Stages(folder, source.settings(), say=say) as stages:
        played = source.play(stages)
        made = _learned(stages, source, played)
        _measure(stages, source, played, made)
        _report(stages, source, played, made)
    return made


def _learned(stages: Stages, source: Source, played: Played) -> Run:
    kind = source.embedder_class
    embedder = stages.stage(
        layout.EMBEDDER, lambda: source.learn(played, source.seed), kind.save, kind.load
    )
    return Run(
        stages.folder,
        outcomes=played.outcomes,
        embedder=embedder,
        environment=played.environment,
        population=played.population,
    )


def _measure(stages: Stages, source: Source, played: Played, made: Run) -> None:
    """What the map is worth, and whether a second seed gives the same one."""
    kind, embedder, outcomes = source.embedder_class, made.embedder, played.outcomes
    second = stages.stage(
        layout.SECOND_EMBEDDER, lambda: source.learn(played, source.seed + 1), kind.save, kind.load
    )
    stages.stage(
        layout.CLUSTERS, lambda: source.clusters(played, embedder), Clusters.save, Clusters.load
    )
    stages.stage(
        layout.CONSTRAINTS,
        lambda: measures.count_constraints(outcomes, source.seed),
        write_json,
        read_json,
    )
    stages.stage(
        layout.RESULTS,
        lambda: {
            **source.measure(played, embedder),
            **measures.stability(embedder, second, outcomes),
        },
        write_json,
        read_json,
    )


def _report(stages: Stages, source: Source, played: Played, made: Run) -> None:
    """Projections of some tasks, figures, and the report that shows them."""

    def projection() -> dict[str, Any]:
        tasks, labels = source.shown(played, made.clusters)
        vectors = made.embedder.transform(tasks)
        return {"tasks": tasks, "vectors": vectors, "clusters": labels, **project(vectors)}

    stages.stage(layout.PROJECTION, projection, write_arrays, read_arrays)
    stages.stage(layout.FIGURES, lambda: figures.draw(made), figures.save, _as_it_is)
    stages.stage(layout.REPORT, lambda: made, sections.write, _as_it_is)


def _as_it_is(path: Path) -> Any:
    """For results that later stages read as files."""
    return path
