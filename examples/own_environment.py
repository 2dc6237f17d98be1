"""A map of your own environments: Gymnasium's CartPole and Acrobot with varied physics.

python examples/own_environment.py          90 s; writes map-CartPole-v1.png, map-Acrobot-v1.png
python examples/own_environment.py --fast   a few seconds, with rougher maps
"""

import sys
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from matplotlib.figure import Figure
from scipy.stats import spearmanr

import taskspace as ts
from taskspace.envs.success_rules import EpisodeSummary

fast = "--fast" in sys.argv
rng = np.random.default_rng(0)


# 1. How a task is set, including the values that the environment derives from it.
def set_cart(env: Any, task: dict[str, float]) -> None:
    env.gravity, env.force_mag, env.length = task["gravity"], task["force"], task["length"]
    env.polemass_length = env.masspole * env.length


def set_links(env: Any, task: dict[str, float]) -> None:
    env.LINK_LENGTH_1, env.LINK_COM_POS_1 = task["length"], task["length"] / 2
    env.LINK_MASS_1, env.LINK_MASS_2 = task["upper_mass"], task["lower_mass"]


# 2. What success is. The docstring is stored with the outcomes.
def swung_up(episode: EpisodeSummary) -> bool:
    """The free end swings above the line within the step limit."""
    return episode.terminated


cart = ts.GymEnvironment(
    "CartPole-v1", set_task=set_cart, success=200, max_steps=200,
    space=Dict(gravity=Box(2, 30), force=Box(2, 20), length=Box(0.1, 2)),
)  # fmt: skip
acrobot = ts.GymEnvironment(
    "Acrobot-v1", set_task=set_links, success=swung_up, max_steps=150,
    space=Dict(length=Box(0.5, 2), upper_mass=Box(0.5, 2), lower_mass=Box(0.3, 2)),
)  # fmt: skip


# 3. The agents: any functions from a batch of observations to actions, or to logits, as here.
def linear(weights: Any) -> Any:
    return lambda states: np.outer(states @ weights, [-1, 1]) * 10


def pumping(noise: float, weights: Any) -> Any:
    return lambda states: np.outer(states[:, 4:] @ weights, [-1, 0, 1]) / noise


carts = [linear(np.abs(rng.normal(size=4)) * [0.1, 0.3, 1, 1]) for _ in range(24)]
pumps = [pumping(10 ** rng.uniform(-2, 1), rng.normal([0, 1], [0.7, 0.3])) for _ in range(24)]

# 4. Evaluate the agents, learn the map, test it on new tasks, and draw it.
for env, agents in ((cart, carts), (acrobot, pumps)):
    agents = agents[:8] if fast else agents
    tasks, new = env.sample_tasks(160, seed=1), env.sample_tasks(40, seed=2)
    tasks, new = (tasks[:12], new[:6]) if fast else (tasks, new)
    outcomes = ts.evaluate(agents, env, tasks, rollouts=1)
    print(f"{env.name}: {outcomes}, solved when {outcomes.info['success']!r}")

    model = ts.SuccessModel(width=32, epochs=1)  # small, as there are few tasks
    embedder = ts.TaskEmbedder(2, model=model, random_state=0).fit(outcomes)
    failures = 1 - ts.evaluate(agents, env, new, rollouts=1).rates.mean(axis=0)
    order = spearmanr(embedder.difficulty(new), failures).statistic
    print(f"  predicted and observed failure rates of new tasks: rank correlation {order:.2f}")

    length = tasks[:, outcomes.feature_names.index("length")]
    third = np.digitize(length, np.quantile(length, [1 / 3, 2 / 3]))
    figure = Figure(figsize=(8, 5), layout="constrained")
    ts.plot_map(
        embedder.transform(tasks), difficulty=embedder.difficulty(tasks), clusters=third,
        cluster_names=["short", "middle", "long"], ax=figure.subplots(),
        title=f"{env.name}: each point is a task, larger if harder; colour: length",
    )  # fmt: skip
    figure.savefig(f"map-{env.name}.png")
