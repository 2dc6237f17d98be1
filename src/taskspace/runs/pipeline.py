"""The pipeline: from an environment or a table of results to a map and a report, in stages.

Environments, tables and Karel differ in where the outcomes come from and in what a task is, which
their sources define; all later stages are shared.
"""

from __future__ import annotations

import contextlib
import functools
import os
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.applications import answers
from taskspace.envs.registry import PROGRAMMING, make
from taskspace.files import read_arrays, read_json, write_arrays, write_json
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.verdict import WeakMapWarning, warn_if_weak
from taskspace.outcomes.returns import check_return_options
from taskspace.report import figure_files, figures, sections
from taskspace.runs import layout, measures, questions
from taskspace.runs.beside import Beside
from taskspace.runs.clusters import Clusters
from taskspace.runs.outputs import check_title
from taskspace.runs.parts import as_it_is
from taskspace.runs.run import Run
from taskspace.runs.run_settings import check_folder
from taskspace.runs.sources.base import Played, Source
from taskspace.runs.sources.given import given_name, given_outcomes
from taskspace.runs.sources.plans import INFORMATION, ORDINAL, check_map, ordinal_plan
from taskspace.runs.stages import Stages
from taskspace.runs.stored_parts import (
    load_abilities,
    load_embedder,
    load_profiles,
    load_redundancy,
    save_profiles,
)
from taskspace.similarity import profiles

Log = Callable[[str], None]


def run(
    environment: str,
    out: str | os.PathLike[str] | None = None,
    *,
    preset: str = "default",
    seed: int = 0,
    method: str = INFORMATION,
    measure: str = profiles.INFORMATION,
    data: str | os.PathLike[str] | None = None,
    executor: str | None = None,
    title: str | None = None,
    log: Log | None = None,
) -> Run:
    """Make a map of an environment: train agents, evaluate them, learn the map, write a report.

    All results are written to a run folder. Interrupted runs resume.

    Args:
        environment: The name of the environment, as listed by `taskspace envs`.
        out: The run folder, `runs/<environment>` by default.
        preset: The amount of work: "fast" (about a minute), "default" or "paper".
        seed: The random seed of the whole run.
        method: "information" for the map that keeps what the outcomes say about similarity, or
            "ordinal" for the paper's, which is learned from ordinal constraints.
        measure: The measure of similarity: "information" for mutual information in bits, or
            "correlation", in which tasks that are solved by opposite agents are opposite and not
            similar.
        data: For Karel only: a folder of tasks written by `taskspace karel filter` or
            `taskspace karel generate`. By default, tasks are generated.
        executor: "ray" trains and evaluates agents on a Ray cluster, which does not change the
            results.
        title: The title of the report, by default "A map of" and the name of the environment.
        log: A function that is called with one line of text per stage. By default, the lines go
            to standard error.

    Returns:
        The finished run.

    Raises:
        ValueError: If an argument is invalid, or the folder holds other files or a run with other
            settings.

    Example:
        >>> import taskspace as ts
        >>> run = ts.run("MultiKeyNav", "runs/first", preset="fast")  # doctest: +SKIP
        >>> run.results["triplet_accuracy"]  # doctest: +SKIP
        0.9...
    """
    from taskspace.rollouts.ray import connected, on_ray  # imports Numba, which tables do not need

    remote = on_ray(executor)
    source = _source(environment, preset, seed, data, executor, method, measure)
    default = Path("runs") / source.name.lower()
    folder = _checked(default if out is None else out, log)
    settings = _with_title(source, title)
    with connected() if remote else contextlib.nullcontext():
        return _run(source, folder, settings, log)


