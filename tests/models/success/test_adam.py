"""The optimizer of the success model, beside torch's own."""

from __future__ import annotations

import subprocess
import sys

import torch

from taskspace.models.success.adam import AdamW


def network() -> torch.nn.Sequential:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.LayerNorm(7), torch.nn.Linear(7, 3))


def test_steps_are_bit_identical_to_torchs() -> None:
    mine, theirs = network(), network()
    optimizer = AdamW(mine.parameters(), 0.01)
    reference = torch.optim.AdamW(theirs.parameters(), weight_decay=0.01, fused=True)
    for step in range(20):
        tasks, rate = torch.randn(9, 5), 1e-2 / (1 + step)
        mine(tasks).square().sum().backward()
        optimizer.step(rate)
        reference.param_groups[0]["lr"] = rate
        reference.zero_grad()
        theirs(tasks).square().sum().backward()
        reference.step()
    for one, other in zip(mine.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(one, other)


def test_parameters_without_gradients_stay() -> None:
    frozen = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    unused, used = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
    (frozen * used).sum().backward()
    AdamW([frozen, unused, used], 0.01).step(0.1)
    assert torch.equal(frozen, torch.ones(2))
    assert torch.equal(unused, torch.ones(2))
    assert not torch.equal(used, torch.ones(2))


def test_torchs_compiler_is_not_imported() -> None:
    program = (
        "import sys, torch; from taskspace.models.success.adam import AdamW;"
        " one = torch.nn.Parameter(torch.ones(2)); one.sum().backward();"
        " AdamW([one], 0.0).step(0.1); sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
