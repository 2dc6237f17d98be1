"""The compiled engine for the library's own environments."""