def fit(
    results: Any,
    out: str | os.PathLike[str],
    *,
    features: Any = None,
    tasks: Any = None,
    agents: Any = None,
    agent: str | None = None,
    task: str | None = None,
    score: str | None = None,
    max_score: float = 1,
    returns: bool = False,
    best: Any = None,
    success: Any = None,
    metric: str | Iterable[str] | None = None,
    filter: str | Iterable[str] | None = None,
    n_components: int | str = "auto",
    method: str = INFORMATION,
    measure: str = profiles.INFORMATION,
    steps: int = 6000,
    seed: int = 0,
    name: str | None = None,
    title: str | None = None,
    log: Log | None = None,
) -> Run:
    """Make a map from a table of results or from evaluation logs, and write a report.

    All results are written to a run folder. Interrupted runs resume.

    Args:
        results: `Outcomes`, a table in any form that `Outcomes.from_table` accepts, or logs: a
            file, a folder, or a list of them, as in `read_results`.
        out: The run folder.
        features: The columns that the map learns from, as in `Outcomes.from_table`. Without
            features, the map knows tasks by their names.
        tasks: A table of labels of the tasks, as in `Outcomes.from_table`.
        agents: A table of labels of the agents, as in `Outcomes.from_table`.
        agent: The column with the names of the agents, if it has an unusual name.
        task: The column with the names of the tasks, if it has an unusual name.
        score: The column with the results, if it has an unusual name.
        max_score: The highest possible score; scores are divided by it.
        returns: Whether results are returns, or scores on any scale, as in `Outcomes.from_table`;
            of `Outcomes`, whether they are read by their returns.
        best: The best possible return, if it is known: difficulty is then the mean regret.
        success: The return from which on a task counts as solved: difficulty is then the share of
            agents below it. Without both, it orders tasks within what the agents reached.
        metric: The metric of logs to read, as in `read_results`.
        filter: The filter of logs to read, as in `read_results`.
        n_components: The number of dimensions of the map, or "auto".
        method: "information" or "ordinal", as in `run`.
        measure: "information" or "correlation", as in `run`.
        steps: The number of training steps of an ordinal map.
        seed: The random seed of the whole run.
        name: The name of the set of tasks, by default the name of the file or folder.
        title: The title of the report, by default "A map of" and the name without its extension.
        log: A function that is called with one line of text per stage. By default, the lines go
            to standard error.

    Returns:
        The finished run.

    Raises:
        ValueError: If an argument is invalid, or the folder holds other files or a run with other
            settings.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> import taskspace as ts
        >>> solved = np.random.default_rng(0).integers(0, 2, (30, 8))  # 30 agents, 8 tasks
        >>> outcomes = ts.Outcomes(solved, np.ones_like(solved))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = fit(outcomes, folder, n_components=3, log=lambda line: None)
        >>> run.embedder.n_components_
        3
    """
    from taskspace.runs.sources.table import TableSource, check_sizes

    named = {
        "features": features, "tasks": tasks, "agents": agents, "agent": agent, "task": task,
        "score": score,
    }  # fmt: skip
    chosen = {"metric": metric, "filter": filter}
    check_return_options(returns, best=best, success=success)
    by_return = {"returns": True, "best": best, "success": success} if returns else {}
    folder = _checked(out, log)  # bad options are refused before the table is read
    title = None if title is None else check_title(title)
    check_sizes(n_components, steps)
    seed, (method, measure) = checks.seed(seed), check_map(method, measure)
    outcomes = given_outcomes(results, named, chosen, max_score, by_return)
    if name is None:
        name = given_name(results)
    elif not isinstance(name, str) or not name:
        raise ValueError(f"name must be text, got {checks.brief(name)}")
    source = TableSource(outcomes, name, n_components, seed, method, steps, measure)
    return _run(source, folder, _with_title(source, title), log)


def _with_title(source: Source, title: str | None) -> dict[str, Any]:
    """The settings of a run; the title is one of them if it is given."""
    return {**source.settings(), **({} if title is None else {"title": check_title(title)})}


def _checked(out: str | os.PathLike[str], log: Log | None) -> Path:
    """The run folder; what could fail only after hours of work is refused here."""
    if log is not None and not callable(log):
        raise ValueError(f"log must be a function or None, got {checks.brief(log)}")
    return check_folder(checks.path(out, "out"))


def learn(
    environment: str,
    out: str | os.PathLike[str],
    *,
    preset: str = "default",
    seed: int = 0,
    method: str = INFORMATION,
    measure: str = profiles.INFORMATION,
    data: str | os.PathLike[str] | None = None,
    log: Log | None = None,
) -> Run:
    """Run the stages up to the map; `run` resumes from there."""
    source = _source(environment, preset, seed, data, None, method, measure)
    with Stages(out, source.settings(), log=log) as stages:
        played = source.play(stages)
        return _learned(stages, source, played)


def _source(
    environment: str,
    preset: str,
    seed: int,
    data: str | os.PathLike[str] | None,
    executor: str | None,
    method: str,
    measure: str,
) -> Source:
    env, seed = make(environment), checks.seed(seed)
    check_map(method, measure)
    if env.name in PROGRAMMING:
        from taskspace.runs.sources.karel import KarelSource

        return KarelSource(preset, seed, data, executor, method, measure)
    if data is not None:
        raise ValueError(
            f"data must be None for {env.name}, got {str(data)!r}; it is only for Karel"
        )
    from taskspace.runs.sources.environment import EnvironmentSource

    ordinal_plan(env.name, preset)  # raises if the preset is unknown
    return EnvironmentSource(env, preset, seed, executor, method, measure)


