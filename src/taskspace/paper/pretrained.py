"""Make the maps that ship with the package: `python -m taskspace.paper.pretrained`."""

from __future__ import annotations

import sys
from pathlib import Path

from taskspace.models.embedding.pretrained import FOLDER, METHODS
from taskspace.paper.table1 import PAPER
from taskspace.runs.pipeline import learn


def main(runs: Path) -> None:
    """Save both maps of seed 0 of each environment of Table 1, learned in the folder `runs`."""
    for method in METHODS:
        for name in PAPER:
            folder = runs / f"{name.lower()}-0-{method}"
            learn(name, folder, method=method).embedder.save(FOLDER / method / name)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/paper"))
