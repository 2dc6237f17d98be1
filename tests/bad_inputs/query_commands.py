"""Bad commands that ask a finished run."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from tests.bad_inputs import folders
from tests.bad_inputs.cases import Command

ONE, TWO, QUIZ = "task\nq1\n", "task\nq1\nq2\n", "task,result\nq1,1\nq2,0\n"
FILES = {
    "one.csv": ONE, "two.csv": TWO, "quiz.csv": QUIZ, "unknown.csv": "task\nq99\n",
    "header.csv": "task\n", "empty.csv": "", "levels.csv": "level,kind\n0.1,1\n", "file": "mine",
}  # fmt: skip


def _ask(
    name: str, words: str, tokens: str, table: str | bytes | None = None, *,
    prepare: Callable[[Path], object] = folders.whole,
) -> Command:  # fmt: skip
    """A command on a run folder; `table` is the content of bad.csv."""
    files = FILES if table is None else {**FILES, "bad.csv": table}
    split = shlex.split(words)
    return Command(f"{split[0]}: {name}", tuple(split), tokens, tuple(files.items()), prepare)


_LISTS = {
    "similar": "similar course q1", "hardest": "hardest course", "subset": "subset course",
    "select": "select course --reference one.csv two.csv",
}  # fmt: skip
_TABLES = {**_LISTS, "embed": "embed course one.csv", "quiz": "quiz course",
           "predict": "predict course --quiz quiz.csv one.csv"}  # fmt: skip

NUMBERS = [
    _ask(f"-k {k!r}", f"{words} -k {shlex.quote(k)}", tokens)
    for words in _LISTS.values()
    for k, tokens in (
        ("0", "-k positive 0"), ("-1", "-k positive -1"), ("1.5", "-k '1.5'"), ("nan", "-k 'nan'"),
        ("", "-k"), ("1000000000000", "-k 1,000,000,000"),
    )
]  # fmt: skip

OUTPUTS = [
    *[
        _ask(f"--out {out or 'without a name'}", f"{words} --out {shlex.quote(out)}", tokens)
        for words in _TABLES.values()
        for out, tokens in (
            ("x.txt", "'x.txt' .csv .parquet"), ("", ".csv .parquet"), ("no/x.csv", "no exist"),
            ("course", "'course' .csv .parquet"), ("file/x.csv", "file exist"),
        )
    ],
    _ask("--out is the table", "embed course one.csv --out ./one.csv", "--out input ./one.csv"),
    _ask("--out is the quiz", "predict course --quiz quiz.csv one.csv --out quiz.csv", "--out"),
    _ask("--out is the reference", f"{_LISTS['select']} --out one.csv", "--out one.csv"),
    _ask("--out are the targets", "quiz course --targets two.csv --out two.csv", "--out two.csv"),
]  # fmt: skip

RUNS = [
    _ask(f"a run that is {what}", words.replace("course", folder, 1), tokens)
    for words in (*_TABLES.values(), "export course x.csv", "explore course --no-open")
    for what, folder, tokens in (
        ("missing", "no", "map no"),
        ("a file", "file", "map file"),
        ("no run", ".", "map ."),
    )
]

LISTS = [
    _ask("an unknown task", "similar course q99", "task 'q99' course"),
    _ask("an empty name", "similar course ''", "task ''"),
    _ask("a position", "similar course 1", "task '1'"),
    _ask("another case", "similar course Q1", "task 'Q1'"),
    _ask("two tasks", "similar course q1 q2", "q2"),
    _ask("no task", "similar course", "TASK"),
    _ask("harder and easier", "similar course q1 --harder --easier", "--harder --easier"),
    _ask("a very long name", f"similar course {'q' * 5000}", "task course"),
    _ask("a name with a hyphen", "similar course -- -q1", "task '-q1'"),
    _ask("an option that it has not", "hardest course --easier", "--easier"),
    _ask("a task", "hardest course q1", "q1"),
    _ask("no reference", "select course one.csv", "--reference"),
    _ask("no table of options", "select course --reference one.csv", "OPTIONS"),
    _ask("two references", "select course --reference two.csv one.csv", "two.csv one 2"),
    _ask("no row in the reference", "select course --reference header.csv one.csv",
         "header.csv empty"),
    _ask("no row in the options", "select course --reference one.csv header.csv",
         "header.csv empty"),
    _ask("an unknown option", "select course --reference one.csv unknown.csv", "'q99'"),
    _ask("no such reference", "select course --reference q99 two.csv", "--reference 'q99' .csv"),
    _ask("harder and easier tasks", f"{_LISTS['select']} --harder --easier", "--harder --easier"),
    _ask("an own column", "select course --reference one.csv bad.csv", "bad.csv 'similarity'",
         "task,similarity\nq1,2\n"),
    _ask("features that the run has not", "select course --reference levels.csv two.csv",
         "'task'"),
]  # fmt: skip

TASKS = [
    _ask(name, f"embed {run} bad.csv", tokens, table)
    for name, run, table, tokens in (
        ("an empty file", "course", "", "bad.csv csv"),
        ("only a header", "course", "task\n", "bad.csv row"),
        ("an unknown task", "course", "task\nq1\nq99\n", "'q99'"),
        ("no column of tasks", "course", "name\nq1\n", "'task'"),
        ("features of a run without", "course", "level,kind\n1,1\n", "'task'"),
        ("two columns of tasks", "course", "item,question\nq1,q2\n", "'item' 'question'"),
        ("a column twice", "course", "task,task\nq1,q2\n", "unique 'task'"),
        ("a column of the answer", "course", "task,v0\nq1,3\n", "bad.csv 'v0'"),
        ("its own answer", "course", "task,difficulty\nq1,3\n", "bad.csv 'difficulty'"),
        ("a row without a name", "course", "task,x\nq1,1\n,2\n", "''"),
        ("a short row", "course", "task,x\nq1\n", "bad.csv 2 1"),
        ("UTF-16", "course", ONE.encode("utf-16"), "bad.csv UTF-8"),
        ("Latin-1", "course", "task\né\n".encode("latin-1"), "bad.csv UTF-8"),
        ("a missing feature column", "levels", "level\n1\n", "'kind'"),
        ("names of features in capitals", "levels", "Level,Kind\n1,1\n", "'level'"),
        ("text", "levels", "level,kind\nhigh,1\n", "'level' numbers"),
        ("a decimal comma", "levels", "level,kind\n0,5,1\n", "bad.csv 2 3"),
        ("decimal commas", "levels", "level,kind\n1,5,1\n2,5,1\n", "bad.csv 2 3"),
        ("NaN", "levels", "level,kind\nnan,1\n", "'level' 2"),
        ("an empty cell", "levels", "level,kind\n1,1\n,1\n", "'level' 1"),
        ("infinity", "levels", "level,kind\ninf,1\n", "finite 1"),
        ("a number that overflows", "levels", "level,kind\n1e308,1\n", "1e+100 1e+308"),
    )
]

ANSWERS = [
    *[
        _ask(name, f"predict {run} --quiz bad.csv {tasks}", tokens, quiz)
        for name, run, tasks, quiz, tokens in (
            ("an empty file", "course", "one.csv", "", "bad.csv csv"),
            ("a header of something else", "course", "one.csv", "x\n", "bad.csv x"),
            ("no results", "course", "one.csv", ONE, "bad.csv results task"),
            ("only results", "course", "one.csv", "result\n1\n", "'task'"),
            ("two columns of results", "course", "one.csv", "task,success,result\nq1,0.3,0\n",
             "bad.csv 'success' 'result'"),
            ("points", "course", "one.csv", "task,points\nq1,1\n", "bad.csv results points"),
            ("above 1", "course", "one.csv", "task,result\nq1,2\n", "result 0 1 2.0"),
            ("negative", "course", "one.csv", "task,result\nq1,-1\n", "result 0 1 -1.0"),
            ("infinite", "course", "one.csv", "task,result\nq1,inf\n", "result 0 1 inf"),
            ("text", "course", "one.csv", "task,result\nq1,yes\n", "'result' 'yes'"),
            ("an unknown task", "course", "one.csv", "task,result\nq99,1\n", "'q99'"),
            ("a nameless task", "course", "one.csv", "task,result\n,1\n", "''"),
            ("a column twice", "course", "one.csv", "task,result,result\nq1,1,1\n", "'result'"),
            ("two agents", "course", "one.csv", "agent,task,result\na,q1,1\nb,q1,0\n",
             "bad.csv agent 2"),
            ("a missing feature", "levels", "levels.csv", "level,result\n1,1\n", "'kind'"),
            ("a feature that overflows", "levels", "levels.csv", "level,kind,result\n1e300,1,1\n",
             "1e+100 1e+300"),
        )
    ],
    _ask("no quiz", "predict course one.csv", "--quiz"),
    *[
        _ask(f"interval {level}", f"predict course --quiz quiz.csv one.csv --interval={level}",
             f"--interval {level}")
        for level in ("0.0", "1.0", "90.0", "-0.5", "nan", "wide")
    ],
    _ask("JSON and a file", "hardest course --json --out a.csv", "--out --json"),
    _ask("no tasks", "predict course --quiz quiz.csv", "TASKS"),
    _ask("no such quiz", "predict course --quiz no.csv one.csv", "no.csv"),
    _ask("no such tasks", "predict course --quiz quiz.csv no.csv", "no.csv"),
    _ask("unknown tasks", "predict course --quiz quiz.csv unknown.csv", "'q99'"),
    _ask("tasks without rows", "predict course --quiz quiz.csv header.csv", "header.csv empty"),
    _ask("tasks with an answer", "predict course --quiz quiz.csv bad.csv", "'probability'",
         "task,probability\nq1,1\n"),
    *[
        _ask(f"{option} {value!r}", f"quiz course {option} {shlex.quote(value)}", tokens)
        for option, value, tokens in (
            ("--until", "2", "--until 0 1 2.0"), ("--until", "-0.1", "--until -0.1"),
            ("--until", "nan", "--until"), ("--until", "inf", "--until"),
            ("--until", "", "--until"), ("--at-most", "-1", "--at-most -1"),
            ("--at-most", "1.5", "--at-most '1.5'"), ("--at-most", "1000000000000", "--at-most"),
            ("--choose", "best", "--choose 'best'"), ("--seed", "-1", "seed -1"),
            ("--seed", "x", "--seed 'x'"), ("--targets", "unknown.csv", "'q99'"),
            ("--targets", "header.csv", "header.csv empty"),
            ("--targets", "levels.csv", "'task'"), ("--targets", "no.csv", "no.csv"),
            ("--targets", "", ".csv"),
        )
    ],
]  # fmt: skip

EXPORTS = [
    _ask("no target", "export course", "TARGET"),
    _ask("two targets", "export course x.csv y.csv", "y.csv"),
    *[
        _ask(f"a target {what}", f"export course {shlex.quote(target)}", tokens)
        for what, target, tokens in (
            ("without a name", "", "target ''"), ("that is text", "x.txt", ".csv 'x.txt'"),
            ("in a folder that does not exist", "no/x.csv", "no exist"),
            ("for a page that does not exist", "no/x.html", "no exist"),
            ("that is a file", "file", ".csv 'file'"), ("within a file", "file/x", "file/x"),
            ("that is a part of the run", "course/outcomes.npz", ".csv"),
            ("within the map", "course/embedder", "course/embedder"),
            ("that cannot exist", "/proc/x", "/proc/x"),
        )
    ],
    *[
        _ask(f"a page {what}", f"explore course --export {shlex.quote(page)}", tokens)
        for what, page, tokens in (
            ("without a name", "", ".html"), ("that is text", "x.txt", ".html x.txt"),
            ("in a folder that does not exist", "no/x.html", "no exist"),
            ("that is a file", "file", ".html file"),
        )
    ],
    _ask("a port for a file", "explore course --export x.html --port 9000", "--port --export"),
    *[
        _ask(f"{option} {value!r}", f"explore course --no-open {option} {shlex.quote(value)}",
             tokens)
        for option, value, tokens in (
            ("--port", "-1", "port -1"), ("--port", "65536", "port 65535 65536"),
            ("--port", "1.5", "--port '1.5'"), ("--port", "99999999999", "port"),
            ("--host", "no.invalid", "host 'no.invalid'"), ("--host", "a b", "host 'a b'"),
        )
    ],
]  # fmt: skip

_PARTS = ("outcomes.npz", "vectors.npz", "clusters.npz", "outcomes.json", "vectors.json",
          "clusters.json", "map.json", "settings.json")  # fmt: skip
DAMAGE = [
    *[
        _ask(f"{part} is {what}", "hardest broken", "broken", prepare=folders.damaged(change))
        for part in _PARTS
        for what, change in (
            ("missing", folders.without(part)), ("cut", folders.cut(part)),
            ("empty", folders.with_bytes(part, b"")),
            ("of another run", folders.from_other(part)),
        )
    ],
    *[
        _ask(f"the map is {what}", "embed broken one.csv", "broken",
             prepare=folders.damaged(change))
        for what, change in (
            ("missing", folders.without("embedder")),
            ("without its description", folders.without("embedder/embedder.json")),
            ("of another run", folders.from_other("embedder")),
            ("of another run, with its stamp", folders.from_other("embedder", "map.json")),
        )
    ],
    *[
        _ask(f"results of another run, with their stamp, for {words.split()[0]}",
             words.replace("course", "broken", 1), "broken",
             prepare=folders.damaged(folders.from_other("outcomes.npz", "outcomes.json")))
        for words in _TABLES.values()
    ],
    *[
        _ask(f"format version {version!r}", "hardest broken", "broken format",
             prepare=folders.damaged(folders.with_version(version)))
        for version in (1, 3, "2", None)
    ],
    *[
        _ask(f"settings that are {what}", "hardest broken", "broken settings.json",
             prepare=folders.damaged(folders.with_bytes("settings.json", content)))
        for what, content in (
            ("a list", b"[]"), ("text", b"hello"), ("binary", b"\xff\xfe\x00"),
            ("of another program", b'{"name": "app"}'), ("deep", b"[" * 100_000),
        )
    ],
    _ask("an interrupted run", "similar broken q1", "map broken",
         prepare=folders.damaged(folders.without("map.json"))),
]  # fmt: skip

QUERIES = [
    *NUMBERS, *OUTPUTS, *RUNS, *LISTS, *TASKS, *ANSWERS, *EXPORTS, *DAMAGE,
]  # fmt: skip
