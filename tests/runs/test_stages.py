"""The run folder: resumed, refused, locked, and whole after a kill at any moment."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from taskspace.runs.layout import Part
from taskspace.runs.stages import Stages
from tests.messages import says

STAMP, RESULT = "stamp", "result"
SETTINGS: dict[str, Any] = {"seed": 0, "population": {"agents": 3}}

# Stages of a file, a folder and a file, each made of the ones before.
PIPELINE = """
import os, signal, sys
from pathlib import Path
from taskspace.runs.layout import Part
from taskspace.runs.stages import Stages

def save_folder(value, path):
    path.mkdir()
    (path / "inner").mkdir()
    for i in range(3):
        (path / "inner" / f"{i}.txt").write_text(f"{value} {i}" * 1000)

def load_folder(path):
    return "".join((path / "inner" / f"{i}.txt").read_text() for i in range(3))

def pipeline(folder):
    with Stages(folder, {"seed": 0}, log=lambda line: None) as run:
        first = run.stage("first", lambda: "a" * 5000, lambda v, p: p.write_text(v), Path.read_text)
        second = run.stage("second", lambda: first[:7] + "b", save_folder, load_folder)
        third = lambda: second[:9] + "c"
        run.stage(Part("third", "third.txt"), third, lambda v, p: p.write_text(v), Path.read_text)
"""

# Kills itself at the n-th thing it does to the file system, for every n, each in a new folder; and
# then n after n in one folder, which meets the leftovers of all earlier kills.
KILLER = (
    PIPELINE
    + """
EVENTS = ("open", "os.", "shutil.", "tempfile.", "fcntl.")

def killed(folder, n):
    child = os.fork()
    if child == 0:
        left = [n]
        def hook(event, arguments):
            if event.startswith(EVENTS) and any(str(folder) in str(a) for a in arguments):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(hook)
        pipeline(folder)
        os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL

def results(folder):
    stamps = ("first.json", "second.json", "third.json")
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in stamps)
    return [(str(p.relative_to(folder)), p.read_bytes()) for p in files]

root = Path(sys.argv[1])
pipeline(root / "whole")
n, kills = 0, 0
while killed(root / f"each-{n}", n):
    n, kills = n + 1, kills + 1
    if n % 4 == 0:
        killed(root / "one", n)
for folder in [*root.glob("each-*"), root / "one"]:
    pipeline(folder)
    assert results(folder) == results(root / "whole"), folder
print(kills)
"""
)

WAITER = """
import sys, time
from taskspace.runs.stages import Stages
run = Stages(sys.argv[1], {"seed": 0, "population": {"agents": 3}})
if len(sys.argv) > 2:
    import os
    ready, tell = os.pipe()
    if os.fork() == 0:  # as a worker of a pool that outlives its parent
        os.write(tell, b"x")
        time.sleep(3)
        os._exit(0)
    os.read(ready, 1)
