"""`taskspace karel show FILE`: draw a task with letters, or as an image."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import add_command, add_json
from taskspace.cli.json_output import print_json
from taskspace.cli.karel.letters import drawn, side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from taskspace.envs.karel.data import KarelTask
    from taskspace.envs.karel.language import Program

_EXAMPLES = """examples:
  taskspace karel show tasks/training.npz --task 7
  taskspace karel show tasks/training.npz --task 7 --picture task.png
"""


def add(commands: Any) -> None:
    """Add `karel show` to the commands of a parser."""
    parser = add_command(commands, "show", _run, "draw a task", _EXAMPLES)
    parser.add_argument("file", metavar="FILE", help="tasks: .npz, or JSON lines (may be .gz)")
    parser.add_argument(
        "--task", type=int, default=0, metavar="N", help="index of the task, from 0 (default: 0)"
    )
    parser.add_argument(
        "--picture", metavar="OUT.png", help="write the examples to a PNG image instead"
    )
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Print the program of a Karel task, and its six examples as pairs of worlds."""
    from taskspace.envs.karel.drawing import draw_task, example_name
    from taskspace.envs.karel.language import parse, pretty

    if options.picture is not None and Path(options.picture).suffix != ".png":
        raise ValueError(f"--picture must be a .png file, got {options.picture!r}")
    if options.task < 0:
        raise ValueError(f"--task must be at least 0, got {options.task}")
    task = _read_task(Path(options.file), options.task)
    program = parse(task.tokens)
    title = _headline(options.task, program)
    if options.picture:
        _write_picture(draw_task(task, title), options.picture)
    if options.json:
        print_json(_as_json(options, task))
        return
    print(f"{title}\n\n{pretty(program)}")
    if options.picture:
        print(f"\npicture: {options.picture}")
        return
    for number in range(len(task.inputs)):
        picture = side_by_side(task.inputs[number], task.outputs[number])
        print(f"\n{example_name(task, number)}\n{picture}")


def _as_json(options: argparse.Namespace, task: KarelTask) -> dict[str, Any]:
    """The task in words and letters."""
    from taskspace.envs.karel.language import kind, parse

    count = range(len(task.inputs))
    pairs = [drawn(task.inputs[number], task.outputs[number]) for number in count]
    return {
        "task": options.task,
        "type": kind(parse(task.tokens)),
        "tokens": list(task.tokens),
        "examples": [{"input": before, "output": after} for before, after in pairs],
        "picture": options.picture,
    }


def _read_task(path: Path, number: int) -> KarelTask:
    from taskspace.envs.karel.compact import KarelTasks
    from taskspace.envs.karel.data import read_tasks

    if path.suffix == ".npz":
        tasks = KarelTasks.load(path)
        if number < len(tasks):
            return next(tasks[number : number + 1].records())
        raise ValueError(_no_such_task(path, number, len(tasks)))
    passed = 0

    def wanted(tokens: tuple[str, ...]) -> bool:
        nonlocal passed
        passed += 1
        return passed == number + 1  # skip the grids of earlier tasks

    for task in read_tasks(path, wanted):
        return task
    raise ValueError(_no_such_task(path, number, passed))


def _no_such_task(path: Path, number: int, count: int) -> str:
    if not count:
        return f"there are no tasks in {path}"
    return f"--task must be 0 to {count - 1}, got {number}; {path} has {count:,} tasks"


def _headline(number: int, program: Program) -> str:
    from taskspace.envs.karel.language import kind, tokens

    found = kind(program)
    title = "loops and conditionals" if found == "both" else found
    return f"task {number}: {title}, {len(tokens(program))} tokens"


def _write_picture(figure: Figure, path: str) -> None:
    from taskspace.files import atomic_path

    with atomic_path(path) as temporary:
        figure.savefig(temporary, format="png")
