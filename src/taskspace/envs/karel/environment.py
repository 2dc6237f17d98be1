"""Karel as an environment: a task is a set of examples, for which an agent writes a program."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.base import Column, Environment
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.language import TOKENS, decode, parse, pretty

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL_TASKS, SMALL_SIDE, SMALL_SEED = 10_000, 8, 0
EXAMPLES_DRAWN = 2


@functools.cache
def small_data_set() -> tuple[KarelTasks, KarelTasks]:
    """8000 training and 2000 validation tasks in worlds of side 8; the same on every machine."""
    from taskspace.envs.karel.generate import generate_tasks

    found = generate_tasks(SMALL_TASKS, SMALL_SEED, SMALL_SIDE)[0]
    return found["training"], found["validation"]


class Karel(Environment):
    """Write the program that explains five examples, and a sixth that is held out.

    A task is a row of 1800 numbers (`KarelTasks.rows`): a program that solves it, which determines
    its cluster, and six pairs of worlds. The tasks are a fixed set, by default ten thousand
    generated tasks. Agents (`taskspace.agents.karel`) do not act in steps: they write programs,
    which the compiled interpreter runs.

    >>> import taskspace as ts
    >>> ts.make("Karel").sample_tasks(3, seed=0).shape
    (3, 1800)
    """

    name = "Karel"
    varies_by = "examples of what a program does"
    page_form = "program"
    columns = tuple(Column(name, 0, 255, integer=True) for name in KarelTasks.row_names())
    context = tuple(column.name for column in columns)
    action_names = TOKENS
    horizon = 24
    gamma = 1.0
    cluster_names = ("plain", "loops", "conditionals")
    goal = "An agent writes a program that turns every given world into the wanted one."
    cluster_description = (
        "the kind of program that solves a task. The agents were trained on programs of other"
        " tasks, and the map's encoder is from an agent; the map itself was learned from successes"
    )
    distributions = ("all", "validation")
    fresh_distribution = "validation"

    def __init__(
        self, training: KarelTasks | None = None, validation: KarelTasks | None = None
    ) -> None:
        if (training is None) != (validation is None):
            raise ValueError("training and validation must both be tasks or both be None, got one")
        self._given = (training, validation)

    @property
    def training(self) -> KarelTasks:
        """The tasks that agents are trained on."""
        return self._given[0] if self._given[0] is not None else small_data_set()[0]

    @property
    def validation(self) -> KarelTasks:
        """The tasks that no agent is trained on."""
        return self._given[1] if self._given[1] is not None else small_data_set()[1]

    def table(self, distribution: str) -> Any:
        """The training tasks, or the validation tasks, as rows."""
        return (self.validation if distribution == "validation" else self.training).rows()

    def rows(self, states: ArrayLike, what: str = "tasks") -> Any:
        """Convert tasks, or one task, to rows of uint8."""
        array = checks.array(states, f"{what} of Karel")
        return KarelTasks.from_rows(array[None] if array.ndim == 1 else array).rows()

    def check_tasks(self, tasks: ArrayLike) -> Any:
        """Check tasks; returns them as rows of uint8."""
        rows = self.rows(tasks)
        KarelTasks.from_rows(rows).check()
        return rows

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """Whether a task's program is plain or has loops or conditionals."""
        kinds = KarelTasks.from_rows(self.rows(tasks)).kinds
        unknown = [kind for kind in kinds.tolist() if kind not in self.cluster_names]
        if unknown:
            raise ValueError(
                "programs of Karel tasks must have loops or conditionals or neither, got both"
            )
        return np.array([self.cluster_names.index(kind) for kind in kinds], np.int64)

    def draw_state(self, state: NDArray[Any], ax: Axes) -> None:
        """The first examples, before and after the program, and the program below them."""
        from taskspace.envs.karel.drawing import draw_world

        tasks = KarelTasks.from_rows(state[None])
        inputs, outputs = tasks.inputs[0], tasks.outputs[0]
        ax.axis("off")
        for number in range(EXAMPLES_DRAWN):
            low = 1.0 - 0.36 * (number + 1)
            for left, world in ((0.02, inputs[number]), (0.56, outputs[number])):
                draw_world(world, ax.inset_axes((left, low, 0.42, 0.34)))
            ax.text(0.5, low + 0.17, "→", ha="center", va="center", transform=ax.transAxes)
        ax.text(
            0.02, 0.24, self.text(state), size=7, family="monospace", va="top",
            transform=ax.transAxes,
        )  # fmt: skip

    @property
    def page_drawing(self) -> dict[str, Any]:
        """The worlds before and after the program."""
        return {"kind": "programs"}

    def text(self, state: NDArray[Any]) -> str:
        """The program that solves the task."""
        return pretty(parse(decode(KarelTasks.from_rows(self.rows(state)).tokens[0])))
