"""Training of agents: behavioural cloning, policy gradient, and the paper's recipes."""
