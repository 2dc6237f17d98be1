"""Karel: the language, its grammar, worlds, and the compiled interpreter."""
