"""The panels of a table: redundant tasks, a short test, agents, and the score in the quiz."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from taskspace.applications.agent_comparison import compare_agents
from taskspace.applications.scores import Scores
from taskspace.explore.export import export_page
from taskspace.runs.run import Run
from tests.explore.browser import READY, served

pytestmark = pytest.mark.slow

LONG = 60_000  # milliseconds


@pytest.fixture(scope="module")
def page(browser: Any, copies: Run) -> Iterator[Any]:
    api = pytest.importorskip("taskspace.explore.api", reason="fastapi is not installed")
    with served(api.create_app(copies, seconds=120)) as url:
        found = browser.new_page(viewport={"width": 1280, "height": 800})
        errors: list[str] = []
        found.on("pageerror", lambda error: errors.append(str(error)))
        found.goto(url)
        found.wait_for_selector(**READY)
        yield found
        assert errors == []


def open_tab(page: Any, name: str) -> None:
    page.click(f"#tab-{name}")
    page.wait_for_selector(f"#panel-{name}:visible")


def test_a_group_of_near_copies_is_shown_on_the_map(page: Any, copies: Run) -> None:
    open_tab(page, "redundant")
    assert copies.redundancy.summary in page.inner_text("#redundant-summary")  # type: ignore[union-attr]
    page.click("#group-1")
    page.wait_for_selector("#group-1[aria-pressed=true]")
    assert sorted(page.evaluate("explorer.insight.shown")) == [1, 7]
    page.keyboard.press("Enter")  # the focus has stayed
    page.wait_for_selector("#group-1[aria-pressed=false]")
    assert page.evaluate("explorer.insight.shown") is None
    first = page.locator("#panel-redundant .pairs li").first
    assert "100 % agreement" in first.inner_text()


def wait_for_marks(page: Any, count: int) -> None:
    """Wait until so many tasks are marked; the page's policy refuses `wait_for_function`."""
    for number in (count, count + 1):
        state = "attached" if number == count else "detached"
        page.locator("#marks .near").nth(number - 1).wait_for(state=state, timeout=LONG)


def test_the_short_test_is_marked_and_another_one_chosen(
    page: Any, copies: Run, tmp_path: Path
) -> None:
    open_tab(page, "test")
    assert page.inner_text("#test-verdict") == copies.short_test.verdict  # type: ignore[union-attr]
    wait_for_marks(page, 6)
    page.fill("#test-size", "4")
    page.select_option("[aria-label=Predict]", "topic")
    page.click("#choose-test")
    page.wait_for_selector("#panel-test .test-tasks li:nth-child(4):last-child", timeout=LONG)
    wait_for_marks(page, 4)
    with page.expect_download() as started:
        page.click("#save-test")
    started.value.save_as(tmp_path / "test.csv")
    rows = list(csv.DictReader((tmp_path / "test.csv").open(encoding="utf-8")))
    assert [rows[0]["task"], len(rows)] == ["(intercept)", 5]
    assert {"weight", "weight:areas", "weight:sums"} <= set(rows[0])
    page.fill("#test-size", "1")
    page.click("#choose-test")  # fewer than there are topics
    page.wait_for_selector("#panel-test .command", timeout=LONG)
    assert "must be" in page.inner_text("#panel-test section")


def test_an_agent_is_loaded_and_has_a_full_score(page: Any, copies: Run) -> None:
    open_tab(page, "agents")
    rows = page.locator("#panel-agents tbody tr")
    assert rows.count() == 100  # the best
    best = copies.abilities.columns["agent"][0]  # type: ignore[union-attr]
    assert rows.first.get_attribute("data-agent") == best
    page.fill("[aria-label='Find an agent']", str(best))
    page.click("#panel-agents tbody button")
    page.wait_for_selector("#panel-agents [aria-pressed=true]")
    page.click("#quiz-agent")
    page.wait_for_selector("#score", timeout=LONG)
    page.select_option("[aria-label='Full score']", "topic")
    page.wait_for_selector("#full-score tbody tr:nth-child(2)", timeout=LONG)
    assert "areas" in page.inner_text("#full-score")


