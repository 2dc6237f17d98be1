"""Make the pictures of the README and the documentation, in docs/images: `python docs/pictures.py`.

It trains a population of MultiKeyNav and plays it, which takes a minute. (The maps of the README
are `figures/map-tsne.png` of `taskspace run`, and `own-*.png` come from the examples.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from numpy.typing import NDArray

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.report.plots import COLOURS, INK, MUTED, plot_similarity, plot_success
from taskspace.report.projections import TSNE, project
from taskspace.rollouts.trajectories import record
from taskspace.similarity.statistics import SuccessStatistics
from taskspace.testing.agents import trained_like

FOLDER = Path(__file__).parent / "images"
SHOWN = {  # a task of which cluster
    "MultiKeyNav": "A+B",
    "CartPoleVar": "action 0 moves right",
    "PointMass": "steer left",
    "BasicKarel": "pick",
}
STAGES = (
    ("environment", "tasks to solve"),
    ("population", "agents that differ\nin what they can do"),
    ("outcomes", "successes:\nagents × tasks"),
    ("success model", "probabilities of\nsuccess on any task"),
    ("similarity", "bits that outcomes\nof two tasks share"),
    ("map", "one vector per task"),
    ("applications", "predict, select,\nquiz, explore"),
)


def main() -> None:
    """Draw everything."""
    draw_environments()
    draw_karel()
    draw_stages()
    seen = Seen.play()
    draw_outcomes(seen)
    draw_pairs(seen)
    draw_similarity(seen)
    draw_vectors(seen)
    draw_quiz(seen)


# -- the environments ------------------------------------------------------------------------------


def draw_environments() -> None:
    """A task and an episode of each environment."""
    for name, cluster in SHOWN.items():
        env = ts.make(name)
        agent: Any = trained_like(env)[-1] if env.expert is None else ExpertPolicy(env)
        tasks = env.sample_tasks(100, seed=1)
        task = tasks[env.clusters(tasks) == env.cluster_names.index(cluster)][0]
        figure = Figure(figsize=(8, 3), dpi=120, layout="constrained")
        left, right = figure.subplots(1, 2)
        env.draw_task(task, left)
        env.draw_episode(*record(agent, env, task)[0], right)
        figure.savefig(FOLDER / f"{name}.png")


def draw_karel() -> None:
    """A programming task of each kind, with the program that solves it."""
    env = ts.make("Karel")
    tasks = env.sample_tasks(200, seed=1, distribution="validation")
    figure = Figure(figsize=(12, 3.9), dpi=120, layout="constrained")
    for cluster, ax in enumerate(figure.subplots(1, 3)):
        env.draw_task(tasks[env.clusters(tasks) == cluster][0], ax)
        ax.set_title(env.cluster_names[cluster])
    figure.savefig(FOLDER / "Karel.png")


# -- the idea --------------------------------------------------------------------------------------


def draw_stages() -> None:
    """The stages from an environment to the applications of a map."""
    figure = Figure(figsize=(11, 1.9), dpi=120)
    ax = figure.add_axes((0.005, 0.02, 0.99, 0.96))
    ax.set(xlim=(0, len(STAGES)), ylim=(0, 1.5), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    for number, (name, description) in enumerate(STAGES):
        box = FancyBboxPatch(
            (number + 0.06, 0.5), 0.82, 0.9, boxstyle="round,pad=0,rounding_size=0.08",
            facecolor="#eef2f8", edgecolor=COLOURS[0],
        )  # fmt: skip
        ax.add_patch(box)
        ax.text(number + 0.47, 1.2, name, ha="center", va="center", weight="bold", color=INK)
        ax.text(number + 0.47, 0.8, description, ha="center", va="center", fontsize=8, color=INK)
        if number:
            _arrow(ax, (number - 0.12, 0.95), (number + 0.06, 0.95))
    ax.text(2.47, 0.12, "or your own table of results", ha="center", fontsize=9, color=MUTED)
    _arrow(ax, (2.47, 0.26), (2.47, 0.5))
    figure.savefig(FOLDER / "idea-stages.png")


def _arrow(ax: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": MUTED})


@dataclass(frozen=True)
class Seen:
    """A population of MultiKeyNav, how it did on some tasks, and the map that ships with us."""

    env: Any
    population: ts.Population
    tasks: NDArray[np.float64]  # in the order of their clusters
    clusters: NDArray[np.int64]
    outcomes: ts.Outcomes
    embedder: ts.TaskEmbedder

    @classmethod
    def play(cls) -> Seen:
        """Train and play it."""
        env = ts.make("MultiKeyNav")
        population = ts.train_population(env, seed=0)
        tasks = env.sample_tasks(1000, seed=1)
        tasks = tasks[np.argsort(env.clusters(tasks), kind="stable")]
        outcomes = ts.evaluate(population, env, tasks, rollouts=20)
        embedder = ts.load_pretrained("MultiKeyNav")
        return cls(env, population, tasks, env.clusters(tasks), outcomes, embedder)

    def some(self, cluster: str, number: int = 0) -> int:
        """A task of a cluster."""
        return int(np.flatnonzero(self.clusters == self.env.cluster_names.index(cluster))[number])


def draw_outcomes(seen: Seen) -> None:
    """Success rates of all agents on all tasks, kinds of agents and of tasks side by side."""
    figure = Figure(figsize=(9, 4.6), dpi=120, layout="constrained")
    ax = figure.add_subplot()
    image = ax.imshow(seen.outcomes.rates, aspect="auto", cmap="viridis", interpolation="nearest")
    kinds = [agent.subpopulation for agent in seen.population.agents]
    _mark_groups(ax.axhline, ax.set_yticks, kinds)
    _mark_groups(ax.axvline, ax.set_xticks, [seen.env.cluster_names[c] for c in seen.clusters])
    ax.tick_params(length=0, labelsize=9)
    ax.set_xlabel("tasks, by the keys that are still to be picked", color=INK)
    ax.set_ylabel("agents, by what they may do", color=INK)
    figure.colorbar(image, label="success rate", pad=0.01)
    figure.savefig(FOLDER / "idea-outcomes.png")


def _mark_groups(line: Any, ticks: Any, names: list[str]) -> None:
    starts = [i for i, name in enumerate(names) if i == 0 or names[i - 1] != name]
    ends = [*starts[1:], len(names)]
    for start in starts[1:]:
        line(start - 0.5, color="white", linewidth=1)
    middles = [(start + end - 1) / 2 for start, end in zip(starts, ends, strict=True)]
    ticks(middles, [names[start] for start in starts])


def draw_pairs(seen: Seen) -> None:
    """What the agents' success on one task tells about another, for three pairs."""
    figure = Figure(figsize=(9, 3.4), dpi=120, layout="constrained")
    statistics = SuccessStatistics.from_outcomes(seen.outcomes)
    pairs = (("A", 0, "A", 5), ("A", 0, "A+B", 0), ("A", 0, "B", 0))
    for ax, (one, i, other, j) in zip(figure.subplots(1, 3, sharey=True), pairs, strict=True):
        first, second = seen.some(one, i), seen.some(other, j)
        bits = statistics.pairs([first], [second])[0]
        rates = seen.outcomes.rates
        ax.scatter(rates[:, first], rates[:, second], s=22, alpha=0.5, color=COLOURS[0])
        ax.set_title(f"{bits:.2f} bits", color=INK, fontsize=11)
        ax.set_xlabel(f"success on a task that needs {one}", color=INK)
        told = f"another that needs {other}" if one == other else f"one that needs {other}"
        ax.set_ylabel(f"success on {told}", color=INK)
        ax.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), aspect="equal")
        ax.tick_params(labelleft=True)
    figure.savefig(FOLDER / "idea-pairs.png")


