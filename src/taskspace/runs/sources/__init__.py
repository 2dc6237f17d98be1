"""Sources of outcomes: agents in an environment, agents that write Karel programs, or a table."""
