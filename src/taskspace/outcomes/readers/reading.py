"""What was read from logs: lines for the user, and agents that may be one model."""

from __future__ import annotations

from pathlib import Path

from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers import tables
from taskspace.outcomes.readers.agent_names import alike
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.log_files import Found

_MOST_LISTED = 10  # benchmarks, each on a line
_MOST_NAMED = 3  # files on a line
_FEWEST_EQUAL = 20  # tasks on which two agents have the same results by more than chance


def warn_of_doubles(outcomes: Outcomes, results: Collector) -> None:
    """Tell about agents that may be one model under two names."""
    for one, other in alike(outcomes.agents.tolist()):
        results.warn(f"the agents {one!r} and {other!r} may be one model under two names")
    if outcomes.n_tasks < _FEWEST_EQUAL:
        return
    rows: dict[int, str] = {}
    for name, successes, rollouts in zip(
        outcomes.agents.tolist(), outcomes.successes, outcomes.rollouts, strict=True
    ):
        known = successes[rollouts > 0]
        if len(known) >= _FEWEST_EQUAL and known.min() < known.max():
            first = rows.setdefault(hash(successes.tobytes() + rollouts.tobytes()), name)
            if first != name:
                results.warn(
                    f"the agents {first!r} and {name!r} have the same results on all"
                    f" {len(known):,} tasks; they may be one model under two names"
                )


def lines_about(found: Found, results: Collector, outcomes: Outcomes) -> list[str]:
    """Which files were read as what, by which metrics, and what is missing."""
    lines = []
    for name in dict.fromkeys(reader.name for reader in found.logs.values()):
        paths = [path for path, reader in found.logs.items() if reader.name == name]
        lines.append(named("read", paths, f" as logs of {name}"))
    chosen = [(benchmark, names) for (_, benchmark), names in results.used.items()]
    what = "results" if outcomes.scale is None else "returns"
    lines += [
        _metric(what, *one, negated=results.negates(one[0], one[1][0]))
        for one in chosen[:_MOST_LISTED]
    ]
    if len(chosen) > _MOST_LISTED:
        lines.append(f"and {len(chosen) - _MOST_LISTED} more benchmarks")
    if results.unscored:
        attempts = "attempt" if results.unscored == 1 else "attempts"
        lines.append(f"left out: {results.unscored:,} {attempts} without a score")
    missing = int((outcomes.rollouts == 0).sum())
    if missing:
        lines.append(f"pairs without a result: {missing:,} of {outcomes.rollouts.size:,}")
    if outcomes.rollouts.max() > 1:
        lines.append(f"attempts per pair: up to {outcomes.rollouts.max()}, e.g. of repeated runs")
    return lines + ignored_lines(found)


def _metric(what: str, benchmark: str, chosen: tuple[str, str], *, negated: bool) -> str:
    metric, filter = chosen
    more = f", filter {filter!r}" if filter else ""
    more += ", negated because less is better" if negated else ""
    return f"{what}{f' of {benchmark}' if benchmark else ''}: metric {metric!r}{more}"


def ignored_lines(found: Found) -> list[str]:
    """What was not read, without the files that readers read along with logs."""
    beside = {other for path, reader in found.logs.items() for other in reader.beside(path)}
    left = [path for path in found.ignored if path not in beside]
    lines = []
    others = [path for path in left if not tables.is_table(path)]
    if others:
        lines.append(named("ignored", others, ""))
    if len(others) < len(left):
        skipped = [path for path in left if tables.is_table(path)]
        lines.append(named("ignored", skipped, ", tables beside logs: read them separately"))
    return lines


def named(what: str, paths: list[Path], how: str) -> str:
    """How many files, and the names of the first ones."""
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    names = ", ".join(map(str, paths[:_MOST_NAMED]))
    return f"{what} {len(paths)} file{'' if len(paths) == 1 else 's'}{how}: {names}{more}"
