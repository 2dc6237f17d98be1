"""The report: one file that needs no other, in which nothing given can become markup."""

from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from taskspace.report.html import (
    Card,
    Cards,
    Commands,
    Figure,
    Numbers,
    Section,
    Settings,
    Text,
    write_report,
)
from taskspace.report.svg import follow_scheme
from tests.explore.browser import STILL, chromium
from tests.messages import says

EVIL = "<script>alert('x')</script> & \"quoted\""
VOID = {"meta", "img", "br", "link"}  # elements that are not closed


PNG, SVG = b"\x89PNG not really", b"<svg></svg>"


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "picture.png"
    path.write_bytes(PNG)
    return path


@pytest.fixture
def svg(tmp_path: Path) -> Path:
    path = tmp_path / "drawing.svg"
    path.write_bytes(SVG)
    return path


class Page(HTMLParser):
    """Elements with their attributes, the text, and a check that every element is closed."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open and data.strip():
            self.text.append(data.strip())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def full(svg: Path, png: Path) -> list[Section]:
    return [
        Text(["What this is."]),
        Figure("The map.", svg, "Three points.", heading="The map", wide=True),
        Numbers([["silhouette", 0.75312, -1234], ["kind", "t-SNE", True]], ["", "here", "there"]),
        Figure("Left.", svg, "Left points."),
        Figure("Right.", png, "Right points."),
        Settings({"seed": 0, "rate": 1e-05, "population": {"agents": [1, 2]}, "none": {}}),
        Text(["First.", "Second."], heading="More"),
    ]


@pytest.fixture
def page(tmp_path: Path, svg: Path, png: Path) -> Page:
    write_report(tmp_path / "report.html", title="A map", sections=full(svg, png))
    return Page(tmp_path / "report.html")


def test_it_needs_no_other_file(page: Page, tmp_path: Path) -> None:
    for _, attributes in page.elements:
        for name in ("src", "href", "srcset", "action", "data"):
            assert (attributes.get(name) or "data:").startswith(("data:", "#"))
    assert not page.all("script")
    assert not page.all("link")
    text = re.sub(r"base64,[^\"]*", "", (tmp_path / "report.html").read_text())
    assert "http" not in text
    assert "url(" not in text
    assert "@import" not in text


def test_it_begins_with_the_title_and_what_it_is_and_then_the_map(page: Page) -> None:
    assert page.text[:5] == ["A map", "A map", "What this is.", "The map", "The map."]
    tags = [tag for tag, _ in page.elements]
    assert tags.index("h1") < tags.index("p") < tags.index("img") < tags.index("table")


def test_figures_have_alt_texts(page: Page) -> None:
    alts = [image["alt"] for image in page.all("img")]
    assert alts == ["Three points.", "Left points.", "Right points."]


def test_images_are_held_in_the_page(page: Page) -> None:
    drawn, _, picture = (str(image["src"]).split(",") for image in page.all("img"))
    assert drawn[0] == "data:image/svg+xml;base64"
    assert base64.b64decode(drawn[1]).decode() == follow_scheme(SVG.decode())
    assert picture[0] == "data:image/png;base64"
    assert base64.b64decode(picture[1]) == PNG


def test_narrow_figures_lie_side_by_side(page: Page) -> None:
    assert [a.get("class") for a in page.all("div")].count("row") == 1


def test_numbers_are_rounded_and_settings_exact(page: Page) -> None:
    for shown in ("0.7531", "−1,234", "True", "t-SNE", "1e-05", "population.agents", "[1, 2]"):
        assert shown in page.text


def test_light_dark_and_print_are_cared_for(tmp_path: Path, page: Page) -> None:
    text = (tmp_path / "report.html").read_text()
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert page.all("html") == [{"lang": "en"}]


def test_everything_is_escaped(tmp_path: Path, svg: Path) -> None:
    path = tmp_path / "report.html"
    sections: list[Section] = [
        Text([EVIL], heading=EVIL),
        Figure(EVIL, svg, EVIL, heading=EVIL),
        Numbers([[EVIL, EVIL]], [EVIL, EVIL], heading=EVIL, caption=EVIL),
        Settings({EVIL: EVIL, "inner": {EVIL: [EVIL]}}, heading=EVIL),
        Text([EVIL], heading=EVIL, command=EVIL),
        Cards([Card(EVIL, EVIL, EVIL, EVIL, svg, EVIL)], [EVIL], EVIL),
        Commands({EVIL: EVIL}, EVIL, [EVIL]),
        Figure("Live.", svg, "Live.", live=EVIL),
    ]
    write_report(path, title=EVIL, sections=sections, terms={"alert": EVIL})
    page = Page(path)
    assert not page.all("script")
    assert page.all("img")[0]["alt"] == EVIL
    assert page.all("iframe") == [
        {"sandbox": "allow-scripts", "title": "Interactive map", "srcdoc": EVIL}
    ]
    assert "<script" not in path.read_text()


def test_terms_lead_to_their_definitions(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    terms = {"triplet": "Three tasks.", "triplet accuracy": "How often.", "unused": "Nothing."}
    sections: list[Section] = [
        Text(["Triplets, and the triplet accuracy of triplets."]),
        Numbers([["triplet accuracy", 0.5]], caption="No triplicate."),
        Settings({"triplet": "triplet"}),
    ]
    write_report(path, title="t", sections=sections, terms=terms)
    page = Page(path)
    links = [(link["href"], link["title"]) for link in page.all("a")]
    accuracy = ("#term-triplet-accuracy", "How often.")
    assert links == [("#term-triplet", "Three tasks."), accuracy, accuracy]
    assert [term["id"] for term in page.all("dt")] == ["term-triplet", "term-triplet-accuracy"]
    assert page.text[-3:-1] == ["triplet accuracy", "How often."]


@pytest.mark.slow
def test_behind_a_live_map_is_an_image_for_print_and_for_pictures_of_the_page(
    tmp_path: Path,
) -> None:
    path, image = tmp_path / "report.html", tmp_path / "still.png"
    plt.imsave(image, np.full((8, 16, 3), (0, 0, 255), np.uint8))
    live = "<html style='height: 100%; background: #f00'></html>"
    sections: list[Section] = [Text(["far above the map"]) for _ in range(60)]
    sections.append(Figure("c", image, "a map", live=live))
    write_report(path, title="t", sections=sections)
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 400, "height": 300})
        page.goto(path.as_uri())
        assert middle_of_map(page) == [0, 0, 255]  # Chromium does not draw a frame that is far away
        page.locator(".live").scroll_into_view_if_needed()
        page.evaluate(STILL)
        assert middle_of_map(page) == [255, 0, 0]
        page.emulate_media(media="print")
        assert middle_of_map(page) == [0, 0, 255]


@pytest.mark.slow
def test_long_names_do_not_push_columns_out_of_sight(tmp_path: Path) -> None:
    path, name = tmp_path / "report.html", "benchmark:subset=a_long_name,method=joint,/17"
    row = [name, "56.7% to 59.7%", "0.25", f"scenario: {name}", name]
    words = Numbers([row], ["task", "interval", "difficulty", "about", "most similar"], words=True)
    numbers = Numbers([["half informative", *["0.123"] * 4]], ["tasks", "8", "15", "30", "60"])
    write_report(path, title="t", sections=[words, numbers])
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 600})
        page.goto(path.as_uri())
        hidden = "(found) => found.map((each) => each.scrollWidth - each.clientWidth)"
        assert page.locator(".scroll").evaluate_all(hidden) == [0, 0]
        page.set_viewport_size({"width": 400, "height": 600})
        (first,) = page.locator(".numbers tbody th").all()
        assert first.bounding_box()["height"] < 3 * 24  # two lines: no word is broken


def middle_of_map(page: Any) -> list[int]:
    """The colour at the middle of the map in a picture of the whole page."""
    box = page.evaluate("() => document.querySelector('.live').getBoundingClientRect().toJSON()")
    top = box["top"] + page.evaluate("() => scrollY")
    picture = plt.imread(io.BytesIO(page.screenshot(full_page=True)))
    colour = picture[int(top + box["height"] / 2), int(box["left"] + box["width"] / 2), :3]
    return [round(255 * float(each)) for each in colour]


def test_the_same_report_has_the_same_bytes(tmp_path: Path, svg: Path, png: Path) -> None:
    for name in ("a", "b"):
        write_report(tmp_path / name, title="t", sections=full(svg, png))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_empty_report_can_be_written(tmp_path: Path) -> None:
    write_report(tmp_path / "r.html", title="", sections=[])
    Page(tmp_path / "r.html")


@pytest.mark.parametrize(
    ("section", "error", "tokens"),
    [
        ("text", TypeError, "section Figure Numbers Settings Text Cards Commands 'text'"),
        (Text("text"), ValueError, "paragraphs 'text'"),
        (Figure("Map", None, " "), ValueError, "figure 'Map' alt"),  # type: ignore[arg-type]
        (Numbers([[1, 2], [1]]), ValueError, "rows length [1, 2]"),
        (Numbers([[1, 2]], ["a"]), ValueError, "rows length [1, 2]"),
    ],
)
def test_bad_sections_leave_the_old_report(
    tmp_path: Path, section: Any, error: type[Exception], tokens: str
) -> None:
    path = tmp_path / "r.html"
    path.write_text("old")
    with pytest.raises(error, match=says(tokens)):
        write_report(path, title="t", sections=[section])
    assert path.read_text() == "old"


def test_an_image_that_is_missing_leaves_the_old_report(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("old")
    with pytest.raises(FileNotFoundError, match=r"nothing\.png"):
        write_report(path, title="t", sections=[Figure("c", tmp_path / "nothing.png", "a")])
    assert path.read_text() == "old"
    assert [child.name for child in tmp_path.iterdir()] == ["r.html"]


def test_a_long_report_has_links_to_its_headings(tmp_path: Path) -> None:
    headings = ["What, now?", "b", "c", "d", "e", "f"]
    sections = [Text(["text"], heading=heading) for heading in headings]
    write_report(tmp_path / "long.html", title="t", sections=[Text(["lead"]), *sections])
    page = (tmp_path / "long.html").read_text()
    links = re.findall(r'<a href="#([^"]*)">', page)
    assert links == re.findall(r'<h2 id="([^"]*)"', page) == ["what-now", *"bcdef"]
    write_report(tmp_path / "short.html", title="t", sections=sections[:2])
    assert "<nav" not in (tmp_path / "short.html").read_text()
