"""Decoding of programs that follow the grammar: greedy, or with a beam."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.karel.network import State, Synthesizer
from taskspace.envs.karel.grammar import PartialPrograms
from taskspace.envs.karel.language import PAD, START, TOKENS

LIMIT = 24  # tokens per program, the paper's horizon
WIDTH = 10  # of the beam

Programs = NDArray[np.uint8]  # (tasks, tokens), padded


@torch.no_grad()
def greedy(network: Synthesizer, grids: torch.Tensor, limit: int = LIMIT) -> Programs:
    """Programs of the most likely token at each position."""
    codes = network.encoder(grids)
    partial = PartialPrograms(len(grids), limit)
    programs = np.full((len(grids), limit), PAD, np.uint8)
    tokens = torch.full((len(grids), 1), START, device=grids.device)
    state: State | None = None
    for position in range(limit):
        scores, state = network.advance(tokens, codes, state)
        tokens = _allowed(scores[:, 0], partial).argmax(1)[:, None]
        programs[:, position] = tokens[:, 0].cpu().numpy()
        partial.advance(programs[:, position])
        if partial.finished.all():
            break
    return programs


def _allowed(scores: torch.Tensor, partial: PartialPrograms) -> torch.Tensor:
    """Scores, with minus infinity for tokens that the grammar forbids."""
    forbidden = torch.from_numpy(~partial.allowed()).to(scores.device)
    return scores.masked_fill(forbidden, -torch.inf)


@torch.no_grad()
def beam(
    network: Synthesizer, grids: torch.Tensor, width: int = WIDTH, limit: int = LIMIT
) -> NDArray[np.uint8]:
    """The `width` most likely programs that a beam finds: (tasks, width, tokens), best first.

    If there are fewer programs, the remaining rows are padding.
    """
    n = len(grids)
    codes = network.encoder(grids).repeat_interleave(width, dim=0)
    partial = PartialPrograms(n * width, limit)
    programs = np.full((n * width, limit), PAD, np.uint8)
    # At first all beams of a task are equal, so only the first of them counts.
    likely = torch.full((n, width), -torch.inf, device=grids.device)
    likely[:, 0] = 0.0
    tokens = torch.full((n * width, 1), START, device=grids.device)
    first = (torch.arange(n, device=grids.device) * width)[:, None]
    state: State | None = None
    for position in range(limit):
        scores, state = network.advance(tokens, codes, state)
        each = _allowed(scores[:, 0], partial).log_softmax(1).reshape(n, width, -1)
        likely, best = (likely[:, :, None] + each).flatten(1).topk(width, dim=1)
        parents = (best // len(TOKENS) + first).flatten()
        order, dead = parents.cpu().numpy(), likely.isinf().flatten().cpu().numpy()
        programs, partial = programs[order], partial.take(order)
        state = (state[0][:, _pairs(parents, codes)], state[1][:, _pairs(parents, codes)])
        # A beam without a program continues with any token; its score stays minus infinity.
        chosen = (best % len(TOKENS)).flatten().cpu().numpy()
        programs[:, position] = np.where(dead, partial.allowed().argmax(1), chosen)
        tokens = torch.from_numpy(programs[:, position, None].astype(np.int64)).to(grids.device)
        partial.advance(programs[:, position])
        if partial.finished.all():
            break
    programs[likely.isinf().flatten().cpu().numpy()] = PAD
    return programs.reshape(n, width, limit)


def _pairs(rows: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """The rows of the LSTM for these rows: one per example."""
    examples = codes.shape[1]
    return (rows[:, None] * examples + torch.arange(examples, device=rows.device)).flatten()
