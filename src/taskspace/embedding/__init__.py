"""Where in space: networks, losses and the estimator that learns the map."""
