"""Decoding against a plain search, and by the grammar always."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from taskspace.agents.karel.decoding import beam, greedy
from taskspace.agents.karel.network import Size, Synthesizer
from taskspace.envs.karel.grammar import PartialPrograms, first_fault
from taskspace.envs.karel.language import PAD
from taskspace.training.karel.learning import allowed_tokens

TINY = Size(side=4, channels=2, blocks=1, code=8, token=6, hidden=10)


@pytest.fixture
def network() -> Synthesizer:
    torch.manual_seed(3)
    made = Synthesizer(TINY)
    with torch.no_grad():
        made.out.weight *= 8  # so that it has opinions
    return made


@pytest.fixture
def grids() -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return (torch.rand(6, 5, 2, 16, 6, 6, generator=generator) < 0.1).float()


@torch.no_grad()
def likelihoods(
    network: Synthesizer, grids: torch.Tensor, programs: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """The log probabilities of programs for one task, all tokens at once."""
    same = grids[None].expand(len(programs), *grids.shape)
    scores = network(same, torch.from_numpy(programs.astype(np.int64)))
    forbidden = torch.from_numpy(~allowed_tokens(programs))
    likely = scores.masked_fill(forbidden, -torch.inf).log_softmax(2).double().numpy()
    taken = np.take_along_axis(likely, programs[:, :, None].astype(np.int64), 2)[..., 0]
    return np.where(programs == PAD, 0.0, taken).sum(1)


def every_program(limit: int) -> NDArray[np.uint8]:
    """All programs of at most so many tokens, by brute force over the grammar."""
    growing: list[list[int]] = [[]]
    for _ in range(limit):
        longer = []
        for tokens in growing:
            partial = PartialPrograms(1, limit)
            for token in tokens:
                partial.advance([token])
            longer += [[*tokens, int(t)] for t in np.flatnonzero(partial.allowed()[0])]
        growing = longer
    return np.array(growing, np.uint8)


def test_a_wide_beam_finds_the_best_programs(network: Synthesizer, grids: torch.Tensor) -> None:
    programs = every_program(6)
    assert len(programs) == 5 + 25  # one action or two
    found = beam(network, grids[:2], width=40, limit=6)
    for task in range(2):
        scores = likelihoods(network, grids[task], programs)
        best = found[task, :30]
        assert {tuple(program) for program in best} == {tuple(program) for program in programs}
        in_order = likelihoods(network, grids[task], best)
        np.testing.assert_allclose(in_order, -np.sort(-scores), rtol=0, atol=1e-4)
        assert (found[task, 30:] == PAD).all()


def test_a_beam_of_one_is_greedy(network: Synthesizer, grids: torch.Tensor) -> None:
    assert np.array_equal(beam(network, grids, width=1)[:, 0], greedy(network, grids))


def test_a_wider_beam_is_no_worse(network: Synthesizer, grids: torch.Tensor) -> None:
    wide, narrow = beam(network, grids, width=10)[:, 0], greedy(network, grids)
    for task in range(len(grids)):
        better, plain = likelihoods(network, grids[task], np.stack([wide[task], narrow[task]]))
        assert better >= plain - 1e-4


def test_what_comes_out_are_programs(network: Synthesizer, grids: torch.Tensor) -> None:
    for programs in (greedy(network, grids), beam(network, grids)[:, 0]):
        assert programs.shape == (6, 24)
        assert first_fault(programs) is None
