"""Make the embedders that ship with the package: `python -m taskspace.paper.pretrained`."""

from __future__ import annotations

import sys
from pathlib import Path

from taskspace.embedding.estimator import TaskEmbedder
from taskspace.embedding.pretrained import FOLDER
from taskspace.paper.table1 import PAPER
from taskspace.pipeline import run


def main(runs: Path) -> None:
    """Run the pipeline for each environment of Table 1, seed 0, and keep its embedder."""
    for name in PAPER:
        folder = runs / f"{name.lower()}-0"
        run(name, folder)
        TaskEmbedder.load(folder / "embedder").save(FOLDER / name)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/paper"))
