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
        return (self.value() for _ in self._entries("[", "]"))

    def members(self) -> Iterator[str]:
        """Read the keys of an object; after each, its value must be read."""
        for _ in self._entries("{", "}"):
            key = self.value()
            self._take(":")
            yield key

    def _entries(self, opening: str, closing: str) -> Iterator[None]:
        self._take(opening)
        while self._peek() != closing:
            yield None
            if self._peek() != ",":
                break
            self._at += 1
        self._take(closing)

    def _take(self, expected: str) -> None:
        found = self._peek()
        if found != expected:
            raise ValueError(f"it must go on with {expected!r}, got {found or 'its end'!r}")
        self._at += 1

    def _peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read on, at least as much as is waiting, so that long values take linear time."""
        rest = self._text[self._at :]
        read = self._file.read(max(_CHUNK, len(rest)))
        self._text, self._at = rest + read, 0
        return bool(read)
