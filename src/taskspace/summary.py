"""What a finished map is worth: its numbers, its figures, and the sections of its report."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace import plots, report
from taskspace.constraints import DIFFICULTY_GAP, SHARPNESS, draw_triplets
from taskspace.embedding.agreement import agreement
from taskspace.embedding.base import Embedding
from taskspace.embedding.estimator import TaskEmbedder
from taskspace.envs.base import Environment, Tasks
from taskspace.files import write_figure
from taskspace.groups import TaskSpace
from taskspace.outcomes import Outcomes
from taskspace.population.population import Population
from taskspace.rollout.evaluate import evaluate
from taskspace.similarity.statistics import SuccessStatistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SILHOUETTE_SEEDS = 3
_TOO_LARGE = 1e15  # that vectors are apart: squares would not be numbers in single precision
IN_MATRIX = 300  # tasks in the picture of the similarity matrix


@dataclass(frozen=True)
class Things:
    """All that a run has made."""

    env: TaskSpace
    population: Population | None  # unknown where there is only a table of results
    outcomes: Outcomes
    embedder: TaskEmbedder
    numbers: Mapping[str, Any]
    view: Mapping[str, NDArray[Any]]

    @property
    def tasks(self) -> NDArray[Any]:
        """The tasks that were played."""
        return tasks_of(self.outcomes)

    @functools.cached_property
    def statistics(self) -> SuccessStatistics:
        """Their success rates."""
        return SuccessStatistics.from_outcomes(self.outcomes)


def tasks_of(outcomes: Outcomes) -> NDArray[Any]:
    """The tasks as an embedder takes them: rows of features, or names where there are none."""
    return outcomes.tasks if outcomes.features is None else outcomes.features


def measure(
    env: Environment,
    population: Population,
    outcomes: Outcomes,
    embedder: TaskEmbedder,
    shown: int,
    seed: int,
) -> dict[str, Any]:
    """The numbers that say how good the map is."""
    return {
        **numbers_of(env.name, outcomes, embedder),
        **separation(silhouettes(env, embedder, shown, seed)),
        "similarity_accuracy_reachable": reachable(env, population, outcomes, seed),
    }


def numbers_of(name: str, outcomes: Outcomes, embedder: TaskEmbedder) -> dict[str, Any]:
    """Those of them that need nothing but the outcomes and the map learned from them."""
    from scipy.stats import spearmanr

    success = SuccessStatistics.from_outcomes(outcomes).success
    return {
        "environment": name,
        "agents": outcomes.n_agents,
        "tasks": outcomes.n_tasks,
        "dimensions": embedder.n_components_,
        "similarity_accuracy": embedder.test_scores_.get("similarity"),
        "difficulty_accuracy": embedder.test_scores_.get("difficulty"),
        "norm_difficulty_rank_correlation": float(
            spearmanr(embedder.difficulty(tasks_of(outcomes)), -success).statistic
        ),
    }


def compare(embedder: TaskEmbedder, again: TaskEmbedder, outcomes: Outcomes) -> dict[str, Any]:
    """Whether the map learned once more, with another seed, tells the same story."""
    return {"agreement_of_seeds": agreement(embedder, again, tasks_of(outcomes))}


def separation(scores: list[float]) -> dict[str, Any]:
    """Silhouettes of known clusters on several sets of tasks."""
    return {
        "silhouettes": scores,
        "silhouette": float(np.mean(scores)),
        "silhouette_spread": float(np.std(scores)),
    }


def count_constraints(outcomes: Outcomes, seed: int, drawn: int = 10_000) -> dict[str, Any]:
    """What orders the outcomes give: how many, and how sure, in a sample of triplets and pairs."""
    statistics, rng = SuccessStatistics.from_outcomes(outcomes), np.random.default_rng(seed)
    n = statistics.n_tasks
    sure = draw_triplets(statistics, drawn, rng, np.arange(n)).probability
    gaps = np.abs(np.diff(rng.choice(statistics.success, (drawn, 2)), axis=1))
    return {
        "tasks": n,
        "possible_triplets": n * (n - 1) * (n - 2) // 2,
        "possible_pairs": n * (n - 1) // 2,
        "triplets_with_a_sure_order": float((np.abs(sure - 0.5) > 0.49).mean()),
        "pairs_with_a_difficulty_gap": float((gaps > DIFFICULTY_GAP).mean()),
        "difficulty_gap": DIFFICULTY_GAP,
        "sharpness": SHARPNESS,
        "mean_success": float(statistics.success.mean()),
    }


def silhouettes(
    env: Environment, embedder: Embedding, tasks: int, seed: int, distribution: str = "all"
) -> list[float]:
    """Silhouette of the environment's clusters on fresh tasks, for a few seeds."""
    from sklearn.metrics import silhouette_score

    scores = []
    for index in range(SILHOUETTE_SEEDS):
        fresh = env.sample_tasks(tasks, seed=seed + 1000 + index, distribution=distribution)
        scores.append(float(silhouette_score(embedder.transform(fresh), env.clusters(fresh))))
    return scores


