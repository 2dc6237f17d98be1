"""Bad commands `taskspace fit`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.bad_inputs.cases import Command
from tests.bad_inputs.folders import whole

SOLVED = np.random.default_rng(0).integers(0, 2, (10, 5))
Row = Callable[[int, int, int], str]  # of agent, task and score


def long(header: str = "agent,task,score", row: Row = "s{},q{},{}".format) -> str:
    """A table with one row per pair of agent and task."""
    rows = [row(agent, task, SOLVED[agent, task]) for agent in range(10) for task in range(5)]
    return "\n".join([header, *rows]) + "\n"


def wide(header: str = "agent,a,b,c,d,e", end: str = "") -> str:
    """A table with one row per agent and one column per task."""
    rows = [f"s{agent}," + ",".join(map(str, row)) + end for agent, row in enumerate(SOLVED)]
    return "\n".join([header, *rows]) + "\n"


LONG, WIDE = long(), wide()
TASKS = "task,level,topic\n" + "".join(f"q{task},{task * 1.5},k{task % 2}\n" for task in range(5))
AGENTS = "agent,country\n" + "".join(f"s{agent},c{agent % 3}\n" for agent in range(10))


def _fit(
    name: str, table: str | bytes, tokens: str, options: str = "", *,
    prepare: Callable[[Path], object] | None = None, **files: str | bytes,
) -> Command:  # fmt: skip
    """A command that fits `table`; `t_csv="…"` is another file, t.csv."""
    words = ("fit", "r.csv", *shlex.split(options))
    words = words if "--out" in words else (*words, "--out", "out")
    others = [(other.replace("_", "."), content) for other, content in files.items()]
    everything = (("r.csv", table), *others)
    return Command(f"fit: {name}", words, tokens, everything, prepare)


def _scores(score: str) -> str:
    """A table in which the score of one pair is this text."""
    return long(row=lambda a, t, s: f"s{a},q{t},{score if (a, t) == (3, 1) else s}")


FILES = [
    _fit("returns that are scores", _scores("-7"), "-7.0 --returns"),
    _fit("returns: best too low", _scores("7"), "best 3 7", options="--returns --best 3"),
    _fit("returns: best of scores", LONG, "best --returns", options="--best 3"),
    _fit("returns: best is text", LONG, "--best 'high'", options="--returns --best high"),
    _fit("returns: max-score", LONG, "max_score returns 5", options="--returns --max-score 5"),
    _fit("an empty file", "", "r.csv csv"),
    _fit("only line breaks", "\n\n\n", "r.csv csv"),
    _fit("only a header", "agent,task,score\n", "r.csv row empty"),
    _fit("one row", "agent,task,score\na,x,1\n", "tasks 3 1"),
    _fit("UTF-16", LONG.encode("utf-16"), "r.csv UTF-8"),
    _fit("UTF-32", LONG.encode("utf-32"), "r.csv UTF-8"),
    _fit("Latin-1", LONG.replace("s1", "é").encode("latin-1"), "r.csv UTF-8"),
    _fit("binary data", bytes(range(256)) * 9, "r.csv UTF-8"),
    _fit("an image", b"\x89PNG\r\n\x1a\n" + bytes(99), "r.csv UTF-8"),
    _fit("a table after a title", f"Results of 2026\n\n{WIDE}", "r.csv 6"),
    _fit("a table after a comment", f"# by me\n{WIDE}", "r.csv 6"),
    _fit("a short row", f"{WIDE}s10,1,0\n", "r.csv 6 3"),
    _fit("a long row", f"{WIDE}s10,1,0,1,1,1,1\n", "r.csv 6 7"),
    _fit("an open quote", LONG.replace("s3", '"s3', 1), "r.csv csv"),
    _fit("a separator that is unknown", WIDE.replace(",", ":"), "columns agents agent:a:b:c:d:e"),
    _fit("spaces as separators", WIDE.replace(",", " "), "columns agents"),
    _fit("decimal commas between commas", WIDE.replace(",1", ",0,5"), "r.csv 6"),
    _fit("decimal commas and points", WIDE.replace(",", ";").replace(";1", ";0,5", 3)
         .replace(";1", ";0.5"), "'a' numbers"),
    _fit("a cell too many in each row", long(row="s{0},q{1},{2},0.5".format), "r.csv 3 4"),
    _fit("a comma at the end of each row", wide(end=","), "r.csv 6 7"),
    _fit("a cell too many in a wide table", wide("agent,a,b,c,d"), "r.csv 5 6"),
    _fit("the header again at the end", f"{WIDE}agent,a,b,c,d,e\n", "'a' 12"),
    _fit("no header", WIDE.split("\n", 1)[1], "unique"),
]  # fmt: skip


def _names(name: str, path: str, tokens: str) -> Command:
    words = ("fit", path, "--out", "out")
    kept = tuple((name, LONG) for name in ("r.txt", "r.xlsx", "r.tsv", "r", "r.parquet"))
    return Command(f"fit: {name}", words, tokens, kept, _other_things)


def _other_things(folder: Path) -> None:
    whole(folder)
    (folder / "folder.csv").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "notes.txt").write_text("mine")
    (folder / "file").write_text("mine")
    (folder / "loop.csv").symlink_to("loop.csv")
    os.mkfifo(folder / "pipe.csv")


PATHS = [
    _names("no such file", "no.csv", "no.csv"),
    _names("a folder with a damaged table", ".", "r.parquet parquet"),
    _names("a folder without logs", "full", "'full' 1 Inspect HELM .csv .parquet"),
    _names("a run folder", "course", "'course' .csv .parquet"),
    _names("an empty name", "", ".csv .parquet"),
    _names("a folder that looks like a file", "folder.csv", "folder.csv"),
    _names("a link to itself", "loop.csv", "loop.csv"),
    _names("a pipe", "pipe.csv", "pipe.csv"),
    _names("an ending of text", "r.txt", "'r.txt' .csv .parquet"),
    _names("an ending of Excel", "r.xlsx", "'r.xlsx' .csv .parquet"),
    _names("an ending of tabs", "r.tsv", "'r.tsv' .csv .parquet"),
    _names("text as Parquet", "r.parquet", "r.parquet parquet"),
    _names("no ending", "r", "'r' .csv .parquet"),
    _names("an address", "https://example.org/r.csv", "r.csv"),
    _names("a pattern", "*.csv", "*.csv"),
    _names("a very long name", "x" * 300 + ".csv", "long"),
    _names("standard input", "-", "file folder"),
    Command("fit: a name with a hyphen", ("fit", "-r.csv", "--out", "out"), "RESULTS"),
]

COLUMNS = [
    _fit("unknown names", long("who,what,points"),
         "fit r.csv --agent who --task what --score points --out"),
    _fit("no header of a long table", LONG.split("\n", 1)[1], "columns agents"),
    _fit("no column of agents", long("what,task,score"), "columns agents --agent what"),
    _fit("no column of tasks", long("agent,what,score"), "columns tasks --task what"),
    _fit("no column of results", long("agent,task,points"), "columns results --score points"),
    _fit("two columns of results",
         long("agent,task,correct,solved", "s{0},q{1},{2},{2}".format), "'correct' 'solved'"),
    _fit("scores in two spellings",
         long("agent,task,score,Score", "s{0},q{1},{2},1".format), "'score' 'Score'"),
    _fit("two columns of students",
         long("student,student name,question,correct", "{0},n{0},{1},{2}".format),
         "'student' 'student name'"),
    _fit("two columns of tasks",
         long("student,question,problem,correct", "{0},{1},p{1},{2}".format),
         "'question' 'problem'"),
    _fit("tasks that are groups of problems",
         long("student,task,problem,correct", lambda a, t, s: f"{a},u{t % 3},p{t},{s}"),
         "'problem' 'task'"),
    _fit("a column twice", long("agent,task,score,score", "s{0},q{1},{2},1".format),
         "unique 'score'"),
    _fit("a label twice", long("agent,task,score,topic,topic", "s{0},q{1},{2},u,v".format),
         "unique 'topic'"),
    _fit("a wide table with an unknown first column", WIDE.replace("agent,", "name,"),
         "agents --agent name"),
    _fit("a wide table with tasks in rows", WIDE.replace("agent,", "task,"), "agents"),
    _fit("a wide table without agents", "\n".join(r.split(",", 1)[1] for r in WIDE.split()),
         "agents"),
    _fit("only names of agents", "agent\na\nb\n", "tasks"),
    _fit("successes without rollouts", long("agent,task,successes"), "'rollouts'"),
    _fit("rollouts without successes", long("agent,task,rollouts"), "'successes'"),
    _fit("a column that does not exist", LONG, "'no' agent", "--agent no"),
    _fit("an empty column name", LONG, "'' task", "--task ''"),
    _fit("one column as agent and task", LONG, "agent task different",
         "--agent agent --task agent"),
    _fit("names of agents as scores", LONG, "agents", "--score agent"),
    _fit("text as scores", LONG, "'task' numbers 'q0'", "--agent score --task agent --score task"),
    _fit("successes as scores", long("agent,task,successes,rollouts", "s{0},q{1},{2},2".format),
         "score 'successes' 'rollouts'", "--score successes"),
]  # fmt: skip

VALUES = [
    _fit("yes and no", _scores("yes"), "'score' numbers 'yes' 18"),
    _fit("percent", _scores("50%"), "'score' numbers '50%'"),
    _fit("a fraction", _scores("1/2"), "'score' numbers '1/2'"),
    _fit("a negative score", _scores("-1"), "score 0 1 -1.0 18"),
    _fit("an infinite score", _scores("inf"), "score 0 1 inf"),
    _fit("a score that overflows", _scores("1e999"), "score 0 1 inf"),
    _fit("scores from 0 to 5", _scores("5"), "score 0 1 5.0 --max-score"),
    _fit("a score above the highest", _scores("5"), "score 0 3 5.0", "--max-score 3"),
    _fit("no scores", long(row="s{0},q{1},".format), "result none"),
    _fit("only NaN", long(row="s{0},q{1},nan".format), "result none"),
    _fit("a nameless agent", LONG.replace("s3", "", 1), "agent line 17"),
    _fit("a blank name", LONG.replace("q3", "  ", 1), "task line 5"),
    _fit("a name of a megabyte", LONG.replace("q3", "q" * 1_000_000), "names tasks 10,000"),
    _fit("only one agent", long(row=lambda a, t, s: f"s,q{t},{s}"), "agents 2 1"),
    _fit("one task", long(row=lambda a, t, s: f"s{a},q,{s}"), "tasks 3 1"),
    _fit("only two tasks", long(row=lambda a, t, s: f"s{a},q{t % 2},{s}"), "tasks 3 2"),
    _fit("everything solved", long(row="s{0},q{1},1".format), "agents differ 10"),
    _fit("nothing solved", long(row="s{0},q{1},0".format), "agents differ 10"),
    _fit("agents that are equal", long(row=lambda a, t, s: f"s{a},q{t},{t % 2}"),
         "agents differ 10"),
    *[
        _fit(f"counts: {name}", long("agent,task,successes,rollouts", row), tokens, options)
        for name, row, tokens, options in (
            ("more successes than rollouts", "s{0},q{1},2,1".format, "successes s0 q0 1 2", ""),
            ("negative", "s{0},q{1},{2},-1".format, "rollouts 0 -1", ""),
            ("a fraction of a rollout", "s{0},q{1},{2},1.5".format, "rollouts integer 1.5", ""),
            ("missing", "s{0},q{1},{2},".format, "rollouts integer", ""),
            ("huge", "s{0},q{1},{2},1e30".format, "rollouts 1e+30", ""),
            ("none", "s{0},q{1},0,0".format, "result none", ""),
            ("a pair twice", "s{0},q,{2},1".format, "pair s0 q 1", ""),
            ("a highest score", "s{0},q{1},{2},1".format, "max_score rollouts 5", "--max-score 5"),
        )
    ],
]  # fmt: skip

TABLES_ABOUT = [
    _fit("features of text", LONG, "'topic' numbers", "--tasks t.csv --features topic",
         t_csv=TASKS),
    _fit("no such feature", LONG, "'size'", "--tasks t.csv --features size", t_csv=TASKS),
    _fit("features without a name", LONG, "''", "--tasks t.csv --features ''", t_csv=TASKS),
    _fit("a feature twice", LONG, "'level'", "--tasks t.csv --features level,level", t_csv=TASKS),
    _fit("a table of features beside one of tasks", LONG, "features table",
         "--tasks t.csv --features t.csv", t_csv=TASKS),
    _fit("results as a feature", LONG, "'score' features", "--features score"),
    _fit("no such table of features", LONG, "no.csv", "--features no.csv"),
    _fit("features of agents", LONG, "features 'task'", "--features a.csv", a_csv=AGENTS),
    _fit("features that are not numbers of all tasks", LONG, "'level' finite q1",
         "--tasks t.csv --features level", t_csv=TASKS.replace("1.5", "nan")),
    _fit("a missing feature", LONG, "'level' finite q1", "--tasks t.csv --features level",
         t_csv=TASKS.replace("1.5", "")),
    _fit("a feature that overflows", LONG, "features 1e+100 1e+308",
         "--tasks t.csv --features level", t_csv=TASKS.replace("1.5", "1e308")),
    _fit("a feature that all tasks share", LONG, "features 1 5", "--tasks t.csv --features n",
         t_csv="task,n\n" + "".join(f"q{task},7\n" for task in range(5))),
    _fit("a feature that differs between agents",
         long("agent,task,score,age", "s{0},q{1},{2},{0}".format), "'age'", "--features age"),
    _fit("results as a table of tasks", LONG, "tasks 'q0'", "--tasks r.csv"),
    _fit("results as a table of agents", LONG, "agents 's0'", "--agents r.csv"),
    _fit("a table of tasks for agents", LONG, "agents 'agent' level", "--agents t.csv",
         t_csv=TASKS),
    _fit("no such table of tasks", LONG, "no.csv", "--tasks no.csv"),
    _fit("an empty name of a table", LONG, ".csv", "--agents ''"),
    _fit("a task too many", LONG, "'q9'", "--tasks t.csv", t_csv=f"{TASKS}q9,1,k\n"),
    _fit("a task twice", LONG, "'q0'", "--tasks t.csv", t_csv=f"{TASKS}q0,1,k\n"),
    _fit("a task too few", LONG, "'q3'", "--tasks t.csv", t_csv=TASKS.replace("q3,4.5,k1\n", "")),
    _fit("no labels", LONG, "'task'", "--tasks t.csv", t_csv="task\nq0\nq1\nq2\nq3\nq4\n"),
    _fit("a label of the results again", long("agent,task,score,topic", "s{0},q{1},{2},k".format),
         "'topic'", "--tasks t.csv", t_csv=TASKS),
    _fit("labels as UTF-16", LONG, "t.csv UTF-8", "--tasks t.csv", t_csv=TASKS.encode("utf-16")),
]  # fmt: skip

OPTIONS = [
    *[
        _fit(f"{option} {value[:20]!r}", LONG, tokens, f"{option} {shlex.quote(value)}")
        for option, tokens, values in (
            ("--dimensions", "dimensions",
             ("0", "-1", "1.5", "nan", "few", "", "1001", "1000000000000", "9" * 5000)),
            ("--seed", "seed",
             ("-1", "9223372036854775808")),
            ("--seed", "--seed", ("1.5", "x", "", "9" * 5000)),
            ("--max-score", "max_score positive", ("0", "-1", "nan", "inf")),
            ("--max-score", "--max-score", ("x", "", "0,5")),
            ("--method", "--method", ("x", "")),
            ("--method ordinal --steps", "steps", ("-1", "1000000000000")),
            ("--method ordinal --steps", "--steps", ("1.5", "x")),
        )
        for value in values
    ],
    _fit("measure of an ordinal map", LONG, "measure ordinal correlation",
         "--method ordinal --measure correlation"),
    _fit("steps of another method", LONG, "--steps ordinal", "--steps 5"),
    _fit("an option of another command", LONG, "--preset", "--preset fast"),
    _fit("an option without its value", LONG, "--agent", "--agent"),
    _fit("two tables", LONG, "r2.csv", "r2.csv"),
    _fit("bad dimensions and a table that does not exist", LONG, "dimensions", "--dimensions 0"),
    Command("fit: no folder", ("fit", "r.csv"), "--out", (("r.csv", LONG),)),
    Command("fit: nothing", ("fit",), "RESULTS --out"),
    *[
        _fit(f"--out {what}", LONG, tokens, f"--out {out}", prepare=_other_things)
        for what, out, tokens in (
            ("is a file", "file", "file folder"),
            ("is within a file", "file/run", "file/run"),
            ("is the table", "r.csv", "r.csv folder"),
            ("has no name", "''", "folder ''"),
            ("is the working folder", ".", "folder other files"),
            ("has other files", "full", "full other files"),
            ("is another run", "course", "course settings"),
            ("is a link to itself", "loop.csv", "loop.csv"),
            ("cannot exist", "/proc/run", "/proc/run"),
            ("is too long", "x" * 300, "long"),
        )
    ],
]  # fmt: skip

FITS = [*FILES, *PATHS, *COLUMNS, *VALUES, *TABLES_ABOUT, *OPTIONS]
