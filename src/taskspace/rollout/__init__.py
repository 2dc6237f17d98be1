"""Running agents on tasks: the compiled engine, the general path, and `evaluate` over both."""
