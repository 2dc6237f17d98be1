"""What the HTTP API takes and gives, as types; its schema is made of them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, GetCoreSchemaHandler
from pydantic_core import core_schema

MOST_EMBEDDED = 1000  # tasks in a request
MOST_QUIZ = 1000  # answers in a request
MOST_TASKS = 10_000  # tasks to predict, or to choose from
MOST_FOUND = 1000  # tasks in an answer
LONGEST_PROGRAM = 1000  # characters


class Expected:
    """One sentence for whatever is wrong with a value that may be of several kinds."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """What pydantic asks of annotations."""
        return core_schema.custom_error_schema(
            handler(source), custom_error_type="expected", custom_error_message=self.sentence
        )


Features = Annotated[list[FiniteFloat], Field(max_length=10_000)]
Task = Annotated[
    str | Features, Expected("expected the name of a task, or the list of its features")
]
Result = Annotated[
    bool | Annotated[float, Field(ge=0, le=1)],
    Expected("expected true or false, 1 or 0, or a success rate between them"),
]
Count = Annotated[int, Field(ge=1, le=MOST_FOUND, description="how many tasks at most")]
Harder = Annotated[bool, Field(description="only harder ones")]
Easier = Annotated[bool, Field(description="only easier ones")]


class Strict(BaseModel):
    """No other fields, no text where numbers should be."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Error(BaseModel):
    """What every error looks like."""

    error: str = Field(description="one sentence")


# -- requests --------------------------------------------------------------------------------------

_QUIZ = [{"task": "task-1", "result": True}, {"task": "task-2", "result": 0.25}]


def _example(request: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [request]})


class Embed(Strict):
    """Tasks that are looked for on the map."""

    model_config = _example({"tasks": ["task-1", "task-2"]})

    tasks: Annotated[list[Task], Field(min_length=1, max_length=MOST_EMBEDDED)]


class Similar(Strict):
    """A task whose like on the map is looked for."""

    model_config = _example({"task": "task-1", "k": 3, "harder": True})

    task: Task
    k: Count = 10
    harder: Harder = False
    easier: Easier = False


class Select(Strict):
    """A task, and options of which those most like it are wanted."""

    model_config = _example({"task": "task-1", "options": ["task-2", "task-3"], "k": 1})

    task: Task
    options: Annotated[list[Task], Field(min_length=1, max_length=MOST_TASKS)]
    k: Count = 10
    harder: Harder = False
    easier: Easier = False


class Karel(Strict):
    """A program, and the task in whose worlds it runs."""

    model_config = _example({"program": "REPEAT R=2 { move } turnLeft", "like": "task-1"})

    program: Annotated[str, Field(max_length=LONGEST_PROGRAM)] = Field(
        description="in one line, as the page shows programs, or in tokens: `DEF run m( move m)`"
    )
    like: str = Field(description="the name of a task of the map")


class QuizAnswer(Strict):
    """How an agent did on a task."""

    task: Task
    result: Result = Field(description="solved or not, or a success rate")


Quiz = Annotated[list[QuizAnswer], Field(max_length=MOST_QUIZ)]


class Predict(Strict):
    """An agent's quiz, and tasks on which its chances are wanted."""

    model_config = _example({"quiz": _QUIZ, "tasks": ["task-3", "task-4"], "interval": 0.9})

    quiz: Quiz
    tasks: Annotated[list[Task], Field(min_length=1, max_length=MOST_TASKS)]
    interval: Annotated[
        float | None, Field(gt=0, lt=1, description="the share of cases in which bounds hold")
    ] = None


class NextQuestion(Strict):
    """An agent's quiz so far, the tasks that may be asked and those to know about (all)."""

    model_config = _example({"quiz": _QUIZ, "targets": ["task-3", "task-4"]})

    quiz: Quiz = Field(default_factory=list)
    pool: Annotated[list[str], Field(min_length=1, max_length=MOST_TASKS)] | None = None
    targets: Annotated[list[str], Field(min_length=1, max_length=MOST_TASKS)] | None = None


# -- answers ---------------------------------------------------------------------------------------

Place = Annotated[list[float], Field(min_length=2, max_length=2)]


class Embedded(BaseModel):
    """A task on the map; `places` say where views draw it."""

    vector: list[float]
    difficulty: float
    places: dict[str, Place]


class EmbedAnswer(BaseModel):
    """Tasks in the order of the request."""

    tasks: list[Embedded]


class KarelAnswer(Embedded):
    """The new task: its program as it was understood, and its features."""

    program: str
    task: list[int] = Field(description="as `/api/embed` and the others take it")


class Known(BaseModel):
    """A task of the map; `success` is the mean over the agents that tried it."""

    task: str
    difficulty: float
    success: float
    cluster: str


class Alike(Known):
    """A task of the map, and how much it is like another."""

    similarity: float


class SimilarAnswer(BaseModel):
    """The most alike first."""

    tasks: list[Alike]


class Option(BaseModel):
    """An option by its number in the request, from 0 on."""

    option: int
    similarity: float
    difficulty: float


class SelectAnswer(BaseModel):
    """The best first; fewer than asked for where fewer are harder or easier."""

    options: list[Option]


class PredictAnswer(BaseModel):
    """Chances in the order of the tasks, and bounds of them where an interval was asked for."""

    chances: list[float]
    low: list[float] | None = None
    high: list[float] | None = None


class NextAnswer(BaseModel):
    """What to ask now, the chance that it is solved, and the share of targets still in doubt."""

    task: str
    chance: float
    doubt: float


class TaskAnswer(Known):
    """All about a task of the map; `groups` has the success of each subpopulation."""

    vector: list[float]
    places: dict[str, Place]
    features: dict[str, float] | None
    groups: dict[str, float] | None


class Limits(BaseModel):
    """How much a request may ask."""

    embedded: int = MOST_EMBEDDED
    quiz: int = MOST_QUIZ
    tasks: int = MOST_TASKS
    found: int = MOST_FOUND
    body_bytes: int
    seconds: float


class Info(BaseModel):
    """What map this is."""

    title: str
    told: str
    version: str
    environment: str | None
    tasks: int
    agents: int
    dimensions: int
    columns: list[str] = Field(description="features of a task, in their order; none: names only")
    clusters: list[str]
    examples: list[str] = Field(description="names of some tasks")
    limits: Limits
