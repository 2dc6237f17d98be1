"""Just results: students answer some of the questions, and the answers are all we have.

The answers are simulated from a multidimensional item response model, so that the truth is known:
each question needs one of three skills, a guess is right in 15 % of the cases, and 30 % of the
answers are missing. How well does a quiz predict a student's other answers?

python examples/only_results.py          half a minute; writes reliability.png
python examples/only_results.py --fast   a few seconds, with fewer students
"""

import csv
import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import taskspace as ts
from taskspace.paper.harness import predictor_comparison as comparison

fast = "--fast" in sys.argv
students, questions, seeds = (150, 45, 1) if fast else (600, 120, 3)


def write_results(path: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Write one row per answer: student, question, right or wrong. Returns the truth."""
    abilities = rng.multivariate_normal(np.zeros(3), 0.7 * np.eye(3) + 0.3, students)
    skill, level = rng.integers(0, 3, questions), rng.normal(0, 0.8, questions)
    logit = rng.uniform(1, 2.5, questions) * (abilities[:, skill] - level)
    probability = 0.15 + 0.85 / (1 + np.exp(-logit))
    solved = rng.random(logit.shape) < probability
    tried = rng.random(logit.shape) < 0.7
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["agent", "task", "solved"])
        rows.writerows((f"student-{s}", f"q{q}", int(solved[s, q])) for s, q in np.argwhere(tried))
    return skill, 1 - probability.mean(0)


runs = []
for seed in range(seeds):
    skill, difficulty = write_results("results.csv", np.random.default_rng(seed))
    outcomes = ts.Outcomes.from_table("results.csv")
    known = outcomes.of_agents(outcomes.agents[students // 5 :])
    new = outcomes.of_agents(outcomes.agents[: students // 5])
    print(known)

    # The map: questions that need the same skill point in the same direction.
    names = [f"q{q}" for q in range(questions)]
    embedder = ts.TaskEmbedder(3, random_state=seed).fit(known)
    clusters = KMeans(3, n_init=10, random_state=0).fit_predict(embedder.direction(names))
    rank = spearmanr(embedder.difficulty(names), difficulty).statistic
    print(f"skills recovered (adjusted Rand index): {adjusted_rand_score(skill, clusters):.2f}")
    print(f"difficulty recovered (rank correlation): {rank:.2f}")

    # The quiz: new students answer a few questions; which others can they answer?
    methods = comparison.predictors(known, embedder.transform(known.tasks))
    runs.append(comparison.compare_predictors(methods, new, seed=seed))

print(f"\nAfter a quiz, over {seeds} seeds:\n" + comparison.score_table(runs))

print("\nPredicted probability → observed success rate (after a quiz of 20):")
figure, ax = plt.subplots()
for method in ("vote", "item mean", "Rasch", "posterior"):
    same = [s for run in runs for s in run if (s.method, s.quiz_size) == (method, 20)]
    predicted, solved, _ = comparison.mean_reliability(same)
    shown = np.stack([predicted, solved], 1)[predicted >= 0]  # empty bins are NaN
    print(f"{method:<10}", *(f"{p:.2f}→{s:.2f}" for p, s in shown))
    ax.plot(predicted, solved, "o-", label=method)
ax.plot([0, 1], [0, 1], "k:", label="perfect calibration")
ax.set(xlabel="predicted probability", ylabel="observed success rate")
ax.legend()
figure.savefig("reliability.png")
