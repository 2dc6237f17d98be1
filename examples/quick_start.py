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

# Many tasks with few rollouts: the success model learns from all of them at once.
tasks = env.sample_tasks(2000 if fast else 40_000, seed=1)
outcomes = ts.evaluate(population, env, tasks, rollouts=2)
print(outcomes)

model = ts.SuccessModel(width=32, epochs=1) if fast else ts.SuccessModel()
embedder = ts.TaskEmbedder(n_components=6, model=model, random_state=0).fit(outcomes)
print(f"held-out accuracy: {embedder.test_scores_}")
print(f"6 dimensions keep {embedder.kept_:.0%} of the information that tasks share")

# Two tasks that need keys A and B, and one that needs C and D, all from the same position.
three = [[0.8, 0, 0, 1, 1, 0, 0], [0.8, 0, 0, 0, 0, 0, 0], [0.8, 1, 1, 0, 0, 1, 1]]
print("similarity in bits:\n", embedder.similarity(three, three).round(3))
print("information in bits:", embedder.information(three).round(3))
print("probability of failure:", embedder.difficulty([*three, [0.95, 1, 1, 1, 1, 0, 0]]).round(2))
