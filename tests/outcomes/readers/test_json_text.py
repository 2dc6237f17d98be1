"""JSON that is read value by value."""

from __future__ import annotations

import io
import json

import pytest

from taskspace.outcomes.readers import json_text
from taskspace.outcomes.readers.json_text import JsonText
from tests.messages import says

VALUE = {"a": [1, 2.5, -3e5, "x, ]}", {"b": [[]]}], 'é"\\': None, "long": "y" * 500, "n": 12345}


@pytest.mark.parametrize("size", [1, 7, 1 << 18])
@pytest.mark.parametrize("indent", [None, 2])
def test_values_are_the_same_in_pieces_of_any_size(
    monkeypatch: pytest.MonkeyPatch, size: int, indent: int | None
) -> None:
    monkeypatch.setattr(json_text, "_CHUNK", size)
    file = io.StringIO(json.dumps(VALUE, indent=indent))
    text = JsonText(file)
    found = {key: list(text.items()) if key == "a" else text.value() for key in text.members()}
    assert found == VALUE
    numbers = JsonText(io.StringIO("[123456, 7]"))
    assert list(numbers.items()) == [123456, 7]


@pytest.mark.parametrize("text", ["", "[1, 2", "[1 2]", "{}", "[1, nothing]", "[" * 100_000])
def test_damage_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=says("it")):
        list(JsonText(io.StringIO(text)).items())
