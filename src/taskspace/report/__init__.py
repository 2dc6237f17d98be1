"""Figures and pages of a run: plots, projections, the HTML report, and exports."""
