"""Readers of evaluation logs: one module per format, and a registry that others can extend."""
