"""The parts that can be reproduced, in the order of the results page."""

from __future__ import annotations

PARTS = {
    "table1": "silhouettes of our maps and of the baselines",
    "figure3": "t-SNE projections of the maps",
    "figure4": "ablations of the map of MultiKeyNav",
    "figure5": "prediction of the success of an agent after a quiz",
    "new-agents": "the same for agents that are trained in another way",
    "figure6": "task selection",
    "beyond": "the information map, and prediction and task selection with a success model",
    "contradiction": "why one vector cannot show both similarity and difficulty",
    "limits": "what limits prediction and task selection",
    "doctor": "map quality and the doctor's figures, its advice, and few agents (not in all)",
    "more-tasks": "what more tasks bring the success model of BasicKarel (not in all)",
    "annotated": "the maps with an example task per cluster",
    "pca": "PCA projections of the maps",
    "curriculum": "curricula for a learner from scratch (takes hours, not part of all)",
    "generalization": "map of Karel on training and validation tasks (takes an hour)",
}
# Only by name: they are not about the paper's results.
ALONE = ("doctor", "more-tasks", "curriculum")
