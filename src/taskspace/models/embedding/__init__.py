"""A vector for every task: the paper's estimator, its constraints, and what it is compared with."""
