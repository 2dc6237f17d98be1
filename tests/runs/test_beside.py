"""A second process makes parts of a run: the same parts, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.bench.faults import contents
from taskspace.runs import beside, layout, parts
from taskspace.runs.run import Run
from taskspace.runs.sources import table
from taskspace.runs.sources.table import TableSource
from taskspace.runs.stages import Finished, Stages
from tests.messages import says

pytestmark = pytest.mark.filterwarnings("ignore::taskspace.models.embedding.verdict.WeakMapWarning")

RNG = np.random.default_rng(0)
SKILL, LEVEL = RNG.normal(size=(60, 1)), RNG.normal(size=12)
SOLVED = (RNG.logistic(size=(60, 12)) < 2 * SKILL - LEVEL).astype(np.uint8)
OUTCOMES = ts.Outcomes(SOLVED, np.array(1))


def source() -> TableSource:
    return TableSource(OUTCOMES, "mine", "auto", 0, "information", 100)


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "FEWEST_RESULTS", 0)


def on_cores(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "available_cores", lambda: count)


def made_here(*_: Any) -> Any:
    pytest.fail("made in the first process")


@pytest.mark.slow
def test_a_run_is_the_same_with_one_process_and_with_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_cores(1, monkeypatch)
    ts.fit(OUTCOMES, tmp_path / "one", name="mine", log=lambda line: None)
    on_cores(2, monkeypatch)
    for part in (layout.SHORT_TEST, layout.PREDICTOR):
        recipe = parts.Recipe(made_here, made_here, parts.RECIPES[part].load)
        monkeypatch.setitem(parts.RECIPES, part, recipe)
    ts.fit(OUTCOMES, tmp_path / "two", name="mine", log=lambda line: None)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert [path.name for path in (tmp_path / "two").glob(".*")] == [".taskspace-lock"]
    lines: list[str] = []
    ts.fit(OUTCOMES, tmp_path / "two", name="mine", log=lines.append)
    assert all(line.endswith("reused") for line in lines)


def test_a_source_is_rebuilt_from_its_description(tmp_path: Path) -> None:
    with Stages(tmp_path, source().settings(), log=lambda line: None) as stages:
        source().play(stages)
    told = source().described()
    found = parts.rebuilt(tmp_path, told["kind"], tuple(told["values"]))
    assert found.settings() == source().settings()
    played = found.play(Finished(tmp_path))
    assert np.array_equal(played.outcomes.successes, OUTCOMES.successes)


def test_no_process_starts_on_one_core_or_without_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "Process", made_here)
    with Stages(tmp_path, {}, log=lambda line: None) as stages:
        on_cores(1, monkeypatch)
        with beside.Beside(source(), stages) as second:
            second.ask(layout.SHORT_TEST)
        on_cores(2, monkeypatch)
        monkeypatch.setattr(table, "FEWEST_RESULTS", OUTCOMES.successes.size + 1)
        with beside.Beside(source(), stages):
            pass


@pytest.mark.slow
def test_an_error_of_the_second_process_is_raised_in_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_cores(2, monkeypatch)
    nowhere = {"kind": "Nowhere", "values": ["fast", 0, None, "information", "information"]}
    monkeypatch.setattr(TableSource, "described", lambda _: nowhere)
    mine = source()
    with Stages(tmp_path, mine.settings(), log=lambda line: None) as stages:
        played = mine.play(stages)
        with beside.Beside(mine, stages) as second:
            second.ask(layout.SHORT_TEST)
            with pytest.raises(ValueError, match=says("Nowhere")):
                second.stage(layout.SHORT_TEST, Run(tmp_path), played)
    assert not (tmp_path / "short-test.json").exists()


@pytest.mark.slow
def test_what_a_dead_process_would_have_made_is_made_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_cores(2, monkeypatch)
    mine = source()
    with Stages(tmp_path, mine.settings(), log=lambda line: None) as stages:
        played = mine.play(stages)
        with beside.Beside(mine, stages) as second:
            second._process.kill()
            second.ask(layout.SHORT_TEST)
            made = second.stage(layout.SHORT_TEST, Run(tmp_path, outcomes=played.outcomes), played)
    assert len(made.tasks) == 3
