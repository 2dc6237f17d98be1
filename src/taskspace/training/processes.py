"""Another process of Python, which calls functions for this one.

Functions are imported by name, arguments are JSON, and messages are lines of JSON in a pipe. It is
not a pool of multiprocessing, which would run the caller's script a second time.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from queue import SimpleQueue
from typing import Any

# With the path of this process: by itself, `python -c` would import from the current folder first.
_PROGRAM = "import sys; sys.path[:] = {}; from taskspace.training.processes import serve; serve()"


def _ignore(content: Any) -> None:
    pass


class Process(contextlib.AbstractContextManager["Process"]):
    """Another process; it ends with the block, or with this process, however that ends.

    >>> with Process() as process:
    ...     process.call("taskspace.training.processes:echo", {"text": "there"}, print)
    there
    """

    def __init__(self) -> None:
        command = [sys.executable, "-c", _PROGRAM.format(repr(sys.path))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(
        self, function: str, named: Mapping[str, Any], report: Callable[[Any], None] = _ignore
    ) -> None:
        """Call `function(**named, report=…)` there, and wait until it returns.

        Args:
            function: The function as "module:name".
            named: Its arguments, as plain JSON.
            report: Is called here with everything that the function reports there.

        Raises:
            ChildProcessError: If the process dies, or if the function raises an exception that is
                not one of Python's own; those are raised as they are.
        """
        for kind, content in self._messages(json.dumps([function, named])):
            if kind == "done":
                return
            if kind == "error":
                raise _error(*content)
            report(content)

    def kill(self) -> None:
        """End the process at once; a call that waits raises a ChildProcessError."""
        self._process.kill()

    def __exit__(self, *error: object) -> None:
        self.kill()
        with contextlib.suppress(BrokenPipeError):
            self._process.__exit__(None, None, None)  # closes the pipes and waits

    def _messages(self, request: str) -> Iterator[tuple[str, Any]]:
        """Pairs of kind and content; raises a ChildProcessError if the process dies."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        # A process may die before it has read the request, or in the middle of a line.
        with contextlib.suppress(BrokenPipeError, json.JSONDecodeError):
            process.stdin.write(f"{request}\n".encode())
            process.stdin.flush()  # stays open: its end shows the process that the parent has ended
            for line in process.stdout:
                yield json.loads(line)
        raise ChildProcessError(f"another process died (exit code {process.wait()})")


def _error(kind: str, text: str) -> Exception:
    """The same built-in exception as in the process, else one that names it."""
    known = getattr(builtins, kind, None)
    if isinstance(known, type) and issubclass(known, Exception):
        with contextlib.suppress(TypeError):  # a few exceptions do not take a string
            return known(text)
    return ChildProcessError(f"{kind}: {text}")


def echo(text: str, *, report: Callable[[Any], None]) -> None:
    """Report the text, to show that the process is there."""
    report(text)


# -- the other process -----------------------------------------------------------------------------


def serve() -> None:
    """Read requests from standard input, and write messages to standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    messages = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # so that a function's own output does not mix with the messages
    requests: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_receive, args=[requests], daemon=True).start()

    def send(kind: str, content: Any = None) -> None:
        print(json.dumps([kind, content]), file=messages, flush=True)

    while True:
        reference, named = json.loads(requests.get())
        try:
            pkgutil.resolve_name(reference)(**named, report=functools.partial(send, "report"))
        except Exception as error:
            send("error", [type(error).__name__, str(error)])
        else:
            send("done")


def _receive(requests: SimpleQueue[str]) -> None:
    """Queue requests; exit at the end of the input, when the parent has ended for any reason."""
    for line in sys.stdin:
        requests.put(line)
    os._exit(1)
