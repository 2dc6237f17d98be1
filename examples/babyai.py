"""Which skill does a level need? BabyAI's expert, with some skills removed, tries its levels.

python examples/babyai.py          three minutes; writes map-babyai.png
python examples/babyai.py --fast   a few seconds, with a rough map
Needs `pip install minigrid`.
"""

import contextlib
import io
import itertools
import sys
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
from matplotlib.figure import Figure
from minigrid.core.actions import Actions
from minigrid.utils.baby_ai_bot import BabyAIBot
from sklearn.metrics import silhouette_score

import taskspace as ts
from taskspace.envs.success_rules import EpisodeSummary

fast = "--fast" in sys.argv
LEVELS = {  # and the skill that they need, in addition to walking
    "GoToRedBallGrey": "walk", "GoToObj": "walk", "GoToLocal": "walk",
    "PickupLoc": "pick up", "PickupDist": "pick up",
    "OpenRedDoor": "open", "OpenDoor": "open", "OpenDoorLoc": "open",
    "UnlockLocal": "pick up and open",
    "PutNextLocal": "pick up and drop", "PutNextS5N2": "pick up and drop",
}  # fmt: skip
SKILLS = list(dict.fromkeys(LEVELS.values()))


class SameWorld(gym.Wrapper[Any, Any, Any, Any]):
    """Resets to one world, whatever the seed of the episode."""

    world = 0

    def reset(self, **options: Any) -> Any:
        with contextlib.redirect_stdout(io.StringIO()):  # BabyAI prints every rejected world
            return self.env.reset(**{**options, "seed": self.world})


def make(level: int, world: int) -> gym.Env[Any, Any]:
    env = SameWorld(gym.make(f"BabyAI-{list(LEVELS)[level]}-v0", max_episode_steps=100))
    env.world = world
    return env


def mission_done(episode: EpisodeSummary) -> bool:
    """The mission is accomplished within the step limit."""
    return episode.total_reward > 0


class Bot:
    """The expert without some actions, and with noise: it then turns or walks at random."""

    def __init__(self, missing: tuple[Actions, ...], noise: float) -> None:
        self.missing, self.noise = missing, noise

    def start(self, env: gym.Env[Any, Any], seed: int) -> Any:
        bot: Any = BabyAIBot(env.unwrapped)  # type: ignore[no-untyped-call]
        rng, last = np.random.default_rng(seed), None

        def act(observation: Any) -> Any:
            nonlocal last
            last = bot.replan(last)
            if last in self.missing or rng.random() < self.noise:
                last = Actions(int(rng.integers(3)))  # left, right or forward
            return last

        return act


parts = (Actions.pickup, Actions.drop, Actions.toggle)
missing = [some for n in range(4) for some in itertools.combinations(parts, n)]
noises = (0.2, 0.6) if fast else (0.0, 0.2, 0.4, 0.6)
bots = {f"without {[a.name for a in m]}, {x:.0%} noise": Bot(m, x) for m in missing for x in noises}

env = ts.GymEnvironment(
    make, set_task="constructor", success=mission_done, columns=["level", "world"], max_steps=100
)
worlds = range(2 if fast else 12)
tasks = np.array([(level, world) for level in range(len(LEVELS)) for world in worlds])
outcomes = ts.evaluate(bots, env, tasks, rollouts=1 if fast else 2, on_error="skip")
print(outcomes, outcomes.info["success"])

# The number of a level is not a feature, so the map is one of the table, and tasks have names.
names = [f"{list(LEVELS)[level]}-{world}" for level, world in tasks]
outcomes = replace(outcomes, tasks=np.array(names), features=None, feature_names=())
embedder = ts.TaskEmbedder(3, random_state=0).fit(outcomes)
directions = embedder.direction(names)
needed = np.array([SKILLS.index(LEVELS[list(LEVELS)[level]]) for level, _ in tasks])
print(f"silhouette of the skills that levels need: {silhouette_score(directions, needed):.2f}")
near = (directions @ directions.T - 2 * np.eye(len(tasks))).argmax(1)
print(
    f"  tasks whose nearest neighbour needs the same skill: {(needed[near] == needed).mean():.0%}"
)
figure = Figure(figsize=(8, 5), layout="constrained")
ts.plot_map(
    embedder.transform(names)[:, :2], difficulty=embedder.difficulty(names), clusters=needed,
    cluster_names=SKILLS, title="BabyAI: each point is a task, larger if harder",
    ax=figure.subplots(),
)  # fmt: skip
figure.savefig("map-babyai.png")
