"""Appendix "PCA Plots": PCA projections of the maps of Figure 3."""

from __future__ import annotations

import numpy as np

from taskspace.paper.drawing import draw_panels, map_panel, view_of
from taskspace.paper.figure3 import CAPTION, embedded
from taskspace.paper.study import ENVIRONMENTS, KAREL, Result, Study, Table
from taskspace.report.projections import PCA
from taskspace.runs.run import Run


def reproduce(study: Study) -> Result:
    """PCA projections of the maps of seed 0."""
    maps = [study.map_of(name) for name in study.chosen([*ENVIRONMENTS, KAREL])]
    panels = [map_panel(made, view_of(study, made), PCA) for made in maps]
    rows = [
        {
            "environment": made.environment.name,
            "dimensions": made.embedder.n_components_,
            "explained variance": _explained(made),
        }
        for made in maps
    ]
    title = "Variance explained by the first two principal components"
    return Result(
        "pca",
        "PCA projections of the maps",
        tables=[Table("pca", title, rows)],
        pictures={
            study.draw("pca", draw_panels(panels)): f"PCA projections of the maps. {CAPTION}"
        },
    )


def _explained(made: Run) -> float:
    variances = np.linalg.eigvalsh(np.atleast_2d(np.cov(embedded(made)[0].T)))
    return float(variances[-2:].sum() / variances.sum())
