"""Speed of training and decoding of program synthesizers, and the cost of the paper's preset."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from rich.console import Console

from taskspace.agents.karel import decoding
from taskspace.agents.karel.network import Synthesizer
from taskspace.bench.printing import print_lines
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.grids import to_grids
from taskspace.training.karel.learning import SUBPOPULATIONS, TrainingSettings, batches, loss_of
from taskspace.training.karel.recipes import TRAINING_SETTINGS

ROUNDS = 3
DECODED = 64  # tasks per second
PRESETS = ("small", "paper")


@dataclass(frozen=True)
class Speed:
    """Speed on one core, the median of interleaved rounds."""

    parameters: int
    step_seconds: float  # per training step
    bfloat16_gain: float | None  # of mixed precision; None if the processor does not support it
    greedy_per_s: float  # tasks per second
    beam_per_s: float  # tasks per second with a beam of ten
    training_core_hours: float  # for all four subpopulations


def measure(preset: str) -> Speed:
    """Measure the network and batches of a preset."""
    settings = TRAINING_SETTINGS[preset]
    side = settings.size.side
    tasks = generate_tasks(max(400, 2 * settings.batch), 0, side, progress=False)[0]["training"]
    torch.manual_seed(0)
    network = Synthesizer(settings.size)
    found = batches(tasks, settings, np.random.default_rng(0))
    batch = [torch.from_numpy(part) for part in next(found)]
    seen = _grids(tasks[:DECODED], settings)
    rounds = []
    for _ in range(ROUNDS):
        plain = _seconds(lambda: _step(network, batch, half=False))
        rounds.append((
            plain, plain / _seconds_in_half(network, batch),
            DECODED / _seconds(lambda: decoding.greedy(network, seen)),
            DECODED / _seconds(lambda: decoding.beam(network, seen)),
        ))  # fmt: skip
    plain, gain, greedy, beam = map(statistics.median, zip(*rounds, strict=True))
    hours = plain * settings.steps * len(SUBPOPULATIONS) / 3600
    parameters = sum(weight.numel() for weight in network.parameters())
    return Speed(parameters, plain, gain or None, greedy, beam, hours)


def _grids(tasks: KarelTasks, settings: TrainingSettings) -> torch.Tensor:
    size = settings.size
    return torch.from_numpy(to_grids(tasks, size.side, radius=size.radius))


def _step(network: Synthesizer, batch: list[torch.Tensor], half: bool) -> None:
    """Forward and backward pass; the time of the optimizer is negligible."""
    mixed = torch.autocast("cpu", torch.bfloat16) if half else contextlib.nullcontext()
    with mixed:
        loss = loss_of(network, *batch)
    network.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]


def _seconds_in_half(network: Synthesizer, batch: list[torch.Tensor]) -> float:
    """The same in mixed precision; infinite if the LSTM does not support it, e.g. with AVX2."""
    try:
        return _seconds(lambda: _step(network, batch, half=True))
    except RuntimeError:
        return float("inf")


def _seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def measure_all() -> dict[str, Speed]:
    """Measure all presets."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return {preset: measure(preset) for preset in PRESETS}
    finally:
        torch.set_num_threads(threads)


def as_json(speeds: dict[str, Speed]) -> dict[str, dict[str, float | None]]:
    """The results as plain JSON, by preset."""
    return {preset: asdict(speed) for preset, speed in speeds.items()}


_LINES: dict[str, Callable[[Speed], str]] = {
    "parameters": lambda s: f"{s.parameters:,}",
    "training step, s": lambda s: f"{s.step_seconds:.3f}",
    "speedup by bfloat16": lambda s: "–" if s.bfloat16_gain is None else f"{s.bfloat16_gain:.2f}×",
    "greedy decoding, tasks/s": lambda s: f"{s.greedy_per_s:,.0f}",
    "beam of ten, tasks/s": lambda s: f"{s.beam_per_s:,.1f}",
    "training all four subpopulations, core hours": lambda s: f"{s.training_core_hours:,.1f}",
}


def print_report(console: Console) -> None:
    """Measure everything and print a table."""
    title = "Synthesizers of Karel programs on one core of this machine"
    print_lines(console, title, _LINES, measure_all())
    paper = TRAINING_SETTINGS["paper"]
    console.print(
        f"Core hours: step time x {paper.steps:,} steps (paper) x {len(SUBPOPULATIONS)}, without"
        " measurements of skill during training. –: not supported by this processor."
    )
