"""Patterns for messages: a test names what a message is about, not how it is put."""

from __future__ import annotations

import re


def says(tokens: str) -> str:
    """A pattern for `match=`: the message holds all these tokens, in any order.

    Tokens are names and values, such as "rollouts -1", parted by spaces. Each is found as itself
    alone: "task" is not in "tasks", and "1" neither in "10" nor in "0.1" nor in "-1".
    """
    words = (re.escape(token) for token in tokens.split())
    return "".join(rf"(?s:(?=.*(?<![\w.-]){word}(?!\.?\w)))" for word in words)
