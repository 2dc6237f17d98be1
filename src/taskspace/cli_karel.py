"""The command line for Karel: make tasks, look at them, run a program on a world."""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli_printing import add_command

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from taskspace.envs.karel.data import KarelTask
    from taskspace.envs.karel.interpreter import Runs
    from taskspace.envs.karel.language import Program
    from taskspace.envs.karel.quotas import Selection
    from taskspace.envs.karel.worlds import Worlds

_WIDTH = 100  # columns that a drawing may take: two worlds of 16 x 16 and an arrow
_ARROW = " -> "

_EPILOG = """examples:
  taskspace karel generate tasks --tasks 1000        tasks/training.npz and tasks/validation.npz
  taskspace karel filter train.json.gz subset        the paper's subset of the public data set
  taskspace karel show tasks/training.npz --task 7   its program and its six examples
  taskspace karel exec program.txt world.txt         what a program does to a world
"""
_GENERATE_EPILOG = """examples:
  taskspace karel generate tasks --tasks 1000 --side 8
  taskspace karel generate tasks --tasks 1000 --json-lines
"""
_FILTER_EPILOG = """example:
  taskspace karel filter train.json.gz subset
"""
_SHOW_EPILOG = """examples:
  taskspace karel show tasks/training.npz --task 7
  taskspace karel show tasks/training.npz --task 7 --picture task.png
"""
_EXEC_EPILOG = """example:
  taskspace karel exec program.txt world.txt

program.txt, for example:
  DEF run m(
      WHILE c( frontIsClear c) w(
          move
      w)
      putMarker
  m)

world.txt, drawn with letters: # is a wall, . an empty cell, a number counts markers, ^ > v < is
the hero, >3 the hero on three markers.
  .  #  .  .
  .  >  2  .

or world.json, the same as the data set has it; row 0 is the bottom row:
  {"rows": 2, "cols": 4, "hero": "0:1:east", "blocked": "1:1", "markers": "0:2:2"}
"""


