"""Outcomes: success counts of agents on tasks, and tables of results as input and output."""
