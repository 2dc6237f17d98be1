"""Agents: policies, populations and their files, and adapters for other libraries."""
