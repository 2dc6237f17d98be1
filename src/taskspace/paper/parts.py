"""What can be reproduced, in the order of the results page."""

from __future__ import annotations

PARTS = {
    "table1": "silhouettes of our maps and of the baselines",
    "figure3": "the maps",
    "figure4": "what becomes of the map of MultiKeyNav when something is left out",
    "figure5": "predicting an agent's success from a quiz",
    "new-agents": "the same for agents of another kind",
    "figure6": "choosing tasks",
    "beyond": "prediction and choice by a success model, beside the map",
    "limits": "what keeps prediction and choice from being better",
    "annotated": "the maps with a drawn task for each cluster",
    "pca": "the maps, straight",
    "generalization": "Karel: the map of programming tasks, seen and new (trains for an hour)",
}
