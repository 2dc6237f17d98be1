"""Who solves it: policies, and populations of them."""
