"""A folder: the stages that lead from agents or a table to a map, and the run that they leave."""
