"""Models of the probability that an agent solves a task, from features or from a table alone."""
