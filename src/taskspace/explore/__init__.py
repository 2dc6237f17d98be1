"""The explorer: an interactive page for the map of a run, and an HTTP API."""
