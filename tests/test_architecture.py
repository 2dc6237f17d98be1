"""The shape of the code: imports flow one way, the top level is small, importing is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import taskspace

PACKAGE = Path(taskspace.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_AT_THE_TOP = 8

# Upstream first: a part may import parts before it, and itself.
ORDER = [
    "_version", "checks", "files", "checkpoints", "progress", "torch_state",
    "outcomes", "envs", "agents", "rollouts", "training", "similarity", "models", "applications",
    "curriculum", "report", "explore", "runs", "paper", "testing", "bench", "cli", "__main__",
]  # fmt: skip


def running_code(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING`, which never run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from running_code(node)


def imports(path: Path) -> set[str]:
    """The parts of taskspace that a file imports when it runs, also within functions."""
    found = set()
    for node in running_code(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        parts = [name.split(".") for name in names]
        found |= {p[1] for p in parts if p[0] == "taskspace" and len(p) > 1 and p[1] in ORDER}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_upstream(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if part == "__init__":
        return
    later = set(ORDER[ORDER.index(part) + 1 :])
    assert not imports(path) & later


def test_the_top_level_is_small() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= MOST_AT_THE_TOP


def test_importing_is_light() -> None:
    program = (
        "import sys, taskspace;"
        "print([m for m in ('torch', 'matplotlib', 'numba', 'pandas') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_public_name_is_there_and_documented() -> None:
    for name in taskspace.__all__:
        value = getattr(taskspace, name)
        assert name == "__version__" or value.__doc__
    assert sorted(taskspace.__all__) == sorted(dir(taskspace))
    with pytest.raises(AttributeError, match="nothing"):
        _ = taskspace.nothing
