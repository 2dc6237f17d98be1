"""Evaluations: what will a new agent score in full, after a few answers, and how sure is that?

The data are published results of other people, which are not part of the project: a folder with
`helm-lite.parquet` (model, item, scenario, score), `animal-ai.parquet` (agent, task, passed,
return, level, arena), `minigrid-sfl.parquet` (agent, one column per level) and
`assistments-2009.parquet` (student, problem, skill, correct). Parts whose file is missing are left
out.

python examples/evaluations.py --data DIR            all parts; about half an hour
python examples/evaluations.py --data DIR scores     only one (--help lists them)
python examples/evaluations.py --data DIR --fast     fewer splits
"""

import argparse
import itertools
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
from rich.console import Console
from threadpoolctl import threadpool_limits

import taskspace as ts
from taskspace.applications.scores import estimate_scores, groups_by
from taskspace.applications.subset_choices import at_random, half_random, informative
from taskspace.applications.subset_comparison import compare
from taskspace.applications.subset_errors import Question
from taskspace.applications.subset_limits import Limits
from taskspace.bench.few_agents import print_compared
from taskspace.bench.stopping import HALF_WIDTHS, print_stops, stops
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.item_response import fit_item_response
from taskspace.similarity.estimates import estimates
from taskspace.similarity.returns import statistics_of
from taskspace.similarity.statistics import SuccessStatistics

SEED = 100  # settings were chosen on splits with the seeds 0 to 12
FAMILIES = ("legalbench", "math", "mmlu", "wmt_14")  # scenarios of HELM-Lite with several parts


# -- the data --------------------------------------------------------------------------------------


def outcomes_of(columns: dict[str, Any], agent: str, task: str, result: str, *labels: str) -> Any:
    """One row per result; of several rows of a pair, the first counts."""
    agents, row = np.unique(columns[agent], return_inverse=True)
    tasks, first, column = np.unique(columns[task], return_index=True, return_inverse=True)
    pair, once = np.unique(row * len(tasks) + column, return_index=True)
    successes, tried = (np.zeros(len(agents) * len(tasks), np.float32) for _ in range(2))
    successes[pair], tried[pair] = columns[result].astype(np.float32)[once], 1
    shape = len(agents), len(tasks)
    return ts.Outcomes(
        successes.reshape(shape), tried.reshape(shape).astype(int), agents=agents, tasks=tasks,
        task_labels={name: columns[name][first] for name in labels},
    )  # fmt: skip


def helm(columns: dict[str, Any]) -> Any:
    """30 language models, 10,200 items; 28 scenarios, of which some are parts of one family."""
    scenario = columns["scenario"]
    family = [name.split(":")[0] if name.startswith(FAMILIES) else name for name in scenario]
    columns["family"] = np.array(family, object)
    return outcomes_of(columns, "model", "item", "score", "scenario", "family")


def animals(columns: dict[str, Any]) -> Any:
    """60 agents of a competition, 900 tasks on 10 levels."""
    return outcomes_of(columns, "agent", "task", "passed", "level")


def levels(columns: dict[str, Any]) -> Any:
    """90 trained agents, 1883 levels of MiniGrid, success rates; labelled at random."""
    agents = columns.pop("agent").astype(str)
    rates = np.stack([values.astype(np.float32) for values in columns.values()], axis=1)
    part = np.random.default_rng(SEED).integers(0, 6, rates.shape[1]).astype(str)
    once, tasks = np.ones(rates.shape, np.uint8), np.array(list(columns))
    return ts.Outcomes(rates, once, agents=agents, tasks=tasks, task_labels={"part": part})


def students(columns: dict[str, Any]) -> Any:
    """The 400 students and 400 problems of ASSISTments with the most answers, 16 % tried."""
    found = outcomes_of(columns, "student", "problem", "correct", "skill")
    tried, some, all_tasks = found.rollouts > 0, np.arange(found.n_agents), np.arange(found.n_tasks)
    for count in (1500, 1000, 600, 400):
        all_tasks = _most(tried[np.ix_(some, all_tasks)].sum(0), all_tasks, count)
        some = _most(tried[np.ix_(some, all_tasks)].sum(1), some, count)
    both = np.ix_(some, all_tasks)
    return ts.Outcomes(
        found.successes[both], found.rollouts[both], agents=found.agents[some],
        tasks=found.tasks[all_tasks],
        task_labels={"skill": found.task_labels["skill"][all_tasks]},
    )  # fmt: skip


