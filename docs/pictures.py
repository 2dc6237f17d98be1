"""Make the pictures of the README: `python docs/pictures.py` writes docs/images/<name>.png."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import taskspace as ts
from taskspace.benchmarks.agents import trained_like

FOLDER = Path(__file__).parent / "images"
SHOWN = {  # a task of which cluster
    "MultiKeyNav": "A+B",
    "CartPoleVar": "action 0 moves right",
    "PointMass": "steer left",
    "BasicKarel": "pick",
}


def main() -> None:
    """Draw a task and an episode of each environment."""
    for name, cluster in SHOWN.items():
        env = ts.make(name)
        agent: Any = trained_like(env)[-1] if env.expert is None else ts.ExpertPolicy(env)
        tasks = env.sample_tasks(100, seed=1)
        task = tasks[env.clusters(tasks) == env.cluster_names.index(cluster)][0]
        figure = Figure(figsize=(8, 3), dpi=120, layout="constrained")
        left, right = figure.subplots(1, 2)
        env.draw_task(task, left)
        env.draw_episode(*ts.record(agent, env, task)[0], right)
        figure.savefig(FOLDER / f"{name}.png")
    draw_karel()


def draw_karel() -> None:
    """A programming task of each kind, with the program that solves it."""
    env = ts.make("Karel")
    tasks = env.sample_tasks(200, seed=1, distribution="validation")
    figure = Figure(figsize=(12, 3.9), dpi=120, layout="constrained")
    for cluster, ax in enumerate(figure.subplots(1, 3)):
        env.draw_task(tasks[env.clusters(tasks) == cluster][0], ax)
        ax.set_title(env.cluster_names[cluster])
    figure.savefig(FOLDER / "Karel.png")


if __name__ == "__main__":
    main()
