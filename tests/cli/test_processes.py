"""Commands in processes of their own print and write what they do in the process of the tests.

One that prints, one that reads tables and one that writes a file. `fit` is a process in
test_fit.py, and bad input to every command is in tests/bad_inputs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import in_a_process, in_this_process

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "words",
    [
        "similar {} q5 -k 4 --harder",
        "predict {} --quiz quiz.csv options.csv",
        "export {} map.csv",
    ],
)
def test_a_process_does_the_same(words: str, fitted: Path, tmp_path: Path) -> None:
    found = []
    for name, run in (("here", in_this_process), ("there", in_a_process)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "options.csv").write_text("task\nq1\nq7\nq9\nq2\n")
        (folder / "quiz.csv").write_text("task,result\nq3,1\nq4,0\n")
        done = run(words.format(fitted).split(), folder)
        assert done.returncode == 0, done.stderr
        found.append((done.stdout, {path.name: path.read_text() for path in folder.iterdir()}))
    assert found[0] == found[1]
