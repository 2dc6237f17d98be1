"""JSON that is read value by value, since logs may exceed memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

_decode = json.JSONDecoder().raw_decode
_CHUNK = 1 << 18  # characters per read, and more if one value is longer
_SPACE = " \t\r\n"
_AFTER = (*_SPACE, ",", "]", "}", ":")  # what may follow a value


class JsonText:
    """One JSON value, of which arrays and objects are read item by item.

    >>> import io
    >>> text = JsonText(io.StringIO('{"version": 2, "samples": [1, 2]}'))
    >>> [(key, list(text.items()) if key == "samples" else text.value()) for key in text.members()]
    [('version', 2), ('samples', [1, 2])]
    """

    def __init__(self, file: IO[str]) -> None:
        self._file, self._text, self._at = file, "", 0

    def value(self) -> Any:
        """Read the next value."""
        self._peek()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except RecursionError as error:
                raise ValueError("it is nested too deeply") from error
            except ValueError as error:
                if self._more():
                    continue
                raise ValueError(f"its end is missing, or it is damaged: {error}") from error
            if self._text[end : end + 1] not in _AFTER and self._more():
                continue  # a number may go on
            self._at = end
            return value

    def items(self) -> Iterator[Any]:
        """Read the items of an array."""
        self._take("[")
        more = self._peek() != "]"
        while more:
            yield self.value()
            more = self._goes_on()
        self._take("]")

    def members(self) -> Iterator[str]:
        """Read the keys of an object; after each, its value must be read."""
        self._take("{")
        more = self._peek() != "}"
        while more:
            key: str = self.value()
            self._take(":")
            yield key
            more = self._goes_on()
        self._take("}")

    def end(self) -> None:
        """Check that nothing follows; a file of which all was read has been checked for damage."""
        if self._peek():
            raise ValueError(f"it must end, got more, {self._peek()!r}")

    def _goes_on(self) -> bool:
        found = self._peek() == ","
        self._at += found
        return found

    def _take(self, expected: str) -> None:
        found = self._peek()
        if found != expected:
            raise ValueError(f"it must go on with {expected!r}, got {found or 'its end'!r}")
        self._at += 1

    def _peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            found = self._text[self._at : self._at + 1]
            if found and found not in _SPACE:
                return found
            if found:
                self._at += 1
            elif not self._more():
                return ""

    def _more(self) -> bool:
        """Read on, at least as much as is waiting, so that long values take linear time."""
        rest = self._text[self._at :]
        read = self._file.read(max(_CHUNK, len(rest)))
        self._text, self._at = rest + read, 0
        return bool(read)
