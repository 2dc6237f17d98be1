"""A learner from scratch: PPO with sparse reward, on many copies stepped by compiled code.

Actor and critic are small networks with hand-written gradients. A run of 600,000 steps takes
seconds, so that curricula can be compared over many seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.policies import Categorical, Gaussian, MLPPolicy
from taskspace.envs.base import Environment, Tasks
from taskspace.envs.to_gymnasium import TaskVectorEnv
from taskspace.paper.harness.networks import Adam, Network

F32 = NDArray[np.float32]
Integers = NDArray[np.int64]
Draw = Callable[[int], Integers]


@dataclass(frozen=True)
class Settings:
    """PPO's settings, the same for all curricula."""

    copies: int = 256
    rollout: int = 32  # steps per copy between updates
    epochs: int = 8
    batch: int = 1024
    rate: float = 1e-3
    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    hidden: tuple[int, ...] = (64, 64)
    log_std: float = 1.5  # initial log deviation of continuous actions
    shaped: bool = False  # the environment's shaped reward, normalized, instead of the sparse one


@dataclass(frozen=True)
class Episodes:
    """Finished training episodes, in order.

    Attributes:
        tasks: The positions of their tasks.
        successes: Whether they were solved.
        scores: The mean absolute advantage over each episode, which white-box curricula use.
    """

    tasks: Integers
    successes: NDArray[np.float64]
    scores: NDArray[np.float64]


class Actor:
    """A policy in training: logits of discrete actions, or means and deviations."""

    def __init__(self, env: Environment, settings: Settings, rng: np.random.Generator) -> None:
        self.env, self.discrete = env, env.discrete
        outputs = len(env.action_names)
        self.network = Network((env.state_size, *settings.hidden, outputs), rng, last=0.01)
        self.log_std = np.full(outputs, settings.log_std, np.float32)

    @property
    def parameters(self) -> list[F32]:
        """What is trained."""
        return [*self.network.parameters, *([] if self.discrete else [self.log_std])]

    def draw(self, observations: F32, rng: np.random.Generator) -> tuple[NDArray[Any], F32]:
        """Actions and their log-probabilities."""
        outputs = self.network.forward(observations)
        if self.discrete:
            logs = _log_softmax(outputs)
            actions = (logs + rng.gumbel(size=logs.shape)).argmax(1)
            return actions, logs[np.arange(len(actions)), actions]
        noise = rng.normal(size=outputs.shape).astype(np.float32)
        return outputs + noise * np.exp(self.log_std), self._density(noise)

    def _density(self, noise: F32) -> F32:
        return -(0.5 * noise**2 + self.log_std).sum(1)

    def slopes(
        self, observations: F32, actions: NDArray[Any], old: F32, gains: F32, s: Settings
    ) -> list[F32]:
        """Gradients of PPO's loss on a batch."""
        outputs = self.network.forward(observations)
        share = np.float32(1 / len(outputs))
        if self.discrete:
            logs, rows = _log_softmax(outputs), np.arange(len(outputs))
            factor = _clipped_slope(logs[rows, actions] - old, gains, s.clip)[:, None] * share
            p = np.exp(logs)
            slope = factor * p
            slope[rows, actions] -= factor[:, 0]
            entropy = -(p * logs).sum(1, keepdims=True)
            slope += np.float32(s.entropy) * share * p * (logs + entropy)
            return self.network.backward(slope)
        deviation = np.exp(self.log_std)
        noise: Any = (actions - outputs) / deviation
        factor = _clipped_slope(self._density(noise) - old, gains, s.clip)[:, None] * share
        own = (-factor * (noise**2 - 1)).sum(0) - np.float32(s.entropy)
        return [*self.network.backward(-factor * noise / deviation), own]

    def policy(self) -> MLPPolicy:
        """A copy that the rollout engine plays."""
        parameters = self.network.parameters
        weights = [np.ascontiguousarray(matrix.T) for matrix in parameters[::2]]
        biases = [bias.copy() for bias in parameters[1::2]]
        head = Categorical() if self.discrete else Gaussian(tuple(map(float, self.log_std)))
        return MLPPolicy(weights, biases, output=head)


