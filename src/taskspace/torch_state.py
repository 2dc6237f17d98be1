"""What torch does globally, set for a while: its seed and its number of threads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def torch_seed(seed: int) -> Iterator[None]:
    """Within the block torch draws from this seed; afterwards as if nothing had been drawn."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Within the block torch uses one thread: for small matrices, more only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
