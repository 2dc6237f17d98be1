"""Agents that write Karel programs: network, decoding, training, play."""
