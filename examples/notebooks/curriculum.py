# %% [markdown]
# # A curriculum: what to practise next
#
# ![Left: a learner with the curriculum is better at any time than one that practises at random. Right: what the curriculum chose, beginning with the last numbers of the lock and moving towards the first.](result.png)
#
# **What one sees.** A lock opens after 20 right digits in a row; one mistake ends the attempt. A task is a place to begin: with the last digit still to enter, or with the last two, and
# so on. *Left:* a learner that practises with the curriculum learns to open the lock in fewer attempts than one that practises random tasks (lines: means of five learners; bands: from the worst
# to the best of them). *Right:* what the curriculum chose. Nobody told it which tasks are easy. It begins with those that are solved by chance, and moves on as the learner improves. The better the learner gets, the more tasks are
# random: once all of them are solved now and then, random tasks teach as well.
#
# The lock is made for curricula: hardly any task is solved at the start, and each prepares the next one. On other tasks a curriculum may not help, and it can harm; [curricula](../curriculum.md) has measurements.

# %% [markdown]
# ## The learner
#
# Any learner will do. This one has a table of probabilities, one row per position, and makes right attempts more probable (a policy gradient with reward 1 for an open lock).

# %%
import matplotlib.pyplot as plt
import numpy as np

import taskspace as ts

length = 20  # digits of the lock; fast: 6
episodes = 20_000  # attempts of each learner; fast: 2000
seeds = range(5)  # fast: range(1)

code = np.random.default_rng(99).integers(4, size=length)  # each digit is 0, 1, 2 or 3


class Learner:
    """Opens the lock from given positions, and learns from success."""

    def __init__(self, seed):
        self.rng, self.preferences = np.random.default_rng(seed), np.zeros((length, 4))

    def probabilities(self):
        weights = np.exp(self.preferences)
        return weights / weights.sum(1, keepdims=True)

    def success_rates(self):
        """The exact probability of opening the lock from each position."""
        right = self.probabilities()[np.arange(length), code]
        return right[::-1].cumprod()[::-1]

    def attempt(self, starts):
        """Try the lock from each of these positions; learn from what worked."""
        sums = self.probabilities().cumsum(1)
        digits = (self.rng.random((len(starts), length, 1)) > sums[:, :-1]).sum(2)
        entered = np.arange(length) >= starts[:, None]
        solved = ((digits == code) | ~entered).all(1)
        gradient = np.eye(4)[code] - self.probabilities()
        self.preferences += 0.05 * entered[solved].sum(0)[:, None] * gradient
        return solved


# %% [markdown]
# ## The curriculum
#
# Two calls connect it to a learner: `sample` chooses tasks, and `observe` takes what came out of them. With Stable-Baselines3, [a callback makes both calls](../curriculum.md).
# Each task of the lock prepares the next one. So the curriculum may choose four fifths of the tasks (`share` is what it leaves to chance; by default half), and stay until random tasks are solved half of the time (`handover`; by default it leaves much earlier, at a tenth).

# %%
tasks = [[start] for start in range(length)]


def train(seed, rule):
    learner = Learner(seed)
    curriculum = ts.Curriculum(tasks, rule=rule, share=0.2, handover=0.5, seed=seed)
    curve = []
    for _ in range(episodes // 50):
        chosen = curriculum.sample(50)
        curriculum.observe(chosen, learner.attempt(chosen))
        curve.append(learner.success_rates().mean())
    return curve, curriculum


trained = {rule: [train(seed, rule) for seed in seeds] for rule in ("frontier", "uniform")}

# %% [markdown]
# How many attempts until the lock opens from half of the positions, for each learner?

# %%
for rule, results in trained.items():
    needed = [50 * int(np.argmax(np.array(curve) > 0.5)) for curve, _ in results]
    print(f"{rule:<9}", *(f"{n:,}" for n in needed))

# %% [markdown]
# ## The picture

# %% result
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.4))
for rule, results in trained.items():
    curves = np.array([curve for curve, _ in results])
    seen = 50 * np.arange(1, curves.shape[1] + 1)
    name = {"frontier": "with the curriculum", "uniform": "random tasks"}[rule]
    left.plot(seen, curves.mean(0), label=name)
    left.fill_between(seen, curves.min(0), curves.max(0), alpha=0.2)
left.set(xlabel="attempts", ylabel="success rate over all positions", ylim=(0, 1))
left.set_title("Learning to open the lock")
left.legend(loc="lower right")

history = trained["frontier"][0][1].history
share = history.attempts / history.attempts.sum(1, keepdims=True)
where = (0, history.episodes, length, 0)
image = right.imshow(share.T, aspect="auto", extent=where, cmap="magma_r")
right.set(xlabel="attempts", ylabel="position to begin from", yticks=range(0, length, 5))
right.set_title("What the curriculum chose")
figure.colorbar(image, label="share of attempts")