def draw_similarity(seen: Seen) -> None:
    """All similarities."""
    every = np.arange(0, len(seen.tasks), 3)
    matrix = SuccessStatistics.from_outcomes(seen.outcomes).matrix(every, every)
    ax: Any = plot_similarity(matrix, seen.clusters[every], seen.env.cluster_names)
    ax.figure.savefig(FOLDER / "idea-similarity.png", dpi=120, bbox_inches="tight")


def draw_vectors(seen: Seen) -> None:
    """Information against success."""
    success = seen.outcomes.rates.mean(0)
    ax: Any = plot_success(
        seen.embedder.information(seen.tasks), success, "information (squared length, bits)",
        clusters=seen.clusters, cluster_names=seen.env.cluster_names,
    )  # fmt: skip
    ax.figure.savefig(FOLDER / "idea-information.png", dpi=120, bbox_inches="tight")


def draw_quiz(seen: Seen) -> None:
    """What ten answers of one agent say about all tasks, and what it really does."""
    flat = project(seen.embedder.points(seen.tasks))[TSNE]
    quizzed = _strongest(seen, "no-pickKeyA")
    others = seen.outcomes.of_agents(name for name in seen.population if name != quizzed)
    quiz = ts.Quiz(others, seed=0)
    truth = seen.outcomes.of_agents([quizzed]).rates[0]
    rng = np.random.default_rng(0)
    for _ in quiz.ask(at_most=10):
        quiz.answer(float(rng.random() < truth[quiz.next_number()]))
    figure = Figure(figsize=(9, 4), dpi=120, layout="constrained")
    asked = {int(task.removeprefix("task-")): result for task, result in quiz.answers}
    places, solved = np.array(list(asked)), np.array(list(asked.values())) == 1
    axes = figure.subplots(1, 2)
    shown = {"predicted from ten answers": quiz.predict_proba(), "what the agent does": truth}
    for ax, (title, chances) in zip(axes, shown.items(), strict=True):
        image = ax.scatter(*flat.T, c=chances, s=9, cmap="viridis", vmin=0, vmax=1)
        ax.set_title(title, color=INK, fontsize=11)
        ax.set(aspect="equal", xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
    for right, marker in ((True, "^"), (False, "v")):
        axes[0].scatter(
            *flat[places[solved == right]].T, marker=marker, s=90,
            facecolor="white", edgecolor="black", label="solved" if right else "failed",
        )  # fmt: skip
    axes[0].legend(loc="lower left", frameon=True, fontsize=8)
    figure.colorbar(image, ax=axes, label="probability of success", pad=0.01)
    figure.savefig(FOLDER / "idea-quiz.png")


def _strongest(seen: Seen, subpopulation: str) -> str:
    return max(seen.population.select(subpopulation).agents, key=lambda agent: agent.skill).name


if __name__ == "__main__":
    main()
