"""`Curriculum`: what to train on next, from whether the learner succeeded."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.curriculum.basis import feature_basis, population_basis
from taskspace.curriculum.estimators import Episodes, Estimator, LogisticEstimator, TaskEstimator
from taskspace.curriculum.forgetting import AdaptiveForgetting
from taskspace.curriculum.handover import read_handover, uniform_share
from taskspace.curriculum.history import History
from taskspace.curriculum.reading import read_tasks
from taskspace.curriculum.rules import NEED_TARGET, RULES, Rule, Situation
from taskspace.curriculum.targets import make_target, no_target
from taskspace.curriculum.threads import one_thread

Floats = NDArray[np.float64]

# The share of episodes whose tasks are drawn uniformly, without and with a target.
SHARE, SHARE_WITH_TARGET = 0.5, 0.2
UPDATE = 200  # episodes per update of the estimates, at least
MOST = 250  # successes, and as many failures, from which an update learns: the others tell little
TASKS_PER_EPISODE = 24  # with many tasks, an update takes longer and waits for more episodes


class Curriculum:
    """Chooses tasks to train on. It sees only which tasks were tried and whether they were solved.

    The probability of success on every task is estimated from the training episodes themselves,
    without extra rollouts: by Bayesian logistic regression on the leading components of a
    population's success profiles (`model`), on features of the tasks, or with one estimate per
    task. A rule turns these probabilities into sampling weights. A share of the episodes stays
    uniform; without a target it rises with the success rate, so that training is handed over to
    uniform tasks once a tenth of them is solved.

    Args:
        tasks: The tasks: rows of features, or names. Everywhere else, a task is its position here.
        model: The `SuccessModel` of a population on these tasks, or None.
        rule: How tasks are weighted: "frontier" (tasks that are solved at times), "towards" (those
            among them that are similar to target tasks), "learnability" (p (1 - p)), "progress",
            "proximal" or "uniform", or a function of a `Situation` that returns one weight per
            task. The default is "towards" with a target and "frontier" without.
        target: What the learner is trained for: booleans or weights, one per task; all tasks by
            default. Half of the uniform share is then drawn from the target.
        share: The share of episodes whose tasks are drawn uniformly, at least. The default is 0.2
            with a target and 0.5 without.
        handover: The predicted success rate at which all tasks are uniform: up to it, that share
            rises linearly. True is 0.1, False is never; the default is False with a target and True
            without.
        seed: The seed of the draws.

    Attributes:
        tasks: The tasks.
        history: What was tried and solved, over time.
        updates: The number of updates of the estimates so far.

    Raises:
        ValueError: If an argument is invalid, or if the model does not know the tasks.

    Example:
        >>> curriculum = Curriculum([[0.1], [0.5], [0.9]], seed=0)
        >>> chosen = curriculum.sample(400)
        >>> curriculum.observe(chosen, chosen == 0)  # the learner solves the first task only
        >>> int(curriculum.probabilities().argmax())
        0
    """

    def __init__(
        self,
        tasks: Any,
        model: Any = None,
        *,
        rule: str | Callable[[Situation], Floats] | None = None,
        target: Any = None,
        share: float | None = None,
        handover: bool | float | None = None,
        seed: int | None = None,
    ) -> None:
        default = "frontier" if target is None else "towards"
        self._set_rule(default if rule is None else rule, target is not None)
        usual = SHARE if target is None else SHARE_WITH_TARGET
        self.share = checks.fraction(usual if share is None else share, "share")
        if model is not None and not hasattr(model, "predict_proba"):
            raise ValueError(f"model must be a SuccessModel or None, got {checks.brief(model)}")
        self.handover = read_handover(handover, target is not None)
        self.tasks, features = read_tasks(tasks)
        self._rng = np.random.default_rng(checks.seed(seed))
        count = len(self.tasks)
        self.target = no_target(count)
        if target is not None:
            self.target = make_target(target, self.tasks, features, model, self._rng)
        self.basis: NDArray[np.floating] | None = None  # single precision, which is faster
        if model is not None:
            self.basis = population_basis(model, self.tasks).astype(np.float32)
        elif features is not None:
            self.basis = feature_basis(features).astype(np.float32)
        self._start()

    def _set_rule(self, rule: Any, has_target: bool) -> None:
        if not callable(rule) and not (isinstance(rule, str) and rule in RULES):
            raise ValueError(
                f"rule must be one of {', '.join(RULES)}, or a function, got {checks.brief(rule)}"
            )
        if rule in NEED_TARGET and not has_target:
            raise ValueError(f"target must be given for the rule {rule!r}, got None")
        self.rule = rule
        self._rule: Rule = rule if callable(rule) else RULES[rule]

    def _start(self) -> None:
        count = len(self.tasks)
        self.forgetting = AdaptiveForgetting(self._estimator)
        self.history = History(count)
        self.base = (1 / count + self.target.weights) / 2  # uniform without a target
        self.updates, self._enough = 0, max(UPDATE, count // TASKS_PER_EPISODE)
        self._waiting: list[tuple[NDArray[np.int64], Floats]] = []
        self._refresh()

    def _estimator(self) -> Estimator:
        if self.basis is None:
            return TaskEstimator(len(self.tasks))
        return LogisticEstimator(self.basis)

    # -- drawing ---------------------------------------------------------------------------------

    def sample(self, n: int) -> NDArray[np.int64]:
        """Draw tasks to train on.

        Args:
            n: The number of tasks.

        Returns:
            Their positions in `tasks`; a task may be drawn repeatedly.

        Raises:
            ValueError: If the number is invalid.
        """
        drawn = self._rng.random(checks.whole(n, "n", 1))
        return np.minimum(np.searchsorted(self._cumulative, drawn, "right"), len(self.tasks) - 1)

    def probabilities(self) -> Floats:
        """Estimate the success of the learner now.

        Returns:
            The probability that it solves each task, as of the last update.
        """
        return self._p.copy()

    def weights(self) -> Floats:
        """Look up the weights of the draws.

        Returns:
            The probability of each task to be drawn, which includes the uniform share.
        """
        return self._weights.copy()

    # -- learning --------------------------------------------------------------------------------

    def observe(self, tasks: Any, successes: Any) -> None:
        """Take in finished episodes.

        Estimates and weights change when there are 200 episodes, or 1/24 of the number of tasks.

        Args:
            tasks: The positions of their tasks.
            successes: Whether each of them was solved.

        Raises:
            ValueError: If a position is not one of a task, or if there is not one result per task.
        """
        found = checks.indices(tasks, len(self.tasks), "tasks")
        results = checks.numbers(successes, "successes")
        if results.shape != found.shape or not np.isin(results, (0, 1)).all():
            raise ValueError(
                f"successes must be {len(found)} booleans, one per task, got"
                f" {checks.brief(successes)} of shape {results.shape}"
            )
        self._waiting.append((found, results))
        if sum(len(some) for some, _ in self._waiting) >= self._enough:
            self._update()

    def _update(self) -> None:
        tasks, successes = (np.concatenate(part) for part in zip(*self._waiting, strict=True))
        self._waiting = []
        episodes = Episodes.of(tasks, successes)
        with one_thread():
            self.forgetting.update(episodes if self.basis is None else episodes.thinned(MOST))
        # Of the episodes on a task, this share was drawn uniformly: no need to mark them.
        uniform = self._uniform_share * self.base[tasks] / self._weights[tasks]
        self.history.add(tasks, successes)
        self.updates += 1
        self._refresh()
        rate = float(uniform @ successes / uniform.sum())
        self.history.record(
            self.history.episodes, float(self._p.mean()), rate, self._uniform_share,
            self.forgetting.memory,
        )  # fmt: skip

    def _refresh(self) -> None:
        """Compute probabilities and weights."""
        with one_thread():
            self._p = self.forgetting.probabilities()
        self._uniform_share = uniform_share(self._p, self.target.weights, self.share, self.handover)
        ruled = (1 - self._uniform_share) * self._ruled()
        self._weights = ruled + self._uniform_share * self.base
        self._cumulative = np.cumsum(self._weights)

    def _ruled(self) -> Floats:
        """The weights of the rule, which add up to 1; those of the base if they are all 0."""
        fast, slow = (
            self.forgetting.fast_and_slow() if self.rule == "progress" else (self._p, self._p)
        )
        target = self.target
        now = Situation(
            self._p, fast, slow, self._p[target.chosen], target.similarity, target.nearest
        )
        found = checks.real(self._rule(now), "what the rule returns")
        if found.shape != self._p.shape or not (np.isfinite(found) & (found >= 0)).all():
            raise ValueError(
                f"the rule must return {len(self._p)} finite weights of at least 0, got"
                f" {checks.brief(found)} of shape {found.shape}"
            )
        total = found.sum()
        return found / total if total > 0 else self.base

    def log(self) -> dict[str, float]:
        """Describe the current state in a few numbers, e.g. for TensorBoard.

        Returns:
            `episodes`, `mean_p` (mean probability of success over all tasks), `uniform_success`
            (success rate of uniform episodes in the last update), `uniform_share` (share of
            episodes that are uniform now: 1 if handed over), `memory` (in episodes), and
            `effective_tasks` (the exponential of the entropy of the weights).
        """
        positive = self._weights[self._weights > 0]
        last = self.history.records[-1][2] if self.history.records else float("nan")
        return {
            "episodes": float(self.history.episodes),
            "mean_p": float(self._p.mean()),
            "uniform_success": last,
            "uniform_share": self._uniform_share,
            "memory": self.forgetting.memory,
            "effective_tasks": float(np.exp(-(positive * np.log(positive)).sum())),
        }

    # -- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything that is needed to go on; the success model is not needed any more.

        Args:
            path: The file, e.g. `curriculum.npz`.

        Raises:
            OSError: If it cannot be written.
        """
        from taskspace.curriculum.storage import save

        save(self, path)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], rule: Callable[[Situation], Floats] | None = None
    ) -> Curriculum:
        """Read a curriculum written by `save`; it goes on as if it had not been interrupted.

        Args:
            path: The file.
            rule: The rule, if it is a function, which is not saved; otherwise None.

        Returns:
            The curriculum.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If the file is damaged or no curriculum, if a rule is missing, or if one is
                given although the file names its own.
        """
        from taskspace.curriculum.storage import load

        return load(path, rule)

    def __repr__(self) -> str:
        name = self.rule if isinstance(self.rule, str) else "a function"
        return f"Curriculum({len(self.tasks)} tasks, {name}, {self.history.episodes} episodes)"
