"""Behavioural cloning: networks that learn to imitate the environment's expert."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from taskspace.agents.agent import Agent
from taskspace.agents.policies import Categorical, ExpertPolicy, MLPPolicy
from taskspace.envs.base import Environment, Tasks
from taskspace.rollouts.trajectories import record
from taskspace.training.backprop import Learner, ones_of
from taskspace.training.seeds import child_seeds
from taskspace.training.snapshots import DELTA, Report, Snapshots
from taskspace.training.subpopulations import Actions, States, Subpopulation


@dataclass(frozen=True)
class Cloning:
    """How networks are trained; the same for all subpopulations."""

    hidden: tuple[int, ...] = (32, 32)
    examples: int = 100_000
    iterations: int = 20_000
    batch: int = 512
    rate: float = 1e-3
    standardize: bool = False
    early: int = 100  # iterations between measurements of skill, before iteration `turn`
    turn: int = 1000
    late: int = 500  # iterations between measurements of skill, after iteration `turn`

    def moments(self) -> list[int]:
        """The iterations at which skill is measured."""
        early = range(self.early, self.turn, self.early)
        late = range(self.turn, self.iterations + 1, self.late)
        return [moment for moment in (*early, *late) if moment <= self.iterations]


def clone(
    env: Environment,
    subpopulation: Subpopulation,
    settings: Cloning,
    tasks: Tasks,
    *,
    seed: int = 0,
    delta: float = DELTA,
    report: Report = lambda done: None,
) -> list[Agent]:
    """Train a network on the expert's actions; returns snapshots of rising skill on `tasks`."""
    data_seed, skill_seed, fit_seed = child_seeds(seed, 3)
    states, actions = expert_examples(env, subpopulation, settings.examples, data_seed)
    shift, scale = _standard(states) if settings.standardize else _raw(states)
    inputs = ((states - shift) / scale).astype(np.float32)
    ones = ones_of(inputs)
    rng = np.random.default_rng(fit_seed)
    sizes = (env.state_size, *settings.hidden, len(env.action_names))
    learner = Learner.untrained(sizes, rng)
    output = Categorical(_indices(env, subpopulation.masked))
    snapshots = Snapshots(subpopulation.name, env, tasks, delta, seed=skill_seed)
    done, offers = 0, []
    with ThreadPoolExecutor(1) as beside:  # training does not depend on skill
        try:
            for moment in (0, *settings.moments()):
                batches = rng.integers(len(inputs), size=(moment - done, settings.batch))
                learner.fit(inputs, ones, actions, batches, done, settings.rate)
                policy = _policy(learner, shift, scale, output)
                offers.append(beside.submit(snapshots.offer, moment, policy))
                report(moment - done)
                done = moment
                if snapshots.complete:
                    report(settings.iterations - done)
                    break
            for offer in offers:
                offer.result()
        finally:
            beside.shutdown(wait=False, cancel_futures=True)
    return snapshots.agents


def expert_examples(
    env: Environment, subpopulation: Subpopulation, count: int, seed: int
) -> tuple[States, Actions]:
    """The expert's states and actions on the subpopulation's tasks, without masked actions."""
    expert, masked = ExpertPolicy(env), _indices(env, subpopulation.masked)
    parts: list[tuple[States, Actions]] = []
    found = 0
    while found < count:
        tasks = _some_tasks(env, subpopulation.distribution, seed + len(parts))
        episodes = record(expert, env, tasks, seed=seed + len(parts))
        usable = ~np.isin(episodes.actions, masked)
        if not usable.any():
            raise ValueError(
                f"the actions of the expert of {env.name} must not all be masked, got"
                f" masked={subpopulation.masked} in the subpopulation {subpopulation.name}"
            )
        parts.append((episodes.states[usable], episodes.actions[usable]))
        found += int(usable.sum())
    states = np.concatenate([part[0] for part in parts])[:count]
    actions = np.concatenate([part[1] for part in parts])[:count]
    transform = subpopulation.transform_examples
    return (states, actions) if transform is None else transform(states, actions)


def _some_tasks(env: Environment, distribution: str, seed: int, most: int = 2000) -> Tasks:
    table = env.table(distribution)
    count = most if table is None else min(most, len(table))
    return env.sample_tasks(count, seed=seed, distribution=distribution)


def _indices(env: Environment, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(sorted(env.action_names.index(name) for name in names))


def _raw(states: States) -> tuple[States, States]:
    return np.zeros(states.shape[1]), np.ones(states.shape[1])


def _standard(states: States) -> tuple[States, States]:
    """The mean and the deviation of each column; a constant column is not scaled."""
    spread = states.std(0)
    return states.mean(0), np.where(spread > 1e-3, spread, 1.0)


def _policy(learner: Learner, shift: States, scale: States, output: Categorical) -> MLPPolicy:
    """The policy for unscaled observations: the scaling becomes part of the first layer."""
    weights, biases = learner.weights_and_biases()
    first = weights[0] / scale
    biases[0] = (biases[0] - first @ shift).astype(np.float32)
    return MLPPolicy([first.astype(np.float32), *weights[1:]], biases, "relu", output)