class Learner:
    """An actor and a critic that learn from the tasks that `draw` chooses."""

    def __init__(self, env: Environment, pool: Tasks, settings: Settings, seed: int) -> None:
        self.env, self.pool, self.settings = env, pool, settings
        self.rng = np.random.default_rng([seed, 1])
        self.actor = Actor(env, settings, self.rng)
        self.critic = Network((env.state_size, *settings.hidden, 1), self.rng)
        self.actor_adam = Adam(self.actor.parameters, settings.rate)
        self.critic_adam = Adam(self.critic.parameters, settings.rate)
        self.copies = TaskVectorEnv(env, settings.copies, tasks=pool, shaped=settings.shaped)
        self.scale = _RewardScale(settings.copies, settings.discount)
        self.copies.reset(seed=seed)
        self.tasks = np.full(settings.copies, -1)
        self.scores, self.lengths = np.zeros(settings.copies), np.zeros(settings.copies)
        self.observations = np.zeros((settings.copies, env.state_size), np.float32)
        self.steps = 0

    def values(self, tasks: Tasks) -> F32:
        """The critic's values of initial states."""
        return self.critic.forward(tasks.astype(np.float32))[:, 0]

    def play(self, tasks: Tasks, seed: int) -> tuple[NDArray[np.bool_], int]:
        """Play each task once; returns which were solved, and the number of steps."""
        copies = TaskVectorEnv(self.env, len(tasks), tasks=tasks)
        observations, _ = copies.reset(seed=seed, options={"task_index": np.arange(len(tasks))})
        running, solved = np.ones(len(tasks), np.bool_), np.zeros(len(tasks), np.bool_)
        rng, steps = np.random.default_rng([seed, 2]), 0
        while running.any():
            actions, _ = self.actor.draw(observations, rng)
            steps += int(running.sum())
            observations, _, ended, late, infos = copies.step(actions)
            over = running & (ended | late)
            if over.any():
                solved[over] = infos["is_success"][over]
                running &= ~over
        return solved, steps

    def train(self, draw: Draw) -> Episodes:
        """One rollout and one update; `draw(n)` chooses tasks. Returns the finished episodes."""
        if self.tasks[0] < 0:
            self._begin(np.ones(len(self.tasks), np.bool_), draw)
        rollout = self._roll_out(draw)
        self._learn(*rollout[:5])
        return rollout[5]

    def _begin(self, marked: NDArray[np.bool_], draw: Draw) -> None:
        """Start tasks in the marked copies."""
        self.tasks[marked] = draw(int(marked.sum()))
        self.observations, _ = self.copies.reset(
            options={"reset_mask": marked, "task_index": self.tasks}
        )

    def _roll_out(self, draw: Draw) -> tuple[F32, NDArray[Any], F32, F32, F32, Episodes]:
        s, count = self.settings, len(self.tasks)
        seen = np.empty((s.rollout, count, self.env.state_size), np.float32)
        taken: list[NDArray[Any]] = []
        logs: list[F32] = []
        rewards: list[NDArray[np.float64]] = []
        ends: list[NDArray[np.bool_]] = []
        owners, won = [], []
        for step in range(s.rollout):
            seen[step] = self.observations
            actions, log = self.actor.draw(self.observations, self.rng)
            observations, reward, ended, late, infos = self.copies.step(actions)
            over = ended | late
            owners.append(self.tasks.copy())
            won.append(infos["is_success"] & over if over.any() else over)
            self.observations = observations
            if over.any():
                self._begin(over, draw)
            taken.append(actions)
            logs.append(log)
            rewards.append(self.scale.normalized(reward, over) if s.shaped else reward)
            ends.append(over)
        self.steps += s.rollout * count
        flat = seen.reshape(-1, seen.shape[2])
        values = self.critic.forward(np.concatenate([flat, self.observations]))[:, 0]
        values = values.reshape(s.rollout + 1, count)
        over, gains = np.array(ends), self._gains(np.array(rewards), values, np.array(ends))
        episodes = self._episodes(np.array(owners), np.array(won), over, gains)
        returns = gains + values[:-1]
        actions = np.concatenate(taken)
        if not self.env.discrete:
            actions = actions.astype(np.float32)
        return flat, actions, np.concatenate(logs), gains.ravel(), returns.ravel(), episodes

    def _gains(self, rewards: NDArray[np.float64], values: F32, over: NDArray[np.bool_]) -> F32:
        """Generalized advantages; an episode that runs out of time has failed."""
        s, gains, after = self.settings, np.zeros_like(values[:-1]), np.zeros(len(values[0]), "f4")
        for step in range(s.rollout - 1, -1, -1):
            goes_on = (~over[step]).astype(np.float32)
            surprise = rewards[step] + s.discount * values[step + 1] * goes_on - values[step]
            after = (surprise + s.discount * s.trace * goes_on * after).astype(np.float32)
            gains[step] = after
        return gains

    def _episodes(
        self, owners: Integers, won: NDArray[np.bool_], over: NDArray[np.bool_], gains: F32
    ) -> Episodes:
        tasks, successes, scores = [], [], []
        for step in range(len(over)):
            self.scores += np.abs(gains[step])
            self.lengths += 1
            ended = over[step]
            if ended.any():
                tasks.append(owners[step, ended])
                successes.append(won[step, ended].astype(np.float64))
                scores.append(self.scores[ended] / self.lengths[ended])
                self.scores[ended] = self.lengths[ended] = 0
        if not tasks:
            return Episodes(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        return Episodes(*(np.concatenate(part) for part in (tasks, successes, scores)))

    def _learn(self, seen: F32, actions: NDArray[Any], logs: F32, gains: F32, returns: F32) -> None:
        s = self.settings
        scaled = ((gains - gains.mean()) / (gains.std() + 1e-8)).astype(np.float32)
        for _ in range(s.epochs):
            order = self.rng.permutation(len(seen))
            for start in range(0, len(order), s.batch):
                some = order[start : start + s.batch]
                rows = seen[some]
                self.actor_adam.step(
                    self.actor.slopes(rows, actions[some], logs[some], scaled[some], s)
                )
                error = self.critic.forward(rows)[:, 0] - returns[some]
                slope = (error / np.float32(len(some)))[:, None].astype(np.float32)
                self.critic_adam.step(self.critic.backward(slope))


class _RewardScale:
    """Divides rewards by the standard deviation of discounted returns so far."""

    def __init__(self, copies: int, discount: float) -> None:
        self.returns, self.discount = np.zeros(copies), discount
        self.count, self.sums, self.squares = 1e-4, 0.0, 0.0

    def normalized(
        self, rewards: NDArray[np.float64], over: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """The rewards of a step in all copies, of which some have ended."""
        self.returns = self.returns * self.discount + rewards
        self.count += len(rewards)
        self.sums += float(self.returns.sum())
        self.squares += float(self.returns @ self.returns)
        self.returns[over] = 0.0
        mean = self.sums / self.count
        spread = np.sqrt(max(self.squares / self.count - mean**2, 0.0)) + 1e-8
        return np.clip(rewards / spread, -10.0, 10.0)


def _log_softmax(outputs: F32) -> F32:
    shifted = outputs - outputs.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def _clipped_slope(log_ratio: F32, gains: F32, clip: float) -> F32:
    """The derivative of PPO's clipped objective by the log-probability of the action."""
    ratio = np.exp(log_ratio)
    clipped = ((gains > 0) & (ratio > 1 + clip)) | ((gains < 0) & (ratio < 1 - clip))
    return np.where(clipped, 0, ratio * gains).astype(np.float32)
