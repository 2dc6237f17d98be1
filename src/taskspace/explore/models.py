"""Requests and responses of the HTTP API as types, from which its schema is generated."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    GetCoreSchemaHandler,
    model_validator,
)
from pydantic_core import core_schema

MAX_EMBEDDED = 1000  # tasks per request
MAX_QUIZ = 1000  # answers per request
MAX_TASKS = 10_000  # tasks to predict, or to choose from
MAX_FOUND = 1000  # tasks per response
LONGEST_PROGRAM = 1000  # characters


class MustBe:
    """One error message for a value that may have one of several types."""

    def __init__(self, expected: str) -> None:
        self.message = f"must be {expected}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """The hook that pydantic calls on annotations."""
        return core_schema.custom_error_schema(
            handler(source), custom_error_type="expected", custom_error_message=self.message
        )


Features = Annotated[list[FiniteFloat], Field(max_length=10_000)]
Task = Annotated[str | Features, MustBe("the name of a task or the list of its features")]
Result = Annotated[
    bool | Annotated[float, Field(ge=0, le=1)],
    MustBe("true or false, 1 or 0, or a success rate between them"),
]
Count = Annotated[int, Field(ge=1, le=MAX_FOUND, description="maximum number of tasks to return")]
Harder = Annotated[bool, Field(description="return only harder tasks")]
Easier = Annotated[bool, Field(description="return only easier tasks")]
Opposite = Annotated[
    bool,
    Field(description="return the tasks with negative correlations; only for maps by correlation"),
]


class Strict(BaseModel):
    """Refuses unknown fields, and text in place of numbers."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Error(BaseModel):
    """The form of every error."""

    error: str = Field(description="one sentence about what is wrong")


# -- requests --------------------------------------------------------------------------------------

_QUIZ = [{"task": "task-1", "result": True}, {"task": "task-2", "result": 0.25}]
_TASK = "name of a task of the map, or list of its features"


def _example(request: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [request]})


class Embed(Strict):
    """Tasks to embed in the map."""

    model_config = _example({"tasks": ["task-1", "task-2"]})

    tasks: Annotated[list[Task], Field(min_length=1, max_length=MAX_EMBEDDED)] = Field(
        description="names of tasks of the map, or lists of features"
    )


class Similar(Strict):
    """A task for which similar tasks of the map are wanted."""

    model_config = _example({"task": "task-1", "k": 3, "harder": True})

    task: Task = Field(description=_TASK)
    k: Count = 10
    harder: Harder = False
    easier: Easier = False
    opposite: Opposite = False


class Select(Strict):
    """A task, and options from which the most similar ones are selected."""

    model_config = _example({"task": "task-1", "options": ["task-2", "task-3"], "k": 1})

    task: Task = Field(description=_TASK)
    options: Annotated[list[Task], Field(min_length=1, max_length=MAX_TASKS)] = Field(
        description="names of tasks of the map, or lists of features"
    )
    k: Count = 10
    harder: Harder = False
    easier: Easier = False


class Karel(Strict):
    """A program, and the task in whose worlds it runs."""

    model_config = _example({"program": "REPEAT R=2 { move } turnLeft", "like": "task-1"})

    program: Annotated[str, Field(max_length=LONGEST_PROGRAM)] = Field(
        description="as the page shows programs, or in tokens: `DEF run m( move m)`"
    )
    like: str = Field(description="name of a task of the map")


class QuizAnswer(Strict):
    """The result of an agent on one task."""

    task: Task = Field(description=_TASK)
    result: Result | None = Field(
        default=None, description="whether the agent solved it, or its success rate"
    )
    return_: FiniteFloat | None = Field(
        default=None, alias="return", description="its return instead, on a map of returns"
    )

    @model_validator(mode="after")
    def _check(self) -> QuizAnswer:
        if (self.result is None) == (self.return_ is None):
            raise ValueError(
                "an answer must have either a result or, on a map of returns, a return"
            )
        return self


Quiz = Annotated[
    list[QuizAnswer], Field(max_length=MAX_QUIZ, description="the answers of the agent so far")
]


