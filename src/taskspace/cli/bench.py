"""`taskspace bench BENCHMARK`: measure speed on this machine."""

from __future__ import annotations

import argparse
import importlib
import json
from typing import Any

from taskspace.cli.arguments import add_command, add_json, lines

_BENCHMARKS = {
    "all": "speed of the engine, growth, answers and whole runs, in one file with --json",
    "runs": "whole runs: seconds by stage, and memory",
    "growth": "time and memory against agents, tasks, rollouts, items and dimensions",
    "rollouts": "environment steps per second, compiled and in plain Python",
    "scaling": "rollouts with more threads and with Ray",
    "million": "time and memory for a map of a million tasks",
    "similarity": "error of similarity estimates by number of rollouts",
    "answers": "time of commands that answer questions about a run",
    "readers": "reading of evaluation logs",
    "redundancy": "near-copies found in simulated tables with known copies",
    "search": "search for similar tasks among a million",
    "success": "training of the success model",
    "returns": "predictions of returns: coverage of intervals, and errors",
    "return_maps": "maps by return beside maps by success",
    "stopping": "evaluations that end early: coverage of the interval at the end",
    "few_agents": "predictions and short tests beside simple ones, with few known agents",
    "quiz": "choice of questions, and accuracy of the predictions",
    "karel": "execution of Karel programs",
    "synthesis": "training of agents that write programs",
    "explore": "requests per second to the explorer's server",
    "page": "response time of the explorer's page with 50,000 tasks, in a browser",
    "faults": "recovery of runs that are killed",
}
_EXAMPLES = """examples:
  taskspace bench rollouts
  taskspace bench search --json
  taskspace bench all --json > here.json
  taskspace bench compare there.json here.json
"""


def add(commands: Any) -> None:
    """Add `bench` to the commands of a parser."""
    parser = add_command(commands, "bench", _run, "measure speed on this machine", _EXAMPLES)
    parser.description = f"{_run.__doc__}\n\nbenchmarks:\n{lines(_BENCHMARKS)}"
    parser.add_argument(
        "what", choices=[*_BENCHMARKS, "compare"], metavar="what",
        help="name of the benchmark, see above; or compare, for two files of `bench all --json`",
    )  # fmt: skip
    parser.add_argument("files", nargs="*", metavar="FILE", help="the two files of `bench compare`")
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Run a benchmark on this machine and print a table of the results."""
    from rich.console import Console

    from taskspace.bench.printing import Collector

    expected = 2 if options.what == "compare" else 0
    if len(options.files) != expected:
        given = ", ".join(options.files) or "none"
        raise ValueError(f"`bench {options.what}` must have {expected} files, got {given}")
    console = Collector() if options.json else Console()
    if expected:
        from taskspace.bench.compare import print_comparison, read

        print_comparison(console, *map(read, options.files))
    else:
        benchmark: Any = importlib.import_module(f"taskspace.bench.{options.what}")
        if options.json and hasattr(benchmark, "as_json"):
            print(json.dumps(benchmark.as_json(benchmark.measure_all()), indent=2))
            return
        benchmark.print_report(console)
    if isinstance(console, Collector):
        print(json.dumps({"tables": console.tables, "notes": console.notes}, indent=2))
