"""Embeddings of tasks: the paper's estimator, its constraints, and the baselines."""
