"""Where outcomes come from: an environment that agents act in, Karel's programs, or a table."""
