"""Agents that write Karel programs: the network, the decoding, and the policy."""
