"""Speed of Karel programs: a plain tree walker against the compiled interpreter."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from taskspace.bench.printing import print_lines
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.interpreter import compile_programs, run
from taskspace.envs.karel.language import decode
from taskspace.envs.karel.worlds import Worlds, random_worlds
from taskspace.testing import plain_karel

ROUNDS = 5
SHORTEST, LONGEST = 10, 14  # tokens; these allow a nesting depth of at most 2
# All programs on the same hundred worlds, as in a search for programs; each program on six worlds
# of its own, as in tests of an agent's answers; and the programs of tasks on their own worlds, on
# which they do not crash.
SHARED, OWN = "500 programs on 100 worlds", "3000 programs on 6 worlds each"
TRUE = "2000 tasks of 6 worlds"
SETTINGS = {SHARED: (500, 100), OWN: (3000, 6), TRUE: (2000, 6)}


@dataclass(frozen=True)
class Speed:
    """Programs x worlds per second on one core, including parsing or compilation."""

    plain_per_s: float  # worlds copied with deepcopy
    plain_by_hand_per_s: float  # worlds copied by hand
    compiled_per_s: float
    ratio: float
    ratio_by_hand: float
    ns_per_run: float
    compile_ns_per_program: float
    ticks_per_run: float


def measure(setting: str) -> Speed:
    """Measure one setting; every number is the median of interleaved rounds."""
    tokens, worlds = _material(setting)
    programs = len(tokens)
    texts = [decode(row) for row in tokens]
    share = max(1, programs // 10)  # number of programs for the plain interpreter
    plain = [
        [plain_karel.as_plain(worlds[row % len(worlds), k]) for k in range(worlds.shape[1])]
        for row in range(share)
    ]
    runs = run(tokens[:, None], worlds)  # compiles the kernels

    def walk(by_hand: bool) -> Callable[[], None]:
        def all_of_them() -> None:
            for text, starts in zip(texts[:share], plain, strict=True):
                tree = plain_karel.Parser(text).program()
                for start in starts:
                    plain_karel.run(tree, start, by_hand)

        return all_of_them

    few = runs.status[:share].size
    rounds = []
    for _ in range(ROUNDS):
        slow, by_hand = _seconds(walk(False)) / few, _seconds(walk(True)) / few
        # Repeated, to take about as long as the plain interpreter.
        fast = _seconds(lambda: run(tokens[:, None], worlds), times=20) / runs.status.size
        rounds.append((
            1 / slow,
            1 / by_hand,
            1 / fast,
            slow / fast,
            by_hand / fast,
            1e9 * fast,
            1e9 * _seconds(lambda: compile_programs(tokens), times=20) / programs,
            float(runs.ticks.mean()),
        ))  # fmt: skip
    medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
    return Speed(*medians)


def _material(setting: str) -> tuple[NDArray[np.uint8], Worlds]:
    programs, each = SETTINGS[setting]
    if setting == TRUE:
        tasks = KarelTasks.join(generate_tasks(programs, progress=False)[0].values())
        return tasks.tokens, tasks.inputs
    tokens = random_programs(programs, seed=0, longest=LONGEST, shortest=SHORTEST)
    if setting == SHARED:
        return tokens, random_worlds(each, seed=1)[None]
    return tokens, random_worlds(programs * each, seed=1).reshape(programs, each)


def _seconds(function: Callable[[], Any], times: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(times):
        function()
    return (time.perf_counter() - start) / times


def measure_all() -> dict[str, Speed]:
    """Measure all settings."""
    return {setting: measure(setting) for setting in SETTINGS}


def as_json(speeds: dict[str, Speed]) -> dict[str, dict[str, float]]:
    """The results as plain JSON, by setting."""
    return {setting: asdict(speed) for setting, speed in speeds.items()}


_LINES: dict[str, Callable[[Speed], str]] = {
    "plain, runs/s": lambda s: f"{s.plain_per_s:,.0f}",
    "plain, worlds copied by hand, runs/s": lambda s: f"{s.plain_by_hand_per_s:,.0f}",
    "compiled, runs/s": lambda s: f"{s.compiled_per_s / 1e6:.1f} M",
    "compiled / plain": lambda s: f"{s.ratio:,.0f}×",
    "compiled / plain, worlds copied by hand": lambda s: f"{s.ratio_by_hand:,.0f}×",
    "compiled, ns/run": lambda s: f"{s.ns_per_run:.0f}",
    "compilation, ns/program": lambda s: f"{s.compile_ns_per_program:.0f}",
    "ticks/run": lambda s: f"{s.ticks_per_run:.1f}",
}


def print_report(console: Console) -> None:
    """Measure everything and print a table."""
    title = "Execution of Karel programs on one core of this machine"
    print_lines(console, title, _LINES, measure_all())
    console.print(
        f"Programs have {SHORTEST} to {LONGEST} tokens and worlds up to 16 x 16 cells; both are"
        " random, except for tasks. Parsing or compilation is included."
    )
