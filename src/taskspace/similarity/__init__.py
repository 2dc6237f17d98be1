"""Similarity of tasks: the mutual information between success on one task and on another.

An agent is drawn from the population and tries both tasks once. Their similarity is the mutual
information of the two outcomes, in bits (Definition 2 of the paper). The difficulty of a task is
the probability that the agent fails.
"""
