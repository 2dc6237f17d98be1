# %% [markdown]
# # Language models: the full score from a tenth of the items
#
# ![Twelve models with their estimated scores and 90 % intervals; the true scores lie within nearly all intervals, on average nearer to the estimates than to the plain means.](result.png)
#
# **What one sees.** Each row is a language model that answered only 30 of 300 items. The dot is the estimate of its score on all items, the bar its 90 % interval, the star the
# score that it has when it answers all of them. The cross is the plain mean of the 30 answers: on average it is further off, because it does not know which items were easy. Other models, which
# answered everything before, told that.
#
# The models and their logs are simulated here, because the logs of others are not ours to ship. Point `read_results` to [your own logs](../logs.md) of lm-evaluation-harness, Inspect or HELM instead.

# %% [markdown]
# ## Logs
#
# lm-evaluation-harness writes one folder per model, with one file per benchmark and one line per item. This cell simulates 60 models and writes such logs. You do not need it.

# %%
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import taskspace as ts

models = 60  # fast: 24
items = 100  # of each benchmark; fast: 20
DATE = "2026-01-01T00-00-00.000000"
benchmarks = ["arithmetic", "reading", "trivia"]

rng = np.random.default_rng(0)
general = rng.normal(0, 1, models)
for number, benchmark in enumerate(benchmarks):
    ability = 0.8 * general + 0.6 * rng.normal(0, 1, models)
    logit = rng.uniform(0.5, 3, items) * (ability[:, None] - rng.normal(0, 1, items))
    solved = rng.random((models, items)) < 0.2 + 0.8 / (1 + np.exp(-logit))  # of 5 choices
    for model in range(models):
        folder = Path("logs") / f"simulated__model-{model:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"results_{DATE}.json").write_text(
            json.dumps({"model_name": f"model-{model:02}", "config": {}})
        )
        lines = [
            json.dumps(
                {
                    "doc_id": item,
                    "doc": {"question": f"Question {item} on {benchmark}"},
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": f"{number}-{item}",
                    "acc": float(solved[model, item]),
                }
            )
            for item in range(items)
        ]
        (folder / f"samples_{benchmark}_{DATE}.jsonl").write_text("\n".join(lines) + "\n")

# %% [markdown]
# ## Reading them
#
# A model is an agent, an item is a task, and the benchmark is a label of the item.

# %%
outcomes = ts.read_results("logs")
outcomes

# %% [markdown]
# ## Are these models enough?
#
# The doctor says what this population of models can support before anything is concluded from it.

# %%
print(ts.diagnose(outcomes).verdict)

# %% [markdown]
# So with 60 models, one should not ask *which single items are alike*: no map of items can be relied on. But the models do differ in a few skills, which is enough for scores, as the next cells show.

# %% [markdown]
# ## The score of a new model
#
# Twelve models are new: they answer ten random items of each benchmark. The other models are known in full.

# %%
known, new = outcomes.of_agents(outcomes.agents[:-12]), outcomes.of_agents(outcomes.agents[-12:])
labels = known.task_labels["benchmark"]
predictor = ts.PerformancePredictor().fit(known)

rows = []
for name, results in zip(new.agents, new.rates, strict=True):
    quiz = np.concatenate([rng.permutation(np.flatnonzero(labels == b))[:10] for b in benchmarks])
    score = predictor.score(quiz, results[quiz])
    rows.append(
        {
            "model": name,
            "estimate": score.scores[0],
            "low": score.low[0],
            "high": score.high[0],
            "plain mean": score.plain[0],
            "full score": results.mean(),
        }
    )
table = pd.DataFrame(rows)
table.round(3)

# %%
error, plain = ((table[c] - table["full score"]).abs().mean() for c in ("estimate", "plain mean"))
inside = table["full score"].between(table["low"], table["high"])
print(f"mean error of the estimates {error:.3f}, of the plain means {plain:.3f}")
print(f"{inside.sum()} of {len(table)} intervals contain the full score")

# %% [markdown]
# Twelve models are few to judge by; [evaluations](../evaluations.md) has measurements with real ones. Scores by benchmark come from the same call:

# %%
predictor.score(quiz, results[quiz], by="benchmark")

# %% [markdown]
# ## The picture

# %% result
table = table.sort_values("full score", ignore_index=True)
figure, ax = plt.subplots(figsize=(9, 4.6))
ax.hlines(table.index, table["low"], table["high"], "#a9cbe2", linewidth=7, label="90 % interval")
ax.plot(table["plain mean"], table.index, "x", color="#D55E00", label="mean of 30 answers")
ax.plot(table["estimate"], table.index, "o", color="#0072B2", label="estimate from 30 answers")
ax.plot(table["full score"], table.index, "k*", markersize=10, label="score on all items")
ax.set_yticks(table.index, table["model"])
ax.set_xlabel("score (fraction of items solved)")
ax.set_title("Scores of new models after 30 answers")
ax.legend(loc="lower right")
