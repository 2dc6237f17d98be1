"""`taskspace bench WHAT`: speed on this machine."""

from __future__ import annotations

import argparse
import importlib
import json
from typing import Any

from taskspace.cli.arguments import add_command, lines

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
_EXAMPLES = """examples:
  taskspace bench rollouts
  taskspace bench search --json
"""


def add(commands: Any) -> None:
    """Add `bench` to the commands of a parser."""
    parser = add_command(commands, "bench", _run, "measure speed", _EXAMPLES)
    parser.description = f"{_run.__doc__}\n\nwhat there is:\n{lines(_BENCHMARKS)}"
    parser.add_argument("what", choices=list(_BENCHMARKS), metavar="what", help="see above")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )


def _run(options: argparse.Namespace) -> None:
    """Measure this machine: plain Python beside the compiled engine, in one run."""
    from rich.console import Console

    benchmark: Any = importlib.import_module(f"taskspace.bench.{options.what}")
    if not options.json:
        benchmark.print_report(Console())
    elif hasattr(benchmark, "as_json"):
        print(json.dumps(benchmark.as_json(benchmark.measure_all()), indent=2))
    else:
        raise ValueError(f"`bench {options.what}` has no JSON form")
