# %% [markdown]
# # The paper's map in five minutes
#
# ![Left: the map of MultiKeyNav, with one cluster per set of keys that a task needs. Right: the same map, coloured by what a new agent is predicted to solve after a quiz of 20 tasks.](result.png)
#
# **What one sees.** In MultiKeyNav, an agent walks along a line, picks up keys and opens one of four doors, each of which needs two of the four keys. Each point is a task: a place to start from, keys
# that the agent has already, and a door. *Left:* tasks that need the same keys lie together, although the map was made only from which agent solved which task. Larger points are harder tasks.
# *Right:* a new agent, which cannot pick up keys B, C and D, took a quiz of 20 tasks. From its answers and the map, blue tasks are predicted to be solved and red ones not.

# %% [markdown]
# ## Agents
#
# A [population](../concepts/populations.md) of agents is the only source of information: agents that cannot pick up one of the keys, or any, and agents that can do everything, each as snapshots during training.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.manifold import TSNE

import taskspace as ts

count = 6000  # tasks; 40,000 make a better map; fast: 400
shown = 1000  # new tasks, for the picture; fast: 150

env = ts.make("MultiKeyNav")
population = ts.train_population(env, seed=0, fast=True, progress=False)  # longer without fast
population

# %% [markdown]
# ## Results
#
# Every agent attempts every task twice.

# %%
tasks = env.sample_tasks(count, seed=1)
outcomes = ts.evaluate(population, env, tasks, rollouts=2, progress=False)
print(outcomes)

# %% [markdown]
# ## The map
#
# The map is learned from the results. It gives vectors to new tasks, too: inner products are what two tasks tell about each other, in bits.

# %%
embedder = ts.TaskEmbedder(random_state=0).fit(outcomes)
print(f"{embedder.n_components_} dimensions keep {embedder.kept_:.0%} of the shared information")

new = env.sample_tasks(shown, seed=2)
keys = np.array(env.cluster_names)[env.clusters(new)]
directions = embedder.direction(new)
nearest = (directions @ directions.T - 2 * np.eye(shown)).argmax(1)
same = keys[nearest] == keys
print(f"the nearest task needs the same keys for {same.mean():.0%} of the new tasks")

# %% [markdown]
# ## A quiz
#
# The new agent attempts 20 tasks. Which of the others will it solve?

# %%
solved = np.isin(keys, ["none", "A"])
quiz = np.arange(20)
predicted = ts.predict(embedder.model_, new[quiz], solved[quiz], new)
correct = ((predicted > 0.5) == solved)[20:]
print(f"{correct.mean():.0%} of the other results are predicted correctly")

# %% [markdown]
# ## What to try next
#
# Tasks like one that the agent solves, but harder:

# %%
reference = new[np.flatnonzero(keys == "A")[0]]
best = ts.select(embedder.model_, reference, new, k=5, harder=True)
print("a task that needs key A is followed by tasks that need", ", ".join(keys[best]))

# %% [markdown]
# ## The picture
#
# The directions of the vectors say which skills a task needs. t-SNE puts them on paper.

# %% result
places = TSNE(init="pca", random_state=0).fit_transform(directions)
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5))
difficulty = embedder.difficulty(new)
ts.plot_map(
    places,
    difficulty=difficulty,
    clusters=env.clusters(new),
    cluster_names=env.cluster_names,
    title="Keys that a task still needs",
    ax=left,
)
marks = right.scatter(*places.T, c=predicted, cmap="RdYlBu", s=30 * difficulty + 4, vmin=0, vmax=1)
right.scatter(*places[quiz].T, s=90, facecolors="none", edgecolors="black")
right.set_title("A new agent after 20 answers (circles)")
right.axis("off")
figure.colorbar(marks, label="predicted probability of success", shrink=0.7)
