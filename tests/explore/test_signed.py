"""The explorer of maps by correlation: page and API say what the library says, with its sign."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.explore.data import explorer_data
from taskspace.explore.service import Service
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.runs.run import Run
from tests.explore.test_page import SIMILARITIES, Seen, looked_at
from tests.messages import says
from tests.models.embedding.test_task_embedder import opposite_groups
from tests.run_folders import write_run

pytestmark = pytest.mark.slow

TASK = 7
OPPOSITE = "[data-list=opposite] .card"


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A table in which opposite agents solve the first and the last 15 tasks; some did not try."""
    outcomes = opposite_groups(missing=0.1)
    embedder = TaskEmbedder(2, measure="correlation", random_state=0).fit(outcomes)
    return write_run(tmp_path_factory.mktemp("groups"), {"name": "groups"}, outcomes, embedder)


@pytest.fixture(scope="module")
def signed(keys: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The map by correlation of the success model of `keys`."""
    embedder = TaskEmbedder(3, measure="correlation").fit(keys.model)
    agents: Any = dict(zip(keys.outcomes.agents.tolist(), keys.subpopulations or [], strict=True))
    settings = {"environment": "MultiKeyNav"}
    folder = tmp_path_factory.mktemp("signed")
    return write_run(folder, settings, keys.outcomes, embedder, agents)


def test_the_data_names_the_measure(groups: Run, keys: Run) -> None:
    assert explorer_data(groups)["measure"] == "correlation"
    assert "opposite directions" in explorer_data(groups)["description"]
    assert explorer_data(keys)["measure"] == "information"


def test_the_service_finds_opposite_tasks(groups: Run, keys: Run) -> None:
    found = Service(groups).similar("task-1", 3, opposite=True)
    expected, values = groups.similar(1, 3, opposite=True)
    assert [each["task"] for each in found] == groups.outcomes.tasks[expected].tolist()
    np.testing.assert_allclose([each["similarity"] for each in found], values)
    with pytest.raises(ValueError, match=says("opposite correlation information")):
        Service(keys).similar("task-1", 3, opposite=True)


def test_selected_options_are_compared_by_correlation(signed: Run) -> None:
    options: Any = ["task-30", "task-31", "task-32"]
    found = Service(signed).select("task-7", options, 3, False, False)
    rows = signed.outcomes.task_inputs[30:33]
    expected = signed.model.similarity(signed.outcomes.task_inputs[7:8], rows, "correlation")[0]
    for each in found:
        assert each["similarity"] == pytest.approx(expected[each["option"]])


def listed(seen: Seen, cards: str) -> tuple[list[int], list[float]]:
    """The tasks of cards, and the correlations that they show."""
    found = seen.page.locator(cards).all()
    texts = [re.search(r"correlation ([−\d.]+)", card.inner_text()) for card in found]
    shown = [float(text[1].replace("−", "-")) for text in texts if text]
    return [int(card.get_attribute("data-task")) for card in found], shown


def test_the_page_of_a_table(browser: Any, groups: Run) -> None:
    with looked_at(browser, groups) as seen:
        assert "similarity" not in seen.page.inner_html("[aria-label=Colour]")
        seen.go(f"#task=task-{TASK}&colour=similarity")
        others = np.arange(30) != TASK
        found = seen.numbers(SIMILARITIES.format(TASK))
        np.testing.assert_allclose(found[others], groups.similarities(TASK)[others], atol=1e-5)
        np.testing.assert_allclose(seen.colours()[others], found[others])
        assert (found[15:][np.arange(15) % 5 != 0] < -0.3).all()
        legend = seen.text("#legend")
        assert f"correlation with task-{TASK}" in legend
        assert re.search("[-−]1", legend)
        assert "%" not in legend
        tasks, shown = listed(seen, OPPOSITE)
        best, values = groups.similar(TASK, 4, opposite=True)
        assert tasks == best.tolist()
        np.testing.assert_allclose(shown, values, atol=1e-3)
        np.testing.assert_allclose(
            listed(seen, "[data-list=nearest] .card")[1], groups.similar(TASK, 4)[1], atol=1e-3
        )
        assert "bits" not in seen.text("#panel-task")
        squared = float((groups.index.vectors[TASK] ** 2).sum())
        fact = seen.text("#panel-task [data-fact='correlation of two attempts']")
        assert float(fact) == pytest.approx(squared, abs=1e-3)
        seen.go("#colour=similarity")  # of no task: the colours are those of the clusters
        np.testing.assert_array_equal(seen.colours(), groups.clusters.labels)


def test_the_page_places_new_tasks_by_correlation(browser: Any, signed: Run) -> None:
    tasks = MultiKeyNav().sample_tasks(10, seed=5)
    script = (
        "async (tasks) => {"
        " const { embed } = await import('/assets/tasks/network.js');"
        " return tasks.map((task) => embed(explorer.space.network, task).vector); }"
    )
    with looked_at(browser, signed) as seen:
        vectors = seen.page.evaluate(script, tasks.tolist())
        np.testing.assert_allclose(vectors, signed.embedder.transform(tasks), atol=1e-3)
        found = seen.numbers(SIMILARITIES.format(TASK))
        np.testing.assert_allclose(found, signed.similarities(TASK), atol=1e-3)
