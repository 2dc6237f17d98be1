"""Training of agents that write Karel programs."""