def test_an_agent_has_its_strengths_and_its_colours(page: Any, copies: Run) -> None:
    known = copies.abilities
    page.goto(f"{page.url.split('#')[0]}#")
    page.fill("[aria-label='Colour by an agent']", "agent-7")
    page.keyboard.press("Enter")
    assert page.input_value("[aria-label=Colour]") == "agent agent-7"
    shown = page.evaluate("Array.from(explorer.map.scene.colouring.values)")
    np.testing.assert_allclose(shown, copies.outcomes.rates[7], atol=0.003)
    open_tab(page, "agents")
    page.fill("[aria-label='Find an agent']", "agent-7")
    page.click("#agent-7")
    assert page.inner_text("#agent-name") == "agent-7"
    for number, name in enumerate(known.groups.tolist()):  # type: ignore[union-attr]
        value = page.inner_text(f"#panel-agents [data-group='{name}'] .value")
        wanted = 100 * known.group_scores[7, number]  # type: ignore[union-attr]
        assert float(value.removesuffix(" %")) == pytest.approx(wanted, abs=0.51)
    assert "who=agent-7" in page.evaluate("location.hash")
    alike = str(known.most_similar[7])  # type: ignore[union-attr]
    assert alike in page.inner_text("#panel-agents section")
    page.click("#compare-agent")
    page.wait_for_selector("#compared-summary", timeout=LONG)
    found = compare_agents(copies, "agent-7", alike)
    assert page.inner_text("#compared-summary") == f"{found.summary}."
    shown = page.evaluate("Array.from(explorer.map.scene.colouring.values)")
    rates = copies.outcomes.rates
    wanted = rates[7] - rates[copies.outcomes.agents.tolist().index(alike)]
    np.testing.assert_allclose(shown, wanted, atol=0.006)


def test_the_doctor_says_what_the_command_says(page: Any, copies: Run) -> None:
    open_tab(page, "doctor")
    assert page.inner_text("#doctor-verdict") == copies.diagnosis.verdict  # type: ignore[union-attr]


def test_clusters_and_labels_are_named_on_the_map(page: Any, copies: Run) -> None:
    page.goto(f"{page.url.split('#')[0]}#colour=label+topic")
    page.reload()
    page.wait_for_selector(**READY)
    names = page.locator("#names text").all_text_contents()
    assert sorted(names) == ["areas", "sums"]


def test_several_lassos_select_the_tasks_of_all(page: Any) -> None:
    places = page.evaluate(
        "Array.from(explorer.map.scene.x, (x, t) => [x, explorer.map.scene.y[t]])"
    )
    squares = [
        {
            "view": "t-SNE",
            "axes": [0, 1],
            "points": [[x - d, y - d], [x + d, y - d], [x, y + 2 * d]],
        }
        for (x, y), d in ((places[2], 1e-3), (places[5], 1e-3))
    ]
    state = urlencode({"tab": "select", "lassos": json.dumps(squares)})
    page.evaluate("(hash) => { location.hash = hash; }", state)
    page.wait_for_selector("#drop-lasso")
    assert {2, 5} <= set(page.evaluate("explorer.insight.shown"))
    page.click("#drop-lasso")
    assert 5 not in page.evaluate("explorer.insight.shown")


def test_the_exported_file_has_what_is_stored(browser: Any, copies: Run, tmp_path: Path) -> None:
    export_page(copies, tmp_path / "map.html")
    page = browser.new_page()
    page.goto(f"{(tmp_path / 'map.html').as_uri()}#tab=test&quiz=q1:1")
    page.wait_for_selector("#panel-test:visible", timeout=LONG)
    assert page.locator("#panel-test .test-tasks li").count() == 6
    assert page.locator("#choose-test").count() == 0
    assert "taskspace explore" in page.inner_text("#panel-test")
    open_tab(page, "quiz")
    assert "taskspace explore" in page.inner_text("#full-score")
    share = copies.predictor.linear_share_
    assert page.locator("#omitted").count() == (1 if share else 0)
    if share:
        assert f"{share:.0%}".replace("%", " %") in page.inner_text("#omitted")
    page.close()


def test_unusual_answers_are_told(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scores, "warning", "the answers are unlike any other")
    page.goto(f"{page.url.split('#')[0]}#tab=quiz&quiz=q1:1")
    page.reload()
    page.wait_for_selector("#score-warning", timeout=LONG)
    assert "unlike any other" in page.inner_text("#score-warning")