def add_commands(commands: Any) -> None:
    """Add `karel` and its commands to the commands of a parser."""
    karel = commands.add_parser(
        "karel",
        help="Karel tasks and programs",
        description="Make tasks of Karel, look at them, and run programs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = karel.add_subparsers(metavar="command", required=True)
    _add_generate(parts)
    _add_filter(parts)
    _add_show(parts)
    _add_exec(parts)


def _add_generate(commands: Any) -> None:
    parser = add_command(commands, _generate, "make random tasks", _GENERATE_EPILOG)
    _add_target(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of everything (0)")
    parser.add_argument(
        "--side", type=int, default=16, metavar="N", help="most rows and columns, 4 to 16 (16)"
    )
    parser.add_argument(
        "--json-lines", action="store_true", help="also in the public data set's format"
    )


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="where the files go; made if need be")
    parser.add_argument(
        "--tasks", type=int, metavar="N", help="how many, in the paper's shares (its 73,418)"
    )


def _add_filter(commands: Any) -> None:
    parser = add_command(commands, _filter, "take the paper's subset of a data set", _FILTER_EPILOG)
    parser.add_argument(
        "source", metavar="SOURCE", help="a file of JSON lines, one task a line; .gz too"
    )
    _add_target(parser)


def _add_show(commands: Any) -> None:
    parser = add_command(commands, _show, "draw a task", _SHOW_EPILOG)
    parser.add_argument("file", metavar="FILE", help="tasks: .npz, or JSON lines, .gz too")
    parser.add_argument(
        "--task", type=int, default=0, metavar="N", help="its number; the first is 0 (0)"
    )
    parser.add_argument(
        "--picture", metavar="OUT.png", help="draw the examples there, not with letters"
    )


def _add_exec(commands: Any) -> None:
    parser = add_command(commands, _exec, "run a program on a world", _EXEC_EPILOG)
    parser.add_argument("program", metavar="PROGRAM", help="a text file")
    parser.add_argument("world", metavar="WORLD", help="a text file: a drawing, or JSON")


# -- making tasks ----------------------------------------------------------------------------------


def _generate(options: argparse.Namespace) -> None:
    """Make random Karel tasks: programs with six examples each, for training and validation."""
    from taskspace.envs.karel.generate import generate_dataset

    selection = generate_dataset(
        options.folder, options.tasks, options.seed, options.side, options.json_lines
    )
    _print_selection(selection, "programs drawn", Path(options.folder))


def _filter(options: argparse.Namespace) -> None:
    """Take the paper's subset of the public Karel data set, for training and validation."""
    from taskspace.envs.karel.quotas import filter_dataset

    selection = filter_dataset(options.source, options.folder, options.tasks)
    _print_selection(selection, "tasks read", Path(options.folder))
    if shortage := selection.shortage():
        print(f"fewer than wanted:\n{textwrap.indent(shortage, '  ')}")


def _print_selection(selection: Selection, seen: str, folder: Path) -> None:
    """A table of what there is, what became of the rest, and where the files are."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    lengths = sorted({length for table in selection.found.values() for _, length in table})
    table = Table(title="Karel tasks by type and number of tokens", box=SIMPLE_HEAD)
    for heading in ("part", "type"):
        table.add_column(heading)
    for heading in (*map(str, lengths), "all"):
        table.add_column(heading, justify="right")
    for row in _rows(selection, lengths):
        table.add_row(*row, end_section=row[1] == "all")
    Console().print(table)
    dropped = [f"  {n:>9,} {why}" for why, n in selection.dropped.most_common() if n]
    print(f"{selection.seen:,} {seen}, of which dropped:", *dropped or ["  none"], sep="\n")
    files = sorted(place for part in selection.found for place in folder.glob(f"{part}.*"))
    print("written:", *files, sep="\n  ")


def _rows(selection: Selection, lengths: list[int]) -> list[list[str]]:
    """A line for each type and their sum; a dash where the paper has no tasks."""
    rows = []
    for part, found in selection.found.items():
        kinds = list(dict.fromkeys(kind for kind, _ in found))
        for kind in kinds:
            counts = [found.get((kind, length)) for length in lengths]
            rows.append([part if kind == kinds[0] else "", kind, *_cells(counts)])
        sums = [sum(n for cell, n in found.items() if cell[1] == length) for length in lengths]
        rows.append(["", "all", *_cells(sums)])
    return rows


def _cells(counts: list[int] | list[int | None]) -> list[str]:
    told = ["-" if count is None else f"{count:,}" for count in counts]
    return [*told, f"{sum(count or 0 for count in counts):,}"]


# -- looking at tasks ------------------------------------------------------------------------------


def _show(options: argparse.Namespace) -> None:
    """Draw a Karel task: its program and six examples of what it does."""
    from taskspace.envs.karel.language import parse, pretty

    if options.picture and Path(options.picture).suffix != ".png":
        raise ValueError(f"a picture is written to a file OUT.png, not to {options.picture!r}")
    if options.task < 0:
        raise ValueError(f"--task must be a number from 0 on, not {options.task}")
    task = _read_task(Path(options.file), options.task)
    program = parse(task.tokens)
    title = _headline(options.task, program)
    if options.picture:
        _write_picture(_picture(task, title), options.picture)
    print(f"{title}\n\n{pretty(program)}")
    if options.picture:
        print(f"\npicture: {options.picture}")
        return
    for number in range(len(task.inputs)):
        drawn = _side_by_side(task.inputs[number], task.outputs[number])
        print(f"\n{_example_name(task, number)}\n{drawn}")


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
        return passed == number + 1  # the grids of those before need not be read

    for task in read_tasks(path, wanted):
        return task
    raise ValueError(_no_such_task(path, number, passed))


def _no_such_task(path: Path, number: int, count: int) -> str:
    if not count:
        return f"{path} has no tasks"
    return f"{path} has {count:,} tasks; --task must be 0 to {count - 1}, not {number}"


def _headline(number: int, program: Program) -> str:
    from taskspace.envs.karel.language import kind, tokens

    found = kind(program)
    told = "loops and conditionals" if found == "both" else found
    return f"task {number}: {told}, {len(tokens(program))} tokens"


def _example_name(task: KarelTask, number: int) -> str:
    from taskspace.envs.karel.data import EXAMPLES, SPECIFICATION

    held_out = ", held out" if number >= SPECIFICATION else ""
    crashed = ", crashes" if task.crashed[number] else ""
    return f"example {number + 1} of {EXAMPLES}{held_out}{crashed}"


def _side_by_side(before: Worlds, after: Worlds) -> str:
    """Two worlds of the same size, and an arrow between them."""
    left, right = _drawn(before, after)
    between = [" " * len(_ARROW)] * len(left)
    between[len(left) // 2] = _ARROW
    return "\n".join("".join(line).rstrip() for line in zip(left, between, right, strict=True))


def _drawn(*worlds: Worlds) -> list[list[str]]:
    """The lines of each world, with cells of the same width in all of them."""
    from taskspace.envs.karel.worlds import to_text

    boards = [[line.split() for line in to_text(world).splitlines()] for world in worlds]
    # Only a hero on ten markers takes three letters; its column alone is wider, to fit the page.
    common = min(2, max(len(cell) for board in boards for line in board for cell in line))
    lines = []
    for board in boards:
        widths = [max(common, *map(len, column)) for column in zip(*board, strict=True)]
        lines.append([" ".join(map(str.ljust, line, widths)) for line in board])
    return lines


def _picture(task: KarelTask, title: str) -> Figure:
    """The program, and beside it three rows of two examples."""
    from matplotlib.figure import Figure

    from taskspace.envs.drawing import INK
    from taskspace.envs.karel.drawing import draw_world
    from taskspace.envs.karel.language import parse, pretty

    figure = Figure(figsize=(14, 9.4), dpi=120)
    heading = title.replace(": ", "\n")
    figure.text(0.02, 0.975, heading, size=12, weight="bold", color=INK, va="top")
    program = pretty(parse(task.tokens))
    lines = program.splitlines()
    size = min(10, 400 / max(map(len, lines)), 480 / len(lines))  # points that fit at the left
    figure.text(0.02, 0.90, program, size=size, family="monospace", color=INK, va="top")
    grid = figure.add_gridspec(3, 4, left=0.27, right=0.99, top=0.95, bottom=0.02, hspace=0.12)
    for number in range(len(task.inputs)):
        row, column = divmod(number, 2)
        before, after = (figure.add_subplot(grid[row, 2 * column + end]) for end in range(2))
        # By the places in the grid: the axes shrink to the shapes of the worlds.
        left, right = (axes.get_position(original=True) for axes in (before, after))
        middle = (left.x1 + right.x0) / 2, (left.y0 + left.y1) / 2
        figure.text(left.x0, left.y1 + 0.005, _example_name(task, number), size=10, color=INK)
        figure.text(*middle, "→", size=20, color=INK, ha="center", va="center")
        draw_world(task.inputs[number], before)
        draw_world(task.outputs[number], after)
    return figure


def _write_picture(figure: Figure, path: str) -> None:
    from taskspace.files import atomic_path

    with atomic_path(path) as temporary:
        figure.savefig(temporary, format="png")


# -- running programs ------------------------------------------------------------------------------


def _exec(options: argparse.Namespace) -> None:
    """Run a Karel program on a world: what the hero does, how it ends, and the world after."""
    from taskspace.envs.karel.interpreter import run
    from taskspace.envs.karel.language import PAD, decode, encode

    program = _read_program(Path(options.program))
    world = _read_world(Path(options.world))
    runs = run(encode([program])[0], world, trace=True)
    assert runs.actions is not None
    actions = decode(runs.actions[runs.actions != PAD])
    before, after = _drawn(world, runs.worlds)
    _print_part("world before:", before)
    _print_part(f"\nactions ({len(actions)}):", _wrapped(actions))
    print(f"\nstatus: {_status(runs, actions)}")
    print(f"ticks: {int(runs.ticks)}")
    _print_part("\nworld after:", after)


def _print_part(heading: str, lines: list[str]) -> None:
    print(heading, *(f"  {line}".rstrip() for line in lines), sep="\n")


def _wrapped(actions: list[str]) -> list[str]:
    return textwrap.wrap(" ".join(actions) or "none", _WIDTH - 2)


def _status(runs: Runs, actions: list[str]) -> str:
    from taskspace.envs.karel.interpreter import TICKS
    from taskspace.envs.karel.machine import DONE, OUT_OF_TICKS, STATUS_NAMES

    status = int(runs.status)
    if status == DONE:
        return STATUS_NAMES[status]
    if status == OUT_OF_TICKS:
        return f"{STATUS_NAMES[status]}: still running after {TICKS}, and stopped"
    return f"crashed at action {len(actions)}, {actions[-1]}: {STATUS_NAMES[status]}"


def _read_program(path: Path) -> Program:
    from taskspace.envs.karel.grammar import LONGEST
    from taskspace.envs.karel.language import parse

    text = _read_text(path)
    if (count := len(text.split())) > LONGEST:
        raise ValueError(f"{path}: programs have at most {LONGEST} tokens, not {count}")
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from error


def _read_world(path: Path) -> Worlds:
    """The world of a file: JSON if it begins with a bracket, otherwise a drawing."""
    from taskspace.envs.karel.data import world_from_json
    from taskspace.envs.karel.worlds import from_text

    text = _read_text(path)
    try:
        if text.lstrip().startswith(("{", "[")):
            return world_from_json(json.loads(text))
        return from_text(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text: {error}") from error
