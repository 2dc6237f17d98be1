"""A population of your own agents: snapshots of Stable-Baselines3 models during training.

python examples/own_agents.py          two minutes; writes agents.zip
python examples/own_agents.py --fast   a few seconds, with agents that learn little
Needs `pip install 'taskspace[rl]'`.
"""

import sys
from typing import Any

from gymnasium.spaces import Box, Dict
from stable_baselines3 import PPO

import taskspace as ts

fast = "--fast" in sys.argv

# Two training runs with different discount factors give two subpopulations, from weak to strong.
population = ts.Population([])
for name, gamma in (("patient", 0.99), ("hasty", 0.8)):
    snapshots = ts.SnapshotCallback(every=256 if fast else 2048, name=name)
    model = PPO("MlpPolicy", "CartPole-v1", gamma=gamma, n_steps=256, seed=0, device="cpu")
    model.learn(512 if fast else 24_000, callback=snapshots)
    population += snapshots.population

# A torch module or a function can be an agent, too: here, a rule that follows the pole.
population += ts.Population({"rule": lambda states: (states[:, 2] + states[:, 3] > 0).astype(int)})
print(population)


def set_task(env: Any, task: dict[str, float]) -> None:
    env.gravity, env.length = task["gravity"], task["length"]
    env.polemass_length = env.masspole * env.length


env = ts.GymEnvironment(
    "CartPole-v1", set_task=set_task, success=200, max_steps=200,
    space=Dict(gravity=Box(2, 30), length=Box(0.1, 2)),
)  # fmt: skip
tasks = env.sample_tasks(10 if fast else 300, seed=1)
outcomes = ts.evaluate(population, env, tasks, rollouts=1)
for agent, rate in zip(outcomes.agents, outcomes.rates.mean(1), strict=True):
    print(f"  {agent:<14} solves {rate:.0%}")

if not fast:  # after so few training steps the agents do not differ enough
    embedder = ts.TaskEmbedder(2, random_state=0).fit(outcomes)
    print(f"held-out accuracy: {embedder.test_scores_}")

# Population.from_checkpoints reads a folder of checkpoints instead.
ts.Population(population.agents[:-1]).save("agents.zip")
print(ts.Population.load("agents.zip"))
