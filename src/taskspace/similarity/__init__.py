"""How alike tasks are: what success on one of them tells about success on another.

An agent is drawn from the population and tries both tasks once. Their similarity is the mutual
information of the two outcomes, in bits (Definition 2 of the paper); a task's difficulty is the
probability that the agent fails.
"""
