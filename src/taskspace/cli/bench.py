"""`taskspace bench BENCHMARK`: measure speed on this machine."""

from __future__ import annotations

import argparse
import importlib
import json
from typing import Any

from taskspace.cli.arguments import add_command, add_json, lines

_BENCHMARKS = {
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
"""


def add(commands: Any) -> None:
    """Add `bench` to the commands of a parser."""
    parser = add_command(commands, "bench", _run, "measure speed on this machine", _EXAMPLES)
    parser.description = f"{_run.__doc__}\n\nbenchmarks:\n{lines(_BENCHMARKS)}"
    parser.add_argument(
        "what", choices=list(_BENCHMARKS), metavar="what", help="name of the benchmark, see above"
    )
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Run a benchmark on this machine and print a table of the results."""
    from rich.console import Console

    benchmark: Any = importlib.import_module(f"taskspace.bench.{options.what}")
    if not options.json:
        benchmark.print_report(Console())
    elif hasattr(benchmark, "as_json"):
        print(json.dumps(benchmark.as_json(benchmark.measure_all()), indent=2))
    else:
        raise ValueError(f"`bench {options.what}` has no JSON output; omit --json")
