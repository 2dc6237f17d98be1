"""Quality of chosen questions, coverage of intervals, and speed of predictions."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from taskspace.applications.posterior import Posterior
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.quiz import CHOICES, Quiz
from taskspace.bench.printing import print_lines
from taskspace.bench.subjects import Subject
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.copies import COPIES, exam
from taskspace.paper.harness.question_choice import ChoiceScore, compare_choices

SIZES = (1, 3, 5, 10, 20)
ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "BasicKarel")
TASKS, ROLLOUTS = 200, 20
STUDENTS, QUESTIONS, SKILLS, GUESSING = 200, 120, 3, 0.15
LEVELS, ASKED = (0.5, 0.8, 0.9), 10  # levels of intervals, and number of questions before
MANY_ROLLOUTS = 200  # for the true success rate
CANDIDATES, MANY_TASKS, QUIZ, ROUNDS = 1100, 5000, 20, 9
NEW_STUDENTS, EXAMS = 40, 3  # students who take a quiz, in each of several exams with copies


def students(count: int = STUDENTS, questions: int = QUESTIONS) -> Outcomes:
    """Answers of students to questions that need one of three skills and can be guessed."""
    rng = np.random.default_rng(0)
    abilities = rng.multivariate_normal(np.zeros(SKILLS), 0.7 * np.eye(SKILLS) + 0.3, count)
    needed, level = rng.integers(0, SKILLS, questions), rng.normal(0, 0.8, questions)
    logit = rng.uniform(1, 2.5, questions) * (abilities[:, needed] - level)
    probabilities = GUESSING + (1 - GUESSING) / (1 + np.exp(-logit))
    return Outcomes(rng.binomial(1, probabilities), np.array(1))


def coverage(outcomes: Outcomes, folds: int = 5, seed: int = 0) -> dict[float, float]:
    """Coverage of the intervals after a quiz, by level.

    Agents are left out in folds; `outcomes` should have many rollouts, so that rates are accurate.
    """
    rng = np.random.default_rng(seed)
    inside: dict[float, list[float]] = {level: [] for level in LEVELS}
    for new in np.array_split(rng.permutation(outcomes.n_agents), folds):
        known = outcomes.of_agents(np.delete(outcomes.agents, new))
        predictor = PerformancePredictor().fit(known)
        for rates in outcomes.rates[new]:
            order = rng.permutation(outcomes.n_tasks)
            quiz, others = order[:ASKED], order[ASKED:]
            answers = (rng.random(ASKED) < rates[quiz]).astype(np.float64)
            for level, covered in inside.items():
                low, high = predictor.interval(quiz, answers, others, level)
                covered.append(float(((low <= rates[others]) & (rates[others] <= high)).mean()))
    return {level: float(np.mean(covered)) for level, covered in inside.items()}


def copies_asked(
    outcomes: Outcomes, choose: str = "information", aim: str = "tasks", new: int = NEW_STUDENTS
) -> NDArray[np.int64]:
    """How many of the copies are asked within ten questions, for each new student.

    The copies are the first tasks of `outcomes`, and the new students its last agents.
    """
    predictor = PerformancePredictor().fit(outcomes.of_agents(outcomes.agents[:-new]))
    counts = []
    for seed, answers in enumerate(outcomes.rates[-new:]):
        quiz, asked = Quiz(predictor, choose=choose, aim=aim, seed=seed), []
        for _ in quiz.ask(at_most=ASKED):
            asked.append(quiz.next_number())
            quiz.answer(answers[asked[-1]])
        counts.append(sum(number < COPIES for number in asked))
    return np.array(counts)


def random_predictor(tasks: int = MANY_TASKS, candidates: int = CANDIDATES) -> PerformancePredictor:
    """A predictor with random candidates, for time measurements."""
    profiles = np.random.default_rng(0).random((tasks, candidates), np.float32)
    posterior = Posterior(profiles, np.full(candidates, 1 / candidates), 1.0, 30.0)
    names = np.array([f"task-{number}" for number in range(tasks)])
    return PerformancePredictor.from_posterior(posterior, names)


def seconds_of(work: Callable[[], object]) -> float:
    """The median of several rounds."""
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return float(np.median(found))


def predictions_per_second(predictor: PerformancePredictor) -> float:
    """Predictions per second: one quiz, and one prediction per task."""
    rng = np.random.default_rng(0)
    tasks = len(predictor.tasks_)
    quiz = rng.permutation(tasks)[:QUIZ]
    results = rng.integers(0, 2, QUIZ).astype(np.float64)
    every = np.arange(tasks)
    return tasks / seconds_of(lambda: predictor.predict_proba(quiz, results, every))


def seconds_per_question(predictor: PerformancePredictor) -> float:
    """The time to choose the most informative of a thousand questions."""
    pool: NDArray[np.int64] = np.arange(min(1000, len(predictor.tasks_)))
    return seconds_of(lambda: Quiz(predictor, pool, pool=pool).next_number())


def print_report(console: Console) -> None:
    """Print one table per population, one of intervals, and one line on speed."""
    subjects = {name: Subject.trained(name) for name in ENVIRONMENTS}
    played = {name: subject.play(TASKS, ROLLOUTS, 1) for name, subject in subjects.items()}
    for name, outcomes in {**played, "students": students()}.items():
        scores = compare_choices(outcomes, SIZES)
        title = f"{name}: Brier score after a quiz ({scores[0].agents} agents, cross-validated)"
        lines = {
            f"quiz {size}": lambda choose, size=size: _cell(scores, choose, size)  # noqa: B023
            for size in SIZES
        }
        print_lines(console, title, lines, {choose: choose for choose in CHOICES})
    console.print(
        "In brackets: mean improvement over random questions, and its standard error over agents."
    )
    found = {
        name: coverage(subject.play(TASKS // 2, MANY_ROLLOUTS, 1))
        for name, subject in subjects.items()
    }
    title = f"Coverage of intervals after {ASKED} random questions, by level"
    levels = {f"{level:.0%}": lambda each, level=level: f"{each[level]:.1%}" for level in LEVELS}
    print_lines(console, title, levels, found)
    ways = {
        "aim: tasks": ("information", "tasks"),
        "aim: score": ("information", "score"),
        "random": ("random", "tasks"),
    }
    asked = {
        name: np.concatenate([copies_asked(exam(seed), *way) for seed in range(EXAMS)])
        for name, way in ways.items()
    }
    title = f"Of {COPIES} copies of a question among 60, asked within {ASKED} questions"
    rows: dict[str, Callable[[NDArray[np.int64]], str]] = {
        "mean": lambda counts: f"{counts.mean():.2f}",
        "most": lambda counts: f"{counts.max()}",
    }
    print_lines(console, title, rows, asked)
    predictor = random_predictor()
    console.print(
        f"{predictions_per_second(predictor) / 1e6:.1f} million predictions/s (quiz of {QUIZ},"
        f" {MANY_TASKS} tasks, {CANDIDATES} candidates); choice among 1000 questions in"
        f" {1000 * seconds_per_question(predictor):.0f} ms"
    )


def _cell(scores: list[ChoiceScore], choose: str, size: int) -> str:
    (score,) = (s for s in scores if (s.choose, s.quiz_size) == (choose, size))
    if choose == "random":
        return f"{score.brier:.3f}"
    return f"{score.brier:.3f} ({score.gain:+.3f} ± {score.gain_error:.3f})"
