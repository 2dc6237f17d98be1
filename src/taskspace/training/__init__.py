"""How agents come about: cloning an expert, policy gradient, and the paper's recipes."""
