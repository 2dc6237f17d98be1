"""`taskspace karel exec PROGRAM WORLD`: run a program on a world."""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import add_command, add_json
from taskspace.cli.json_output import print_json
from taskspace.cli.karel.letters import WIDTH, drawn

if TYPE_CHECKING:
    from taskspace.envs.karel.interpreter import Runs
    from taskspace.envs.karel.language import Program
    from taskspace.envs.karel.worlds import Worlds

_EXAMPLES = """example:
  taskspace karel exec program.txt world.txt

An example of program.txt:
  DEF run m(
      WHILE c( frontIsClear c) w(
          move
      w)
      putMarker
  m)

An example of world.txt. # is a wall, . an empty cell, a number is a cell with that many markers,
^ > v < is the hero, and >3 is the hero on three markers.
  .  #  .  .
  .  >  2  .

The same world as JSON, in the format of the public data set; row 0 is the bottom row:
  {"rows": 2, "cols": 4, "hero": "0:1:east", "blocked": "1:1", "markers": "0:2:2"}
"""


def add(commands: Any) -> None:
    """Add `karel exec` to the commands of a parser."""
    parser = add_command(commands, "exec", _run, "run a program on a world", _EXAMPLES)
    parser.add_argument("program", metavar="PROGRAM", help="text file with a program, see below")
    parser.add_argument(
        "world", metavar="WORLD", help="text file with a drawing or JSON, see below"
    )
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Run a Karel program on a world.

    The output is the world before, the actions of the hero, the status at the end, the number of
    ticks (instructions), and the world after.
    """
    from taskspace.envs.karel.interpreter import run
    from taskspace.envs.karel.language import PAD, decode, encode

    program = _read_program(Path(options.program))
    world = _read_world(Path(options.world))
    runs = run(encode([program])[0], world, trace=True)
    assert runs.actions is not None
    actions = decode(runs.actions[runs.actions != PAD])
    before, after = drawn(world, runs.worlds)
    if options.json:
        print_json({
            "before": before, "actions": list(actions), "status": _status(runs, actions),
            "ticks": int(runs.ticks), "after": after,
        })  # fmt: skip
        return
    _print_part("world before:", before)
    _print_part(f"\nactions ({len(actions)}):", _wrapped(actions))
    print(f"\nstatus: {_status(runs, actions)}")
    print(f"ticks: {int(runs.ticks)}")
    _print_part("\nworld after:", after)


def _print_part(heading: str, lines: list[str]) -> None:
    print(heading, *(f"  {line}".rstrip() for line in lines), sep="\n")


def _wrapped(actions: list[str]) -> list[str]:
    return textwrap.wrap(" ".join(actions) or "none", WIDTH - 2)


def _status(runs: Runs, actions: list[str]) -> str:
    from taskspace.envs.karel.interpreter import TICKS
    from taskspace.envs.karel.machine import DONE, OUT_OF_TICKS, STATUS_NAMES

    status = int(runs.status)
    if status == DONE:
        return STATUS_NAMES[status]
    if status == OUT_OF_TICKS:
        return f"{STATUS_NAMES[status]}: stopped after {TICKS}"
    return f"crashed at action {len(actions)}, {actions[-1]}: {STATUS_NAMES[status]}"


def _read_program(path: Path) -> Program:
    from taskspace.envs.karel.grammar import LONGEST
    from taskspace.envs.karel.language import parse

    text = _read_text(path)
    if (count := len(text.split())) > LONGEST:
        raise ValueError(f"the program in {path} must have at most {LONGEST} tokens, got {count}")
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from error


def _read_world(path: Path) -> Worlds:
    """Read a world: JSON if the file begins with a bracket, otherwise a drawing."""
    from taskspace.envs.karel.data import world_from_json
    from taskspace.envs.karel.worlds import from_text

    text = _read_text(path)
    try:
        if text.lstrip().startswith(("{", "[")):
            return world_from_json(json.loads(text))
        return from_text(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} must be JSON or a drawing, got {error}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be a text file, got {error}") from error
