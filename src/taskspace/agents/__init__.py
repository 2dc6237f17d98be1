"""Who solves it: policies, populations and their files, and agents of other libraries."""
