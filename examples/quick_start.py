"""From agents to a map: train a population, evaluate it on tasks, learn the map, and query it.

python examples/quick_start.py          two minutes
python examples/quick_start.py --fast   a few seconds, with a rougher map
"""

import sys

import taskspace as ts

fast = "--fast" in sys.argv

env = ts.make("MultiKeyNav")
population = ts.train_population(env, seed=0, fast=fast)
print(population)

tasks = env.sample_tasks(500 if fast else 5000, seed=1)
outcomes = ts.evaluate(population, env, tasks, rollouts=10 if fast else 20)
print(outcomes)

embedder = ts.TaskEmbedder(n_components=6, steps=750 if fast else 6000, random_state=0)
embedder.fit(outcomes)
print(f"held-out accuracy: {embedder.test_scores_}")

# Two tasks that need keys A and B, and one that needs C and D, all from the same position.
three = [[0.8, 0, 0, 1, 1, 0, 0], [0.8, 0, 0, 0, 0, 0, 0], [0.8, 1, 1, 0, 0, 1, 1]]
print("similarity:\n", embedder.similarity(three, three).round(1))
print("difficulty:", embedder.difficulty([*three, [0.95, 1, 1, 1, 1, 0, 0]]).round(1))
