"""Docstrings of the public names: Google style, so that the reference has tables of parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import taskspace as ts
from taskspace.runs.run import Run

SECTION = r"^\s*{}:\n((?:\s+.*\n?|\n)*)"
ATTRIBUTES = {"__version__"}


def public() -> Iterator[tuple[str, Any]]:
    """Every public function and class, and the public methods of these classes."""
    named = {name: getattr(ts, name) for name in sorted(set(ts.__all__) - ATTRIBUTES)}
    for name, value in {**named, "Run": Run}.items():
        yield name, value
        if inspect.isclass(value):
            for method, raw in vars(value).items():
                function = getattr(raw, "__func__", raw)
                if not method.startswith("_") and inspect.isfunction(function):
                    yield f"{name}.{method}", function


def section(docstring: str, name: str) -> str:
    found = re.search(SECTION.format(name), inspect.cleandoc(docstring) + "\n", re.M)
    return found[1] if found else ""


def parameters(value: Any) -> list[str]:
    called = value.__init__ if inspect.isclass(value) else value
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        name
        for name, parameter in inspect.signature(called).parameters.items()
        if name not in ("self", "cls") and parameter.kind not in kinds and not name.startswith("_")
    ]


@pytest.mark.parametrize(
    ("name", "value"), [*public()], ids=lambda v: v if isinstance(v, str) else ""
)
def test_parameters_and_results_are_described(name: str, value: Any) -> None:
    docstring = value.__doc__ or ""
    described = section(docstring, "Args") + section(docstring, "Attributes")
    missing = [p for p in parameters(value) if not re.search(rf"^\s*{p}: \S", described, re.M)]
    assert not missing, f"{name} does not describe {', '.join(missing)}"
    if inspect.isclass(value):
        return
    returned = inspect.signature(value).return_annotation
    if returned not in ("None", inspect.Signature.empty):
        word = "Yields" if str(returned).startswith(("Iterator", "Generator")) else "Returns"
        assert section(docstring, word), f"{name} does not say what it returns"
