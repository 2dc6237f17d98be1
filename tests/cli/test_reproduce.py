"""`taskspace reproduce`: what there is, how a result is printed, and mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from taskspace.cli import main
from taskspace.paper import curriculum, everything, table1
from taskspace.paper.parts import PARTS
from taskspace.paper.study import Result, Study, Table
from tests.messages import says

Output = pytest.CaptureFixture[str]
ROWS = [{"model": "ours", "score": 0.5, "score ±": 0.25}]


def result(name: str, picture: Path) -> Result:
    table = Table("scores", "All scores", ROWS, "A note.")
    return Result(name, "title", [table], {picture: "A map."}, ["The end."])


def test_help_lists_every_part(capsys: Output) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["reproduce", "--help"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert {*PARTS, "all"} <= {line[0] for line in lines}


def test_a_part_is_asked_for_as_the_options_say_and_printed(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Study]] = []

    def reproduce(what: str, study: Study) -> Result:
        asked.append((what, study))
        return result(what, tmp_path / "map.png")

    monkeypatch.setattr(everything, "reproduce", reproduce)
    words = ["--env", "multikeynav", "--env", "PointMass", "--seeds", "2", "--preset", "fast"]
    assert main(["reproduce", "figure5", *words, "--out", str(tmp_path)]) == 0
    ((what, study),) = asked
    assert (what, study.environments) == ("figure5", ("MultiKeyNav", "PointMass"))
    assert (study.folder, study.seeds, study.preset, study.karel) == (tmp_path, 2, "fast", False)
    out = capsys.readouterr().out
    for part in (
        "All scores",
        "0.500 ± 0.250",
        "A note.",
        "The end.",
        f"{tmp_path / 'scores'}.csv",
    ):
        assert part in out
    assert f"A map. {tmp_path / 'map.png'}" in out


def test_our_part_of_table_1_goes_without_baselines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def reproduce(study: Study, models: list[str], finished: bool = False) -> Result:
        asked.append(models)
        assert finished == (models == ["IID", "ours"])
        return result("table1", tmp_path / "map.png")

    monkeypatch.setattr(table1, "reproduce", reproduce)
    assert main(["reproduce", "table1", "--only", "ours", "--out", str(tmp_path)]) == 0
    assert asked == [["ours"]]
    assert (tmp_path / "scores.csv").exists()
    monkeypatch.setattr(curriculum, "reproduce", reproduce)
    words = ["--only", "ours", "--finished", "--out", str(tmp_path)]
    assert main(["reproduce", "curriculum", *words]) == 0
    assert asked[1] == ["IID", "ours"]


@pytest.mark.parametrize("page", [None, "elsewhere.md"])
def test_all_parts_go_to_one_page(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch, page: str | None
) -> None:
    pages: list[Path] = []

    def reproduce_all(study: Study, page: Path) -> list[Result]:
        pages.append(page)
        return [result("table1", tmp_path / "a.png"), result("pca", tmp_path / "b.png")]

    monkeypatch.setattr(everything, "reproduce_all", reproduce_all)
    more = [] if page is None else ["--page", page]
    assert main(["reproduce", "all", "--out", str(tmp_path), *more]) == 0
    expected = tmp_path / "results.md" if page is None else Path(page)
    assert pages == [expected]
    out = capsys.readouterr().out
    assert out.count("All scores") == 2
    assert out.endswith(f" {expected}\n")


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        (["pca", "--seeds", "0"], "seeds 0"),
        (["pca", "--env", "MultiKeyNv"], "'MultiKeyNv' 'MultiKeyNav'"),
        (["figure4", "--env", "CartPoleVar"], "CartPoleVar MultiKeyNav"),
    ],
)
def test_mistakes_are_told_before_any_work(
    tmp_path: Path, capsys: Output, words: list[str], tokens: str
) -> None:
    assert main(["reproduce", *words, "--out", str(tmp_path / "runs")]) == 2
    told = capsys.readouterr().err
    assert re.search(says(tokens), told)
    assert told.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        (["table1", "--page", "p.md"], "--page all table1"),
        (["figure5", "--only", "ours"], "--only table1 figure5"),
        (["all", "--only", "ours"], "--only table1 all"),
        (["table1", "--finished"], "--finished curriculum table1"),
        (["all", "--tuning"], "--tuning curriculum all"),
        (["curriculum", "--tuning", "--only", "ours"], "--only --tuning"),
        (["all", "--page", "afile/p.md"], "afile/p.md"),
        (["all", "--page", "afolder"], "afolder"),
        (["all", "--page", ""], "page"),
    ],
)
def test_options_that_do_not_apply_or_cannot_work_are_refused_before_the_work(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch, words: list[str], tokens: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(everything, "reproduce", lambda *_: pytest.fail("work has begun"))
    Path("afile").write_text("")
    Path("afolder").mkdir()
    assert main(["reproduce", *words]) == 2
    assert re.search(says(tokens), capsys.readouterr().err)
