"""The paper's populations, with one recipe per environment, and `train_population`."""

from __future__ import annotations

import functools
import itertools
import pkgutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.agents.agent import Agent
from taskspace.agents.population import Population
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.base import Environment, Tasks, check_environment
from taskspace.progress import progress_bar
from taskspace.rollouts.ray import on_ray
from taskspace.training.cloning import Cloning, clone
from taskspace.training.policy_gradient import (
    PolicyGradient,
    check_subpopulation,
    import_sb3,
    reinforce,
)
from taskspace.training.seeds import child_seeds
from taskspace.training.snapshots import DELTA
from taskspace.training.subpopulations import Actions, States, Subpopulation
from taskspace.training.workers import Training, import_name, in_process, run_all

Values = dict[str, Any]  # the fields of a dataclass
SnapTasks = Callable[[Environment, int], Tasks]  # from a seed to tasks that measure skill


@dataclass(frozen=True)
class Recipe:
    """How a population is trained.

    Attributes:
        subpopulations: The subpopulations; each is trained separately.
        method: The settings of behavioural cloning or policy gradient.
        snap_tasks: A function from the environment and a seed to the tasks that measure skill.
        delta: The increase in skill from one snapshot to the next.
        fast_steps: The number of training steps of the fast recipe: enough for some agents to
            solve some tasks.

    Example:
        >>> recipe = Recipe((Subpopulation("all"),), Cloning(), drawn_tasks(100))
        >>> recipe.fast().method.iterations
        1000
    """

    subpopulations: tuple[Subpopulation, ...]
    method: Cloning | PolicyGradient
    snap_tasks: SnapTasks
    delta: float = DELTA
    fast_steps: int = 1000

    def fast(self) -> Recipe:
        """Shorten the training, for a first look and for tests.

        Returns:
            The same recipe with `fast_steps` training steps.
        """
        if isinstance(self.method, Cloning):
            few = replace(
                self.method, examples=10_000, iterations=self.fast_steps,
                early=self.fast_steps // 10, turn=self.fast_steps,
            )  # fmt: skip
            return replace(self, method=few)
        return replace(self, method=replace(self.method, steps=self.fast_steps, every=8192))


# -- tasks that measure skill ----------------------------------------------------------------------


def multikeynav_tasks(env: Environment, seed: int) -> Tasks:
    """Three locations, each with all combinations of keys and doors."""
    bits = itertools.product((0.0, 1.0), repeat=6)
    return np.array([(location, *rest) for rest in bits for location in (0.05, 0.45, 0.85)])


def drawn_tasks(count: int, distribution: str = "all") -> SnapTasks:
    """A function that samples this number of tasks."""
    return functools.partial(_draw, count, distribution)


def _draw(count: int, distribution: str, env: Environment, seed: int) -> Tasks:
    return env.sample_tasks(count, seed=seed, distribution=distribution)


# -- the subpopulations ----------------------------------------------------------------------------


def ignore_force_and_type(states: States, actions: Actions) -> tuple[States, Actions]:
    """CartPoleVar: repeat each example with both signs of the force and both types of task."""
    from taskspace.envs.cartpolevar import FORCE, TYPE

    shown = []
    for sign, kind in itertools.product((1.0, -1.0), (0.0, 1.0)):
        copy = states.copy()
        copy[:, FORCE] = sign * np.abs(states[:, FORCE])
        copy[:, TYPE] = kind
        shown.append(copy)
    return np.concatenate(shown), np.tile(actions, len(shown))


_PICKS = ("pickKeyA", "pickKeyB", "pickKeyC", "pickKeyD")
_KEY_MASKS = (
    Subpopulation("all-actions"),
    *(Subpopulation(f"no-{pick}", masked=(pick,)) for pick in _PICKS),
    Subpopulation("no-pickKey", masked=_PICKS),
)
_DOORS = tuple(
    Subpopulation(d, distribution=d) for d in ("all", "door-1", "door-2", "door-3", "door-4")
)
_SENSES = ("positive-pull", "positive-push", "negative-pull", "negative-push")
_IGNORED_SENSES = (
    Subpopulation("all"),
    *(
        Subpopulation(sense, distribution=sense, transform_examples=ignore_force_and_type)
        for sense in _SENSES
    ),
)
_MARKER_MASKS = (
    Subpopulation("all-actions"),
    Subpopulation("no-pickMarker", masked=("pickMarker",)),
    Subpopulation("no-putMarker", masked=("putMarker",)),
    Subpopulation("no-markers", masked=("pickMarker", "putMarker")),
)

# -- the recipes -----------------------------------------------------------------------------------

