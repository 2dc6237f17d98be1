# %% [markdown]
# # A course: topics, questions asked twice, a short test and a quiz
#
# ![Left: a map of the questions, with three topics as three directions. Middle: the error of short tests, smaller for chosen than for random questions. Right: a quiz that narrows down one student's score.](result.png)
#
# **What one sees.** *Left:* each point is a question. Nobody told the map about topics, but questions on the same topic point in the same direction, because the same
# students solve them. Larger points are harder questions. Black circles mark near-copies: two pairs of questions, each at nearly the same place, because whoever solves one solves the other.
# *Middle:* a short test of chosen questions predicts a student's score on the whole course better than a random test of the same length.
# *Right:* an adaptive quiz with one new student. After each answer, the score on all questions is known better (the band is a 90 % interval).
#
# The students are simulated, so that the truth is known. Replace `results.csv` by [your own table](../only-results.md): one row per answer.

# %% [markdown]
# ## The table
#
# Each question needs one of three skills, some questions tell students apart better than others, and a quarter of the answers is missing. Two questions are asked a second time in different words.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

import taskspace as ts

students = 400  # fast: 60
questions = 48
rng = np.random.default_rng(0)

topic = np.arange(questions) % 3
skill = rng.multivariate_normal(np.zeros(3), 0.6 * np.eye(3) + 0.4, students)
level = rng.normal(0, 0.8, questions)
sharpness = rng.uniform(0.5, 3.5, questions)  # how well a question tells students apart
logit = sharpness * (skill[:, topic] - level)
solved = logit + rng.logistic(size=(students, questions)) > 0
solved[:, 30] = np.where(rng.random(students) < 0.02, ~solved[:, 3], solved[:, 3])
solved[:, 41] = np.where(rng.random(students) < 0.02, ~solved[:, 8], solved[:, 8])
answered = rng.random(solved.shape) < 0.75

student, question = np.nonzero(answered)
table = pd.DataFrame(
    {
        "student": [f"student {s}" for s in student],
        "question": [f"q{q}" for q in question],
        "topic": np.array(["fractions", "geometry", "statistics"])[topic[question]],
        "correct": solved[student, question].astype(int),
    }
)
table.to_csv("results.csv", index=False)
table.head(3)

# %% [markdown]
# ## The map
#
# The map is made from the results alone; the column `topic` becomes a label, which only colours it. The last ten students are kept out; they take the quiz below. The doctor says
# how far to trust what follows.

# %%
everyone = ts.Outcomes.from_table("results.csv")
known, new = everyone.of_agents(everyone.agents[:-10]), everyone.of_agents(everyone.agents[-10:])
print(ts.diagnose(known).verdict)
embedder = ts.TaskEmbedder(random_state=0).fit(known)
print(f"{embedder.n_components_} dimensions exceed chance")

# %% [markdown]
# `run = ts.fit(known, "runs/course")` does the same and stores it with a report; then `run.map()` is interactive, and `taskspace explore runs/course` opens it in a browser.

# %% [markdown]
# ## Which questions measure the same thing twice?

# %%
copies = ts.redundant(known)
copies

# %% [markdown]
# Both planted pairs are found, and no others: questions on one topic are not copies of each other.
#
# ## A short test
#
# Which twelve questions predict the score on all 48 best? ([How it works](../evaluations.md#a-short-test).) The weights can be put into a spreadsheet.

# %%
short = ts.choose_subset(known, 12, progress=False)
print(short.verdict)
pd.DataFrame(short.columns).head(5)

# %% [markdown]
# ## An adaptive quiz
#
# The quiz asks one of the new students the question whose answer tells most about the full score, and stops when the 90 % interval is narrower than 0.2. Only questions that this
# student did answer can be asked here, because their results are looked up in the table.

# %%
asked, right = new.tasks[new.rollouts[0] > 0], new.rates[0]
quiz = ts.Quiz(ts.PerformancePredictor().fit(known), pool=asked, aim="score")
steps = [quiz.score()]
for name in quiz.ask(width=0.2, at_most=25):
    quiz.answer(right[new.tasks == name][0])
    steps.append(quiz.score())
print(f"{len(quiz.answers)} questions, first", [name for name, _ in quiz.answers[:4]])
quiz.score()

# %% [markdown]
# ## The picture

# %% result
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4.2), width_ratios=[1.3, 1, 1])

places = PCA(2).fit_transform(embedder.direction(known.tasks))
names, colours = np.unique(known.task_labels["topic"], return_inverse=True)
ts.plot_map(
    places,
    difficulty=embedder.difficulty(known.tasks),
    clusters=colours,
    cluster_names=names,
    title="Questions on the map",
    ax=left,
)
twice = np.isin(known.tasks, [*copies.first, *copies.second])
left.scatter(*places[twice].T, s=160, facecolors="none", edgecolors="black", label="near-copies")

for method in ("informative", "random"):
    errors, margins = short.comparison.curves[method]
    sizes = np.unique(short.comparison.sizes)
    middle.errorbar(sizes, errors, margins, marker="o", capsize=3, label=method)
middle.set(xlabel="questions in the test", ylabel="error of the full score", ylim=(0, None))
middle.legend(title="questions are")
middle.set_title("A short test")

low, score, high = (np.array([getattr(s, x)[0] for s in steps]) for x in ("low", "scores", "high"))
right.fill_between(range(len(steps)), low, high, alpha=0.25)
right.plot(score, "o-", label="estimated score")
right.axhline(solved[students - 10].mean(), color="black", linestyle=":", label="true score")
right.set(xlabel="answers in the quiz", ylabel="score on all questions", ylim=(0, 1))
right.legend()
right.set_title("An adaptive quiz")
