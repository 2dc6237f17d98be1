"""Stages of work whose results are saved in a run folder, so that interrupted runs resume.

A result is valid once its stamp, `<stage>.json`, is beside it; the stamp is written last.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from taskspace._version import __version__
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.files import LOCK, OURS, explain_errors, take_lock
from taskspace.runs.layout import SETTINGS, Part
from taskspace.runs.run_settings import (
    FORMAT,
    FORMAT_VERSION,
    check_settings,
    hash_of,
    plain_settings,
    read_settings,
)
from taskspace.runs.stamps import digest_of, read_stamp, valid_digest, write_result, write_stamp

T = TypeVar("T")
_WIDEST = 80  # columns of a terminal
UNFINISHED = f"{OURS}unfinished-"  # prefix of the folders of pieces of unfinished stages


class Stages(contextlib.AbstractContextManager["Stages"]):
    """The stages of one run; a lock ensures that only one process at a time uses the folder.

    `settings` must be plain JSON. A folder that holds a run with other settings is refused. `log`
    is called with one line per stage; by default, the lines go to standard error.

        with Stages("runs/mine", {"seed": 0}) as stages:
            part = Part("outcomes", "outcomes.npz")
            outcomes = stages.stage(part, play, Outcomes.save, Outcomes.load)

    A stage that takes minutes stores its pieces in `checkpoints`, and continues with them after a
    kill. They are removed when the stage ends, and not used if anything it depends on changes.
    """

    def __init__(
        self, folder: str | os.PathLike[str], settings: Mapping[str, Any],
        *, log: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.folder = Path(folder)
        self.settings = plain_settings(settings)
        self.log = log if log is not None else _print_line
        self._results: dict[str, str] = {}  # digests of the results so far, by stage
        self._taken = {SETTINGS}  # file names in use
        self.checkpoints = NONE  # of the stage that is being computed
        maker = {"format": FORMAT, "format version": FORMAT_VERSION, "version": __version__}
        wanted = {"taskspace": maker, "settings": self.settings}
        self._hash = hash_of(wanted)
        with explain_errors(self.folder), contextlib.ExitStack() as undo:
            self.folder.mkdir(parents=True, exist_ok=True)
            check_settings(self.folder, wanted)
            self._lock = undo.enter_context(take_lock(self.folder))
            check_settings(self.folder, wanted)  # another run may have started in the meantime
            _clean(self.folder)
            if not (self.folder / SETTINGS).exists():
                write_stamp(self.folder / SETTINGS, wanted)
            undo.pop_all()  # no error: keep the lock

    @property
    def done(self) -> list[str]:
        """The names of the stages so far."""
        return list(self._results)

    def close(self) -> None:
        """Release the lock of the folder."""
        self._lock.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def stage(
        self, part: Part | str, make: Callable[[], T], save: Callable[[T, Path], object],
        load: Callable[[Path], T], *, after: Sequence[str] | None = None,
        start: float | None = None,
    ) -> T:  # fmt: skip
        """The result of a stage: loaded if it exists, otherwise computed, saved and loaded.

        `save(result, path)` writes the file or folder of the `part`; if `part` is only the name of
        a stage, the file has the same name. `after` names the stages that this one depends on (by
        default all earlier ones): when one of their results changes, the stage is computed again.
        `start` is the time at which another process began to compute it, if one did.
        """
        name, file = part if isinstance(part, Part) else (part, part)
        after = list(self._results) if after is None else after
        self._check_stage(name, file, after)
        path, stamp = self.folder / file, self.folder / f"{name}.json"
        upstream = {other: self._results[other] for other in after}
        identity = {"stage": name, "file": file, "settings": self._hash, "upstream": upstream}
        start = time.perf_counter() if start is None else start
        digest, note = valid_digest(path, stamp, identity)
        if digest is None:
            self.checkpoints = Checkpoints(self.folder / f"{UNFINISHED}{hash_of(identity)}")
            digest = write_result(make(), save, path, stamp, identity, start)
            _remove_unfinished(self.folder)
            note = f"{time.perf_counter() - start:.1f} s{note}"
        self._results[name] = digest
        self._taken |= {path.name, stamp.name}
        result = load(path)  # even a new result: a resumed run must continue from identical data
        self.log(f"{name} … {note}")
        return result

    def _check_stage(self, name: str, file: str, after: Sequence[str]) -> None:
        if self._lock.closed:
            raise ValueError(f"the run in {self.folder} is closed; open it again")
        for text in (name, file):
            if not re.fullmatch(r"\w[\w.+-]*", text, re.ASCII):
                raise ValueError(
                    f"the name of a stage or file must be letters, digits and . + - _, got {text!r}"
                )
        files = {file, f"{name}.json"}
        if len(files) == 1 or files & self._taken:
            raise ValueError(
                f"the stage {name} must write new files, got {' and '.join(sorted(files))}"
            )
        for other in set(after) - set(self._results):
            raise ValueError(f"the stage {name} depends on {other}, which has not run")


# -- results of a finished run -------------------------------------------------------------------


class Finished(Stages):
    """The stages of a run that have ended, for a process that computes another one of it."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder, self.checkpoints = Path(folder), NONE

    def close(self) -> None:
        """Do nothing: the lock is that of the other process."""

    def stage(
        self, part: Part | str, make: Callable[[], T], save: Callable[[T, Path], object],
        load: Callable[[Path], T], *, after: Sequence[str] | None = None,
        start: float | None = None,
    ) -> T:  # fmt: skip
        """The result of a stage, which must exist."""
        return load(check_result(self.folder, part if isinstance(part, Part) else Part(part, part)))


