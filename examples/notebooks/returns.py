# %% [markdown]
# # Returns instead of success
#
# ![Left: the map of pendulums, from those with low to those with high gravity. Right: predicted against observed returns of new agents, near the diagonal.](result.png)
#
# **What one sees.** A pendulum can be swung up and held better or worse, but nothing says when it counts as solved. So agents are compared by their *return*, the sum of rewards of an
# episode. *Left:* each point is a pendulum. The map puts those together on which the same agents are better than others; it follows gravity, which decides whether a pendulum can simply be
# pushed up or has to be swung up. *Right:* new agents attempted five pendulums each. Their returns on the others are predicted from that, and most lie near the diagonal; the others are pendulums that some agents bring up and some do not.

# %% [markdown]
# ## An environment without success
#
# Gymnasium's Pendulum with varied gravity, mass and length. `success=None` says that outcomes are [returns](../returns.md).

# %%
import matplotlib.pyplot as plt
import numpy as np
from gymnasium.envs.classic_control.pendulum import PendulumEnv
from gymnasium.spaces import Box, Dict

import taskspace as ts

count = 120  # pendulums; fast: 16
agents = 40  # fast: 12


class Hanging(PendulumEnv):
    """The pendulum begins near the bottom, so that its return does not depend on luck."""

    def reset(self, **options):
        super().reset(**options)
        self.state = self.np_random.normal([np.pi, 0], 0.1)
        return self._get_obs(), {}


def set_task(env, task):
    env.g, env.m, env.l = task["gravity"], task["mass"], task["length"]


env = ts.GymEnvironment(
    Hanging,
    set_task=set_task,
    success=None,
    max_steps=200,
    space=Dict(gravity=Box(2, 20), mass=Box(0.5, 1.5), length=Box(0.5, 1.5)),
)

# %% [markdown]
# ## Agents
#
# Agents may be any functions from a batch of observations to actions; snapshots of training runs would do as well. These are controllers: near the top they push towards it, elsewhere
# they push along with the motion, to gain energy. They differ in how strongly they do either.


# %%
def controller(up, damping, swing):
    def act(states):
        cosine, sine, speed = states.T
        near = -up * np.arctan2(sine, cosine) - damping * speed
        far = swing * np.sign(speed)
        return np.where(cosine > 0.6, near, far)[:, None].clip(-2, 2)

    return act


rng = np.random.default_rng(0)
population = {
    f"controller {n}": controller(*rng.uniform([0, 0, 0], [10, 3, 2])) for n in range(agents)
}

# %% [markdown]
# ## Returns

# %%
tasks = env.sample_tasks(count, seed=1)
outcomes = ts.evaluate(population, env, tasks, rollouts=1, seed=1, progress=False)
print(outcomes)

# %% [markdown]
# ## The map

# %%
embedder = ts.TaskEmbedder(random_state=0).fit(outcomes)
print(f"{embedder.n_components_} dimensions")
vectors = embedder.transform(tasks)

# %% [markdown]
# ## What will a new agent earn?
#
# A quarter of the agents is new. Five returns each predict the others, with 90 % intervals.

# %%
new = outcomes.of_agents(outcomes.agents[::4])
known = outcomes.of_agents(np.setdiff1d(outcomes.agents, new.agents))
predictor = ts.PerformancePredictor().fit(ts.SuccessModel(random_state=0).fit(known))
quiz, others = np.arange(5), np.arange(5, count)

predicted, inside = [], []
for returns in new.returns:
    asked = tasks[quiz], returns[quiz], tasks[others]
    predicted.append(predictor.predict(*asked))
    low, high = predictor.interval(*asked, level=0.9)
    inside.append((low <= returns[others]) & (returns[others] <= high))

observed = new.returns[:, others]
plain = known.returns[:, others].mean(0)  # what the known agents earn on average
print(f"mean error of predicted returns: {np.abs(predicted - observed).mean():.0f}")
print(f"mean error of the mean return of known agents: {np.abs(plain - observed).mean():.0f}")
print(f"90 % intervals that contain the observed return: {np.mean(inside):.0%}")

# %% [markdown]
# ## The picture

# %% result
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6))
gravity = tasks[:, outcomes.feature_names.index("gravity")]
marks = left.scatter(*vectors[:, :2].T, c=gravity, s=40)
figure.colorbar(marks, label="gravity", shrink=0.7)
left.set(xlabel="first dimension (√bits)", ylabel="second dimension (√bits)")
left.set_title("Pendulums on the map")

right.plot(observed.ravel(), np.ravel(predicted), ".", alpha=0.4, markersize=4)
right.axline((0, 0), slope=1, color="black", linestyle=":")
right.set(xlabel="observed return", ylabel="return predicted from five others", aspect="equal")
right.set_title("New agents")
