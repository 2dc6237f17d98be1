"""The synthesizer's network."""

from __future__ import annotations

import torch

from taskspace.agents.karel.network import PAPER_SIZE, Size, Synthesizer
from taskspace.envs.karel.language import START, TOKENS

TINY = Size(side=4, channels=2, blocks=1, code=8, token=6, hidden=10)


def example(tasks: int = 3, length: int = 7) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    grids = (torch.rand(tasks, 5, 2, 16, 6, 6, generator=generator) < 0.1).float()
    return grids, torch.randint(0, 50, (tasks, length), generator=generator)


def test_the_paper_s_sizes() -> None:
    network = Synthesizer(PAPER_SIZE)
    assert network.encoder.first.weight.shape == (32, 16, 3, 3)
    assert network.encoder.out.weight.shape == (512, 64 * 18 * 18)
    assert network.lstm.input_size == 256 + 512
    assert (network.lstm.hidden_size, network.lstm.num_layers) == (256, 2)


def test_all_at_once_is_one_by_one() -> None:
    torch.manual_seed(0)
    network, (grids, tokens) = Synthesizer(TINY), example()
    at_once = network(grids, tokens)
    assert at_once.shape == (3, 7, len(TOKENS))
    codes, state, before = network.encoder(grids), None, torch.full((3, 1), START)
    for place in range(7):
        scores, state = network.advance(before, codes, state)
        assert torch.allclose(scores[:, 0], at_once[:, place], atol=1e-5)
        before = tokens[:, place : place + 1]


def test_the_order_of_the_examples_does_not_matter() -> None:
    torch.manual_seed(0)
    network, (grids, tokens) = Synthesizer(TINY), example()
    turned = network(grids[:, [4, 2, 0, 1, 3]], tokens)
    assert torch.allclose(network(grids, tokens), turned, atol=1e-6)


def test_later_tokens_do_not_change_earlier_scores() -> None:
    torch.manual_seed(0)
    network, (grids, tokens) = Synthesizer(TINY), example()
    other = tokens.clone()
    other[:, 4:] = 0
    assert torch.equal(network(grids, tokens)[:, :5], network(grids, other)[:, :5])
