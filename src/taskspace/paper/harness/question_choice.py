"""A comparison of methods for choosing questions: quizzes of equal length, on new agents.

Agents are left out in folds. The tasks of each agent are divided at random: one half may be asked,
the other half is predicted. All methods use the same halves and the same answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.quiz import CHOICES, Quiz
from taskspace.models.success.factors import Floats
from taskspace.outcomes.outcomes import Outcomes

SIZES = (1, 2, 3, 5, 10, 15, 20)
FOLDS = 5


@dataclass(frozen=True)
class ChoiceScore:
    """The quality of predictions after quizzes of one size, chosen by one method."""

    choose: str
    quiz_size: int
    agents: int
    accuracy: float  # fraction of attempts whose more probable outcome occurs
    accuracy_error: float  # standard error over agents
    brier: float  # mean squared difference between probability and result
    brier_error: float
    gain: float  # improvement of the Brier score over a random quiz
    gain_error: float


def compare_choices(
    outcomes: Outcomes,
    sizes: Sequence[int] = SIZES,
    folds: int = FOLDS,
    seed: int = 0,
) -> list[ChoiceScore]:
    """Score all methods at every quiz size; agents with too few tasks are left out.

    >>> rng = np.random.default_rng(0)
    >>> can = np.repeat(np.eye(2), 6, axis=1)[rng.integers(0, 2, 20)]  # two subpopulations
    >>> scores = compare_choices(Outcomes(can, 1), sizes=[1], folds=2)
    >>> [(score.choose, score.agents, round(score.accuracy)) for score in scores]
    [('information', 20, 1), ('uncertain', 20, 1), ('random', 20, 1)]
    """
    lengths = sorted({checks.whole(size, "a quiz size", 1) for size in sizes})
    parts = checks.whole(folds, "folds", 2)
    if outcomes.n_agents < parts:
        raise ValueError(
            f"folds must be at most the number of agents ({outcomes.n_agents}), got {parts}"
        )
    rng = np.random.default_rng(checks.seed(seed))
    found = [
        marks
        for predictor, new in _divisions(outcomes, parts, rng)
        for agent in range(new.n_agents)
        for marks in _quizzed(predictor, new, agent, lengths, rng)
    ]
    if not found:
        raise ValueError(
            "agents must have twice as many tasks as the largest quiz, got none that has"
        )
    return _scores(np.stack(found), lengths)


def _divisions(
    outcomes: Outcomes, folds: int, rng: np.random.Generator
) -> Iterator[tuple[PerformancePredictor, Outcomes]]:
    """Predictors fitted to all agents but those of a fold, and the outcomes of the fold."""
    for new in np.array_split(rng.permutation(outcomes.n_agents), folds):
        known = outcomes.of_agents(np.delete(outcomes.agents, new))
        yield PerformancePredictor().fit(known), outcomes.of_agents(outcomes.agents[new])


def _quizzed(
    predictor: PerformancePredictor,
    new: Outcomes,
    agent: int,
    sizes: list[int],
    rng: np.random.Generator,
) -> Iterator[Floats]:
    """Accuracy and Brier score of an agent (choices, sizes, 2), unless it has too few tasks."""
    tried = rng.permutation(np.flatnonzero(new.rollouts[agent]))
    rates, seed = new.rates[agent], int(rng.integers(2**31))
    answers = (rng.random(len(rates)) < rates).astype(np.float64)
    pool, targets = tried[: len(tried) // 2], tried[len(tried) // 2 :]
    if len(pool) >= sizes[-1]:
        quizzes = [
            Quiz(predictor, targets, pool=pool, choose=choose, seed=seed) for choose in CHOICES
        ]
        marks = [_marks(quiz, answers, rates[targets], sizes) for quiz in quizzes]
        yield np.array(marks)


def _marks(quiz: Quiz, answers: Floats, rates: Floats, sizes: list[int]) -> list[list[float]]:
    marks = []
    for size in range(1, sizes[-1] + 1):
        number = quiz.next_number()
        quiz.answer(answers[number])
        if size in sizes:
            p = quiz.predict_proba()
            accuracy = np.where(p > 0.5, rates, 1 - rates).mean()
            brier = (rates * (1 - p) ** 2 + (1 - rates) * p**2).mean()
            marks.append([float(accuracy), float(brier)])
    return marks


def _scores(marks: NDArray[np.float64], sizes: list[int]) -> list[ChoiceScore]:
    """From the marks of all agents (agents, choices, sizes, 2)."""
    usual = list(CHOICES).index("random")
    gains = marks[:, usual : usual + 1, :, 1] - marks[..., 1]
    every = np.concatenate([marks, gains[..., None]], axis=3)
    means = every.mean(0)
    errors = every.std(0) / np.sqrt(max(len(every) - 1, 1))
    return [
        ChoiceScore(
            choose, size, len(marks), *np.stack([means, errors], -1)[row, column].ravel().tolist()
        )
        for column, size in enumerate(sizes)
        for row, choose in enumerate(CHOICES)
    ]