def _most(counts: Any, of: Any, count: int) -> Any:
    return np.sort(of[np.argsort(-counts, kind="stable")[:count]])


READERS = {
    "helm-lite": helm, "animal-ai": animals, "minigrid-sfl": levels, "assistments-2009": students,
}  # fmt: skip


def read(folder: Path, name: str) -> Any:
    """The outcomes of one data set, or None."""
    path = folder / f"{name}.parquet"
    if not path.is_file():
        print(f"{name}: left out, there is no file {path}")
        return None
    table = pyarrow.parquet.read_table(path)
    columns = {key: table[key].to_numpy(zero_copy_only=False) for key in table.column_names}
    return READERS[name](columns)


# -- new agents ------------------------------------------------------------------------------------


def splits(outcomes: Any, count: int, folds: int = 5) -> Iterator[tuple[Any, Any, Any]]:
    """The known and the new agents of each fold of each split, and a random generator."""
    for split in range(count):
        rng = np.random.default_rng(SEED + split)
        for new in np.array_split(rng.permutation(outcomes.n_agents), folds):
            known = np.delete(outcomes.agents, new)
            yield outcomes.of_agents(known), outcomes.of_agents(outcomes.agents[new]), rng


def per_group(groups: Any, size: int, rng: np.random.Generator) -> Any:
    """So many random tasks of each group."""
    members = [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]
    return np.concatenate([rng.permutation(tasks)[:size] for tasks in members])


Asked = list[tuple[str, tuple[int, ...]]]  # labels, and numbers of answers per value


def scores_of(outcomes: Any, asked: Asked, count: int) -> dict[tuple[str, int], Any]:
    """Arrays (agents, 4, groups): errors of the plain mean and of ours, covered, width.

    The last two are NaN for groups that were answered completely, whose score is exact.
    """
    found: dict[tuple[str, int], list[Any]] = {(by, n): [] for by, sizes in asked for n in sizes}
    for known, new, rng in splits(outcomes, count):
        population = LinearPopulation.fit(known)  # all of a predictor that its `score` needs
        for results, (by, size) in itertools.product(new.rates, found):
            names, groups = groups_by(outcomes.task_labels, by, outcomes.n_tasks)
            truth = mean_of(results, groups)
            quiz = per_group(groups, size, rng)
            told = estimate_scores(population, quiz, results[quiz], names, groups, 0.9)
            inside = (told.low - 1e-6 <= truth) & (truth <= told.high + 1e-6)
            errors = np.abs(told.plain - truth), np.abs(told.scores - truth)
            rows = np.stack([*errors, inside, told.high - told.low])
            rows[2:, told.answered == told.tasks] = np.nan
            found[by, size].append(rows)
    return {key: np.array(rows) for key, rows in found.items()}


def scores(folder: Path, fast: bool) -> None:
    """Full scores by group and over all tasks, after random answers in each group."""
    print("\nFull scores, agents left out: mean absolute error, and coverage of 90 % intervals")
    for name, asked in SCORED.items():
        outcomes = read(folder, name)
        if outcomes is None:
            continue
        every = np.full(outcomes.n_tasks, "all", object)
        outcomes = replace(outcomes, task_labels={**outcomes.task_labels, "all": every})
        wanted = [(by, sizes[:1] if fast else sizes) for by, sizes in asked]
        for (by, size), rows in scores_of(outcomes, wanted, 1 if fast else SPLITS).items():
            plain, ours, cover, width = np.nanmean(rows, (0, 2))
            partly = ~np.isnan(rows[:, 2])
            print(
                f"{name:<12} {rows.shape[2]:>2} x {by:<8} {size:>3} answers each: plain mean"
                f" {plain:.4f}, ours {ours:.4f}; without complete groups"
                f" {rows[:, 0][partly].mean():.4f}, {rows[:, 1][partly].mean():.4f};"
                f" covered {cover:.1%} of {partly.sum()}, mean width {width:.3f}",
                flush=True,
            )


