"""`check_env` for your own environments, and reference implementations for tests."""

from taskspace.testing.check_env import check_env

__all__ = ["check_env"]
