"""Use a success model: predict what an agent can do from a quiz, and choose its next task.

python examples/quiz.py   a few seconds, with a model that is included in the package
"""

import numpy as np

import taskspace as ts

env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
model = embedder.model_  # behind the map

# A new agent, which solves the tasks that need no keys or only key A.
tasks = env.sample_tasks(1000, seed=0)
names = np.array(env.cluster_names)[env.clusters(tasks)]
solved = np.isin(names, ["none", "A"])

quiz, others = np.arange(20), np.arange(20, 1000)
probabilities = ts.predict(model, tasks[quiz], solved[quiz], tasks[others])
accuracy = ((probabilities > 0.5) == solved[others]).mean()
print(f"after a quiz of 20 tasks, {accuracy:.0%} of 980 answers are predicted correctly")

# The next task: similar to one that the agent solves, but harder.
reference = tasks[np.flatnonzero(names == "A")[0]]
options = others[:50]
best = options[ts.select(model, reference, tasks[options], k=3, harder=True)]
print("similar to a task that needs key A, but harder:", ", ".join(names[best]))