_MULTIKEYNAV = Recipe(_KEY_MASKS, Cloning(), multikeynav_tasks)
PAPER = {
    "MultiKeyNav": _MULTIKEYNAV,
    "MultiKeyNavAB": _MULTIKEYNAV,
    "MultiKeyNavA": _MULTIKEYNAV,
    # Skill rises from 0 to its maximum within 2000 iterations, so it is measured more often there.
    "CartPoleVar": Recipe(
        _IGNORED_SENSES,
        Cloning(early=70, turn=4200, late=1580),
        drawn_tasks(1000),
        fast_steps=4000,
    ),
    # As in the paper's text. If the third subpopulation is trained on gates to the right instead of
    # all gates that are not to the left, it often misses gates straight ahead, and the clusters
    # are less distinct.
    "PointMass": Recipe(
        tuple(Subpopulation(side, distribution=side) for side in ("all", "left", "not-left")),
        PolicyGradient(steps=400_000, every=32_768, log_std=1.5),
        drawn_tasks(100),
        fast_steps=65_536,
    ),
    "BasicKarel": Recipe(_MARKER_MASKS, Cloning(hidden=(64, 32)), drawn_tasks(2400, "validation")),
}
NEW_AGENTS = {
    "MultiKeyNav": Recipe(_DOORS, Cloning(), multikeynav_tasks),
    "CartPoleVar": Recipe(
        tuple(Subpopulation(sense, distribution=sense) for sense in ("all", *_SENSES)),
        PolicyGradient(steps=400_000, every=16_384, hidden=(32, 32), survival=True),
        drawn_tasks(1000),
        fast_steps=131_072,
    ),
}
RECIPES = {"paper": PAPER, "new-agents": NEW_AGENTS}


def recipe_for(env: Environment, name: str = "paper") -> Recipe:
    """Look up the recipe of this name for an environment."""
    if not isinstance(name, str) or name not in RECIPES:
        known = " or ".join(repr(known) for known in RECIPES)
        raise ValueError(f"recipe must be {known} or a Recipe, got {checks.brief(name)}")
    if env.step is None:
        raise ValueError(
            f"there are no steps in {env.name}; train its agents with"
            " taskspace.training.karel.recipes.train_synthesizers"
        )
    if env.name not in RECIPES[name]:
        known = ", ".join(RECIPES[name])
        raise ValueError(
            f"there is no recipe {name!r} for {env.name}; there are recipes for {known}"
        )
    return RECIPES[name][env.name]


def train_population(
    env: Environment,
    *,
    seed: int = 0,
    recipe: str | Recipe = "paper",
    fast: bool = False,
    workers: int | None = None,
    executor: str | None = None,
    progress: bool | None = None,
    checkpoints: Checkpoints = NONE,
) -> Population:
    """Train a population of agents for an environment.

    With the same seed the agents are bit-identical, for any number of workers.

    Args:
        env: The environment.
        seed: The seed.
        recipe: "paper", "new-agents" (the agents of the paper's appendix), or a `Recipe`.
        fast: Whether to shorten the training, for a first look.
        workers: The number of subpopulations that train in parallel; by default one per core.
        executor: "ray" to train on a Ray cluster, as in `evaluate`; None trains on this machine.
        progress: Whether to show a progress bar; by default only on a terminal.
        checkpoints: Where `run` stores the subpopulations as they finish; by default nowhere.

    Returns:
        The population.

    Raises:
        TypeError: If `env` is not an `Environment`.
        ValueError: If there is no such recipe for the environment, or if an argument is invalid.
        ImportError: If the recipe needs a package that is not installed.

    Example:
        >>> import taskspace as ts
        >>> population = train_population(ts.make("MultiKeyNav"), fast=True)
        >>> population.subpopulations[:2]
        ('all-actions', 'no-pickKeyA')
    """
    check_environment(env)
    on_ray(executor, workers=workers)
    chosen = recipe if isinstance(recipe, Recipe) else recipe_for(env, recipe)
    chosen = chosen.fast() if fast else chosen
    tasks_seed, *seeds = child_seeds(checks.seed(seed), 1 + len(chosen.subpopulations))
    tasks = chosen.snap_tasks(env, tasks_seed)
    trainings = [
        _training(env, chosen, subpopulation, tasks, own_seed)
        for subpopulation, own_seed in zip(chosen.subpopulations, seeds, strict=True)
    ]
    method = chosen.method
    steps = method.iterations if isinstance(method, Cloning) else method.steps
    with progress_bar("Training", len(trainings) * steps, progress) as advance:
        found = run_all(trainings, workers, advance, executor, checkpoints)
    return Population([agent for agents in found for agent in agents], env.name)


def _training(
    env: Environment, recipe: Recipe, subpopulation: Subpopulation, tasks: Tasks, seed: int
) -> Training:
    method = recipe.method
    if isinstance(method, Cloning):
        return lambda report: clone(
            env, subpopulation, method, tasks, seed=seed, delta=recipe.delta, report=report
        )
    import_sb3()  # raises errors here instead of in another process
    check_subpopulation(subpopulation)
    return in_process(
        _reinforce,
        env=import_name(type(env)), subpopulation=asdict(subpopulation), settings=asdict(method),
        tasks=env.check_tasks(tasks).tolist(), seed=seed, delta=recipe.delta,
    )  # fmt: skip


def _reinforce(
    *, env: str, subpopulation: Values, settings: Values, tasks: list[list[float]], **named: Any
) -> list[Agent]:
    """Call `reinforce` with arguments from JSON, in another process."""
    return reinforce(
        pkgutil.resolve_name(env)(),
        Subpopulation(**_with_tuples(subpopulation)),
        PolicyGradient(**_with_tuples(settings)),
        np.array(tasks, np.float64),
        **named,
    )


def _with_tuples(values: Values) -> Values:
    """Convert lists back to tuples, which JSON does not have."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
