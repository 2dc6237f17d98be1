"""The command line, one module per verb: parse, call one library function, print."""

from taskspace.cli.parser import main

__all__ = ["main"]
