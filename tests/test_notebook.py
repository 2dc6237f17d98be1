"""A notebook in a live kernel of Jupyter: what its cells show."""

from __future__ import annotations

from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytestmark = pytest.mark.slow

CELLS = [
    """
import numpy as np
import taskspace as ts

rng = np.random.default_rng(0)
skills, topic = rng.normal(size=(60, 2)), np.arange(16) % 2
solved = skills[:, topic] + 0.3 * rng.logistic(size=(60, 16)) > 0.7 * rng.normal(size=16)
labels = {"topic": np.array(["<b>algebra</b>", "geometry"])[topic]}
outcomes = ts.Outcomes(1 * solved, 1, task_labels=labels)
outcomes
""",
    "run = ts.fit(outcomes, 'run', log=lambda line: None)\nrun",
    "run.map()",
    "ts.diagnose(outcomes)",
    "run.abilities",
    "ts.Population([lambda states: states], 'CartPoleVar')",
    """
from taskspace.progress import progress_bar
with progress_bar("Playing", 3) as advance:
    for _ in range(3):
        advance(1, "loss <0.5>")
""",
    "run.embedder.set_output(transform='pandas').transform(['task-1'])",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    """The outputs of each cell."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
    folder = str(tmp_path_factory.mktemp("notebook"))
    client = nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": folder}})
    client.execute()
    return [cell.outputs for cell in book.cells]


def html(found: list[Any]) -> str:
    """The one HTML output of a cell; anything else, such as a warning, would be seen too."""
    assert [output.output_type for output in found] in (["execute_result"], ["display_data"])
    return str(found[0].data["text/html"])


def test_objects_are_tables_and_text_is_escaped(outputs: list[list[Any]]) -> None:
    first = html(outputs[0])
    assert "60 agents x 16 tasks" in first
    assert "&lt;b&gt;algebra&lt;/b&gt;" in first
    assert "<b>algebra" not in first
    assert "6 more tasks" in first
    assert "This map is" in html(outputs[1])
    assert "This population is" in html(outputs[3])
    assert "most_similar" in html(outputs[4])
    assert "1 agent of CartPoleVar" in html(outputs[5])


def test_the_map_is_a_frame_that_fetches_nothing(outputs: list[list[Any]]) -> None:
    frame = html(outputs[2])
    assert frame.startswith("<iframe srcdoc=")
    assert "task-15" in frame
    assert "http" not in frame


def test_the_bar_ends_full(outputs: list[list[Any]]) -> None:
    bar = html(outputs[6])
    assert 'value="3" max="3"' in bar
    assert "loss &lt;0.5&gt;" in bar


def test_vectors_are_a_table_of_pandas(outputs: list[list[Any]]) -> None:
    assert "v0" in html(outputs[7])
