"""Commands in processes of their own print and write what they do in the process of the tests.

`fit` is such a process in test_fit.py.
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
        "hardest {} -k 2",
        "select {} --reference one.csv options.csv -k 2",
        "embed {} options.csv",
        "predict {} --quiz quiz.csv options.csv",
        "export {} map.csv",
    ],
)
def test_a_process_does_the_same(words: str, fitted: Path, tmp_path: Path) -> None:
    found = []
    for name, run in (("here", in_this_process), ("there", in_a_process)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "one.csv").write_text("task\nq5\n")
        (folder / "options.csv").write_text("task\nq1\nq7\nq9\nq2\n")
        (folder / "quiz.csv").write_text("task,result\nq3,1\nq4,0\n")
        done = run(words.format(fitted).split(), folder)
        assert done.returncode == 0, done.stderr
        found.append((done.stdout, {path.name: path.read_text() for path in folder.iterdir()}))
    assert found[0] == found[1]
