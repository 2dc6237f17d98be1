"""Environments: their tasks and dynamics."""
