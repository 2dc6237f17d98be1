"""Train with a curriculum: Stable-Baselines3's PPO on MultiKeyNav, from success alone.

python examples/curriculum.py          a few minutes; writes curriculum.npz and curriculum.png
python examples/curriculum.py --fast   a few seconds, with a learner that learns little
Needs `pip install 'taskspace[rl]'`.
"""

import sys

from stable_baselines3 import PPO

import taskspace as ts
from taskspace.envs.to_gymnasium import TaskVectorEnv
from taskspace.report.curriculum import draw_curriculum
from taskspace.training.sb3_env import SB3Env

fast = "--fast" in sys.argv

env = ts.make("MultiKeyNav")
tasks = env.sample_tasks(200 if fast else 20_000, seed=0)
target = (env.clusters(tasks) > 4).tolist()  # the learner is trained for tasks that need two keys

# Tasks are drawn within the environment, so that automatic resets draw them too.
copies = ts.VectorTaskSampler(TaskVectorEnv(env, 8 if fast else 64, tasks=tasks))
curriculum = ts.Curriculum(tasks, target=target, seed=0)  # with a population: pass model=
callback = ts.CurriculumCallback(curriculum, "curriculum.npz")
model = PPO(
    "MlpPolicy", SB3Env(copies, seed=0), n_steps=128, batch_size=1024, learning_rate=1e-3,
    ent_coef=0.01, device="cpu", seed=0,
)  # fmt: skip
model.learn(2048 if fast else 500_000, callback=callback)
print({name: round(value, 3) for name, value in curriculum.log().items()})

# An interrupted training goes on with the curriculum that the callback saved.
again = ts.Curriculum.load("curriculum.npz")
print(again)
draw_curriculum(again).savefig("curriculum.png")  # or: taskspace curriculum curriculum.npz
