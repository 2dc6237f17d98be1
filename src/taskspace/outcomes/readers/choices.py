"""Which metric and which filter of a log is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from taskspace import checks

UNFILTERED = ("", "none")  # what formats without filters have, and lm-evaluation-harness by default
OPTIONS = ("metric", "filter")
_MOST_LISTED = 5  # benchmarks in a message


class UnclearResults(ValueError):
    """Logs have several metrics or filters, and none was chosen.

    Attributes:
        problem: What is wrong, without advice.
        guess: A possible choice of `metric` and `filter`; one of them may be missing.
    """

    def __init__(self, problem: str, guess: dict[str, str]) -> None:
        named = ", ".join(f"{option}={name!r}" for option, name in guess.items())
        super().__init__(f"{problem}; choose by name, e.g. {named}")
        self.problem, self.guess = problem, guess


@dataclass
class Choice:
    """The metrics and filters that the user has named, and what could not be chosen.

    Several names are in order of preference: of a benchmark that has several of them, the first is
    read. `before` has what earlier logs were read by, by format and benchmark.
    """

    named: dict[str, tuple[str, ...]]
    before: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    unclear: dict[str, dict[str, list[str]]] = field(
        default_factory=lambda: {option: {} for option in OPTIONS}
    )  # names by benchmark
    clear: dict[str, list[str]] = field(
        default_factory=lambda: {option: [] for option in OPTIONS}
    )  # where there was no choice

    seen: dict[str, set[str]] = field(
        default_factory=lambda: {option: set() for option in OPTIONS}
    )  # names in any log

    @classmethod
    def of(cls, metric: Any, filter: Any) -> Choice:
        """A choice from arguments: None, text with commas, or a list of texts."""
        return cls({"metric": _names(metric, "metric"), "filter": _names(filter, "filter")})

    def refuse(self, what: str) -> None:
        """Refuse names that are given with something that has no metrics and filters."""
        for option, names in self.named.items():
            if names:
                raise ValueError(f"{option} must not be given with {what}")

    def wants(self, metric: str) -> bool:
        """Whether a metric may be chosen."""
        return not self.named["metric"] or metric in self.named["metric"]

    def names(self, metric: str) -> bool:
        """Whether the user has named this metric, or earlier logs were read by it."""
        return metric in self.named["metric"] or any(
            metric == before for before, _ in self.before.values()
        )

    def pick(self, option: str, available: Sequence[str], benchmark: str) -> str | None:
        """The metric or filter to read; None, which is noted, if it is not clear which."""
        self.seen[option].update(available)
        named = [name for name in self.named[option] if name in available]
        if named:
            return named[0]
        can_be_left_out = not self.named[option] or (
            option == "filter" and available[0] in UNFILTERED
        )
        if len(available) == 1 and can_be_left_out:
            self.clear[option] += [name for name in available if name not in UNFILTERED]
            return available[0]
        known = self.unclear[option].setdefault(benchmark, [])
        known += [name for name in available if name not in known]
        return None

    def check(self) -> None:
        """Raise an error that lists the choices, if some are open."""
        open_options = [option for option in OPTIONS if self.unclear[option]]
        if open_options:
            problems = [self._problem(option) for option in open_options]
            kept = [option for option in OPTIONS if self.named[option] or self.unclear[option]]
            guess = {option: self._guess(option) for option in kept}
            raise UnclearResults("; ".join(problems), guess)
        unknown = [name for name in self.named["filter"] if name not in self.seen["filter"]]
        if unknown and any(self.seen.values()):
            found = ", ".join(sorted(name for name in self.seen["filter"] if name)) or "no filters"
            raise ValueError(
                f"filter must be in at least one log, got {unknown[0]!r}; the logs have {found}"
            )

    def _problem(self, option: str) -> str:
        unclear = self.unclear[option]
        lists = [f"{_of(benchmark)}{', '.join(names)}" for benchmark, names in unclear.items()]
        more = len(lists) - _MOST_LISTED
        listed = "; ".join(lists[:_MOST_LISTED]) + (f"; and {more} more" if more > 0 else "")
        wanted = ", ".join(self.named[option])
        expected = f"one of {wanted}" if wanted else f"one {option}"
        return f"the results of a benchmark must be by {expected}, got {listed}"

    def _guess(self, option: str) -> str:
        """Names that settle every benchmark, those of the user first."""
        chosen = list(self.named[option])
        for names in [*self.unclear[option].values(), *([name] for name in self.clear[option])]:
            if not any(name in chosen for name in names):
                chosen.append(names[0])
        return ",".join(chosen)


def _of(benchmark: str) -> str:
    return f"{benchmark}: " if benchmark else ""


def _names(given: Any, option: str) -> tuple[str, ...]:
    if given is None:
        return ()
    listed = given.split(",") if isinstance(given, str) else given
    is_list = isinstance(listed, (list, tuple)) and listed
    names = [name.strip() if isinstance(name, str) else name for name in listed] if is_list else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(
            f"{option} must be a name, or several in order of preference, got {checks.brief(given)}"
        )
    return tuple(names)
