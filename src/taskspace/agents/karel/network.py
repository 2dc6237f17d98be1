"""The synthesizer: from examples of input and output to a program, token by token."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from taskspace.envs.karel.language import START, TOKENS
from taskspace.envs.karel.worlds import CHANNELS, SIDE

State = tuple[torch.Tensor, torch.Tensor]  # of the LSTM, each (layers, tasks x examples, hidden)


@dataclass(frozen=True)
class Size:
    """The size of a synthesizer; by default that of the paper."""

    side: int = SIDE  # of the largest world
    radius: int = 0  # of the visible part around the hero; 0: the whole world
    channels: int = 32  # of the first convolution of each grid
    blocks: int = 2
    code: int = 512  # the size of an encoded example
    token: int = 256
    hidden: int = 256
    layers: int = 2


PAPER_SIZE = Size()
FAST_SIZE = Size(side=6, radius=5, channels=4, blocks=1, code=64, token=16, hidden=48)
SMALL_SIZE = Size(side=8, radius=5, channels=8, code=128, token=32, hidden=96)


class Residual(nn.Module):
    """Three convolutions with a skip connection."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Conv2d(channels, channels, 3, padding=1) for _ in range(3)
        )

    def forward(self, grids: torch.Tensor) -> torch.Tensor:
        """Map grids to grids of the same shape."""
        found = grids
        for convolution in self.convolutions[:-1]:
            found = torch.relu(convolution(found))
        return torch.relu(grids + self.convolutions[-1](found))


class Encoder(nn.Module):
    """A network from the two grids of an example to its code."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        channels = 2 * size.channels
        edge = 2 * size.radius + 1 if size.radius else size.side + 2
        self.first = nn.Conv2d(CHANNELS, size.channels, 3, padding=1)
        self.last = nn.Conv2d(CHANNELS, size.channels, 3, padding=1)
        self.blocks = nn.Sequential(*(Residual(channels) for _ in range(size.blocks)))
        self.out = nn.Linear(channels * edge * edge, size.code)

    def forward(self, grids: torch.Tensor) -> torch.Tensor:
        """Map grids (tasks, examples, 2, 16, edge, edge) to codes (tasks, examples, code)."""
        pairs = grids.flatten(0, 1)
        both = torch.cat([self.first(pairs[:, 0]), self.last(pairs[:, 1])], dim=1)
        found = self.blocks(torch.relu(both))
        codes = torch.relu(self.out(found.flatten(1)))
        return codes.reshape(*grids.shape[:2], codes.shape[-1])


class Synthesizer(nn.Module):
    """One LSTM per example, with shared weights; their outputs are max-pooled to the scores."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.encoder = Encoder(size)
        self.embedding = nn.Embedding(len(TOKENS), size.token)
        self.lstm = nn.LSTM(size.token + size.code, size.hidden, size.layers, batch_first=True)
        self.out = nn.Linear(size.hidden, len(TOKENS))

    def forward(self, grids: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        """Scores (tasks, length, 52) of each token, given the true tokens before it."""
        before = torch.cat([torch.full_like(tokens[:, :1], START), tokens[:, :-1]], dim=1)
        return self.advance(before, self.encoder(grids))[0]

    def advance(
        self, tokens: torch.Tensor, codes: torch.Tensor, state: State | None = None
    ) -> tuple[torch.Tensor, State]:
        """Read tokens (tasks, length); returns scores of the next tokens, and the new state."""
        tasks, examples, _ = codes.shape
        length = tokens.shape[1]
        seen = self.embedding(tokens)[:, None].expand(-1, examples, -1, -1)
        inputs = torch.cat([seen, codes[:, :, None].expand(-1, -1, length, -1)], dim=-1)
        found, state = self.lstm(inputs.flatten(0, 1), state)
        best = found.reshape(tasks, examples, length, -1).amax(dim=1)
        return self.out(best), state
