"""The losses against the paper's formulas and finite differences."""

from __future__ import annotations

import numpy as np
import torch

from taskspace.models.embedding.losses import norm_loss, triplet_loss


def vectors(*shape: int) -> torch.Tensor:
    rng = np.random.default_rng(0)
    return torch.tensor(rng.standard_normal(shape), dtype=torch.float64, requires_grad=True)


def test_a_sure_triplet_has_the_papers_loss() -> None:
    a, b, c = vectors(3, 20, 4)
    ours = triplet_loss(a, b, c, torch.ones(20, dtype=torch.float64))
    paper = torch.log(1 + torch.exp((a * c).sum(1) - (a * b).sum(1))).mean()
    torch.testing.assert_close(ours, paper)


def test_an_unsure_triplet_has_the_expected_loss() -> None:
    a, b, c = vectors(3, 20, 4)
    p = torch.linspace(0, 1, 20, dtype=torch.float64)
    margin = (a * (b - c)).sum(1)
    expected = (
        p * torch.log(1 + torch.exp(-margin)) + (1 - p) * torch.log(1 + torch.exp(margin))
    ).mean()
    torch.testing.assert_close(triplet_loss(a, b, c, p), expected)


def test_pairs_have_the_papers_loss() -> None:
    easier, harder = vectors(2, 20, 4)
    paper = torch.log(1 + torch.exp(easier.norm(dim=1) - harder.norm(dim=1))).mean()
    torch.testing.assert_close(norm_loss(easier, harder), paper)


def test_gradients_are_right() -> None:
    a, b, c = vectors(3, 5, 3)
    p = torch.full((5,), 0.3, dtype=torch.float64)
    assert torch.autograd.gradcheck(
        lambda x: triplet_loss(x, b, c, p), (a.detach().requires_grad_(),)
    )  # type: ignore[no-untyped-call]
    assert torch.autograd.gradcheck(lambda x: norm_loss(x, b), (a.detach().requires_grad_(),))  # type: ignore[no-untyped-call]


def test_the_gradient_at_zero_is_finite() -> None:
    zero = torch.zeros(3, 2, requires_grad=True)
    norm_loss(zero, torch.ones(3, 2)).backward()  # type: ignore[no-untyped-call]
    assert zero.grad is not None
    assert torch.isfinite(zero.grad).all()
