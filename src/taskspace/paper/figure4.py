"""Figure 4: ablations of the map of MultiKeyNav."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.paper.baselines import without_norm
from taskspace.paper.drawing import LETTERS, Panel, draw_panels, map_panel, view_of
from taskspace.paper.figure3 import by_keys, embedded
from taskspace.paper.study import Result, Study, Table
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import ordinal_plan
from taskspace.similarity.statistics import SuccessStatistics

MASKED = "no-pickKey"  # the subpopulation that cannot pick any key
MASKED_NAME = "multikeynav-0-masked"
MASKED_DIMENSIONS = 1  # a second one lowers the test loss by half a percent
MASKED_CLUSTERS = ("no key to pick", "keys to pick")
CAPTION = (
    "Maps of MultiKeyNav (a) learned without C_NORM, (b) from agents that cannot pick keys, (c) if"
    " every door needs the keys A and B, (d) if every door needs the key A. Each point is a task;"
    " its area is proportional to the length of its vector. Map (b) has one dimension; its vertical"
    " positions are random."
)


def reproduce(study: Study) -> Result:
    """Four ablated maps of seed 0; the tables also have the map of Figure 3."""
    study.chosen(["MultiKeyNav"])
    whole = study.map_of("MultiKeyNav")
    plain = whole.variant(embedder=without_norm(study, whole, 0))
    masked = _masked_map(study, whole)
    both, one = study.map_of("MultiKeyNavAB"), study.map_of("MultiKeyNavA")
    panels = [
        map_panel(
            plain, view_of(study, plain, "multikeynav-0-without-norm"), title="without C_NORM"
        ),
        _masked_panel(study, masked),
        _variant_panel(study, both, whole, "every door needs A and B"),
        _variant_panel(study, one, whole, "every door needs A"),
    ]
    titles = [
        "as in Figure 3",
        *(f"({x}) {p.title}" for x, p in zip(LETTERS, panels, strict=False)),
    ]
    maps = dict(zip(titles, (whole, plain, masked, both, one), strict=True))
    note = (
        "silhouette: of the sets of keys to pick, in (b) of whether there are any; variation:"
        " standard deviation of the norms divided by their mean; rank: Spearman correlation of norm"
        " and difficulty."
    )
    return Result(
        "figure4",
        "Figure 4: ablations on MultiKeyNav",
        tables=[
            Table("figure4", "Maps of seed 0", [_row(*each) for each in maps.items()], note),
            Table(
                "figure4-keys",
                "Success rate of the population and vector length by number of keys to pick",
                [{"map": title, **row} for title, made in maps.items() for row in by_keys(made)],
            ),
        ],
        pictures={study.draw("figure4", draw_panels(panels)): CAPTION},
    )


def _masked_map(study: Study, whole: Run) -> Run:
    """The map learned only from the outcomes of the agents that cannot pick keys."""
    agents = whole.population.select(MASKED)
    outcomes = whole.outcomes.of_agents(agents)
    plan = replace(ordinal_plan(whole.name, study.preset), n_components=MASKED_DIMENSIONS)
    embedder = study.saved(
        MASKED_NAME,
        {"environment": whole.environment.name, "seed": 0, "agents": MASKED},
        lambda: plan.learn(outcomes, 0),
        OrdinalEmbedder.save,
        OrdinalEmbedder.load,
    )
    return whole.variant(population=agents, outcomes=outcomes, embedder=embedder)


def _masked_panel(study: Study, masked: Run) -> Panel:
    view = view_of(study, masked, MASKED_NAME)
    panel = map_panel(masked, view, title="all pickKey actions masked")
    clusters = _clusters(masked, view["tasks"])
    return replace(panel, clusters=clusters, cluster_names=MASKED_CLUSTERS)


def _variant_panel(study: Study, variant: Run, whole: Run, title: str) -> Panel:
    """A panel in which every set of keys has the same colour and marker as in the others."""
    panel = map_panel(variant, view_of(study, variant), title=title)
    names = whole.environment.cluster_names
    positions = np.array([names.index(name) for name in panel.cluster_names])
    return replace(panel, clusters=positions[panel.clusters], cluster_names=names)


def _clusters(made: Run, tasks: NDArray[np.float64]) -> NDArray[np.int64]:
    """The set of keys to pick; for agents that cannot pick keys, whether there are any."""
    clusters = made.environment.clusters(tasks)
    picking = set(made.population.subpopulations) != {MASKED}
    return clusters if picking else (clusters > 0).astype(np.int64)


def _row(title: str, made: Run) -> dict[str, Any]:
    from scipy.stats import spearmanr
    from sklearn.metrics import silhouette_score

    vectors, tasks = embedded(made)
    norms = np.linalg.norm(vectors, axis=1)
    success = SuccessStatistics.from_outcomes(made.outcomes).success
    return {
        "map": title,
        "agents": len(made.population),
        "dimensions": made.embedder.n_components_,
        "silhouette": float(silhouette_score(vectors, _clusters(made, tasks))),
        "variation": float(norms.std() / norms.mean()),
        "rank": float(spearmanr(norms, -success).statistic),
    }
