"""Bad commands that need neither a table nor a run: environments, Karel, the paper, speed."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.bad_inputs.cases import Command
from tests.bad_inputs.folders import whole

PROGRAM, WORLD = "DEF run m( move m)", ".  #\n>  .\n"
FILES = {"file": "mine", "program.txt": PROGRAM, "world.txt": WORLD}


def _prepare(folder: Path) -> None:
    whole(folder)
    (folder / "full").mkdir()
    (folder / "full" / "notes.txt").write_text("mine")


def _other(
    name: str, words: str, tokens: str, bad: str | bytes | None = None, *, process: bool = False
) -> Command:
    """A command; `bad` is the content of the file bad."""
    split = shlex.split(words)
    files = FILES if bad is None else {**FILES, "bad": bad}
    command = " ".join(split[: 2 if split[:1] == ["karel"] else 1]) or "taskspace"
    return Command(
        f"{command}: {name}", tuple(split), tokens, tuple(files.items()), _prepare, process
    )


TOP = [
    _other("nothing", "", "command", process=True),
    _other("no such command", "fti r.csv", "'fti' 'fit'", process=True),
    _other("no such option", "--verbose", "command"),
    _other("a file", "r.csv --out run", "'r.csv'"),
    _other("an argument", "envs multikeynav", "multikeynav", process=True),
    _other("an option", "envs --json", "--json"),
    _other("nothing", "bench", "what"),
    _other("no such benchmark", "bench speed", "'speed' 'rollouts'", process=True),
    _other("two benchmarks", "bench search quiz", "quiz"),
    _other("an option that it has not", "bench search --csv", "--csv"),
]

RUNS = [
    _other("nothing", "run", "environment"),
    _other("no such environment", "run maze", "'maze' MultiKeyNav", process=True),
    _other("an empty name", "run ''", "''"),
    _other("a table", "run r.csv", "'r.csv'"),
    _other("two environments", "run multikeynav cartpolevar", "cartpolevar"),
    *[
        _other(f"{options}", f"run multikeynav {options}", tokens, process=process)
        for options, tokens, process in (
            ("--preset huge", "--preset 'huge'", True), ("--preset small", "preset 'small'", False),
            ("--method pca", "--method 'pca'", False), ("--seed -1", "seed -1", False),
            ("--seed 1.5", "--seed '1.5'", False), ("--seed 9223372036854775808", "seed", False),
            ("--data full", "data MultiKeyNav 'full'", False), ("--tasks 5", "--tasks", False),
            ("--out file", "file folder", True), ("--out file/run", "file/run", False),
            ("--out full", "full other files", False), ("--out ''", "folder ''", False),
            ("--out course", "course settings", False), ("--out .", "folder other files", False),
        )
    ],
    _other("no such data", "run karel --data no --out run", "no/training.npz"),
    _other("data that are a file", "run karel --data file --out run", "file/training.npz"),
    _other("data without tasks", "run karel --data full --out run", "full/training.npz"),
    _other("a preset that Karel has not", "run karel --preset huge", "--preset"),
]  # fmt: skip

KAREL = [
    _other("nothing", "karel", "command"),
    _other("no such command", "karel draw", "'draw' 'show'", process=True),
    _other("nothing", "karel generate", "DIR"),
    *[
        _other(options, f"karel generate tasks {options}", tokens, process=process)
        for options, tokens, process in (
            ("--tasks 0", "tasks 0", True), ("--tasks -1", "tasks -1", False),
            ("--tasks 1.5", "--tasks '1.5'", False),
            ("--tasks 1000000000000000", "tasks 1,000,000", True),
            ("--side 3", "side 4 16 3", False), ("--side 17", "side 4 16 17", False),
            ("--side -1", "side -1", False), ("--side x", "--side 'x'", False),
            ("--seed -1", "seed -1", False), ("--seed 99999999999999999999", "seed", False),
        )
    ],
    _other("a file", "karel generate file --tasks 10", "file"),
    _other("within a file", "karel generate file/x --tasks 10", "file/x"),
    _other("no name", "karel generate '' --tasks 10", "folder ''", process=True),
    _other("nothing", "karel filter", "SOURCE DIR"),
    _other("no such file", "karel filter no tasks", "no"),
    _other("a folder", "karel filter . tasks", "."),
    _other("into a file", "karel filter bad file", "file", "{}\n"),
    _other("no tasks", "karel filter bad tasks --tasks 0", "tasks 0", "{}\n"),
    *[
        _other(name, "karel filter bad tasks", tokens, bad, process=process)
        for name, bad, tokens, process in (
            ("an empty file", "", "bad empty", False), ("text", "hello\n", "JSON", True),
            ("no program", "{}\n", "'program_tokens'", False),
            ("a list", "[1, 2]\n", "'program_tokens'", False),
            ("null", "null\n", "null", False), ("binary data", b"\xff\xfe\x00", "JSON", False),
        )
    ],
    _other("nothing", "karel show", "FILE"),
    _other("no such file", "karel show no", "no", process=True),
    _other("text", "karel show file", "file:1 JSON"),
    _other("arrays of something else", "karel show course/outcomes.npz", "Karel"),
    _other("an empty file", "karel show bad", "bad empty", ""),
    _other("a negative task", "karel show file --task -1", "--task -1"),
    _other("a task without a number", "karel show file --task x", "--task 'x'"),
    _other("another picture", "karel show file --picture x.jpg", "--picture 'x.jpg'"),
    _other("a picture without a name", "karel show file --picture ''", "--picture ''"),
    _other("no world", "karel exec program.txt", "WORLD"),
    _other("no such program", "karel exec no world.txt", "no"),
    _other("no such world", "karel exec program.txt no", "no"),
    _other("a folder as a program", "karel exec . world.txt", "."),
    _other("world and program swapped", "karel exec world.txt program.txt", "'DEF' '.'",
           process=True),
    *[
        _other(f"a program: {name}", "karel exec bad world.txt", tokens, bad)
        for name, bad, tokens in (
            ("empty", "", "'DEF'"), ("no such action", "DEF run m( fly m)", "'fly'"),
            ("unfinished", "DEF run m( move", "'m)'"),
            ("too long", f"DEF run m( {'move ' * 5000} m)", "1000 5004"),
            ("too many rounds", "DEF run m( REPEAT R=99 r( move r) m)", "'R=99'"),
            ("binary data", b"\xff\xfe\x00", "text"),
        )
    ],
    *[
        _other(f"a world: {name}", "karel exec program.txt bad", tokens, bad)
        for name, bad, tokens in (
            ("empty", "", "lines 0"), ("two heroes", "> >\n", "hero 2"),
            ("no hero", ". .\n", "hero 0"), ("rows of different lengths", ">\n. .\n", "lines 1, 2"),
            ("eleven markers", "> 11\n", "'11'"), ("a letter", "> x\n", "'x'"),
            ("too wide", f"> {'. ' * 40}\n", "16 41"), ("half of JSON", "{", "JSON"),
            ("a list", "[]", "'rows'"), ("no columns", '{"rows": 2}', "'cols'"),
            ("binary data", b"\xff\xfe\x00", "text"), ("deep JSON", "[" * 100_000, "bad"),
        )
    ],
]  # fmt: skip

PAPER = [
    _other("nothing", "reproduce", "what"),
    _other("no such part", "reproduce table9", "'table9' 'table1'", process=True),
    _other("two parts", "reproduce table1 figure5", "figure5"),
    *[
        _other(options, f"reproduce {options}", tokens, process=process)
        for options, tokens, process in (
            ("table1 --env maze", "'maze'", True),
            ("table1 --env ''", "''", False),
            ("table1 --seeds 0", "seeds 0", False),
            ("table1 --seeds -1", "seeds -1", False),
            ("table1 --seeds x", "--seeds 'x'", False),
            ("table1 --seeds 1000000000000", "seeds 1,000", False),
            ("table1 --preset huge", "--preset 'huge'", False),
            ("table1 --page x.md", "--page all table1", False),
            ("figure5 --only ours", "--only table1 figure5", False),
            ("table1 --only theirs", "--only 'theirs'", False),
            ("table1 --out file", "file", True),
            ("all --out paper --page file/p.md", "file/p.md", True),
            ("all --out paper --page .", "page '.'", False),
            ("all --out paper --page ''", "page", False),
            ("figure4 --env CartPoleVar --out paper", "MultiKeyNav CartPoleVar", False),
            ("new-agents --env Karel --out paper", "Karel", False),
            ("generalization --env MultiKeyNav --out paper", "Karel MultiKeyNav", False),
        )
    ],
]

OTHERS = [*TOP, *RUNS, *KAREL, *PAPER]
