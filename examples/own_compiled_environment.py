"""Your own environment at full speed: write `sample` and `step` for Numba.

python examples/own_compiled_environment.py   half a minute, 2.4 million episodes; or --fast
"""

import sys

import numpy as np
from numba import njit

import taskspace as ts
from taskspace.envs.base import Column
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED
from taskspace.envs.streams import uniform

fast = "--fast" in sys.argv
HEIGHT, SPEED, GRAVITY, FUEL = range(4)  # the columns of a state, and of a task


@njit
def sample(task, stream, distribution):  # type: ignore[no-untyped-def]
    task[HEIGHT], task[SPEED] = 5 + 15 * uniform(stream), -5 * uniform(stream)
    task[GRAVITY], task[FUEL] = 1 + 9 * uniform(stream), 10 + np.floor(31 * uniform(stream))


@njit
def step(state, action, stream):  # type: ignore[no-untyped-def]
    if action == 1 and state[FUEL] > 0:
        state[SPEED], state[FUEL] = state[SPEED] + 1.5, state[FUEL] - 1
    state[SPEED] -= 0.1 * state[GRAVITY]
    state[HEIGHT] += 0.1 * state[SPEED]
    if state[HEIGHT] > 0:
        return RUNNING
    return SOLVED if state[SPEED] > -2 else FAILED


class Lander(ts.Environment):
    """Land at low speed with limited fuel."""

    columns = (
        Column("height", 5, 20, state_low=-99, state_high=999),
        Column("speed", -5, 0, state_low=-99, state_high=999),
        Column("gravity", 1, 10),
        Column("fuel", 10, 40, integer=True, state_low=0),
    )
    action_names = ("fall", "thrust")
    horizon = 100
    sample, step = sample, step


# Networks of one layer: thrust when falling faster than a + b * height; s is the certainty.
knobs = np.random.default_rng(0).uniform(0, [3, 1, 6], (60, 3))
layers = [(np.array([[0] * 4, [-b * s, -s, 0, 0]]), np.array([0, -a * s])) for a, b, s in knobs]
agents = [ts.MLPPolicy([weights], [biases]) for weights, biases in layers]

env = Lander()
tasks = env.sample_tasks(500 if fast else 20_000, seed=0)
outcomes = ts.evaluate(agents, env, tasks, rollouts=2)
model = ts.SuccessModel(width=32, epochs=1) if fast else ts.SuccessModel()
embedder = ts.TaskEmbedder(2, model=model, random_state=0).fit(outcomes)
print(outcomes, f"\nheld-out accuracy: {embedder.test_scores_}")