print("open", flush=True)
time.sleep(60)
"""


def write(value: str, path: Path) -> None:
    path.write_text(value)


def change(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


def fail() -> str:
    raise AssertionError("made again")


@contextlib.contextmanager
def opened(folder: Path, settings: Any = SETTINGS) -> Iterator[tuple[Stages, list[str]]]:
    lines: list[str] = []
    with Stages(folder, settings, log=lines.append) as run:
        yield run, lines


def untimed(line: str) -> str:
    """The line as it would be had the stage taken no time."""
    return re.sub(r"\d+\.\d s", "0.0 s", line)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".taskspace-lock"}


def test_a_stage_is_made_once_and_then_reused(tmp_path: Path) -> None:
    with opened(tmp_path / "new" / "run") as (run, lines):
        assert run.stage(Part("a", "a.txt"), lambda: "result", write, Path.read_text) == "result"
    with opened(tmp_path / "new" / "run") as (run, again):
        assert run.stage(Part("a", "a.txt"), fail, write, Path.read_text) == "result"
    assert [untimed(line) for line in lines] == ["a … 0.0 s"]
    assert again == ["a … reused"]
    assert names(run.folder) == {"settings.json", "a.txt", "a.json"}


def test_the_lines_go_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Stages(tmp_path, SETTINGS) as run:
        run.stage("a", lambda: "x", write, Path.read_text)
    out, err = capsys.readouterr()
    assert (out, untimed(err)) == ("", "a … 0.0 s\n")


def test_the_stamp_says_what_made_the_result(tmp_path: Path) -> None:
    with opened(tmp_path) as (run, _):
        run.stage("a", lambda: "x", write, Path.read_text)
        run.stage("b", lambda: "y", write, Path.read_text, after=["a"])
    first, second = (json.loads((tmp_path / f"{name}.json").read_text()) for name in "ab")
    assert second["upstream"] == {"a": first["digest"]}
    assert second["settings"] == first["settings"]
    assert second["seconds"] >= 0
    assert {"taskspace", "python", "numpy"} <= set(second["versions"])


def test_what_is_made_goes_on_as_it_would_be_loaded(tmp_path: Path) -> None:
    with opened(tmp_path) as (run, _):
        assert run.stage("a", lambda: "1.50", write, lambda p: str(float(p.read_text()))) == "1.5"


def test_a_stage_is_made_again_when_what_it_builds_on_changed(tmp_path: Path) -> None:
    def both(first: str) -> list[str]:
        with opened(tmp_path) as (run, lines):
            value = run.stage("a", lambda: first, write, Path.read_text)
            run.stage("b", lambda: value + "!", write, Path.read_text)
            run.stage("c", lambda: "c", write, Path.read_text, after=[])
        return [line.split("(")[-1] for line in lines]

    both("x")
    (tmp_path / "a.json").unlink()
    assert both("x")[1:] == ["b … reused", "c … reused"]  # the same bits
    (tmp_path / "a.json").unlink()
    remade, reused = both("y")[1:]
    assert "changed" in remade
    assert reused == "c … reused"
    assert (tmp_path / "b").read_text() == "y!"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda folder: (folder / "a.json").write_text("{"), STAMP),
        (lambda folder: (folder / "a.json").write_text("[]"), STAMP),
        (lambda folder: change(folder / "a.json", '"seconds": ', '"seconds": 1'), STAMP),
        (lambda folder: (folder / "a").write_text("resul"), RESULT),
        (lambda folder: (folder / "a").unlink(), RESULT),
    ],
)
def test_what_is_damaged_is_made_again(
    tmp_path: Path, damage: Callable[[Path], object], reason: str
) -> None:
    for expected in ("a … 0.0 s", rf"a … 0.0 s \(.* {reason} .*\)", "a … reused"):
        with opened(tmp_path) as (run, lines):
            assert run.stage("a", lambda: "result", write, Path.read_text) == "result"
        (line,) = lines
        assert re.fullmatch(expected, untimed(line))
        if expected == "a … 0.0 s":
            damage(tmp_path)


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    Stages(tmp_path, {"seed": 0, "population": {"agents": 3}, "old": "x", "same": [1]}).close()
    other = {"seed": 0.0, "population": {"agents": 5}, "new": True, "same": [1]}
    with pytest.raises(ValueError, match=says(f"{tmp_path} settings")) as error:
        Stages(tmp_path, other)
    text = str(error.value)
    assert re.search(r"population\.agents\b[^;]* 3\b[^;]* 5\b", text)
    assert re.search(r'\bold\b[^;]* "x"', text)
    assert re.search(r"\bnew\b[^;]* true\b", text)
    assert re.search(r"\bseed\b[^;]* 0\b[^;]* 0\.0\b", text)
    assert "same" not in text
    assert "version" not in text


def test_damaged_settings_are_told_with_what_to_do(tmp_path: Path) -> None:
    Stages(tmp_path, SETTINGS).close()
    path = tmp_path / "settings.json"
    for old, new, tokens in (
        ('"agents": 3', '"agents": 7', "settings.json checksum"),
        ("{", "[", "settings.json folder"),
    ):
        whole = path.read_text()
        path.write_text(whole.replace(old, new))
        with pytest.raises(ValueError, match=says(tokens)):
            Stages(tmp_path, SETTINGS)
        path.write_text(whole)
    Stages(tmp_path, SETTINGS).close()


def test_settings_in_another_order_are_the_same(tmp_path: Path) -> None:
    Stages(tmp_path, {"a": 1, "b": (2, 3)}).close()
    Stages(tmp_path, {"b": [2, 3], "a": 1}).close()


def test_another_version_of_taskspace_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stages(tmp_path, SETTINGS).close()
    monkeypatch.setattr("taskspace.runs.stages.__version__", "99")
    with pytest.raises(ValueError, match=says('taskspace.version "99"')):
        Stages(tmp_path, SETTINGS)


@pytest.mark.parametrize("settings", [{"a": object()}, {"a": float("nan")}, {"a": {1, 2}}])
def test_settings_are_plain(tmp_path: Path, settings: Any) -> None:
    with pytest.raises(ValueError, match=says("settings JSON")):
        Stages(tmp_path / "run", settings)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["thesis.tex", "settings.json"])
def test_a_foreign_folder_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}")
    with pytest.raises(ValueError, match=says(str(tmp_path))):
        Stages(tmp_path, SETTINGS)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(FileExistsError, match=says(str(tmp_path / "run"))):
        Stages(tmp_path / "run", SETTINGS)


@pytest.mark.parametrize(
    ("name", "options", "tokens"),
    [
        ("a", {}, "stage a a.json"),
        (Part("b", "a"), {}, "stage b a b.json"),
        (Part("b", "b.json"), {}, "stage b b.json"),
        ("settings", {}, "stage settings settings.json"),
        ("../b", {}, "'../b' stage"),
        (".taskspace-b", {}, "'.taskspace-b' stage"),
        ("b", {"after": ["c"]}, "stage b c"),
    ],
)
def test_bad_stages_are_refused(
    tmp_path: Path, name: str | Part, options: dict[str, Any], tokens: str
) -> None:
    with opened(tmp_path) as (run, _):
        run.stage("a", lambda: "x", write, Path.read_text)
        with pytest.raises(ValueError, match=says(tokens)):
            run.stage(name, fail, write, Path.read_text, **options)


def test_a_closed_run_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as (run, _):
        pass
    with pytest.raises(ValueError, match=says(f"{tmp_path} closed")):
        run.stage("a", fail, write, Path.read_text)


def test_a_stage_that_saves_nothing_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as (run, _):
        with pytest.raises(ValueError, match=says("stage a")):
            run.stage("a", lambda: "x", lambda value, path: None, Path.read_text)
        assert run.stage("a", lambda: "x", write, Path.read_text) == "x"  # and may be tried again


def test_a_full_disk_is_told_and_earlier_results_stay(tmp_path: Path) -> None:
    def save(value: str, path: Path) -> None:
        path.write_text("half")
        with Path("/dev/full").open("w") as full:
            full.write(value)

    with opened(tmp_path) as (run, _):
        run.stage("a", lambda: "x", write, Path.read_text)
        with pytest.raises(OSError, match=rf"{tmp_path / 'b'}: No space left on device$") as error:
            run.stage("b", lambda: "y", save, Path.read_text)
    assert error.value.errno == errno.ENOSPC
    assert names(tmp_path) == {"settings.json", "a", "a.json"}
    with opened(tmp_path) as (run, lines):
        run.stage("a", fail, write, Path.read_text)
    assert lines == ["a … reused"]


@contextlib.contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Without root's right to write everywhere."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_read_only_folder_is_refused_in_one_sentence() -> None:
    with tempfile.TemporaryDirectory() as outer:
        Path(outer).chmod(0o755)
        folder = Path(outer, "run")
        with opened(folder) as (run, _):
            run.stage("a", lambda: "x", write, Path.read_text)
        for path in (folder / ".taskspace-lock", folder, Path(outer)):
            path.chmod(0o555)
        for asked in (folder, Path(outer, "new")):
            with as_ordinary_user(), pytest.raises(PermissionError) as error:
                Stages(asked, SETTINGS)
            assert str(error.value).endswith(f" {asked}: Permission denied")
        assert (folder / "a").read_text() == "x"
        for path in (Path(outer), folder):
            path.chmod(0o755)


def test_leftovers_are_cleaned_on_opening(tmp_path: Path) -> None:
    with opened(tmp_path) as (run, _):
        run.stage("a", lambda: "x", write, Path.read_text)
    (tmp_path / ".taskspace-left").mkdir()
    (tmp_path / ".taskspace-left" / "half").write_text("ha")
    (tmp_path / ".taskspace-file.json").write_text("{")
    (tmp_path / "report.html").write_text("mine")
    Stages(tmp_path, SETTINGS).close()
    assert names(tmp_path) == {"settings.json", "a", "a.json", "report.html"}


def test_a_run_killed_before_its_settings_can_begin_again(tmp_path: Path) -> None:
    (tmp_path / ".taskspace-lock").touch()
    (tmp_path / ".taskspace-abc.json").write_text("{")
    Stages(tmp_path, SETTINGS).close()
    assert names(tmp_path) == {"settings.json"}


@pytest.mark.parametrize("fork", [[], ["fork"]])
def test_a_second_process_is_refused_until_the_first_is_killed(
    tmp_path: Path, fork: list[str]
) -> None:
    command = [sys.executable, "-c", WAITER, str(tmp_path), *fork]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(BlockingIOError, match=says(str(tmp_path))):
            Stages(tmp_path, SETTINGS)
        process.send_signal(signal.SIGKILL)
        process.wait()
        Stages(tmp_path, SETTINGS).close()


def test_a_run_in_the_same_process_is_refused_too(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(BlockingIOError, match=says(str(tmp_path))):
        Stages(tmp_path, SETTINGS)


@pytest.mark.slow
def test_killed_at_any_moment_it_resumes_to_the_same_bits(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLER, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30


# -- pieces of an unfinished stage -----------------------------------------------------------------


def unfinished(folder: Path) -> list[Path]:
    return sorted(folder.glob(".taskspace-unfinished-*"))


def interrupted(folder: Path, first: str = "a", seed: int = 0) -> list[str]:
    """Run a stage whose second piece fails if it is new; returns the pieces that were computed."""
    made: list[str] = []

    def read(path: Path) -> str:
        return path.read_text()

    with Stages(folder, {"seed": seed}, log=lambda line: None) as run:
        run.stage("first", lambda: first, lambda v, p: p.write_text(v), read)

        def make() -> str:
            for name in ("one", "two"):
                if run.checkpoints.load(name, read) is None:
                    made.append(name)
                    run.checkpoints.save(name, name, lambda v, p: p.write_text(v))
                    raise InterruptedError
            return first + "done"

        with contextlib.suppress(InterruptedError):
            run.stage("second", make, lambda v, p: p.write_text(v), read)
    return made


def test_pieces_of_an_unfinished_stage_are_kept_and_then_removed(tmp_path: Path) -> None:
    assert interrupted(tmp_path) == ["one"]
    assert interrupted(tmp_path) == ["two"]
    assert [path.is_dir() for path in unfinished(tmp_path)] == [True]
    assert interrupted(tmp_path) == []
    assert unfinished(tmp_path) == []
    assert (tmp_path / "second").read_text() == "adone"


def test_pieces_made_from_other_inputs_are_not_used(tmp_path: Path) -> None:
    assert interrupted(tmp_path) == ["one"]
    (tmp_path / "first.json").unlink()
    assert interrupted(tmp_path, "b") == ["one"]
    assert len(unfinished(tmp_path)) == 1  # those of the other input are gone
    assert interrupted(tmp_path, "b") == ["two"]


def test_pieces_of_other_settings_are_not_used(tmp_path: Path) -> None:
    interrupted(tmp_path / "zero")
    interrupted(tmp_path / "one", seed=1)
    stolen = tmp_path / "one" / unfinished(tmp_path / "zero")[0].name
    unfinished(tmp_path / "zero")[0].rename(stolen)
    unfinished(tmp_path / "one")
    assert interrupted(tmp_path / "one", seed=1) == ["two"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"results": "30b846a1"}, "changed read differently"), ({"seed": 0}, "given results nothing")],
)
def test_results_that_have_changed_are_told_without_digests(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    Stages(tmp_path, {"results": "c050c66b"}).close()
    with pytest.raises(ValueError, match=says(said)) as refused:
        Stages(tmp_path, settings)
    assert not re.search("30b846a1|c050c66b", str(refused.value))
