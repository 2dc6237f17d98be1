"""Commands that answer import NumPy and little else, since imports would take most of their time.

Each command is a process of its own, which says at its end what it has imported.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]

# What takes long. An answer may import what is not here: NumPy, pyarrow for tables, and Gymnasium,
# with which the package registers its environments.
SLOW = ("torch", "sklearn", "scipy", "pandas", "matplotlib", "numba", "ray", "fastapi")
PROGRAM = (
    "import sys\n"
    "from taskspace.cli import main\n"
    "code = main(sys.argv[2:])\n"
    "print([name for name in sys.argv[1].split(',') if name in sys.modules], file=sys.stderr)\n"
    "sys.exit(code)\n"
)
COMMANDS = {
    "similar": "similar RUN q5",
    "a mistyped task": "similar RUN q999",
    "hardest": "hardest RUN -k 3",
    "select": "select RUN --reference one.csv two.csv",
    "embed": "embed RUN two.csv",
    "predict": "predict RUN --quiz quiz.csv two.csv",
    "quiz": "quiz RUN --at-most 1",
}
NEW = {
    "select": "select RUN --reference new.csv news.csv",
    "embed": "embed RUN news.csv",
    "predict": "predict RUN --quiz tried.csv news.csv",
}


@pytest.fixture
def questions(inputs: Path) -> Path:
    for name, text in {
        "quiz.csv": "task,result\nq1,1\nq2,0\n", "new.csv": "level,skill\n0.5,1\n",
        "news.csv": "level,skill\n0.1,0\n0.7,1\n", "tried.csv": "level,skill,result\n0.3,1,1\n",
    }.items():  # fmt: skip
        (inputs / name).write_text(text)
    return inputs


def imported(words: str, folder: Path) -> str:
    """What a command says on standard error; its last line are the slow modules it has imported."""
    arguments = [str(folder) if word == "RUN" else word for word in words.split()]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ",".join(SLOW), *arguments],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == (2 if "q999" in words else 0), done.stderr
    return done.stderr


@pytest.mark.parametrize("run", ["fitted", "ordinal", "described"])
@pytest.mark.parametrize("name", ["similar", "select", "embed", "predict", "quiz"])
@pytest.mark.usefixtures("questions")
def test_answers_import_nothing_slow(name: str, run: str, request: pytest.FixtureRequest) -> None:
    assert imported(COMMANDS[name], request.getfixturevalue(run)).endswith("[]\n")


@pytest.mark.parametrize("name", ["hardest", "a mistyped task"])
def test_lists_and_mistakes_import_nothing_slow(name: str, fitted: Path) -> None:
    assert imported(COMMANDS[name], fitted).endswith("[]\n")


@pytest.mark.parametrize("name", NEW)
@pytest.mark.usefixtures("questions")
def test_answers_about_new_tasks_import_nothing_slow(name: str, described: Path) -> None:
    assert imported(NEW[name], described).endswith("[]\n")
