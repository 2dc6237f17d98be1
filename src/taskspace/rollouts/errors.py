"""What can go wrong while agents play."""

from __future__ import annotations


class PlayError(RuntimeError):
    """An agent or the environment raised in the middle of an episode."""


class PolicyOutputError(ValueError):
    """A policy returned something that is not actions."""
