"""A map by return: Gymnasium's Pendulum with varied physics, which has no notion of success.

python examples/returns.py          about five minutes
python examples/returns.py --fast   a few seconds, with agents that learn nothing
Needs `pip install 'taskspace[rl]'`.
"""

import sys
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict
from stable_baselines3 import PPO

import taskspace as ts

fast = "--fast" in sys.argv


def set_task(env: Any, task: dict[str, float]) -> None:
    env.g, env.m, env.l = task["gravity"], task["mass"], task["length"]


env = ts.GymEnvironment(
    "Pendulum-v1", set_task=set_task, success=None, max_steps=200,
    space=Dict(gravity=Box(2, 20), mass=Box(0.5, 2), length=Box(0.5, 1.5)),
)  # fmt: skip

# Snapshots of three training runs, each on a pendulum of its own.
population = ts.Population([])
for name, gravity in (("light", 4.0), ("normal", 10.0), ("heavy", 16.0)):
    snapshots = ts.SnapshotCallback(every=512 if fast else 6144, name=name)
    model = PPO(
        "MlpPolicy", gymnasium.make("Pendulum-v1", g=gravity), gamma=0.9, learning_rate=1e-3,
        n_steps=512 if fast else 1024, batch_size=64, seed=0, device="cpu",
    )  # fmt: skip
    model.learn(1024 if fast else 61_440, callback=snapshots)
    population += snapshots.population
print(population)

# Without a notion of success, the outcomes are returns: the sums of rewards of episodes.
tasks = env.sample_tasks(12 if fast else 300, seed=1)
outcomes = ts.evaluate(population, env, tasks, rollouts=2, seed=1)
print(outcomes)
assert outcomes.returns is not None
for agent, mean in zip(outcomes.agents, outcomes.returns.mean(1), strict=True):
    print(f"  {agent:<14} mean return {mean:.0f}")

if not fast:  # after so few training steps the agents do not differ enough
    embedder = ts.TaskEmbedder(random_state=0).fit(outcomes)
    print(f"{embedder.n_components_} dimensions, held-out accuracy: {embedder.test_scores_}")

# Every sixth agent is new: its return on one task each of five predicts it on the others.
new = np.arange(2, outcomes.n_agents, 6)
known = outcomes.of_agents(np.delete(outcomes.agents, new))
means = np.delete(outcomes.returns, new, axis=0).mean(0)
predictor = ts.PerformancePredictor().fit(ts.SuccessModel(random_state=0).fit(known))
quiz, others = np.arange(5), np.arange(5, outcomes.n_tasks)
inside, errors, plain = [], [], []
for agent in new:
    returns = outcomes.returns[agent]
    asked = predictor.predict(tasks[quiz], returns[quiz], tasks[others])
    low, high = predictor.interval(tasks[quiz], returns[quiz], tasks[others], level=0.9)
    inside.append((low <= returns[others]) & (returns[others] <= high))
    errors.append(np.abs(asked - returns[others]))
    plain.append(np.abs(means[others] - returns[others]))
    print(
        f"  {outcomes.agents[agent]} on {outcomes.tasks[5]}: predicted {asked[0]:.0f},"
        f" 90 % interval {low[0]:.0f} to {high[0]:.0f}, observed {returns[5]:.0f}"
    )
print(f"mean absolute error of predicted returns: {np.mean(errors):.0f}")
print(f"mean absolute error of the mean return of known agents: {np.mean(plain):.0f}")
print(f"90 % intervals that contain the observed mean of two returns: {np.mean(inside):.0%}")
