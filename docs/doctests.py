"""Render the `>>>` examples of docstrings as code; Markdown would render them as quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^( *)>>> .*?(?=\n\n(?! *>>> )|\Z)", re.DOTALL | re.MULTILINE)


class Doctests(griffe.Extension):
    """Put a fence around every example, from its first prompt to the next plain paragraph."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(r"\1```pycon\n\g<0>\n\1```", obj.docstring.value)
