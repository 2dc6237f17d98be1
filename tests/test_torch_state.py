"""Torch's seed and threads are as they were when a block ends."""

from __future__ import annotations

import pytest
import torch

from taskspace.torch_state import one_thread, torch_seed


def test_a_seed_for_torch_ends_with_its_block() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    drawn = []
    for _ in range(2):
        with torch_seed(7):
            drawn.append(torch.randn(4))
    assert torch.equal(*drawn)
    assert torch.equal(before, torch.get_rng_state())


def test_one_thread_ends_with_its_block_also_after_an_error() -> None:
    def fail() -> None:
        with one_thread():
            inside.append(torch.get_num_threads())
            raise KeyError

    before, inside = torch.get_num_threads(), list[int]()
    try:
        torch.set_num_threads(2)
        with pytest.raises(KeyError):
            fail()
        assert (inside, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(before)
