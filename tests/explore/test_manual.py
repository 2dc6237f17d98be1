"""The page about the API: everything of the schema is on it, and nothing of it is HTML."""

from __future__ import annotations

import re
from typing import Any

import pytest

from taskspace.explore.manual import manual_html


def reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def content(name: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": reference(name)}}}


@pytest.fixture
def page() -> str:
    return manual_html(
        {
            "info": {"title": "Maps & <tasks>", "description": "Ask with `curl`."},
            "paths": {
                "/api/find": {
                    "post": {
                        "description": "Find a `task`.",
                        "requestBody": content("Find"),
                        "responses": {
                            "200": {"description": "OK", **content("Found")},
                            "422": {"description": "Wrong", **content("Problem")},
                        },
                    }
                },
                "/api/info": {
                    "get": {
                        "description": "What it is.",
                        "responses": {"200": {"description": "OK", **content("Found")}},
                    }
                },
            },
            "components": {
                "schemas": {
                    "Find": {
                        "description": "A question.",
                        "required": ["name"],
                        "examples": [{"name": "<b>"}],
                        "properties": {
                            "name": {"type": "string", "description": "of a <task>"},
                            "k": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
                            "share": {
                                "anyOf": [
                                    {"type": "number", "exclusiveMinimum": 0},
                                    {"type": "null"},
                                ]
                            },
                            "rows": {
                                "type": "array",
                                "items": {"anyOf": [{"type": "string"}, reference("Part")]},
                            },
                        },
                    },
                    "Found": {
                        "description": "An answer.",
                        "required": ["parts"],
                        "properties": {"parts": {"type": "array", "items": reference("Part")}},
                    },
                    "Problem": {
                        "description": "An error.",
                        "properties": {"error": {"type": "string"}},
                    },
                    "Part": {"description": "A part.", "properties": {"x": {"type": "number"}}},
                }
            },
        }
    )


def row(page: str, name: str) -> tuple[str, str]:
    """Type and description of a field."""
    found = re.search(
        rf"<td><code>{name}</code></td><td><code>(.*?)</code></td><td>(.*?)</td>", page
    )
    assert found
    return found[1], found[2]


def test_every_route_is_listed_and_linked(page: str) -> None:
    for method, path in (("POST", "/api/find"), ("GET", "/api/info")):
        assert f'href="#{path}"' in page
        assert f'<h2 id="{path}"><code>{method} {path}</code></h2>' in page
    assert page.index('id="/api/find"') < page.index('id="/api/info"')


def test_text_is_escaped_and_code_marked(page: str) -> None:
    assert "<title>Maps &amp; &lt;tasks&gt;</title>" in page
    assert "Ask with <code>curl</code>." in page
    assert "of a &lt;task&gt;" in page
    assert "<b>&quot;" not in page
    assert "<pre>{&quot;name&quot;: &quot;&lt;b&gt;&quot;}</pre>" in page


def test_types_have_their_bounds_and_defaults(page: str) -> None:
    assert row(page, "k")[0] == "integer ≥ 1 ≤ 9, default 3"
    assert row(page, "share")[0].split(" or ") == ["number &gt; 0", "null"]
    assert row(page, "rows")[0] == "list of (string or Part)"
    assert row(page, "parts")[0] == "list of Part"


def test_only_requests_say_what_is_required(page: str) -> None:
    required = re.findall(r"<code>(\w+)</code></td><td><code>[^<]*</code></td><td><b>", page)
    assert required == ["name"]


def test_parts_are_described_once_and_errors_named(page: str) -> None:
    assert page.count("<h3><code>Part</code></h3>") == 1
    assert "<h3><code>Find</code></h3>" not in page
    assert "422 (wrong)" in page
