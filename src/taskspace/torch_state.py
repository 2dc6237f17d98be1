"""Temporary changes to global settings of torch: the seed and the number of threads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def torch_seed(seed: int) -> Iterator[None]:
    """Seed torch within the block; afterwards its random state is as before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Use one torch thread within the block: small matrices gain nothing from more threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
