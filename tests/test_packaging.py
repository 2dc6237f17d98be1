"""The wheel: small, complete, and usable outside the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import taskspace as ts

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
MOST = 5_000_000  # bytes of a wheel
USE = """
import pathlib, sys
import taskspace as ts

assert sys.argv[1] in ts.__file__, ts.__file__
tasks = ts.make("MultiKeyNav").sample_tasks(3, seed=0)
assert ts.load_pretrained("MultiKeyNav").transform(tasks).shape == (3, 6)
run = ts.open_run("run")
run.map().save("map.html")
run.export("page.html")
assert pathlib.Path("run/report.html").stat().st_size > 1000
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the checkout, which a build would leave files in."""
    if find_spec("build") is None:
        pytest.skip("build is not installed: pip install build")
    folder: Path = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    # Without isolation, because that would download setuptools.
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (folder / "dist").glob("*.whl")
    return found


def test_the_wheel_is_small_and_has_the_version(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST
    assert wheel.name.startswith(f"taskspace-{ts.__version__}-")


def test_the_wheel_runs_the_demo_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", str(target), str(wheel)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(target)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("-m", "taskspace", "run", "multikeynav", "--preset", "fast", "--out", "run")  # the demo
    run("-c", USE, str(target))
    assert "task-" in run("-m", "taskspace", "hardest", "run")


def test_versions_agree() -> None:
    assert f"\n## {ts.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {ts.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    assert re.findall(r'set version = "(.*?)"', recipe) == [ts.__version__]


def test_conda_has_the_dependencies_of_the_package() -> None:
    """Under the names of conda-forge, where torch is pytorch and matplotlib has no window."""
    project = (ROOT / "pyproject.toml").read_text()
    listed = re.search(r"^dependencies = \[(.*?)^\]", project, re.M | re.S)
    assert listed
    other = {"torch": "pytorch", "matplotlib": "matplotlib-base"}
    wanted = {
        f"{other.get(name, name)} >={least}"
        for name, least in re.findall(r'"([\w-]+)>=([\d.]+)"', listed[1])
    }
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    assert wanted <= set(re.findall(r"^    - (.+)$", recipe, re.M))
