"""Evaluation of the experiments: examples, judges, folds and standard errors."""
