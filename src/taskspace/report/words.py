"""Numbers and lists as they are written in a report: one form each."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, what: str) -> str:
    """A number of things.

    >>> count(2000, "task"), count(1, "agent")
    ('2,000 tasks', '1 agent')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def percent(part: float) -> str:
    """A fraction in percent, without decimals; what is not quite none or all is not called so.

    >>> percent(0.614), percent(0.002), percent(0.998), percent(0)
    ('61%', 'less than 1%', 'more than 99%', '0%')
    """
    if 0 < part < 0.01:
        return "less than 1%"
    return "more than 99%" if 0.99 < part < 1 else f"{part:.0%}"


def decimals(value: float, places: int = 2) -> str:
    """A number with a zero before the point, and a true minus sign.

    >>> decimals(-0.5), decimals(0.12345, 3)
    ('−0.50', '0.123')
    """
    return f"{value:.{places}f}".replace("-", "−")


def listed(words: Sequence[str]) -> str:
    """Words in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def sentence(text: str) -> str:
    """A text that begins with a capital letter and ends with a point.

    >>> sentence("no agent tried it")
    'No agent tried it.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
