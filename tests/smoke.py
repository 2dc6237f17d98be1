"""The first things that users do, on the versions that happen to be installed.

    python tests/smoke.py             with any versions
    python tests/smoke.py --floors    only with the lowest versions that pyproject.toml allows

`make oldest` runs the second in a virtual environment of its own. It is a plain script because
pytest is not among the things that users install.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

EXTRAS = ("", "explore", "ray", "rl")  # "" is the library itself
TASKSPACE = [sys.executable, "-m", "taskspace"]


# -- versions --------------------------------------------------------------------------------------


def versions() -> list[tuple[str, str, str]]:
    """Each direct dependency with its lowest allowed and its installed version."""
    found = []
    for text in metadata.requires("taskspace") or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in EXTRAS):
            (floor,) = (each.version for each in requirement.specifier if each.operator == ">=")
            found.append((requirement.name, floor, metadata.version(requirement.name)))
    return sorted(found)


def print_versions() -> None:
    print(f"Python {sys.version.split()[0]}\n\n{'package':<20}{'lowest':>12}{'installed':>12}")
    for row in versions():
        print("{:<20}{:>12}{:>12}".format(*row))
    print(flush=True)


def check_floors() -> None:
    other = [
        name for name, floor, used in versions() if Version(floor) != Version(Version(used).public)
    ]
    assert not other, f"not at the lowest version that pyproject.toml allows: {', '.join(other)}"


# -- what users do ---------------------------------------------------------------------------------


def taskspace(*words: object) -> str:
    done = subprocess.run([*TASKSPACE, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, f"`taskspace {words[0]}` failed:\n{done.stderr}"
    return done.stdout


def write_table(path: Path, columns: list[str], rows: list[list[Any]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def check_import(folder: Path) -> None:
    import taskspace as ts

    for name in ts.__all__:
        assert getattr(ts, name) is not None, name


def check_run(folder: Path) -> None:
    taskspace("run", "multikeynav", "--preset", "fast", "--out", folder / "keys")
    assert "<html" in (folder / "keys" / "report.html").read_text()
    hardest = list(csv.DictReader(taskspace("hardest", folder / "keys", "-k", 5).splitlines()))
    assert len(hardest) == 5, hardest


def check_fit_and_predict(folder: Path) -> None:
    """Half of the students solve the even questions, the others the odd ones."""
    rows = [
        [f"student {agent}", f"q{task}", int((agent + task) % 2 == 0 or (agent * task) % 7 == 0)]
        for agent in range(60)
        for task in range(20)
    ]
    results = write_table(folder / "results.csv", ["agent", "task", "score"], rows)
    taskspace("fit", results, "--out", folder / "course", "--dimensions", 2)
    quiz = write_table(folder / "quiz.csv", ["task", "result"], [["q2", 1], ["q5", 0], ["q8", 1]])
    tasks = write_table(folder / "tasks.csv", ["task"], [["q4"], ["q11"]])
    answer = taskspace("predict", folder / "course", "--quiz", quiz, tasks)
    even, odd = (float(list(row.values())[-1]) for row in csv.DictReader(answer.splitlines()))
    assert 0 < odd < 0.4 < 0.6 < even < 1, answer


@contextmanager
def server(folder: Path) -> Iterator[str]:
    words = [*TASKSPACE, "explore", str(folder), "--no-open", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://[\w.:]+", process.stdout.readline())
            assert address, "taskspace explore printed no address"
            yield address[0]
        finally:
            process.terminate()


def ask(url: str, question: dict[str, Any] | None = None) -> Any:
    body = None if question is None else json.dumps(question).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def check_explore(folder: Path) -> None:
    quiz = [{"task": name, "result": int(name != "q5")} for name in ("q2", "q5", "q8")]
    with server(folder / "course") as url:
        info = ask(f"{url}/api/info")
        assert (info["tasks"], info["agents"]) == (20, 60), info
        answer = ask(f"{url}/api/predict", {"quiz": quiz, "tasks": ["q4", "q11"]})
        even, odd = answer["probabilities"]
        assert odd < 0.4 < 0.6 < even, (odd, even)


def check_stable_baselines(folder: Path) -> None:
    from stable_baselines3 import PPO

    import taskspace as ts

    env = ts.make("CartPoleVar")
    snapshots = ts.SnapshotCallback(every=256, name="ppo")
    PPO("MlpPolicy", "taskspace/CartPoleVar-v0", n_steps=256, seed=0, device="cpu").learn(
        512, callback=snapshots
    )
    outcomes = ts.evaluate(snapshots.population, env, env.sample_tasks(20, seed=0), rollouts=2)
    assert outcomes.rates.shape == (3, 20)
    assert outcomes.steps is not None
    assert outcomes.steps.sum() > 3 * 20 * 2 * 5, "every episode fell at once"


def check_ray(folder: Path) -> None:
    import ray

    import taskspace as ts

    env = ts.make("MultiKeyNav")
    agents = [ts.MLPPolicy.random(env, seed=seed) for seed in range(3)]
    tasks = env.sample_tasks(50, seed=1)
    here, there = (ts.evaluate(agents, env, tasks, executor=kind) for kind in (None, "ray"))
    ray.shutdown()
    assert here.steps is not None
    assert there.steps is not None
    assert (here.successes == there.successes).all()
    assert (here.steps == there.steps).all()


CHECKS: dict[str, Callable[[Path], None]] = {
    "import every public name": check_import,
    "run multikeynav": check_run,
    "fit a table, predict from it": check_fit_and_predict,
    "explore, and its HTTP API": check_explore,
    "snapshots of Stable-Baselines3": check_stable_baselines,
    "evaluate on Ray": check_ray,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--floors", action="store_true", help="demand the lowest allowed versions")
    floors = parser.parse_args().floors
    print_versions()
    if floors:
        check_floors()
    with tempfile.TemporaryDirectory() as folder:
        for name, check in CHECKS.items():
            start = time.perf_counter()
            check(Path(folder))
            print(f"{name:<40}ok {time.perf_counter() - start:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
