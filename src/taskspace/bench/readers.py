"""How fast logs of evaluation harnesses are read."""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers.read import read_results

AGENTS, ITEMS = 6, 20_000
WANTED = (90, 80_000)  # agents and items, whose time is extrapolated
_STATS = 26  # statistics per instance of HELM, as in its runs
_FILLER = " because the number of the following lines is larger than expected" * 4


@dataclass(frozen=True)
class Measured:
    """The time to read one format."""

    size: int  # bytes
    seconds: float  # of the processor
    first: float  # of these for the first agent, with the texts of all items

    @property
    def per_gigabyte(self) -> float:
        return self.seconds / self.size * 1e9

    @property
    def extrapolated(self) -> float:
        agents, items = WANTED
        further = (self.seconds - self.first) / (AGENTS - 1)
        return (self.first + (agents - 1) * further) * items / ITEMS


def _texts() -> list[tuple[str, str]]:
    """The question and the hash of each item."""
    texts = [f"Question {item}:{_FILLER}?" for item in range(ITEMS)]
    return [(text, hashlib.sha256(text.encode()).hexdigest()) for text in texts]


def _scores(agent: int) -> list[bool]:
    found: list[bool] = (np.random.default_rng(agent).random(ITEMS) < 0.5).tolist()
    return found


def _lm_eval(folder: Path, agent: int) -> None:
    rows = (
        {
            "doc_id": item, "doc": {"question": text, "choices": ["a", "b"]}, "target": "2",
            "arguments": {"gen_args_0": {"arg_0": text}}, "resps": [[_FILLER]],
            "filtered_resps": ["B"], "filter": "none", "metrics": ["acc"], "doc_hash": digest,
            "prompt_hash": digest, "target_hash": digest, "acc": float(right),
        }
        for item, ((text, digest), right) in enumerate(zip(_texts(), _scores(agent), strict=True))
    )  # fmt: skip
    _write_lines(folder / f"model-{agent}" / "samples_bench.jsonl", rows)


def _every_eval_ever(folder: Path, agent: int) -> None:
    rows = (
        {
            "evaluation_id": "e", "model_id": f"model-{agent}", "evaluation_name": "bench",
            "sample_id": f"s{item}", "sample_hash": digest, "interaction_type": "single_turn",
            "input": {"raw": text, "formatted": text, "reference": ["4"]},
            "output": {"raw": [_FILLER]}, "answer_attribution": [],
            "evaluation": {"score": float(right), "is_correct": right},
        }
        for item, ((text, digest), right) in enumerate(zip(_texts(), _scores(agent), strict=True))
    )  # fmt: skip
    _write_lines(folder / f"model-{agent}_samples.jsonl", rows)


def _py_irt(folder: Path, agent: int) -> None:
    answers = {f"item-{item}": int(right) for item, right in enumerate(_scores(agent))}
    row = {"subject_id": f"model-{agent}", "responses": answers}
    _write_lines(folder / f"model-{agent}.jsonl", iter([row]))


def _inspect(folder: Path, agent: int) -> None:
    spec = {"eval_id": f"e{agent}", "task": "bench", "model": f"model-{agent}"}
    samples = [
        {
            "id": item, "epoch": 1, "input": text, "target": "B", "uuid": digest[:22],
            "scores": {"choice": {"value": "C" if right else "I", "answer": "B"}},
            "model_usage": {"m": {"input_tokens": 11, "total_tokens": 33}}, "completed": True,
        }
        for item, ((text, digest), right) in enumerate(zip(_texts(), _scores(agent), strict=True))
    ]  # fmt: skip
    members = {"header.json": {"version": 2, "eval": spec}, "summaries.json": samples}
    with zipfile.ZipFile(folder / f"{agent}.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))


def _helm(folder: Path, agent: int) -> None:
    run = folder / f"run-{agent}"
    run.mkdir()
    spec = {"name": f"bench:model=m{agent}", "adapter_spec": {"model": f"m{agent}"}}
    (run / "run_spec.json").write_text(json.dumps(spec))
    with (run / "per_instance_stats.json").open("w") as file:
        for item, right in enumerate(_scores(agent)):
            names = ["exact_match", *(f"num_{number}" for number in range(_STATS))]
            stats = [
                {
                    "name": {"name": name, "split": "test"}, "count": 1, "sum": int(right),
                    "sum_squared": 1, "min": 1, "max": 1, "mean": float(right), "variance": 0.0,
                    "stddev": 0.0,
                }
                for name in names
            ]  # fmt: skip
            instance = {"instance_id": f"id{item}", "train_trial_index": 0, "stats": stats}
            text = textwrap.indent(json.dumps(instance, indent=2), "  ")  # as HELM writes it
            file.write(("[\n" if item == 0 else ",\n") + text)
        file.write("\n]")


def _table(folder: Path, agent: int) -> None:
    rows = (f"model-{agent},item-{item},{int(r)}\n" for item, r in enumerate(_scores(agent)))
    (folder / f"{agent}.csv").write_text("model,item,correct\n" + "".join(rows))


def _write_lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "lm-evaluation-harness": _lm_eval,
    "Inspect (.eval)": _inspect,
    "HELM": _helm,
    "Every Eval Ever": _every_eval_ever,
    "py-irt": _py_irt,
    "table (.csv)": _table,
}


def measure(write: Callable[[Path, int], None]) -> tuple[Measured, Outcomes]:
    """Write logs in one format and read them."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), 0)
        _timed(folder)  # loads what the reader needs
        first, _ = _timed(folder)
        for agent in range(1, AGENTS):
            write(Path(folder), agent)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        seconds, outcomes = _timed(folder)
        return Measured(size, seconds, first), outcomes


def _timed(folder: str) -> tuple[float, Outcomes]:
    start = time.process_time()
    outcomes = read_results(folder)
    return time.process_time() - start, outcomes


def print_report(console: Console) -> None:
    """Print the time by format, and the peak of memory."""
    title = f"Reading logs of {AGENTS} agents x {ITEMS:,} items, seconds of one processor"
    table = Table(title=title, box=SIMPLE_HEAD)
    table.add_column("format")
    for heading in ("MB", "seconds", "per GB", "for 90 agents x 80,000 items"):
        table.add_column(heading, justify="right")
    for name, write in WRITERS.items():
        found, _ = measure(write)
        seconds = (found.seconds, found.per_gigabyte, found.extrapolated)
        table.add_row(name, f"{found.size / 1e6:.0f}", *(f"{value:.1f}" for value in seconds))
    console.print(table)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    console.print(f"peak of memory: {peak / 1e9:.1f} GB, of which the benchmark takes a part")
