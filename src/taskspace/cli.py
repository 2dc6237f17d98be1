"""The command line: parse, call one library function, print what it returns."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace import cli_explore, cli_karel, cli_map, cli_quiz
from taskspace._version import __version__
from taskspace.cli_printing import add_command

if TYPE_CHECKING:
    from taskspace.runs.run import Run

_EPILOG = """examples:
  taskspace run multikeynav            agents, outcomes, map and report, in runs/multikeynav
  taskspace run karel                  the same for agents that write programs; takes longer
  taskspace run cartpolevar --ray      agents train and play on a Ray cluster
  taskspace fit results.csv --out DIR  a map from nothing but a table of results
  taskspace similar DIR task-17        what a map says; so do embed, predict, select, hardest
  taskspace quiz DIR                   questions to an agent; what else it can do
  taskspace explore DIR                look at the map in a browser, and ask it questions
  taskspace export DIR map.parquet     the map for other programs
  taskspace reproduce table1           the paper's Table 1, with ours beside it
  taskspace reproduce all              every table and figure, on one page
  taskspace envs                       what there is to solve
  taskspace bench rollouts             how fast agents are played on this machine
  taskspace bench rollouts --json      the same as one JSON object
  taskspace karel generate tasks       programming tasks of Karel; `taskspace karel --help` has more
"""
_PRESETS = {
    "fast": "to try it out",
    "default": "good maps in minutes",
    "small": "Karel's default",
    "paper": "as many rollouts as the paper",
}
_RUN_EPILOG = """examples:
  taskspace run multikeynav
  taskspace run cartpolevar --preset fast --seed 1 --out runs/first-look
  taskspace run cartpolevar --ray 10.0.0.1:6379
"""
_REPRODUCE_EPILOG = """examples:
  taskspace reproduce table1 --only ours
  taskspace reproduce figure5 --env MultiKeyNav --seeds 1
  taskspace reproduce all --preset fast --out runs/quick
