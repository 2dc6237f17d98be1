"""What a map is good for: guess what an agent can do from a short quiz, and choose its next task.

python examples/quiz.py   a few seconds, with the map that ships with the package
"""

import numpy as np

import taskspace as ts
from taskspace.applications.soft_neighbours import soft_neighbours

env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")

# An agent that the map has never seen: it solves what needs no keys, or only key A.
tasks = env.sample_tasks(1000, seed=0)
names = np.array(env.cluster_names)[env.clusters(tasks)]
solved = np.isin(names, ["none", "A"])

quiz, others = np.arange(20), np.arange(20, 1000)
chances = soft_neighbours(embedder, tasks[quiz], solved[quiz], tasks[others])
right = ((chances > 0.5) == solved[others]).mean()
print(f"after a quiz of 20 tasks, {right:.0%} of 980 answers are foreseen")

# The next lesson: like something that it can do, but harder.
reference = tasks[np.flatnonzero(names == "A")[0]]
options = others[:50]
best = options[ts.select(embedder, reference, tasks[options], k=3, harder=True)]
print("like a task that needs key A, but harder:", ", ".join(names[best]))