def reachable(env: Environment, population: Population, outcomes: Outcomes, seed: int) -> float:
    """How often a fresh estimate of the similarities agrees with the order of the first.

    No map of the tasks can be expected to do better than playing everything once more.
    """
    rng = np.random.default_rng(seed)
    chosen = rng.choice(outcomes.n_tasks, min(500, outcomes.n_tasks), replace=False)
    assert outcomes.features is not None
    rollouts = int(outcomes.rollouts.max())
    again = evaluate(population, env, outcomes.features[chosen], rollouts, seed=seed + 1)
    first = SuccessStatistics.from_outcomes(outcomes)
    triplets = draw_triplets(first, 2000, rng, chosen)
    place = np.zeros(outcomes.n_tasks, np.int64)
    place[chosen] = np.arange(len(chosen))
    anchor, one, other = place[triplets.tasks].T
    second = SuccessStatistics.from_outcomes(again)
    yes = second.pairs(anchor, one) > second.pairs(anchor, other)
    p = triplets.probability
    return float(np.where(yes, p, 1 - p).mean())


def neighbourhoods(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """t-SNE (vectors, 2); vectors that are all the same, or too large, are drawn in one place."""
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    spread = float(np.ptp(vectors, axis=0).max())
    if not 0 < spread < _TOO_LARGE:  # t-SNE would divide by it, and crash
        return np.zeros((len(vectors), 2), np.float32)
    tsne = TSNE(init="pca", random_state=0, perplexity=min(30, max(len(vectors) // 4, 1)))
    with threadpool_limits(1):  # the same bits, and five times as fast on a busy machine
        found: NDArray[np.float32] = tsne.fit_transform(vectors)
    return found


def project(embedder: TaskEmbedder, tasks: Tasks) -> dict[str, NDArray[Any]]:
    """Tasks, their vectors, and two flat views of these."""
    from sklearn.decomposition import PCA
    from threadpoolctl import threadpool_limits

    vectors = embedder.transform(tasks)
    if vectors.shape[1] == 1:  # a line; spread it upwards, so that its points can be told apart
        noise = np.random.default_rng(0).uniform(-0.2, 0.2, len(vectors)) * np.ptp(vectors)
        flat = np.column_stack([vectors[:, 0], noise])
        return {"tasks": tasks, "vectors": vectors, "tsne": flat, "pca": flat}
    with threadpool_limits(1):
        views = {"tsne": neighbourhoods(vectors), "pca": PCA(2).fit_transform(vectors)}
    return {"tasks": tasks, "vectors": vectors, **views}


_HEADINGS = {
    "map-tsne": "The map",
    "map-pca": "The map, straight",
    "difficulty": "Difficulty",
    "similarity": "Similarity",
    "learning": "Learning",
    "population": "The population",
}
Drawing = tuple[str, str, str, "Figure"]  # name, caption, what it shows in words, figure


def figures(things: Things) -> Iterator[Drawing]:
    """Every figure of a run, the map first."""
    yield from _maps(things)
    yield _difficulty(things)
    yield _similarities(things)
    ax = plots.plot_learning_curve(things.embedder.history_)
    yield "learning", "Learning the map.", "Loss over training steps", _of(ax)
    yield _agents(things)


def _maps(things: Things) -> Iterator[Drawing]:
    view, env = things.view, things.env
    clusters, norms = env.clusters(view["tasks"]), np.linalg.norm(view["vectors"], axis=1)
    for kind, told in (("tsne", "t-SNE"), ("pca", "PCA")):
        ax = plots.plot_map(
            view[kind], norms=norms, clusters=clusters, cluster_names=env.cluster_names
        )
        if view["vectors"].shape[1] == 1:
            told = "one dimension; the height has no meaning"
        caption = f"The map ({told}). A point is a task; the larger it is, the longer its vector."
        yield f"map-{kind}", caption, f"Scatter plot of tasks by {told}", _of(ax)


def _difficulty(things: Things) -> Drawing:
    every = slice(None, None, max(1, things.outcomes.n_tasks // 2000))
    features = things.tasks[every]
    ax = plots.plot_difficulty(
        things.embedder.difficulty(features),
        things.statistics.success[every],
        clusters=things.env.clusters(features),
        cluster_names=things.env.cluster_names,
    )
    rank = things.numbers["norm_difficulty_rank_correlation"]
    caption = f"Harder tasks lie further out: the rank correlation is {rank:.2f}."
    return "difficulty", caption, "Scatter plot of vector length and success rate", _of(ax)


def _similarities(things: Things) -> Drawing:
    some = np.arange(min(IN_MATRIX, things.outcomes.n_tasks))
    matrix, clusters = things.statistics.matrix(some, some), things.env.clusters(things.tasks[some])
    ax = plots.plot_similarity(matrix, clusters, things.env.cluster_names)
    caption = "Estimated similarity of tasks, ordered by cluster."
    if np.isnan(matrix).any():
        caption += " It is unknown (white) where too few agents have tried both tasks."
    return "similarity", caption, "Matrix of similarities between tasks", _of(ax)


def _agents(things: Things) -> Drawing:
    if things.population is None:
        rates = np.nanmean(things.outcomes.rates, axis=1)
        ax = plots.plot_histogram(rates, "share of its tasks that an agent solves", "agents")
        return "population", "The agents, from weak to strong.", "Histogram of agents", _of(ax)
    rows = things.population.table()
    groups, steps, skills = (
        [row[key] for row in rows] for key in ("subpopulation", "step", "skill")
    )
    ax = plots.plot_skills(groups, steps, skills)
    return "population", "The agents: skill of each snapshot.", "Skill over steps", _of(ax)


def _of(ax: Any) -> Figure:
    figure: Figure = ax.figure
    return figure


def save_figures(things: Things, folder: Path) -> None:
    """Every figure as PNG and SVG."""
    folder.mkdir()
    for name, _, _, figure in figures(things):
        write_figure(figure, folder / f"{name}.png", dpi=150)
        write_figure(figure, folder / f"{name}.svg")


def sections(things: Things, settings: Mapping[str, Any]) -> list[report.Section]:
    """The report: what it is, the map, the numbers, the rest of the figures, the settings."""
    drawn = [
        report.Figure(caption, figure, alt, heading=_HEADINGS[name], wide=name.startswith("map"))
        for name, caption, alt, figure in figures(things)
    ]
    intro = report.Text([
        f"A map of the tasks of {things.env.name}, learned from how {things.outcomes.n_agents}"
        f" agents perform on {things.outcomes.n_tasks} of them. Tasks lie in the same direction"
        " when success on one tells about success on the other, and further out when they are"
        f" harder. The colours show {things.env.clusters_told}."
    ])  # fmt: skip
    table = report.Numbers(numbers_table(things.numbers), heading="Numbers")
    return [intro, drawn[0], table, *drawn[1:], report.Settings(settings)]


def numbers_table(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The numbers in words, for the report and the terminal."""

    def share(key: str) -> str:
        return f"{numbers[key]:.1%}"

    same, rank = numbers["agreement_of_seeds"], numbers["norm_difficulty_rank_correlation"]
    rows = [
        ("agents", str(numbers["agents"])),
        ("tasks played", str(numbers["tasks"])),
        ("dimensions", str(numbers["dimensions"])),
    ]
    if "silhouette" in numbers:
        told = f"{numbers['silhouette']:.3f} ± {numbers['silhouette_spread']:.3f}"
        rows.append(("silhouette", told))
    for key, told in _ACCURACIES.items():
        if numbers.get(key) is not None:
            rows.append((told, share(key)))
    return [
        *rows,
        ("rank correlation of length and difficulty", f"{rank:.3f}"),
        ("similarities by another seed, rank correlation", f"{same['similarity']:.3f}"),
        ("difficulties by another seed, rank correlation", f"{same['difficulty']:.3f}"),
    ]


_ACCURACIES = {
    "similarity_accuracy": "similarity orders that hold",
    "similarity_accuracy_reachable": "… in a fresh estimate",
    "difficulty_accuracy": "difficulty orders that hold",
}
