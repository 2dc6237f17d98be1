"""What is learned from outcomes: who solves what, and a vector for every task."""
