"""What the columns of a table of results are: names of agents and tasks, and results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from taskspace import checks
from taskspace.outcomes.readers.scores import less_is_better

Columns = dict[str, Any]  # a pyarrow.ChunkedArray per name

# Names that people give to these columns; the first is ours. Case, spaces and signs do not matter.
AGENTS = (
    "agent", "agent id", "agent name", "student", "student id", "student name", "user", "user id",
    "subject", "subject id", "model", "model id", "model name", "learner", "learner id", "person",
    "person id", "participant", "participant id", "respondent", "respondent id", "candidate",
    "candidate id", "examinee", "examinee id", "pupil", "pupil id", "solver", "system",
)  # fmt: skip
TASKS = (
    "task", "task id", "task name", "item", "item id", "question", "question id", "problem",
    "problem id", "exercise", "exercise id", "instance", "instance id", "sample id", "doc id",
)  # fmt: skip
RESULTS = (
    "score", "success", "solved", "result", "correct", "is correct", "response", "outcome",
    "passed", "accuracy", "acc", "grade", "mark", "marks",
)  # fmt: skip
# Of these, what says whether a task was solved, which no return does.
SUCCESSES = {"success", "solved", "correct", "is correct", "passed", "accuracy", "acc"}
COUNTS = ("successes", "rollouts")
ROLLOUTS = ("rollouts", "attempts", "trials", "n")  # beside successes
RETURNS = (
    "return", "mean return", "total return", "episode return", "episodic return", "reward",
    "mean reward", "total reward", "episode reward", "cumulative reward", "score",
)  # fmt: skip
SPREAD = ("return_spread",)  # beside mean returns, as `Outcomes.to_table` writes it
UNNAMED = ""  # the name of a column without one, such as an index that pandas or R has written
_WORDS = re.compile(r"[^A-Za-z0-9]+")  # between words of a name
_SCORES = 2  # the kind of a column of numbers from 0 to 1
_WIDE = 3  # so many columns of scores are likely those of a table with one column per task
OPTIONS = {"agent": AGENTS, "task": TASKS, "score": RESULTS}


class UnclearColumns(ValueError):
    """The columns of a table could not be recognised.

    Attributes:
        problem: What is wrong, without advice.
        guess: The column that each of `agent`, `task` and `score` might be; some may be missing.
    """

    def __init__(self, problem: str, guess: dict[str, str]) -> None:
        named = ", ".join(f"{option}={name!r}" for option, name in guess.items())
        super().__init__(f"{problem}; name its columns, e.g. {named}" if guess else problem)
        self.problem, self.guess = problem, guess


@dataclass(frozen=True)
class Roles:
    """The columns of a table of results by their role.

    Attributes:
        agent: The column with the names of the agents.
        task: The column with the names of the tasks; None if there is one column per task.
        score: The column with the result of one attempt; None if there is one column per task, or
            if there are columns of counts.
        counts: The columns of one row per pair: successes and rollouts, or rollouts and perhaps
            spreads beside returns, by what they are; if there are any.
    """

    agent: str
    task: str | None
    score: str | None
    counts: dict[str, str] = field(default_factory=dict)


def find_roles(columns: Columns, given: dict[str, str | None], returns: bool = False) -> Roles:
    """Recognise the columns of a table by their names; `given` names some of them.

    With `returns`, results are returns and not scores.

    Raises:
        UnclearColumns: If a column is missing, or if several could be meant.
        ValueError: If there is no column of a given name.
    """
    for option, name in given.items():
        if name is not None and not isinstance(name, str):
            raise ValueError(f"{option} must be the name of a column, got {checks.brief(name)}")
        if name is not None and name not in columns:
            raise ValueError(
                f"there is no column {name!r} in the table ({option} must be one of its columns);"
                f" it has the columns {listed(columns)}"
            )
    named = [name for name in given.values() if name is not None]
    if len(set(named)) < len(named):
        raise ValueError(f"agent, task and score must be different columns, got {', '.join(named)}")
    finder = _Finder(columns, given, returns)
    task = finder.find("task")
    if task is None and given["score"] is None:
        return Roles(finder.wide_agent(), None, None)
    agent = finder.find("agent")
    if agent is None or task is None:
        if agent is None and finder.is_transposed():
            raise UnclearColumns(
                "a table with one column per task must have one row per agent, got the tasks in the"
                f" column {task!r} and no column with the names of the agents; transpose it if"
                " there is one column per agent",
                {},
            )
        missing = "agent" if agent is None else "task"
        raise finder.unclear(f"no column with the names of the {missing}s")
    if returns:
        score = finder.find("score")
        if score is None:
            raise finder.unclear("no column of returns")
        beside = {name: recognised(columns, [name]) for name in ("rollouts", *SPREAD)}
        present = {name: found[0] for name, found in beside.items() if found}
        return Roles(agent, task, score, present if "rollouts" in present else {})
    counts = {name: recognised(columns, [name]) for name in COUNTS}
    if counts["successes"] and not counts["rollouts"]:
        counts["rollouts"] = recognised(columns, ROLLOUTS)
    if all(counts.values()) and given["score"] in counts["successes"]:
        raise ValueError(
            f"score must be the result of single attempts, got {given['score']!r} beside"
            f" {counts['rollouts'][0]!r}; omit it to use both"
        )
    if any(counts.values()) and given["score"] is None:
        if counts["successes"] and len(counts["rollouts"]) != 1:
            raise _unclear_rollouts(columns, counts["rollouts"])
        for name, found in counts.items():
            if len(found) != 1:
                raise finder.unclear(f"{'two columns' if found else 'no column'} {name!r}")
        return Roles(agent, task, None, {name: found[0] for name, found in counts.items()})
    score = finder.find("score")
    if score is None:
        likely = recognised(columns, RETURNS)
        advice = f" (if {likely[0]!r} has returns, pass returns=True, --returns)" if likely else ""
        raise finder.unclear(f"no column of results{advice}")
    return Roles(agent, task, score)


def _unclear_rollouts(columns: Columns, found: list[str]) -> UnclearColumns:
    """The error for successes without numbers of attempts; any column to paste could misread."""
    got = f"both {found[0]!r} and {found[1]!r}" if found else f"the columns {listed(columns)}"
    return UnclearColumns(
        "a table with a column of successes must have one column 'rollouts' with the numbers of"
        f" attempts, got {got}; call it 'rollouts', or call the results of single attempts"
        " 'success'",
        {},
    )


def name_column(columns: Columns, option: str) -> str | None:
    """The column with the names of agents or tasks, in a table about them; None if it has none."""
    found = recognised(columns, OPTIONS[option])
    ours = OPTIONS[option][0]
    if ours in found or len(found) < 2:
        return ours if ours in found else next(iter(found), None)
    raise ValueError(
        f"a table about {option}s must have one column with their names, got both {found[0]!r} and"
        f" {found[1]!r}; call one of them {ours!r}"
    )


def unclear(columns: Columns, roles: Roles, found: str) -> UnclearColumns:
    """The error for columns that were recognised but cannot be what they seem."""
    given = {"agent": roles.agent, "task": roles.task, "score": roles.score}
    return _Finder(columns, given).unclear(found)


class _Finder:
    """Finds the columns of one table."""

    def __init__(
        self, columns: Columns, given: dict[str, str | None], returns: bool = False
    ) -> None:
        self._columns, self._given, self._returns = columns, given, returns
        self._lower = [name for name in columns if is_lower(name)]

    @cached_property
    def _kinds(self) -> dict[str, int]:
        """What the columns that may be a guess look like; see `_looks_like_scores`."""
        return {
            name: _looks_like_scores(values)
            for name, values in self._columns.items()
            if name not in self._lower
        }

    def find(self, option: str) -> str | None:
        """The column of a role; None if there is none."""
        if self._given[option] is not None:
            return self._given[option]
        found = self._candidates(option)
        ours = RETURNS[0] if self._returns and option == "score" else OPTIONS[option][0]
        if ours in found and (option != "score" or self._returns):
            return ours  # our own name, beside which others are labels
        if len(found) > 1:
            raise self.unclear(f"both {found[0]!r} and {found[1]!r} for {option}")
        if not found and option == "agent" and UNNAMED in self._columns:
            return UNNAMED
        return found[0] if found else None

    def wide_agent(self) -> str:
        """The column of agents in a table with one column per task: the first one."""
        first = next(iter(self._columns))
        named_results = [*self._candidates("score"), *recognised(self._columns, COUNTS)]
        if named_results:
            raise self.unclear("no column with the names of the tasks")
        if self._given["agent"] is not None:
            return self._given["agent"]
        if first != UNNAMED and first not in recognised(self._columns, AGENTS):
            raise self.unclear("no column with the names of the agents at its start")
        if len(self._columns) < 2:
            raise self.unclear("no column with the names of the tasks and no column per task")
        return first

    def is_transposed(self) -> bool:
        """Whether a table with the names of tasks has only numbers beside, which are no results."""
        others = [name for name in self._columns if name != self.find("task")]
        numeric = len(others) > 1 and all(is_numeric(self._columns[name]) for name in others)
        named = [*self._candidates("score"), *recognised(others, (*COUNTS, *ROLLOUTS))]
        return numeric and not named and self._given["score"] is None

    def _candidates(self, option: str) -> list[str]:
        names = RETURNS if self._returns and option == "score" else OPTIONS[option]
        if names is RETURNS and not recognised(self._columns, RETURNS):
            names = RESULTS  # graded in marks, e.g.
        taken = set(self._given.values())
        found = [name for name in recognised(self._columns, names) if name not in taken]
        if option != "score":
            return found
        # A text may be an answer, with its grade in another column.
        numeric = [name for name in found if is_numeric(self._columns[name])]
        return numeric or found

    def unclear(self, found: str) -> UnclearColumns:
        """The error that asks the user to name the columns."""
        guess = self._guess()
        has_scores = "score" in guess or _SCORES in self._kinds.values()
        lower = [] if has_scores else self._lower
        advice = (
            f"; {lower[0]!r} is lower for better results, and a score must be higher, e.g. 1 −"
            f" {lower[0]}"
            if lower
            else ""
        )
        return UnclearColumns(
            "a table of results must have columns with the names of agents and of tasks, and"
            " results (or successes and rollouts), or a first column with the names of agents and"
            f" one column per task, got {found}; it has the columns {listed(self._columns)}"
            f"{advice}",
            {} if lower else guess,
        )

    def _guess(self) -> dict[str, str]:
        """A column for each role: recognised or else the first that is left."""
        guess = {option: name for option, name in self._given.items() if name is not None}
        for option in OPTIONS:
            for name in self._candidates(option):
                if name not in guess.values():
                    guess.setdefault(option, name)
        kinds = self._kinds
        left = [name for name in kinds if name not in guess.values()]
        if list(kinds.values()).count(_SCORES) >= _WIDE:
            left = [name for name in left if kinds[name] != _SCORES]
        left.sort(key=kinds.__getitem__)
        for option in ("agent", "task", "score"):
            # Beside a column of which less is better, only what looks like scores is a guess.
            fits = option != "score" or not self._lower or (left and kinds[left[-1]] == _SCORES)
            if option not in guess and left and fits:
                guess[option] = left.pop(-1 if option == "score" else 0)
        return {option: guess[option] for option in OPTIONS if option in guess}


def is_lower(name: str) -> bool:
    """Whether a column is lower for better results, by its name.

    >>> is_lower("Error rate (%)"), is_lower("points")
    (True, False)
    """
    return less_is_better(_WORDS.sub("_", name).strip("_"))


def recognised(columns: Iterable[str], names: Iterable[str]) -> list[str]:
    """The columns that have one of these names, in the order of the table.

    >>> recognised(["Student-ID", "topic"], AGENTS)
    ['Student-ID']
    """
    wanted = {_plain(name) for name in names}
    return [column for column in columns if _plain(column) in wanted]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_numeric(values: Any) -> bool:
    """Whether a column has numbers or booleans, or nothing at all."""
    import pyarrow

    kind = values.type.value_type if pyarrow.types.is_dictionary(values.type) else values.type
    tests = (
        pyarrow.types.is_integer, pyarrow.types.is_floating, pyarrow.types.is_boolean,
        pyarrow.types.is_null,
    )  # fmt: skip
    return any(test(kind) for test in tests)


def _looks_like_scores(values: Any) -> int:
    """0 for text, 1 for numbers, and 2 for numbers from 0 to 1."""
    import pyarrow
    import pyarrow.compute

    if not is_numeric(values):
        return 0
    if pyarrow.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    # There is no minimum of numbers in half precision.
    found = pyarrow.compute.min_max(values.cast(pyarrow.float64(), safe=False)).as_py()
    low, high = found["min"], found["max"]
    return _SCORES if low is not None and low >= 0 and high <= 1 else 1


def listed(columns: Iterable[str], most: int = 10) -> str:
    """The names of columns, for messages."""
    names = list(columns)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(name or "(unnamed)" for name in names[:most]) + more
