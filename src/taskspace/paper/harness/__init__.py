"""How the experiments score what they compare: examples, judges, folds and standard errors."""
