"""The page of all results."""

from __future__ import annotations

import re
from pathlib import Path

from matplotlib.figure import Figure

from taskspace.paper.everything import write_page
from taskspace.paper.study import Result, Study, Table


def test_the_page_shows_tables_pictures_and_commands(tmp_path: Path) -> None:
    study = Study(tmp_path / "runs", seeds=2, log=lambda line: None)
    picture = study.draw("map", Figure())
    rows = [{"model": "ours", "paper": 0.753, "paper ±": 0.001}]
    result = Result(
        "table1", "Table 1", [Table("t", "Scores", rows, "A note.")], {picture: "A map."}, ["End."]
    )
    page = tmp_path / "docs" / "results.md"
    study.saved_rows("kept", {}, lambda: [])
    write_page([result], study, page)
    text = page.read_text()
    assert "`taskspace reproduce table1 --seeds 2 --preset default`" in text
    assert "| model | paper |\n| :-- | --: |\n| ours | 0.753 ± 0.001 |" in text
    assert "![A map.](results/map.png)" in text
    assert (page.parent / "results" / "map.png").read_bytes() == picture.read_bytes()
    assert re.search(r"\b0 minutes\b", text)
    assert text.index("A note.") < text.index("A map.") < text.index("End.")
