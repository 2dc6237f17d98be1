"""What is to be solved: environments, their tasks and dynamics."""
