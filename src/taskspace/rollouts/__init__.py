"""Rollouts: agents play tasks."""
