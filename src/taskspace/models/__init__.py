"""Models learned from outcomes: success probabilities, and a vector for every task."""