SPLITS = 10  # of the agents into five folds; fewer say little about coverage
SCORED: dict[str, Asked] = {
    "helm-lite": [("scenario", (10, 30, 100)), ("family", (10, 30, 100)), ("all", (30, 100))],
    "animal-ai": [("level", (2, 5, 20)), ("all", (10, 30, 100))],
    "minigrid-sfl": [("part", (2, 5, 20)), ("all", (10, 30, 100))],
}


def blend(folder: Path, fast: bool) -> None:
    """Full scores from the linear model, from the posterior of single results, and between."""
    print("\nFull scores, agents left out: mean absolute error by share of the posterior")
    for name, asked in BLENDED.items():
        outcomes = read(folder, name)
        if outcomes is None:
            continue
        every = np.full(outcomes.n_tasks, "all", object)
        outcomes = replace(outcomes, task_labels={**outcomes.task_labels, "all": every})
        for (by, size), errors in blended(outcomes, asked, 1 if fast else 5).items():
            apart = errors - errors[:, :1]
            listed = ", ".join(
                f"{share:g}: {mean:.4f} ({difference:+.4f} ± {spread / len(errors) ** 0.5:.4f})"
                for share, mean, difference, spread in zip(
                    SHARES, errors.mean(0), apart.mean(0), apart.std(0), strict=True
                )
            )
            print(f"{name:<12} {by:<8} {size:>3} answers each: {listed}", flush=True)


def blended(outcomes: Any, asked: Asked, count: int) -> dict[tuple[str, int], Any]:
    """Mean absolute errors over groups (agents, shares of the posterior) in so many folds."""
    found: dict[tuple[str, int], list[Any]] = {(by, n): [] for by, sizes in asked for n in sizes}
    for known, new, rng in itertools.islice(splits(outcomes, 1), count):
        predictor = ts.PerformancePredictor().fit(known)
        for results, (by, size) in itertools.product(new.rates, found):
            _, groups = groups_by(outcomes.task_labels, by, outcomes.n_tasks)
            quiz = per_group(groups, size, rng)
            rest = np.setdiff1d(np.arange(outcomes.n_tasks), quiz)
            single = results.copy()
            single[rest] = predictor.predict_proba(quiz, results[quiz], rest)
            ends = predictor.score(quiz, results[quiz], by=by).scores, mean_of(single, groups)
            scores = [(1 - share) * ends[0] + share * ends[1] for share in SHARES]
            found[by, size].append(np.abs(np.array(scores) - mean_of(results, groups)).mean(1))
    return {key: np.array(errors) for key, errors in found.items()}


def mean_of(results: Any, groups: Any) -> Any:
    """The mean result in each group."""
    return np.bincount(groups, results) / np.bincount(groups)


SHARES = (0, 0.25, 0.5, 0.75, 1)
BLENDED: dict[str, Asked] = {
    "helm-lite": [("family", (10, 30)), ("all", (30, 100))],
    "animal-ai": [("level", (2, 5)), ("all", (10, 30, 100))],
}


def stopping(folder: Path, fast: bool) -> None:
    """Evaluations that end when the score is known: how often its interval contains it."""
    print("\nEvaluations that end early, agents left out, tasks in random order")
    for name, orders in STOPPED.items():
        outcomes = read(folder, name)
        if outcomes is not None:
            found = stops(outcomes.rates, HALF_WIDTHS, 1 if fast else orders)
            title = f"{name}: {outcomes.n_agents} agents, {outcomes.n_tasks} tasks"
            print_stops(Console(), title, {f"± {half:g}": each for half, each in found.items()})


STOPPED = {"animal-ai": 10, "minigrid-sfl": 6}  # orders of the tasks, per agent


# -- short tests -----------------------------------------------------------------------------------

