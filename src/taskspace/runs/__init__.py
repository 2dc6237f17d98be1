"""Run folders: the stages that lead from agents or a table to a map, and the finished `Run`."""
