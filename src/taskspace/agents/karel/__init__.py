"""Agents that write Karel programs: the network, how it writes, and the policy."""