Sizes = list[tuple[str | None, tuple[int, ...]]]  # labels, and numbers of tasks per value


def subsets(folder: Path, fast: bool) -> None:
    """Scores from tasks that were chosen without the left-out agents, beside other choices."""
    print("\nShort tests, agents left out: mean absolute error of scores ± standard error")
    for name, asked in TESTED.items():
        outcomes = read(folder, name)
        if outcomes is None:
            continue
        for by, sizes in asked:
            for size in sizes[:1] if fast else sizes:
                for method, (error, margin) in short_tests(outcomes, by, size).items():
                    each = "tasks" if by is None else f"tasks per {by}"
                    print(
                        f"{name:<16} {size:>3} {each:<18} {method:<31} {error:.4f} ± {margin:.4f}"
                    )


def short_tests(outcomes: Any, by: str | None, size: int) -> dict[str, tuple[float, float]]:
    """The error and its standard error, by how the tasks were chosen."""
    _, labels = groups_by(outcomes.task_labels, by, outcomes.n_tasks)
    limits = Limits(labels, 0 if by is None else size)
    count = size if by is None else int(limits.least_per_label.sum())
    with threadpool_limits(1):
        question = Question(limits, by is not None)
        found = compare(outcomes, question, [count], SEED, lambda done, note="": None)
    pairs = zip(found.asked.tolist(), found.standard_errors.tolist(), strict=True)
    return dict(zip(found.methods.tolist(), pairs, strict=True))


def limit(folder: Path, fast: bool) -> None:
    """What limits the choice of tasks: the number of models that it is made from."""
    print("\nHELM-Lite, 30 tasks of each family: error of left-out models ± standard error")
    outcomes = read(folder, "helm-lite")
    if outcomes is None:
        return
    _, labels = groups_by(outcomes.task_labels, "family", outcomes.n_tasks)
    for count in (24,) if fast else (24, 16, 8):
        found = choices(outcomes.rates, Limits(labels, 30), count)
        for name, errors in found.items():
            apart = errors - found["random"]
            print(
                f"{count:>2} known models, {name:<24} {errors.mean():.4f} ±"
                f" {errors.std() / len(errors) ** 0.5:.4f}; minus random {apart.mean():+.4f} ±"
                f" {apart.std() / len(errors) ** 0.5:.4f}",
                flush=True,
            )


def choices(rates: Any, limits: Any, count: int) -> dict[str, Any]:
    """Errors per left-out model of random tasks, of chosen ones, and of a choice that knows it.

    Each model is left out once in each of three divisions into five folds.
    """
    rng, question = np.random.default_rng(SEED), Question(limits, labelled=True)
    size = int(limits.least_per_label.sum())
    found: dict[str, list[Any]] = {}
    with threadpool_limits(1):
        folds = [each for _ in range(3) for each in np.array_split(rng.permutation(len(rates)), 5)]
        for new in folds:
            known = rng.permutation(np.delete(np.arange(len(rates)), new))[:count]
            population, both = (
                LinearPopulation.from_rates(rates[some], None, 0)
                for some in (known, np.concatenate([known, new]))
            )
            how = (question.targets, size, limits, rng)
            tests = {
                "random": [at_random(size, limits, rng) for _ in range(4)],
                "half random": [half_random(population, *how) for _ in range(2)],
                "informative": [informative(population, *how)],
                "informative for the new": [informative(both, *how)],
            }
            truth = rates[new] @ question.targets
            for name, drawn in tests.items():
                errors = [
                    np.abs(question.formula(population, tasks).apply(rates[new][:, tasks]) - truth)
                    for tasks in drawn
                ]
                found.setdefault(name, []).append(np.mean(errors, axis=0)[:, 1:].mean(1))
    models = np.argsort(np.concatenate(folds), kind="stable").reshape(len(rates), -1)
    return {name: np.concatenate(each)[models].mean(1) for name, each in found.items()}


TESTED: dict[str, Sizes] = {
    "helm-lite": [("scenario", (10, 30, 100)), ("family", (10, 30, 100)), (None, (10, 30, 100))],
    "animal-ai": [(None, (10, 30, 100)), ("level", (2, 5, 20))],
    "minigrid-sfl": [(None, (10, 30, 100))],
    "assistments-2009": [(None, (10, 30, 100))],
}


