# %% [markdown]
# # Your own Gymnasium environment, with snapshots of Stable-Baselines3
#
# ![Left: success rates of the snapshots rise during training. Right: the map of poles, which separates short poles from long ones.](result.png)
#
# **What one sees.** Three agents learned to balance a pole on a cart, each with a pole of another length. *Left:* during training, with ups and downs, each becomes able to balance more of 200 other poles
# under other gravities, but not the same ones. *Right:* each point is one of these tasks. Poles of similar length lie together, because the same snapshots can balance them; larger points are harder.

# %% [markdown]
# ## The environment
#
# `GymEnvironment` needs to know how a task is set, which tasks there are, and what success is: here, to balance the pole for 200 steps.

# %%
import gymnasium
import matplotlib.pyplot as plt
from gymnasium.spaces import Box, Dict
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

import taskspace as ts

steps = 16_384  # of each training run; fast: 1024
every = 2048  # steps between snapshots; fast: 512
count = 200  # tasks; fast: 16


def set_task(env, task):
    env.gravity, env.length = task["gravity"], task["length"]
    env.polemass_length = env.masspole * env.length  # derived from the length


env = ts.GymEnvironment(
    "CartPole-v1",
    set_task=set_task,
    success=200,
    max_steps=200,
    space=Dict(gravity=Box(2, 30), length=Box(0.1, 2)),
)

# %% [markdown]
# ## Snapshots during training
#
# A population should contain weak and strong agents, which differ in what they can do. Snapshots of training on different tasks are both.

# %%


def pole(length):
    env = gymnasium.make("CartPole-v1")
    set_task(env.unwrapped, {"gravity": 9.8, "length": length})
    return Monitor(env)


population = ts.Population([])
for name, length in (("short", 0.2), ("usual", 0.5), ("long", 1.8)):
    copies = DummyVecEnv([lambda length=length: pole(length)] * 8)
    model = PPO("MlpPolicy", copies, n_steps=128, learning_rate=1e-3, batch_size=128, seed=0)
    snapshots = ts.SnapshotCallback(every=every, name=name)
    model.learn(steps, callback=snapshots)
    population += snapshots.population

# %% [markdown]
# A torch module or a function can be an agent, too; here, a rule that follows the pole.

# %%
population += ts.Population({"rule": lambda states: (states[:, 2] + states[:, 3] > 0).astype(int)})
population

# %% [markdown]
# ## Results

# %%
tasks = env.sample_tasks(count, seed=1)
outcomes = ts.evaluate(population, env, tasks, rollouts=1, progress=False)
print(outcomes)

# %% [markdown]
# ## The map
#
# Is this population good enough for a map, and what does the map look like?

# %%
print(ts.diagnose(outcomes).verdict)
embedder = ts.TaskEmbedder(2, random_state=0).fit(outcomes)

# %% [markdown]
# ## The picture

# %% result
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.6), width_ratios=[1, 1.4])
rates = outcomes.rates.mean(1)
for name in ("short", "usual", "long"):
    of_run = [n for n, agent in enumerate(outcomes.agents) if agent.startswith(name)]
    trained = [int(outcomes.agents[n].split("-")[1]) for n in of_run]
    left.plot(trained, rates[of_run], "o-", label=f"trained on a {name} pole")
left.set(xlabel="training steps", ylabel="success rate on all tasks", ylim=(0, 1))
left.set_title("Snapshots")
left.legend()

length = tasks[:, outcomes.feature_names.index("length")]
ts.plot_map(
    embedder.transform(tasks),
    difficulty=embedder.difficulty(tasks),
    numbers=length,
    title="Poles on the map; colour: length",
    ax=right,
)
