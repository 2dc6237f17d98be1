"""Rollouts on Gymnasium environments of users, in one process or several."""
