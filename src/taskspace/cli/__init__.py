"""The command line, one module per command: parse, call one library function, print."""

from taskspace.cli.parser import main

__all__ = ["main"]