# -- single results --------------------------------------------------------------------------------

Predict = Callable[[Any, Any, Any], Any]


def methods(known: Any) -> dict[str, Predict]:
    """Predictions of results from a quiz, given known agents."""
    tried = known.rollouts > 0
    mean = known.successes[tried].mean()
    shrunk = (known.successes.sum(0) + 2 * mean) / (known.rollouts.sum(0) + 2)
    rasch = fit_item_response(known, same_slopes=True)
    ours = ts.PerformancePredictor().fit(known)
    linear: Any = ours.population_
    return {
        "task mean": lambda quiz, results, tasks: shrunk[tasks],
        "Rasch": rasch.predict,
        "linear": lambda *asked: np.clip(linear.predict(*asked), 0, 1),
        "ours": ours.predict_proba,
    }


def judged(known: Any, new: Any, size: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Per new agent and method (accuracy, Brier score) after a quiz of random tried tasks."""
    ways, found = methods(known), []
    for results in new.rates:
        tried = np.flatnonzero(~np.isnan(results))
        if len(tried) <= size:
            continue
        order = rng.permutation(tried)
        quiz, rest = order[:size], order[size:]
        row = {}
        for name, predict in ways.items():
            predicted = predict(quiz, results[quiz], rest)
            right = ((predicted > 0.5) == (results[rest] > 0.5)).mean()
            row[name] = right, ((predicted - results[rest]) ** 2).mean()
        found.append(row)
    return found


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """One line with the means, and the standard error of the difference to Rasch's model."""
    means = {name: np.mean([row[name] for row in rows], axis=0) for name in rows[0]}
    apart = np.array([row["ours"][1] - row["Rasch"][1] for row in rows])
    listed = ", ".join(f"{name} {right:.3f} {brier:.4f}" for name, (right, brier) in means.items())
    error = apart.std() / len(rows) ** 0.5
    print(f"{title}: {listed}; ours − Rasch {apart.mean():+.4f} ± {error:.4f}", flush=True)


def quiz(folder: Path, fast: bool) -> None:
    """Animal-AI (20 tasks asked, one agent left out) and ASSISTments."""
    print("\nA quiz of 20 random tasks predicts the other results (accuracy, Brier score)")
    outcomes = read(folder, "animal-ai")
    if outcomes is not None:
        disputed = np.abs(outcomes.rates.mean(0) - 0.5) < 0.4501
        some = outcomes.of_tasks(outcomes.tasks[disputed])
        for title, table in (("555 tasks solved by 5 to 95 %", some), ("all 900 tasks", outcomes)):
            rows, rng = [], np.random.default_rng(SEED)
            for left_out in table.agents[: 6 if fast else None]:
                known = table.of_agents(table.agents[table.agents != left_out])
                rows += judged(known, table.of_agents([left_out]), 20, rng)
            show(f"Animal-AI, {title}", rows)
    outcomes = read(folder, "assistments-2009")
    if outcomes is not None:
        for size in (5, 20):
            rows = []
            for known, new, rng in splits(outcomes, 1, 20 if fast else 5):
                rows += judged(known, new, size, rng)
                if fast:
                    break
            show(f"ASSISTments, quiz of {size}", rows)


def agents(folder: Path, fast: bool) -> None:
    """Few known agents: never worse than Rasch's model, or than random tasks."""
    print("\nFew known agents: differences to simple methods (negative is better)")
    for name in ("animal-ai",) if fast else ("animal-ai", "assistments-2009"):
        outcomes = read(folder, name)
        if outcomes is not None:
            print_compared(Console(width=120), name, outcomes)


# -- similar tasks ---------------------------------------------------------------------------------


def neighbours(folder: Path, fast: bool) -> None:
    """How often the most similar task has the same label, by correlation, `similar` and maps."""
    print("\nThe nearest neighbour of a task that 10 to 90 % solve has the same label")
    for name, by in (("assistments-2009", "skill"), ("animal-ai", "level")):
        outcomes = read(folder, name)
        if outcomes is None:
            continue
        success = np.nanmean(outcomes.rates, axis=0)
        outcomes = outcomes.of_tasks(outcomes.tasks[np.abs(success - 0.5) <= 0.4])
        labels = outcomes.task_labels[by]
        chance = np.mean([(labels == label).sum() - 1 for label in labels]) / (len(labels) - 1)
        found = {"chance": chance, "correlation": same(correlations(outcomes.rates), labels)}
        statistics = SuccessStatistics.from_outcomes(outcomes)
        for measure in ("information", "correlation"):
            similar = estimates(statistics, measure=measure)
            found[f"similar ({measure})"] = same(np.nan_to_num(similar, nan=-np.inf), labels)
        for measure in ("information",) if fast else ("information", "correlation"):
            embedder = ts.TaskEmbedder(measure=measure, random_state=0).fit(outcomes)
            directions = embedder.direction(outcomes.tasks)
            found[f"map ({measure})"] = same(directions @ directions.T, labels)
        listed = ", ".join(f"{way} {fraction:.3f}" for way, fraction in found.items())
        print(f"{name}, {by}, {outcomes.n_tasks} tasks: {listed}", flush=True)


def returns(folder: Path, fast: bool) -> None:
    """How often the most similar task has the same label: from passing, and from returns."""
    print("\nAnimal-AI: the nearest neighbour of a task that 10 to 90 % pass, by what `fit` makes")
    path = folder / "animal-ai.parquet"
    if not path.is_file():
        print(f"left out, there is no file {path}")
        return
    passed = ts.Outcomes.from_table(path, score="passed")
    some = passed.tasks[np.abs(passed.rates.mean(0) - 0.5) <= 0.4]
    for what, table in (("passed", passed), ("return", ts.Outcomes.from_table(path, returns=True))):
        outcomes = table.of_tasks(some)
        with tempfile.TemporaryDirectory() as out:
            made = ts.fit(outcomes, out, log=lambda line: None)
            nearest = np.array([made.similar(name, 1)[0][0] for name in outcomes.tasks])
            directions = made.embedder.direction(outcomes.tasks)
        signed = statistics_of(outcomes).matrix(measure="correlation")
        for by in ("level", "arena"):
            labels = outcomes.task_labels[by]
            print(
                f"{what}, same {by}, {len(labels)} tasks:"
                f" similar {(labels[nearest] == labels).mean():.3f},"
                f" correlation {same(signed, labels):.3f},"
                f" map {same(directions @ directions.T, labels):.3f}",
                flush=True,
            )


def same(similarity: Any, labels: Any) -> float:
    """The fraction of tasks whose most similar other task has the same label."""
    others = np.where(np.eye(len(labels), dtype=bool), -np.inf, similarity)
    return float((labels[others.argmax(1)] == labels).mean())


def correlations(rates: Any, least: int = 8) -> Any:
    """Pearson's correlation of tasks over the agents that tried both, if they are at least 8."""
    tried = ~np.isnan(rates)
    known, mask = np.where(tried, rates, 0.0), tried.astype(np.float64)
    both = np.maximum(mask.T @ mask, 1)
    means = known.T @ mask / both  # of the row's task, over the agents that tried both
    apart = known.T @ known / both - means * means.T
    spread = np.maximum((known**2).T @ mask / both - means**2, 0.0)
    scale = np.sqrt(spread * spread.T)
    usable = (mask.T @ mask >= least) & (scale > 1e-9)
    return np.where(usable, apart / np.maximum(scale, 1e-9), -np.inf)


PARTS = {
    "scores": scores, "blend": blend, "stopping": stopping, "subsets": subsets, "limit": limit,
    "quiz": quiz, "agents": agents, "neighbours": neighbours, "returns": returns,
}  # fmt: skip

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the data")
    parser.add_argument("--fast", action="store_true", help="fewer splits")
    options = parser.parse_args()
    for name in options.parts or PARTS:
        PARTS[name](options.data, options.fast)