class Predict(Strict):
    """The quiz of an agent, and the tasks to predict its success on."""

    model_config = _example({"quiz": _QUIZ, "tasks": ["task-3", "task-4"], "interval": 0.9})

    quiz: Quiz
    tasks: Annotated[list[Task], Field(min_length=1, max_length=MAX_TASKS)] = Field(
        description="tasks to predict"
    )
    interval: Annotated[
        float | None,
        Field(gt=0, lt=1, description="level of the intervals to return, e.g. 0.9; none if null"),
    ] = None


class NextQuestion(Strict):
    """The quiz of an agent so far, the tasks that may be asked, and the targets."""

    model_config = _example({"quiz": _QUIZ, "targets": ["task-3", "task-4"]})

    quiz: Quiz = Field(default_factory=list)
    pool: Annotated[list[str], Field(min_length=1, max_length=MAX_TASKS)] | None = Field(
        default=None,
        description="names of the tasks that may be asked; if null, all, or the first 5,000",
    )
    targets: Annotated[list[str], Field(min_length=1, max_length=MAX_TASKS)] | None = Field(
        default=None,
        description="names of the tasks to learn about; if null, all, or the first 5,000",
    )


Label = Annotated[
    str | None, Field(description="name of a label of the tasks, for one score per value of it")
]


class Score(Strict):
    """The quiz of an agent, for its full score."""

    model_config = _example({"quiz": _QUIZ, "level": 0.9})

    quiz: Annotated[Quiz, Field(min_length=1)]
    by: Label = None
    level: Annotated[
        float, Field(gt=0, lt=1, description="probability that an interval contains the score")
    ] = 0.9


class ShortTest(Strict):
    """The size of a short test."""

    model_config = _example({"k": 10})

    k: Annotated[int, Field(ge=1, le=MAX_FOUND, description="number of tasks")]
    by: Label = None


class Compare(Strict):
    """Two agents to compare."""

    model_config = _example({"first": "agent-1", "second": "agent-2"})

    first: str = Field(description="name of an agent")
    second: str = Field(description="name of another agent")
    by: Annotated[
        str | None,
        Field(description="label of the tasks that groups them, or `cluster`; null for the first"),
    ] = None


# -- responses -------------------------------------------------------------------------------------

Position = Annotated[list[float], Field(min_length=2, max_length=2)]
_POSITIONS = "x and y in each projection, by its name"
_DIFFICULTY = (
    "probability that an agent of the population fails; on an ordinal map, the length of the vector"
)
_SIMILARITY = (
    "information in bits that the outcomes on the two tasks share or, on a map by correlation, the"
    " correlation of these outcomes; for a new task on a map without a success model, the inner"
    " product of the two vectors"
)
Information = Annotated[
    float | None,
    Field(
        description="squared length of the vector: the information in bits that two attempts by the"
        " same agent share or, on a map by correlation, the correlation of these attempts; null on"
        " an ordinal map"
    ),
]


class Embedded(BaseModel):
    """A task on the map."""

    vector: list[float]
    difficulty: float = Field(description=_DIFFICULTY)
    information: Information
    positions: dict[str, Position] = Field(description=_POSITIONS)


class EmbedAnswer(BaseModel):
    """Tasks in the order of the request."""

    tasks: list[Embedded]


class KarelAnswer(Embedded):
    """The new task."""

    program: str = Field(description="the program as it was understood")
    task: list[int] = Field(description="the features of the task, as `/api/embed` takes them")
    profile: list[float] | None = Field(
        description="probability of success of every agent; null if the map has no success model"
    )


class TaskSummary(BaseModel):
    """A task of the map."""

    task: str
    difficulty: float = Field(description=_DIFFICULTY)
    success: float = Field(
        description="mean success rate, or normalised return, of the agents that attempted it"
    )
    cluster: str


class SimilarTask(TaskSummary):
    """A task of the map, and its similarity to another one."""

    similarity: float = Field(description=_SIMILARITY)


class SimilarAnswer(BaseModel):
    """The most similar task comes first, or the most opposite one."""

    tasks: list[SimilarTask]


