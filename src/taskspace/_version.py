"""The version, where the build can read it without importing the package."""

__version__ = "0.2.0"