def check_result(folder: Path, part: Part) -> Path:
    """The path of the result of a stage, after a check that it is undamaged and of this run.

    Raises:
        FileNotFoundError: If the stage has not run.
        ValueError: If the result is damaged or belongs to another run.
    """
    path, stamp = folder / part.file, folder / f"{part.stage}.json"
    if not stamp.is_file():
        raise FileNotFoundError(
            f"{folder} must be a finished run, got one without {part.file}; repeat the command that"
            " wrote it, which resumes"
        )
    found = read_stamp(stamp)
    if (found["stage"], found["file"]) != part:
        raise ValueError(f"{stamp} is the stamp of another stage; repeat the run")
    if not path.exists() or digest_of(path) != found["digest"]:
        raise ValueError(
            f"{path} is damaged or was copied from another run; repeat the run to restore it"
        )
    if found["settings"] != hash_of(read_settings(folder)):
        raise ValueError(f"{path} belongs to a run with other settings; repeat the run")
    for stage, digest in found["upstream"].items():
        if read_stamp(folder / f"{stage}.json")["digest"] != digest:
            raise ValueError(f"{path} does not belong to the {stage} of this run; repeat the run")
    return path


def has_result(folder: Path, part: Part) -> bool:
    """Whether the stage has run."""
    return (folder / f"{part.stage}.json").is_file()


def derive(
    folder: Path, part: Part, after: Sequence[Part], make: Callable[[], T],
    save: Callable[[T, Path], object], load: Callable[[Path], T],
) -> T:  # fmt: skip
    """An additional result of a finished run: loaded if it exists, otherwise computed.

    It is saved for the next time, unless the folder is read-only or locked by another process.
    `after` are the stages that it depends on.
    """
    stamp, path = folder / f"{part.stage}.json", folder / part.file
    stamps = {other.stage: read_stamp(folder / f"{other.stage}.json") for other in after}
    upstream = {stage: found["digest"] for stage, found in stamps.items()}
    identity = {
        "stage": part.stage, "file": part.file, "settings": hash_of(read_settings(folder)),
        "upstream": upstream,
    }  # fmt: skip
    if valid_digest(path, stamp, identity)[0] is not None:
        return load(path)
    start = time.perf_counter()
    result = make()
    with contextlib.suppress(OSError), take_lock(folder):
        write_result(result, save, path, stamp, identity, start)
    return result


def _clean(folder: Path) -> None:
    """Remove temporary files of killed runs, but not their pieces; only with the lock held."""
    kept = {folder / LOCK, *folder.glob(f"{UNFINISHED}*")}
    for path in set(folder.glob(f"{OURS}*")) - kept:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _remove_unfinished(folder: Path) -> None:
    """Remove the pieces of the stage that has ended, and any of stages with other inputs."""
    for path in folder.glob(f"{UNFINISHED}*"):
        shutil.rmtree(path)


def _print_line(line: str) -> None:
    """Print a line to standard error; a long one is broken, as it would be hard to read."""
    broken = textwrap.fill(line, _WIDEST, subsequent_indent="  ", break_long_words=False)
    print(broken, file=sys.stderr)