class Option(BaseModel):
    """One of the options of the request."""

    option: int = Field(description="its index in the request, starting at 0")
    similarity: float = Field(
        description="information in bits that the outcomes on the two tasks share or, on a map by"
        " correlation, the correlation of these outcomes; on a map without a success model, the"
        " inner product of the two vectors"
    )
    difficulty: float = Field(description=_DIFFICULTY)


class SelectAnswer(BaseModel):
    """The most similar option comes first; there are fewer than `k` if too few are suitable."""

    options: list[Option]


class PredictAnswer(BaseModel):
    """Predicted probabilities in the order of the tasks."""

    probabilities: list[float] = Field(
        description="probability that the agent solves each task; on a map of returns, its expected"
        " return"
    )
    low: list[float] | None = Field(
        default=None, description="lower ends of the intervals, if requested"
    )
    high: list[float] | None = Field(
        default=None, description="upper ends of the intervals, if requested"
    )


class NextAnswer(BaseModel):
    """The most informative question."""

    task: str
    probability: float = Field(
        description="probability that the agent solves it; on a map of returns, its expected return"
    )
    expected_error_rate: float = Field(
        description="expected fraction of targets on which the current prediction is wrong; on a"
        " map of returns, the expected error of a normalised return"
    )


class GroupScore(BaseModel):
    """The score of an agent on a group of tasks."""

    name: str = Field(description='"all tasks", or a value of the label')
    score: float = Field(
        description="estimated mean success rate, or return, over all tasks of the group"
    )
    low: float = Field(description="lower end of its interval")
    high: float = Field(description="upper end of its interval")
    answered: int = Field(description="number of answered tasks of the group")
    tasks: int = Field(description="number of tasks of the group")


class ScoreAnswer(BaseModel):
    """Full scores, one per group of tasks."""

    level: float = Field(description="probability that an interval contains the score")
    warning: str | None = Field(description="what is unusual about the answers, if anything")
    groups: list[GroupScore]


class RedundantPair(BaseModel):
    """Two tasks whose results agree more than the population explains."""

    first: str
    second: str
    group: int = Field(description="number of the group of both tasks, from 1; 0 if there is none")
    confirmed: bool = Field(description="whether they are near-copies")
    agreement: float = Field(description="fraction of agents with the same result on both")
    expected: float = Field(
        description="agreement of tasks that share only the population's skills"
    )
    excess: float = Field(description="0 if the agreement is the expected one, 1 if it is complete")
    low: float = Field(description="lower bound of the excess, for all pairs at once")
    high: float = Field(description="upper bound of the excess")
    correlation: float = Field(description="correlation of the agents' success rates")
    bits: float = Field(description="similarity: mutual information of the outcomes")
    agents: int = Field(description="number of agents that tried both tasks")


class RedundantAnswer(BaseModel):
    """Near-copies among the tasks; if there are none, the pairs are candidates."""

    summary: str = Field(description="what was found, and what leaving tasks out would change")
    groups: list[list[str]] = Field(description="tasks of each group; the first is the one to keep")
    pairs: list[RedundantPair] = Field(description="at most 1,000, the surest first")
    threshold: float = Field(description="least lower bound of the excess of near-copies")
    level: float = Field(description="probability that all intervals hold")


class Formula(BaseModel):
    """A score is the intercept plus the sum of weight x result over the tasks of the test."""

    name: str = Field(description='"all tasks", or a value of the label')
    intercept: float
    weights: list[float]


class TestError(BaseModel):
    """The error of a method at a number of tasks, for agents that took no part in the choice."""

    method: str
    tasks: int
    error: float = Field(description="mean absolute error of the full score")
    standard_error: float | None


class ShortTestAnswer(BaseModel):
    """A short test: its tasks, the formula of its scores, and the errors to expect."""

    verdict: str = Field(description="how well the test predicts the scores of left-out agents")
    tasks: list[str]
    success: list[float | None] = Field(description="mean success rate on each of the tasks")
    scores: list[Formula]
    errors: list[TestError]
    near_copies: list[list[str]] = Field(description="near-copies among the tasks, if unavoidable")


