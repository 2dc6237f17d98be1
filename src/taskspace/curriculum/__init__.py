"""Curricula: what to train on next, from whether the learner succeeded and nothing else."""
