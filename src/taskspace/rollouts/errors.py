"""Errors during rollouts."""

from __future__ import annotations


class PlayError(RuntimeError):
    """An agent or the environment raised an error during an episode."""


class PolicyOutputError(ValueError):
    """A policy returned something that is not actions."""
