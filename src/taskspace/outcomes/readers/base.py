"""What a reader of logs is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from taskspace.outcomes.readers.collector import Collector


class Reader(ABC):
    """Reads the logs of one format.

    Other packages add a reader by an entry point in the group `taskspace.readers` that names a
    subclass; it is made without arguments.

    Attributes:
        name: The name of the format.
        files: What its files are called, for the list of formats.

    >>> class Lines(Reader):
    ...     name, files = "lines", "*.results"
    ...
    ...     def recognises(self, path):
    ...         return path.suffix == ".results"
    ...
    ...     def read(self, path, results):
    ...         for line in path.read_text().splitlines():
    ...             agent, task, score = line.split()
    ...             results.add(agent, task, float(score))
    """

    name: str = ""
    files: str = ""

    @abstractmethod
    def recognises(self, path: Path) -> bool:
        """Whether a file is a log of this format; called for every file, so it must be quick.

        Args:
            path: The path of the file, which exists.

        Returns:
            Whether `read` should be called with it.
        """

    def beside(self, path: Path) -> Iterable[Path]:
        """The files that are read along with a log, if they exist.

        Args:
            path: The path of the log.

        Returns:
            The paths of these files; none by default.
        """
        return ()

    @abstractmethod
    def read(self, path: Path, results: Collector) -> None:
        """Read one log.

        Args:
            path: The path of the file.
            results: What the results are added to, by `results.add` or `results.sheet`.

        Raises:
            ValueError: If the file is damaged.
        """
