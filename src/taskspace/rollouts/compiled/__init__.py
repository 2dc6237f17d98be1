"""The compiled engine, which plays on the library's own environments."""