def _run(source: Source, folder: Path, settings: dict[str, Any], log: Log | None) -> Run:
    """Run all stages; those that may run beside others begin as soon as they can."""
    with (
        Stages(folder, settings, log=log) as stages,
        Beside(source, stages) as beside,
        warnings.catch_warnings(),
    ):
        # A warning while the map is learned would be missing from a run that resumes.
        warnings.simplefilter("ignore", WeakMapWarning)
        for line in source.reading():
            stages.log(line)
        played = source.play(stages)
        beside.ask(layout.SECOND_EMBEDDER)
        beside.ask(layout.SHORT_TEST)
        made = _learned(stages, source, played)
        stages.stage(
            layout.CLUSTERS,
            lambda: source.clusters(played, made.embedder),
            Clusters.save,
            Clusters.load,
        )
        beside.ask(layout.PROJECTION)
        if questions.may_predict(made):
            beside.ask(layout.PREDICTOR)
        _measure(stages, source, played, made, beside)
        if made.from_table:
            _answer(stages, made)
        beside.stage(layout.PROJECTION, made, played)
        _draw(stages, played, made, beside)
        stages.stage(layout.REPORT, lambda: made, sections.write, as_it_is)
        _prepare(stages, played, made, beside)
    warn_if_weak(made.verdict, stacklevel=3)
    return made


def _learned(stages: Stages, source: Source, played: Played) -> Run:
    embedder = stages.stage(
        layout.EMBEDDER, lambda: source.learn(played, source.seed), Embedding.save, load_embedder
    )
    tasks = played.outcomes.task_inputs
    vectors = stages.stage(
        layout.VECTORS,
        lambda: {
            "vectors": np.asarray(embedder.transform(tasks)),
            "difficulty": embedder.difficulty(tasks),
        },
        write_arrays,
        read_arrays,
    )
    return Run(
        stages.folder,
        outcomes=played.outcomes,
        embedder=embedder,
        vectors=vectors,
        environment=played.environment,
        population=played.population,
    )


def _measure(stages: Stages, source: Source, played: Played, made: Run, beside: Beside) -> None:
    """Measure the quality of the map, and its stability across seeds."""
    embedder, outcomes = made.embedder, played.outcomes
    second = beside.stage(layout.SECOND_EMBEDDER, made, played)
    if source.method == ORDINAL:
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
            **measures.population(
                made.diagnosis, getattr(embedder, "measure", profiles.INFORMATION)
            ),
        },
        write_json,
        read_json,
    )


def _answer(stages: Stages, made: Run) -> None:
    """Answer most questions about a table; report and explorer show the answers."""
    results, clusters = layout.OUTCOMES.stage, layout.CLUSTERS.stage
    stages.stage(
        layout.REDUNDANCY,
        lambda: questions.find_redundant(made.outcomes),
        answers.save,
        load_redundancy,
        after=[results],
    )
    stages.stage(
        layout.ABILITIES,
        lambda: questions.describe_agents(made),
        answers.save,
        load_abilities,
        after=[results, clusters],
    )


def _draw(stages: Stages, played: Played, made: Run, beside: Beside) -> None:
    """Draw the figures; the short test of a table, which takes longest, is needed by the last."""
    after = stages.done  # without the short test, wherever that is made

    @functools.cache
    def answered() -> None:
        if made.from_table:
            beside.stage(layout.SHORT_TEST, made, played, after=[layout.OUTCOMES.stage])

    if not beside.is_making(layout.SHORT_TEST):
        answered()
    stages.stage(
        layout.FIGURES,
        lambda: figures.draw(made, answered),
        figure_files.save,
        as_it_is,
        after=after,
    )
    answered()  # if the figures were there already


def _prepare(stages: Stages, played: Played, made: Run, beside: Beside) -> None:
    """Store what commands answer from, so that the first answer is as fast as the next."""
    after = [layout.OUTCOMES.stage, layout.EMBEDDER.stage]
    if made.comparison is not made.reader:
        stages.stage(layout.PROFILES, made.make_profiles, save_profiles, load_profiles, after=after)
    if questions.may_predict(made):
        beside.stage(layout.PREDICTOR, made, played, after=after)
