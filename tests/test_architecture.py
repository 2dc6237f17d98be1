"""The shape of the code: imports flow one way, importing is quick and light, files stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import taskspace
from tests.messages import says

PACKAGE = Path(taskspace.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Upstream first: a part may import parts before it, and itself.
ORDER = [
    "checks",
    "_version",
    "files",
    "model_folders",
    "task_names",
    "torch_state",
    "progress",
    "plots",
    "report",
    "runs",
    "tables",
    "table_streams",
    "outcome_tables",
    "outcomes",
    "envs",
    "population",
    "rollout",
    "training",
    "synthesis",
    "similarity",
    "constraints",
    "success",
    "embedding",
    "applications",
    "groups",
    "summary",
    "pipeline",
    "fit_pipeline",
    "finished",
    "exports",
    "explore",
    "karel_summary",
    "karel_pipeline",
    "paper",
    "testing",
    "bench",
    "cli",
    "__main__",
]


def imports(path: Path) -> set[str]:
    """The parts of taskspace that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
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


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


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
    with pytest.raises(AttributeError, match=says("'nothing'")):
        _ = taskspace.nothing
