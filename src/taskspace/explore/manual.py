"""The page at /docs: every endpoint of the API with an example, from its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any


def manual_html(schema: Mapping[str, Any]) -> str:
    """A plain HTML page that documents the endpoints of an OpenAPI schema."""
    info, parts = schema["info"], schema["components"]["schemas"]
    routes = [
        (method.upper(), path, about)
        for path, methods in schema["paths"].items()
        for method, about in methods.items()
    ]
    listed = "".join(
        f'<li><a href="#{escape(path)}"><code>{method} {escape(path)}</code></a>'
        f" {_text(about['description'])}</li>"
        for method, path, about in routes
    )
    sections = "".join(_section(*route, parts) for route in routes)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(info['title'])}</title>"
        '<link rel="stylesheet" href="assets/manual.css"></head><body>'
        f"<h1>{escape(info['title'])}</h1><p>{_text(info['description'])}</p>"
        '<p>The OpenAPI schema is at <a href="openapi.json">/openapi.json</a>, the map at'
        ' <a href=".">/</a>, and its data, as JSON compressed with gzip, at'
        f" <code>/data.json.gz</code>.</p><ul>{listed}</ul>{sections}{_parts(schema)}"
        "</body></html>\n"
    )


def _section(method: str, path: str, about: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    head = (
        f'<h2 id="{escape(path)}"><code>{method} {escape(path)}</code></h2>'
        f"<p>{_text(about['description'])}</p>"
    )
    content = about.get("requestBody", {}).get("content")
    asked = content["application/json"]["schema"] if content else None
    answer = about["responses"]["200"]["content"]["application/json"]["schema"]
    errors = ", ".join(
        f"{status} ({_text(each['description']).lower()})"
        for status, each in about["responses"].items()
        if status != "200"
    )
    request = _fields("Request", asked, parts, needed=True)
    return f"{head}{request}{_fields('Response', answer, parts)}<p>Errors: {errors}.</p>"


def _fields(
    title: str, schema: Mapping[str, Any] | None, parts: Mapping[str, Any], needed: bool = False
) -> str:
    """A table of the fields, with examples; `needed` marks required fields."""
    if schema is None:
        return ""
    named = parts[_name(schema)]
    examples = "".join(
        f"<pre>{escape(json.dumps(each))}</pre>" for each in named.get("examples", ())
    )
    return f"<h3>{title}</h3>{_table(named, needed)}{examples}"


def _parts(schema: Mapping[str, Any]) -> str:
    """Tables of the types that requests and responses contain."""
    parts, operations = schema["components"]["schemas"], schema["paths"].values()
    whole = {_name(each) for methods in operations for each in _contents(list(methods.values()))}
    rest = (
        f"<h3><code>{escape(name)}</code></h3>{_table(part)}"
        for name, part in parts.items()
        if name not in whole
    )
    return f"<h2>Types in requests and responses</h2>{''.join(rest)}"


def _contents(value: Any) -> Iterator[Mapping[str, Any]]:
    """The schemas of all requests and responses in a description of operations."""
    if isinstance(value, Mapping):
        content = value.get("content", {}).get("application/json")
        yield from [content["schema"]] if content else _contents(list(value.values()))
    elif isinstance(value, list):
        for inner in value:
            yield from _contents(inner)


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"].rpartition("/")[2])


def _table(part: Mapping[str, Any], needed: bool = False) -> str:
    required = part.get("required", ()) if needed else ()
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td><code>{escape(_kind(field))}</code></td>"
        f"<td>{'<b>required</b> ' if name in required else ''}"
        f"{_text(field.get('description', ''))}</td></tr>"
        for name, field in part["properties"].items()
    )
    return f"<p>{_text(part['description'])}</p><table>{rows}</table>"


def _kind(field: Mapping[str, Any]) -> str:
    """A type, its bounds and its default in a few words."""
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(each) for each in field["anyOf"]))
    if "$ref" in field:
        return _name(field)
    if field["type"] == "array":
        inner = _kind(field["items"])
        return f"list of ({inner})" if " or " in inner else f"list of {inner}"
    bounds = " ".join(_bounds(field))
    default = field.get("default")
    bounded = f"{field['type']} {bounds}" if bounds else str(field["type"])
    return f"{bounded}, default {json.dumps(default)}" if "default" in field else bounded


def _bounds(field: Mapping[str, Any]) -> Iterator[str]:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    yield from (f"{sign} {field[name]:g}" for name, sign in signs.items() if name in field)


def _text(text: str) -> str:
    """Escaped text, with backticks turned into code elements."""
    parts = escape(text, quote=False).split("`")
    return "".join(f"<code>{p}</code>" if number % 2 else p for number, p in enumerate(parts))
