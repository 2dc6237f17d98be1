"""Returns of trained agents: Stable-Baselines3 snapshots on pendulums of varied physics.

Pendulum has no notion of success, so agents are compared by their returns. PPO is trained on
pendulums of six kinds, and snapshots of each training are agents. They play other pendulums. Each
training is then left out in turn: what will its snapshots earn, after five returns of each?

python examples/pendulum.py          a few minutes
python examples/pendulum.py --fast   a few seconds, with agents that have learned little
Needs `pip install stable-baselines3`.
"""

import itertools
import sys
from typing import Any

import numpy as np
from gymnasium.envs.classic_control.pendulum import PendulumEnv
from gymnasium.spaces import Box, Dict
from gymnasium.wrappers import TimeLimit
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import taskspace as ts
from taskspace.models.embedding.agreement import rank_correlation
from taskspace.similarity.returns import statistics_of

fast = "--fast" in sys.argv
STEPS, EVERY = (768, 256) if fast else (80_000, 10_000)
COUNT, NEW = (12, 6) if fast else (100, 40)  # pendulums to learn from, and to test the map on
ASKED = 5
KINDS = list(itertools.product((3.0, 10.0, 17.0), (0.6, 1.3)))  # gravity and length


class Hanging(PendulumEnv):
    """The pendulum begins near the bottom, so that its return does not depend on luck."""

    def reset(self, **options: Any) -> Any:
        super().reset(**options)
        self.state = self.np_random.normal([np.pi, 0], 0.1)
        return self._get_obs(), {}  # type: ignore[no-untyped-call]


def trained(gravity: float, length: float, seed: int) -> list[Any]:
    """Snapshots of PPO on one kind of pendulum; as usual, it begins anywhere while learning."""

    def make() -> Any:
        env = PendulumEnv(g=gravity)
        env.l = length
        return TimeLimit(env, 200)

    callback = ts.SnapshotCallback(every=EVERY, name=f"gravity {gravity:g}, length {length:g}")
    model = PPO(
        "MlpPolicy", make_vec_env(make, 4), n_steps=64 if fast else 1024, learning_rate=1e-3,
        gamma=0.9, seed=seed, device="cpu", verbose=0,
    )  # fmt: skip
    model.learn(STEPS, callback=callback)
    return callback.agents


def set_task(env: Any, task: dict[str, float]) -> None:
    env.g, env.m, env.l = task["gravity"], task["mass"], task["length"]


env = ts.GymEnvironment(
    Hanging, set_task=set_task, success=None, max_steps=200,
    space=Dict(gravity=Box(2, 20), mass=Box(0.5, 1.5), length=Box(0.5, 1.5)),
)  # fmt: skip
parts = [trained(*kind, seed) for seed, kind in enumerate(KINDS[:3] if fast else KINDS)]
population = ts.Population([agent for part in parts for agent in part])
training = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
tasks = env.sample_tasks(COUNT, seed=1)
outcomes: Any = ts.evaluate(population, env, tasks, rollouts=2, seed=1, progress=False)
print(outcomes)
print(f"returns from {outcomes.returns.min():.0f} to {outcomes.returns.max():.0f}")
print(ts.diagnose(outcomes).verdict)

# -- the map ---------------------------------------------------------------------------------------

embedder = ts.TaskEmbedder(random_state=0).fit(outcomes)
new = env.sample_tasks(NEW, seed=2)
played = [ts.evaluate(population, env, new, 1, seed=seed, progress=False) for seed in (2, 3)]
one, other = np.triu_indices(NEW, 1)
found, again = (statistics_of(each).pairs(one, other) for each in played)
vectors = embedder.transform(new)
products = (vectors[one] * vectors[other]).sum(1)
print(f"map of {embedder.n_components_} dimensions; rank correlation of similarities of new tasks:")
print(f"  by the map, with those that were played: {rank_correlation(products, found):.2f}")
print(f"  played again, with those that were played: {rank_correlation(again, found):.2f}")

# -- agents of a training that is not known --------------------------------------------------------

errors, plain, inside = [], [], []
rng = np.random.default_rng(0)
for part in range(len(parts)):
    known: Any = outcomes.of_agents(outcomes.agents[training != part])
    predictor = ts.PerformancePredictor().fit(ts.SuccessModel(random_state=0).fit(known))
    mean = known.returns.mean(0)
    for returns in outcomes.returns[training == part]:
        asked, others = np.split(rng.permutation(COUNT), [ASKED])
        quiz = tasks[asked], returns[asked], tasks[others]
        errors.append(np.abs(predictor.predict(*quiz) - returns[others]))
        plain.append(np.abs(mean[others] - returns[others]))
        low, high = predictor.interval(*quiz, level=0.9)
        inside.append((low <= returns[others]) & (returns[others] <= high))
print(f"mean error of predicted returns: {np.mean(errors):.0f}")
print(f"mean error of the mean return of known agents: {np.mean(plain):.0f}")
print(f"90 % intervals that contain the observed return: {np.mean(inside):.0%}")
