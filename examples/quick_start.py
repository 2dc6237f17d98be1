"""From agents to a map: train a population, play it on tasks, learn the map, ask it questions.

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
print(f"held-out orders that hold: {embedder.test_scores_}")

# Two tasks that need keys A and B, one that needs C and D, all from the same place.
both = [[0.8, 0, 0, 1, 1, 0, 0], [0.8, 0, 0, 0, 0, 0, 0], [0.8, 1, 1, 0, 0, 1, 1]]
print("similarity:\n", embedder.similarity(both, both).round(1))
print("difficulty:", embedder.difficulty([*both, [0.95, 1, 1, 1, 1, 0, 0]]).round(1))
