"""Appendix "New Agents": Figure 5 for a population that the map was not learned from."""

from __future__ import annotations

from taskspace.agents.population import Population
from taskspace.paper import figure5
from taskspace.paper.study import Result, Study
from taskspace.runs.run import Run
from taskspace.training.recipes import train_population


def reproduce(study: Study) -> Result:
    """Agents per door type instead of masks (MultiKeyNav), by PPO instead of cloning (CartPole)."""
    return figure5.compare(
        study,
        "new-agents",
        "Appendix: performance prediction for new agents",
        lambda made, seed: new_population(study, made, seed),
    )


def new_population(study: Study, made: Run, seed: int) -> Population:
    """Agents that are trained in another way than those that the map was learned from."""
    return study.saved(
        f"{made.environment.name.lower()}-{seed}-new-agents-population",
        {"environment": made.environment.name, "seed": seed},
        lambda: train_population(
            made.environment, seed=seed + 100, recipe="new-agents", fast=study.fast
        ),
        Population.save,
        Population.load,
    )
