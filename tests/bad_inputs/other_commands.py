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


def _other(name: str, words: str, tokens: str, bad: str | bytes | None = None) -> Command:
    """A command; `bad` is the content of the file bad."""
    split = shlex.split(words)
    files = FILES if bad is None else {**FILES, "bad": bad}
    command = " ".join(split[: 2 if split[:1] == ["karel"] else 1]) or "taskspace"
    return Command(f"{command}: {name}", tuple(split), tokens, tuple(files.items()), _prepare)


TOP = [
    _other("nothing", "", "command"),
    _other("no such command", "fti r.csv", "'fti' 'fit'"),
    _other("no such option", "--verbose", "command"),
    _other("a file", "r.csv --out run", "'r.csv'"),
    _other("an argument", "envs multikeynav", "multikeynav"),
    _other("an option", "envs --csv", "--csv"),
    _other("no shell", "completion", "shell"),
    _other("no such shell", "completion fish", "'fish' 'bash' 'zsh'"),
    _other("nothing", "bench", "what"),
    _other("no such benchmark", "bench speed", "'speed' 'rollouts'"),
    _other("two benchmarks", "bench search quiz", "quiz"),
    _other("an option that it has not", "bench search --csv", "--csv"),
]

RUNS = [
    _other("nothing", "run", "environment"),
    _other("no such environment", "run maze", "'maze' MultiKeyNav"),
    _other("an empty name", "run ''", "''"),
    _other("a table", "run r.csv", "'r.csv'"),
    _other("two environments", "run multikeynav cartpolevar", "cartpolevar"),
    *[
        _other(f"{options}", f"run multikeynav {options}", tokens)
        for options, tokens in (
            ("--preset huge", "--preset 'huge'"), ("--preset small", "preset 'small'"),
            ("--method pca", "--method 'pca'"), ("--seed -1", "seed -1"),
            ("--seed 1.5", "--seed '1.5'"), ("--seed 9223372036854775808", "seed"),
            ("--data full", "data MultiKeyNav 'full'"), ("--tasks 5", "--tasks"),
            ("--out file", "file folder"), ("--out file/run", "file/run"),
            ("--out full", "full other files"), ("--out ''", "folder ''"),
            ("--out course", "course settings"), ("--out .", "folder other files"),
        )
    ],
    _other("a preset that Karel has not", "run karel --preset huge", "--preset"),
    _other("no such data", "run karel --data no --out run", "no/training.npz"),
    _other("data that are a file", "run karel --data file --out run", "file/training.npz"),
    _other("data without tasks", "run karel --data full --out run", "full/training.npz"),
]  # fmt: skip

KAREL = [
    _other("nothing", "karel", "command"),
    _other("no such command", "karel draw", "'draw' 'show'"),
    _other("nothing", "karel generate", "DIR"),
    *[
        _other(options, f"karel generate tasks {options}", tokens)
        for options, tokens in (
            ("--tasks 0", "tasks 0"), ("--tasks -1", "tasks -1"),
            ("--tasks 1.5", "--tasks '1.5'"),
            ("--tasks 1000000000000000", "tasks 1,000,000"),
            ("--side 3", "side 4 16 3"), ("--side 17", "side 4 16 17"),
            ("--side -1", "side -1"), ("--side x", "--side 'x'"),
            ("--seed -1", "seed -1"), ("--seed 99999999999999999999", "seed"),
        )
    ],
    _other("a file", "karel generate file --tasks 10", "file"),
    _other("within a file", "karel generate file/x --tasks 10", "file/x"),
    _other("no name", "karel generate '' --tasks 10", "folder ''"),
    _other("nothing", "karel filter", "SOURCE DIR"),
    _other("no such file", "karel filter no tasks", "no"),
    _other("a folder", "karel filter . tasks", "."),
    _other("into a file", "karel filter bad file", "file", "{}\n"),
    _other("no tasks", "karel filter bad tasks --tasks 0", "tasks 0", "{}\n"),
    *[
        _other(name, "karel filter bad tasks", tokens, bad)
        for name, bad, tokens in (
            ("an empty file", "", "bad empty"), ("text", "hello\n", "JSON"),
            ("no program", "{}\n", "'program_tokens'"),
            ("a list", "[1, 2]\n", "'program_tokens'"),
            ("null", "null\n", "null"), ("binary data", b"\xff\xfe\x00", "JSON"),
        )
    ],
    _other("nothing", "karel show", "FILE"),
    _other("no such file", "karel show no", "no"),
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
    _other("world and program swapped", "karel exec world.txt program.txt", "'DEF' '.'"),
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
    _other("no such part", "reproduce table9", "'table9' 'table1'"),
    _other("two parts", "reproduce table1 figure5", "figure5"),
    *[
        _other(options, f"reproduce {options}", tokens)
        for options, tokens in (
            ("table1 --env maze", "'maze'"),
            ("table1 --env ''", "''"),
            ("table1 --seeds 0", "seeds 0"),
            ("table1 --seeds -1", "seeds -1"),
            ("table1 --seeds x", "--seeds 'x'"),
            ("table1 --seeds 1000000000000", "seeds 1,000"),
            ("table1 --preset huge", "--preset 'huge'"),
            ("table1 --page x.md", "--page all table1"),
            ("figure5 --only ours", "--only table1 figure5"),
            ("table1 --only theirs", "--only 'theirs'"),
            ("table1 --out file", "file"),
            ("all --out paper --page file/p.md", "file/p.md"),
            ("all --out paper --page .", "page '.'"),
            ("all --out paper --page ''", "page"),
            ("figure4 --env CartPoleVar --out paper", "MultiKeyNav CartPoleVar"),
            ("new-agents --env Karel --out paper", "Karel"),
            ("generalization --env MultiKeyNav --out paper", "Karel MultiKeyNav"),
        )
    ],
]

OTHERS = [*TOP, *RUNS, *KAREL, *PAPER]