"""
_BENCHMARKS = {
    "rollouts": "playing agents on tasks, compiled and in plain Python",
    "scaling": "the same in threads and on Ray",
    "million": "time and memory of a map of a million tasks",
    "similarity": "the error of similarities, against the number of rollouts",
    "search": "finding similar tasks among a million",
    "success": "learning who solves what",
    "quiz": "choosing questions, and what the answers tell",
    "karel": "running programs of Karel",
    "synthesis": "learning to write programs",
    "explore": "requests a second to the explorer's server",
    "page": "how the explorer's page follows a hand on 50,000 tasks, in a browser",
    "faults": "runs that are killed and go on",
}
_BENCH_EPILOG = """examples:
  taskspace bench rollouts
  taskspace bench search --json
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; mistakes are told in one sentence, without a traceback."""
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: print(
                f"taskspace: {message}", file=sys.stderr
            )
            options.run(options)
    except KeyboardInterrupt:
        print("taskspace: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; nothing is left to say
        return 1
    except (ValueError, OSError, ImportError) as error:
        print(f"taskspace: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    whole = argparse.ArgumentParser(
        prog="taskspace",
        description="Learn a map of tasks from how a population of agents performs on them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"taskspace {__version__}")
    commands = whole.add_subparsers(metavar="command", required=True)
    _add_run(commands)
    cli_map.add_commands(commands)
    cli_quiz.add_command(commands)
    cli_explore.add_command(commands)
    _add_reproduce(commands)
    add_command(commands, _envs, "list the environments", "example:\n  taskspace envs\n")
    _add_bench(commands)
    cli_karel.add_commands(commands)
    return whole


def _add_bench(commands: Any) -> None:
    bench = add_command(commands, _bench, "measure speed", _BENCH_EPILOG)
    bench.description = f"{_bench.__doc__}\n\nwhat there is:\n{_lines(_BENCHMARKS)}"
    bench.add_argument("what", choices=list(_BENCHMARKS), metavar="what", help="see above")
    bench.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _lines(told: Mapping[str, str]) -> str:
    """Names, and what there is to say about each, one a line."""
    width = max(map(len, told))
    return "\n".join(f"  {name:<{width}}  {text}" for name, text in told.items())


def _add_run(commands: Any) -> None:
    parser = add_command(commands, _run, "make a map of an environment", _RUN_EPILOG)
    parser.description = f"{_run.__doc__}\n\npresets:\n{_lines(_PRESETS)}"
    parser.add_argument("environment", help="its name, as `taskspace envs` lists it")
    parser.add_argument("--out", metavar="DIR", help="the folder (runs/<environment>)")
    parser.add_argument(
        "--preset", default="default", choices=list(_PRESETS), help="see above (default)"
    )
    parser.add_argument("--data", metavar="DIR", help="Karel: tasks of `taskspace karel filter`")
    parser.add_argument("--seed", type=int, default=0, help="of everything (0)")
    parser.add_argument(
        "--ray", metavar="ADDRESS", nargs="?", const="",
        help="train and play agents on the Ray cluster at ADDRESS (such as 10.0.0.1:6379; without"
        " one: at RAY_ADDRESS, else on this machine); the result is the same",
    )  # fmt: skip


def _add_reproduce(commands: Any) -> None:
    from taskspace.paper.parts import PARTS

    listed = _lines({**PARTS, "all": "everything, and a page that shows it"})
    parser = commands.add_parser(
        "reproduce",
        help="the paper's results, with ours beside",
        description=f"{_reproduce.__doc__}\n\nwhat there is:\n{listed}",
        epilog=_REPRODUCE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=[*PARTS, "all"], metavar="what", help="see above")
    parser.add_argument("--env", action="append", metavar="NAME", help="only this one")
    parser.add_argument("--only", choices=["ours"], help="table1 without the baselines")
    parser.add_argument("--seeds", type=int, default=3, help="runs of the whole pipeline (3)")
    parser.add_argument("--preset", default="default", choices=["fast", "default", "paper"])
    parser.add_argument("--out", metavar="DIR", default="runs/paper", help="(runs/paper)")
    parser.add_argument("--karel", action="store_true", help="Karel too, which takes longer")
    parser.add_argument("--page", metavar="FILE", help="of all: where the page goes (in DIR)")
    parser.set_defaults(run=_reproduce)


def _run(options: argparse.Namespace) -> None:
    """Train agents, play them, learn the map, and write a report. A stopped run goes on."""
    from taskspace.cli_printing import print_numbers
    from taskspace.rollout.cluster import connected

    if options.ray is None:
        made = _make_run(options)
    else:
        with connected(options.ray or None):
            made = _make_run(options, executor="ray")
    print_numbers(made.results)
    print(f"silhouette {made.results['silhouette']:.3f}; report: {made.report()}")


def _make_run(options: argparse.Namespace, executor: str | None = None) -> Run:
    from taskspace.runs.pipeline import run

    return run(
        options.environment, options.out, preset=options.preset, seed=options.seed,
        data=options.data, executor=executor,
    )  # fmt: skip


def _reproduce(options: argparse.Namespace) -> None:
    """Reproduce a table or figure of the paper; what is there already is not made again."""
    from taskspace.paper import everything, table1
    from taskspace.paper.study import Study

    folder = Path(options.out)
    environments = tuple(options.env) if options.env else None
    study = Study(folder, environments, options.seeds, options.preset, options.karel)
    if options.what == "all":
        page = Path(options.page) if options.page else folder / "results.md"
        for result in everything.reproduce_all(study, page):
            _print_result(result, folder)
        print(f"everything on one page: {page}")
    elif options.what == "table1" and options.only:
        result = table1.reproduce(study, models=["ours"])
        study.write(result)
        _print_result(result, folder)
    else:
        _print_result(everything.reproduce(options.what, study), folder)


def _print_result(result: Any, folder: Path) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for part in result.tables:
        table = Table(title=part.title, box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
        for heading in part.headings():
            number = isinstance(part.rows[0][heading], (int, float))
            table.add_column(heading, justify="right" if number else "left")
        for cells in part.cells():
            table.add_row(*cells)
        console.print(table)
        if part.note:
            console.print(part.note)
        print(f"written to {folder / part.name}.csv")
    for note in result.notes:
        console.print(note)
    for picture, caption in result.pictures.items():
        print(f"{caption} {picture}")


def _envs(options: argparse.Namespace) -> None:
    """List the environments: what their tasks vary by, their actions, states and clusters."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from taskspace.envs.registry import ENVIRONMENTS, PROGRAMMING, make

    table = Table(title="Environments: taskspace.make(name)", box=SIMPLE_HEAD)
    for heading in ("name", "tasks vary by", "actions", "state", "horizon"):
        table.add_column(heading, min_width=13 if heading == "name" else None)
    table.add_column("clusters")
    for name in ENVIRONMENTS | PROGRAMMING:
        env = make(name)
        table.add_row(
            name,
            env.varies_by,
            f"{len(env.action_names)}" + ("" if env.discrete else " real"),
            str(env.state_size),
            str(env.horizon),
            f"{len(env.cluster_names)}: {', '.join(env.cluster_names)}",
        )
    Console().print(table)


def _bench(options: argparse.Namespace) -> None:
    """Measure this machine: plain Python beside the compiled engine, in one run."""
    from rich.console import Console

    benchmark: Any = importlib.import_module(f"taskspace.benchmarks.{options.what}")
    if not options.json:
        benchmark.print_report(Console())
    elif hasattr(benchmark, "as_json"):
        print(json.dumps(benchmark.as_json(benchmark.measure_all()), indent=2))
    else:
        raise ValueError(f"`bench {options.what}` has no JSON form")


if __name__ == "__main__":
    sys.exit(main())
