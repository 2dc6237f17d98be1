"""Benchmarks against plain implementations; `taskspace bench` runs them."""