class AgentRow(BaseModel):
    """An agent of the table."""

    agent: str
    score: float | None = Field(
        description="mean success rate over all tasks; null if none is known"
    )
    low: float = Field(description="lower end of the interval of the score")
    high: float = Field(description="upper end of the interval of the score")
    tried: int = Field(description="number of tasks that the agent tried")
    strengths: str = Field(
        default="", description="groups of tasks on which it is better than its score predicts"
    )
    weaknesses: str = Field(
        default="", description="groups of tasks on which it is worse than its score predicts"
    )
    most_similar: str = Field(description="the agent with the most similar results, or empty")
    correlation: float | None = Field(
        description="correlation with it of what the two scores do not predict"
    )


class AgentsAnswer(BaseModel):
    """The agents of the table, the highest score first."""

    summary: str
    by: str = Field(description="the label that groups the tasks, `cluster`, or empty")
    level: float = Field(description="level of the intervals")
    agents: list[AgentRow]


class ComparedGroup(BaseModel):
    """The results of two agents on the tasks of a group that both tried."""

    group: str = Field(description='"all tasks", or a value of the label')
    tasks: int = Field(description="number of tasks of the group that both tried")
    first: float | None = Field(description="mean result of the first agent on them")
    second: float | None = Field(description="mean result of the second agent on them")
    difference: float | None = Field(description="first minus second")
    p: float = Field(description="p-value of a sign test")
    better: str = Field(description="the agent that is better by more than chance, or empty")


class ComparedTask(BaseModel):
    """The results of two agents on a task."""

    task: str
    first: float = Field(description="success rate, or normalised return, of the first agent")
    second: float = Field(description="success rate, or normalised return, of the second agent")
    difference: float = Field(description="first minus second")


class CompareAnswer(BaseModel):
    """Two agents side by side."""

    summary: str = Field(description="where they differ by more than chance")
    by: str = Field(description="the label that groups the tasks, `cluster`, or empty")
    groups: list[ComparedGroup]
    tasks: list[ComparedTask] = Field(
        description="tasks with different results, the largest difference first; at most 100"
    )
    different: int = Field(description="number of tasks with different results")


class DoctorFigure(BaseModel):
    """A figure about the population."""

    figure: str
    value: float | None
    compare: str = Field(description="what to compare it with")


class DoctorAnswer(BaseModel):
    """Whether the population is good enough for a map."""

    verdict: str
    advice: list[str] = Field(description="what would improve it, the most important first")
    sample: str = Field(description="what the figures are computed from, if not from everything")
    figures: list[DoctorFigure]


class TaskAnswer(TaskSummary):
    """Everything known about a task of the map."""

    vector: list[float]
    information: Information
    positions: dict[str, Position] = Field(description=_POSITIONS)
    features: dict[str, float] | None
    subpopulations: dict[str, float] | None = Field(
        description="success rate of each subpopulation, if subpopulations are known"
    )


class Limits(BaseModel):
    """Maximum sizes of requests and responses."""

    embedded: int = Field(default=MAX_EMBEDDED, description="tasks to embed per request")
    quiz: int = Field(default=MAX_QUIZ, description="answers per request")
    tasks: int = Field(
        default=MAX_TASKS, description="tasks to predict or to choose from, per request"
    )
    found: int = Field(default=MAX_FOUND, description="tasks per response")
    body_bytes: int = Field(description="bytes per request")
    seconds: float = Field(description="time for a request to arrive, and for its computation")


class Info(BaseModel):
    """The map that is served."""

    title: str
    description: str = Field(description="one sentence about the map")
    version: str = Field(description="version of taskspace")
    environment: str | None = Field(description="null if the map was learned from a table")
    tasks: int = Field(description="number of tasks")
    agents: int = Field(description="number of agents")
    dimensions: int
    columns: list[str] = Field(
        description="features of a task, in order; empty if tasks are known by name only"
    )
    clusters: list[str] = Field(description="names of the clusters")
    examples: list[str] = Field(description="names of some tasks")
    limits: Limits
