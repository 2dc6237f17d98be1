"""How likely each agent is to solve each task, learned from results alone."""
