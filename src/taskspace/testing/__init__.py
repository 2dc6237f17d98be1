"""`check_env` for your own environments, and what tests and benchmarks compare ours with."""

from taskspace.testing.check_env import check_env

__all__ = ["check_env"]
