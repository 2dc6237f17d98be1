"""Benchmarks on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from taskspace import bench
from taskspace.bench.printing import Collector, print_lines
from tests.cli.process import complaint, run


def test_bench_help_says_what_is_measured() -> None:
    done = run("bench", "rollouts", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--json" in done.stdout
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines() if line.strip()]
    told = dict(line for line in lines if len(line) == 2)
    for module in Path(bench.__file__).parent.glob("*.py"):  # one a line, and none forgotten
        assert ("def print_report(" in module.read_text()) == (module.stem in told)


def test_tables_without_a_json_form_of_their_own_are_collected() -> None:
    console = Collector()
    print_lines(console, "Speed", {"steps/s": "{:,}".format, "time": "{} ms".format}, {"one": 1200})
    console.print("Measured here.")
    rows = [{"measurement": "steps/s", "one": 1200.0}, {"measurement": "time", "one": "1200 ms"}]
    assert console.tables == [{"title": "Speed", "rows": rows}]
    assert console.notes == ["Measured here."]


def test_two_files_are_compared_and_nothing_else_takes_files(tmp_path: Path) -> None:
    path = tmp_path / "here.json"
    path.write_text('{"machine": {}, "seconds": {"a": 1}}')
    done = run("bench", "compare", str(path), str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing takes over" in done.stdout
    told = json.loads(run("bench", "compare", str(path), str(path), "--json").stdout)
    assert told["tables"][0]["rows"] == [
        {"measurement": "a", "first": 1.0, "second": 1.0, "ratio": 1.0}
    ]
    assert "must have 2 files, got " in complaint(run("bench", "compare", str(path)))
    assert "must have 0 files, got " in complaint(run("bench", "search", str(path)))
