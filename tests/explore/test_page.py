"""The explorer's page in a browser: what is on the screen is what the library says."""

from __future__ import annotations

import contextlib
import csv
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.dependence import Dependence
from taskspace.applications.posterior import Posterior
from taskspace.applications.question_value import Objective
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.envs.basickarel import BasicKarel
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.language import decode, encode, parse
from taskspace.envs.karel.worlds import from_text, stack
from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.envs.registry import make
from taskspace.explore.data import explorer_data
from taskspace.explore.export import export_page
from taskspace.explore.programs import read, shown, task_of
from taskspace.runs.run import Run
from tests.explore.browser import NASTY, READY, STILL, served

pytestmark = pytest.mark.slow

TASK = 7  # that is looked at
SIMILARITIES = (
    "import('/assets/similar.js').then(({{ knownTask, similarities }}) =>"
    " Array.from(similarities(explorer.space, knownTask(explorer.space, {}))))"
)


@dataclass
class Seen:
    """The open page, and what it should show."""

    page: Any
    url: str
    finished: Run
    data: dict[str, Any]

    def go(self, state: str) -> None:
        """The view with this address; the page stays."""
        self.page.evaluate("(hash) => { location.hash = hash; }", state)
        self.page.evaluate(STILL)

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def colours(self) -> NDArray[np.float64]:
        """The values that the points are coloured by."""
        self.page.evaluate(STILL)
        return self.numbers("Array.from(explorer.map.drawn.colouring.values)")

    def places(self) -> NDArray[np.float64]:
        """Where the points are (tasks, 2), in the view's coordinates."""
        self.page.evaluate(STILL)
        script = "({ x, y }) => Array.from(x, (value, task) => [value, y[task]])"
        return self.numbers(f"({script})(explorer.map.drawn)")

    def numbers(self, script: str) -> NDArray[np.float64]:
        return np.array(self.page.evaluate(script), np.float64)

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Where on the screen a place of the view is."""
        left, top = self.page.evaluate("([x, y]) => explorer.map.pixels(x, y)", [x, y])
        corner = self.page.locator("#map").bounding_box()
        return corner["x"] + left, corner["y"] + top


@contextlib.contextmanager
def looked_at(browser: Any, finished: Run) -> Iterator[Seen]:
    """The page of a map; at the end nothing must have gone wrong on it."""
    api = pytest.importorskip("taskspace.explore.api", reason="fastapi is not installed")
    with served(api.create_app(finished)) as url:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        page.wait_for_selector(**READY)
        yield Seen(page, url, finished, explorer_data(finished))
        assert errors == []


@pytest.fixture(scope="module")
def opened(browser: Any, keys: Run) -> Iterator[Seen]:
    with looked_at(browser, keys) as seen:
        yield seen


@pytest.fixture
def seen(opened: Seen) -> Seen:
    opened.go("#tab=task")
    opened.page.mouse.move(1, 1)
    return opened


# -- 1. the map ------------------------------------------------------------------------------------


def test_the_map_shows_every_task(seen: Seen) -> None:
    assert seen.text("#title") == "MultiKeyNav"
    assert "160 tasks" in seen.text("#counts")
    np.testing.assert_allclose(seen.places(), seen.data["projections"]["t-SNE"], rtol=1e-5)
    sizes = seen.numbers("Array.from(explorer.map.sizes)")
    assert (np.diff(sizes[np.argsort(seen.data["difficulty"])]) >= 0).all()
    np.testing.assert_array_equal(seen.colours(), seen.data["clusters"])


def test_a_map_that_is_not_stable_says_so(seen: Seen) -> None:
    assert seen.page.locator("#stability").count() == 0  # nothing is known of it
    assert seen.page.locator("#verdict").is_hidden()
    for stability, said in ((0.44, "Not stable"), (0.96, "Stable")):
        seen.page.evaluate(
            "(stability) => { explorer.space.stability = stability;"
            " explorer.update(explorer.state.now, new Set(['all'])); }",
            stability,
        )
        assert seen.text("#stability").startswith(said)
        assert f"{stability:.3f}" in seen.text("#stability")


def test_views_and_colours_can_be_chosen(seen: Seen) -> None:
    page = seen.page
    page.click("[data-view=axes]")
    np.testing.assert_allclose(seen.places(), seen.data["vectors"][:, :2], rtol=1e-5)
    page.select_option("[aria-label='Vertical axis']", "2")
    np.testing.assert_allclose(seen.places(), seen.data["vectors"][:, [0, 2]], rtol=1e-5)
    page.click("[data-view=PCA]")
    np.testing.assert_allclose(seen.places(), seen.data["projections"]["PCA"], rtol=1e-5)
    for label, values in (
        ("difficulty", seen.data["difficulty"]),
        ("success rate", seen.data["success"]),
        ("location", seen.data["columns"]["location"]),
    ):
        page.select_option("[aria-label=Colour]", label=label)
        np.testing.assert_allclose(seen.colours(), values, rtol=1e-5)
        assert label in seen.text("#legend")


def test_columns_of_zeros_and_ones_have_names(seen: Seen) -> None:
    seen.page.select_option("[aria-label=Colour]", label="keyA")
    seen.page.click("#legend [data-name='1']")
    seen.page.click("#tab-select")
    held = int(seen.data["columns"]["keyA"].sum())
    assert 0 < held < 160
    assert seen.text("#count").startswith(f"{held} of 160")


# -- 2. one task -----------------------------------------------------------------------------------


def test_hovering_shows_the_task_and_clicking_chooses_it(seen: Seen) -> None:
    seen.go("#view=axes")
    places = seen.places()
    alone = int(np.argmax(np.linalg.norm(places, axis=1)))
    x, y = seen.pixels(*places[alone])
    seen.page.mouse.move(x - 2, y)
    seen.page.mouse.move(x, y)
    seen.page.wait_for_selector("#hover:visible")
    number, shown = seen.page.eval_on_selector(
        "#hover", "card => [card.dataset.task, card.innerText]"
    )
    place = int(number)
    np.testing.assert_allclose(places[place], places[alone], atol=0.2)
    for text in (str(seen.finished.outcomes.tasks[place]), "open the door"):
        assert text in shown
    assert f"{100 * seen.data['difficulty'][place]:.0f} %" in shown
    assert "bits" in shown
    seen.page.mouse.click(x, y)
    assert seen.text("#task-name") == str(seen.finished.outcomes.tasks[place])


def test_lists_of_similar_tasks_are_those_of_the_library(seen: Seen) -> None:
    seen.go(f"#task=task-{TASK}")
    check_lists(seen, "#panel-task", TASK)
    card = seen.page.locator("[data-list=easier] .card").first
    assert card.locator("svg").get_attribute("aria-label").endswith("open the door")
    task = int(card.get_attribute("data-task"))
    vectors = seen.data["vectors"].astype(np.float64)
    assert f"inner product {vectors[TASK] @ vectors[task]:.3f}" in card.inner_text()
    card.click()
    assert seen.text("#task-name") == str(seen.finished.outcomes.tasks[task])


def check_lists(seen: Seen, panel: str, task: int | NDArray[np.float64]) -> None:
    """The lists have the tasks that the library finds, apart from rounding."""
    bits, lists = seen.finished.similarities(task), []
    for name in ("nearest", "harder", "easier"):
        sides = {} if name == "nearest" else {name: True}
        best, values = seen.finished.similar(task, 4, **sides)
        cards = seen.page.locator(f"{panel} [data-list={name}] .card").all()
        found = [int(card.get_attribute("data-task")) for card in cards]
        assert len(found) == len(best)
        np.testing.assert_allclose(bits[found], values, atol=2e-4)
        texts = [re.search(r"similarity ([\d.]+) bits", card.inner_text()) for card in cards]
        shown = [float(text[1]) for text in texts if text]
        np.testing.assert_allclose(shown, values, atol=1e-3)
        lists.append(found)
    difficulty, own = seen.data["difficulty"], seen.finished.comparison
    hard = difficulty[task] if isinstance(task, int) else own.difficulty(task)[0]
    assert (difficulty[lists[1]] > hard).all()
    assert (difficulty[lists[2]] < hard).all()
    assert lists[1] != lists[2]


def test_difficulty_is_failure_and_the_length_is_information(seen: Seen) -> None:
    seen.go(f"#task=task-{TASK}&colour=information")
    information = np.square(seen.data["vectors"].astype(np.float64)).sum(1)
    np.testing.assert_allclose(seen.colours(), information, rtol=1e-4)
    difficulty = f"{100 * seen.data['difficulty'][TASK]:.0f} %"
    assert seen.text("#panel-task [data-fact=difficulty]") == difficulty
    assert seen.text("#panel-task [data-fact=information]") == f"{information[TASK]:.3f} bits"
    seen.go("#colour=difficulty")
    assert "%" in seen.text("#legend")
    assert "information" in seen.text("#panel-task")
    assert "harder tasks lie" not in seen.text("#panel-task")


def test_an_ordinal_map_keeps_its_lengths(browser: Any, ordinal: Run) -> None:
    with looked_at(browser, ordinal) as seen:
        assert "harder tasks lie further out" in seen.text("#panel-task")
        seen.go(f"#task=task-{TASK}&colour=difficulty")
        length = np.linalg.norm(seen.data["vectors"][TASK])
        assert float(seen.text("#panel-task [data-fact=difficulty]")) == pytest.approx(
            length, abs=0.006
        )
        assert seen.page.locator("[data-fact=information]").count() == 0
        assert "%" not in seen.text("#legend")
        others = np.arange(160) != TASK
        np.testing.assert_allclose(  # from the table of results
            seen.numbers(SIMILARITIES.format(TASK))[others],
            ordinal.similarities(TASK)[others],
            atol=1e-5,
        )
        seen.go(f"#view=PCA&task=task-{TASK}&tab=new")
        made = ordinal.outcomes.task_inputs[TASK]
        vector = ordinal.embedder.transform(made[None])[0]
        star = seen.page.locator(".mark.made")
        place = [float(star.get_attribute(f"data-{axis}")) for axis in "xy"]
        np.testing.assert_allclose(place, seen.data["projections"]["PCA"][TASK], atol=1e-3)
        cards = seen.page.locator("#panel-new [data-list=nearest] .card").all()
        found = [int(card.get_attribute("data-task")) for card in cards]
        products = seen.data["vectors"] @ vector
        np.testing.assert_allclose(products[found], np.sort(products)[:-5:-1], atol=1e-4)
        assert "bits" not in cards[0].inner_text()


def test_success_rates_by_subpopulation(seen: Seen) -> None:
    seen.go(f"#task=task-{TASK}")
    rates, groups = seen.finished.outcomes.rates[:, TASK], seen.data["agent_subpopulations"]
    for place, name in enumerate([*seen.data["subpopulations"], "all agents"]):
        members = slice(None) if name == "all agents" else groups == place
        shown = seen.text(f"[data-group='{name}'] .value")
        assert float(shown.removesuffix(" %")) == pytest.approx(
            100 * rates[members].mean(), abs=0.8
        )


# -- 3. the quiz -----------------------------------------------------------------------------------


def candidates(seen: Seen, without: int | None = None) -> Posterior:
    """What the page knows of agents, for the library."""
    given = seen.data["posterior"]
    profiles = np.clip(given["profiles"] / 255, 0.25 / 255, 1 - 0.25 / 255).astype(np.float32)
    prior = given["prior"].astype(np.float64)
    if without is not None:
        prior[: given["agents"]][given["known"] == without] = 0
    pairs, covariances, variances = (
        given["dependence"][name].astype(np.float64)
        for name in ("pairs", "covariances", "variances")
    )
    dependence = Dependence(pairs.astype(np.int64), covariances, variances)
    return Posterior(profiles, prior / prior.sum(), given["temper"], 1.0, dependence)


def value_of_questions(posterior: Posterior, quiz: Any = (), results: Any = ()) -> Any:
    """The expected reduction of the error by each question, as in the library."""
    asked, answers = np.array(quiz, np.int64), np.array(results, np.float64)
    every = np.arange(len(posterior.profiles))
    weights = posterior.weights(TaskMixture.known(asked), answers)
    found = Objective(every, every, None).reductions(
        posterior.after(asked, answers), weights, asked
    )
    found[asked] = 0
    return found


def answers_in(seen: Seen) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    pairs = seen.page.evaluate("new URLSearchParams(location.hash.slice(1)).getAll('quiz')")
    names, results = zip(*(pair.rsplit(":", 1) for pair in pairs), strict=True)
    tasks = [seen.finished.task_index(name) for name in names]
    return np.array(tasks), np.array(results, np.float64)


def test_answers_recolour_the_map_with_the_librarys_probabilities(seen: Seen) -> None:
    page, every = seen.page, TaskMixture.known(np.arange(160))
    page.click("#tab-quiz")
    page.click("#propose")
    posterior = candidates(seen)
    told = value_of_questions(posterior)
    first = seen.finished.task_index(seen.text("#question-name"))
    assert told[first] > 0.98 * told.max()
    for result in (1, 0, 0):
        page.click(f"[data-result='{result}']")
    quiz, results = answers_in(seen)
    assert results.tolist() == [1, 0, 0]
    assert quiz[0] == first
    wanted = posterior.predict_proba(TaskMixture.known(quiz), results, every)
    np.testing.assert_allclose(seen.colours(), wanted, atol=0.01)
    assert np.ptp(wanted) > 0.2
    page.click("#tab-task")
    shown = float(seen.text("[data-fact='predicted probability']").removesuffix(" %"))
    task = seen.finished.task_index(seen.text("#task-name"))
    assert shown == pytest.approx(100 * wanted[task], abs=1)


def test_any_task_can_be_asked_and_taken_back(seen: Seen) -> None:
    seen.go("#tab=quiz&task=task-3")
    seen.page.click("[data-result='0']")
    assert seen.page.locator(".answers li").count() == 1
    assert "✗" in seen.text(".answers li")
    seen.page.click(".answers [aria-label^=Remove]")
    assert seen.page.locator(".answers li").count() == 0
    assert seen.page.input_value("[aria-label=Colour]") == "cluster"


def test_a_loaded_agent_is_predicted_without_itself(seen: Seen) -> None:
    agent = 3
    seen.page.click("#tab-quiz")
    seen.page.fill("[aria-label='Load an agent']", f"agent {agent}")
    seen.page.keyboard.press("Enter")
    seen.page.wait_for_selector(".answers li:nth-child(10)")
    quiz, results = answers_in(seen)
    truth = seen.finished.outcomes.rates[agent]
    np.testing.assert_allclose(results, truth[quiz], atol=1e-6)
    every = TaskMixture.known(np.arange(160))
    wanted = candidates(seen, without=agent).predict_proba(TaskMixture.known(quiz), results, every)
    np.testing.assert_allclose(seen.colours(), wanted, atol=0.01)
    rest = np.setdiff1d(np.arange(160), quiz)
    off = float(seen.text("[data-fact='mean absolute error']").removesuffix(" %"))
    assert off == pytest.approx(100 * np.abs(wanted - truth)[rest].mean(), abs=1)
    assert seen.page.locator(".scatter circle").count() == len(rest)
    seen.page.select_option("[aria-label=Colour]", "true")
    np.testing.assert_allclose(seen.colours(), truth, atol=0.003)


def test_near_copies_follow_each_other_and_are_asked_once(browser: Any, copied: Run) -> None:
    with looked_at(browser, copied) as seen:
        seen.page.click("#tab-quiz")
        seen.page.click("#propose")
        for result in (1, 0, 1, 0, 0, 1):
            seen.page.click(f"[data-result='{result}']")
        quiz, results = answers_in(seen)
        posterior = candidates(seen)
        assert len(posterior.dependent()[1]) == 6
        for asked in range(len(quiz)):
            told = value_of_questions(posterior, quiz[:asked], results[:asked])
            assert told[quiz[asked]] > 0.98 * told.max()
        assert (quiz < 4).sum() == 1
        every = TaskMixture.known(np.arange(24))
        wanted = posterior.predict_proba(TaskMixture.known(quiz), results, every)
        np.testing.assert_allclose(seen.colours(), wanted, atol=0.01)
        alone = replace(posterior, dependence=None)
        without = alone.predict_proba(TaskMixture.known(quiz), results, every)
        assert np.abs(without - wanted)[:4].min() > 0.05


# -- 4. selections and new tasks -------------------------------------------------------------------


def saved(seen: Seen, folder: Path) -> list[dict[str, str]]:
    with seen.page.expect_download() as download:
        seen.page.click("#save")
    download.value.save_as(folder / "tasks.csv")
    with (folder / "tasks.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_lasso_selects_what_is_saved(seen: Seen, tmp_path: Path) -> None:
    seen.page.click("#tab-select")
    seen.page.click("[data-mode=lasso]")
    seen.page.evaluate(STILL)
    places = seen.places()
    centre = (places.min(0) + places.max(0)) / 2  # t-SNE lays tasks out differently elsewhere
    task = 1 + int(np.linalg.norm(places[1:] - centre, axis=1).argmin())
    middle, reach = places[task], np.ptp(places, axis=0).max() / 10
    left, top = seen.pixels(*middle)
    radius = seen.pixels(middle[0] + reach, middle[1])[0] - left
    angles = np.linspace(0, 2 * math.pi, 24)
    ring = np.column_stack([left + radius * np.cos(angles), top + radius * np.sin(angles)])
    seen.page.mouse.move(*ring[0])
    seen.page.mouse.down()
    for place in ring[1:]:
        seen.page.mouse.move(*place)
    seen.page.mouse.up()
    assert "lassos=" in seen.page.evaluate("location.hash")
    seen.page.evaluate(STILL)
    np.testing.assert_allclose(seen.pixels(*middle), (left, top), atol=0.5)  # the map stays
    rows = saved(seen, tmp_path)
    distances = np.linalg.norm(places - middle, axis=1)
    found = {row["task"] for row in rows}
    names = seen.finished.outcomes.tasks
    assert {str(name) for name in names[distances < 0.97 * reach]} <= found
    assert found <= {str(name) for name in names[distances < 1.03 * reach]}
    assert seen.text("#count").startswith(f"{len(rows)} of 160")
    row = next(row for row in rows if row["task"] == f"task-{task}")
    assert float(row["difficulty"]) == pytest.approx(seen.data["difficulty"][task], rel=1e-4)
    assert row["cluster"] == seen.data["cluster_names"][seen.data["clusters"][task]]


def test_filters_and_two_selections_side_by_side(seen: Seen, tmp_path: Path) -> None:
    page, hard = seen.page, seen.data["difficulty"]
    bound = float(np.round(np.median(hard), 3))
    page.click("#tab-select")
    page.select_option("[aria-label='Add a filter']", "difficulty")
    page.fill("[aria-label='difficulty from']", str(bound))
    page.click("#set-A")
    page.click("#clear-selection")
    chip = page.locator("#legend .chip").first
    name = chip.get_attribute("data-name")
    chip.click()
    page.click("#set-B")
    in_a = hard >= np.float32(bound)
    in_b = seen.data["clusters"] == seen.data["cluster_names"].index(name)
    cells = page.locator("#compared tr[data-row=difficulty] td").all_inner_texts()
    assert [float(cell.removesuffix(" %")) for cell in cells] == pytest.approx(
        [100 * hard[in_a].mean(), 100 * hard[in_b].mean()], abs=0.6
    )
    counts = page.locator("#compared tr[data-row=tasks] td").all_inner_texts()
    assert [int(count) for count in counts] == [in_a.sum(), in_b.sum()]
    assert len(saved(seen, tmp_path)) == in_b.sum()


def test_a_new_task_lands_where_the_library_puts_it(seen: Seen) -> None:
    page = seen.page
    seen.go(f"#view=axes&task=task-{TASK}&tab=new")
    page.fill("input[name=location]", "0.25")
    page.set_checked("input[name=keyA]", False)
    page.set_checked("input[name=doorBit1]", False)
    page.set_checked("input[name=doorBit2]", True)
    made = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('made')")
    values = [float(value) for value in made.split(",")]
    assert (values[0], values[1], values[5:]) == (0.25, 0, [0, 1])
    row = np.array(values)
    vector = seen.finished.embedder.transform(row[None])[0]
    page.evaluate(STILL)
    star = page.locator(".mark.made")
    place = [float(star.get_attribute(f"data-{axis}")) for axis in "xy"]
    np.testing.assert_allclose(place, vector[:2], atol=1e-3)
    shown = float(seen.text("#panel-new [data-fact=difficulty]").removesuffix(" %"))
    assert shown == pytest.approx(100 * seen.finished.model.difficulty(row)[0], abs=0.6)
    assert seen.text("#panel-new [data-fact=information]").endswith("bits")
    check_lists(seen, "#panel-new", row)
    page.fill("input[name=location]", "2")
    assert "location must be from 0 to 1, got 2." in seen.text("#panel-new .fault")


def test_new_tasks_are_embedded_as_in_the_library(seen: Seen) -> None:
    tasks = MultiKeyNav().sample_tasks(30, seed=5)
    script = (
        "async (tasks) => {"
        " const { embed } = await import('/assets/tasks/network.js');"
        " return tasks.map((task) => embed(explorer.space.network, task)); }"
    )
    found = seen.page.evaluate(script, tasks.tolist())
    model, embedder = seen.finished.model, seen.finished.embedder
    for name, wanted in (
        ("profile", model.predict_proba(tasks).T),
        ("vector", embedder.transform(tasks)),
        ("difficulty", model.difficulty(tasks)),
    ):
        values = [np.fromiter(as_list(each[name]), float) for each in found]
        np.testing.assert_allclose(np.squeeze(values), wanted, atol=1e-3)


def as_list(value: Any) -> list[float]:
    """What a browser returns for a number, a list or an array of numbers."""
    return [value] if isinstance(value, float) else [*value]


def grids_to_solve(count: int, seed: int = 0) -> NDArray[np.float64]:
    """Tasks of BasicKarel with up to seven markers to change, many of which have no solution."""
    rng = np.random.default_rng(seed)
    tasks = np.zeros((count, 88))
    walls, markers, wanted = (tasks[:, start : start + 16] for start in (0, 16, 32))
    every = np.arange(count)
    walls[:] = rng.random((count, 16)) < rng.choice([0.1, 0.3, 0.5], (count, 1))
    for start, size in ((48, 16), (64, 16), (80, 4), (84, 4)):
        place = rng.integers(0, size, count)
        tasks[every, start + place] = 1
        if size == 16:
            walls[every, place] = 0
    markers[:] = (rng.random((count, 16)) < 0.3) & (walls == 0)
    changed = (rng.random((count, 16)).argsort(1) < rng.integers(0, 8, (count, 1))) & (walls == 0)
    wanted[:] = (markers > 0) ^ changed
    for now, then in ((16, 32), (48, 64)):  # the last one is solved as it is
        tasks[-1, then : then + 16] = tasks[-1, now : now + 16]
    tasks[-1, 84:] = tasks[-1, 80:84]
    return tasks


def test_new_tasks_of_basickarel_are_solved_as_in_the_library(seen: Seen) -> None:
    env = BasicKarel()
    tasks = np.concatenate([env.sample_tasks(100, seed=0), grids_to_solve(300)])
    script = (
        "async ([names, tasks]) => {"
        " const { shortest } = await import('/assets/tasks/solvable.js');"
        " const { checkGrids } = await import('/assets/tasks/grid-form.js');"
        " return tasks.map((row) => {"
        "   const values = Object.fromEntries(row.map((value, place) => [names[place], value]));"
        "   return { length: shortest(values), ...checkGrids(values) }; }); }"
    )
    found = seen.page.evaluate(script, [list(env.state_names), tasks.astype(int).tolist()])
    lengths = env.solution_lengths(tasks)
    assert [each["length"] for each in found] == lengths.tolist()
    assert set(range(-1, 25)) <= set(lengths.tolist())  # a test of all kinds
    for length, each in zip(lengths.tolist(), found, strict=True):
        told = each.get("note", each.get("fault"))
        if length < 0:
            assert told.startswith("No agent can solve this task: walls block the way to ")
        elif length >= env.horizon:
            assert told.endswith(f": it takes {length + 1} actions, but an episode has 20.")
        elif length:
            assert told == f"The shortest solution has {length + 1} actions, including finish."
        else:
            assert told == "The shortest solution has 1 action: finish."
        assert ("note" in each) == (0 <= length < env.horizon)


def test_a_program_makes_a_new_task_of_karel(browser: Any, karel: Run) -> None:
    with looked_at(browser, karel) as seen:
        page, star = seen.page, seen.page.locator(".mark.made")
        seen.go("#view=axes&task=task-9&tab=new")
        page.wait_for_selector("#panel-new .facts")
        known = shown(parse(decode(KarelTasks.from_rows(karel.outcomes.task_inputs).tokens[9])))
        assert page.input_value("#program") == known
        page.locator("#program").press_sequentially(" repeat 2 {turnLeft}", delay=5)
        page.wait_for_selector("#understood")
        text = f"{known} repeat 2 {{turnLeft}}"
        assert seen.text("#understood") == f"Read as {shown(read(text))}"
        row = task_of(read(text), karel.outcomes.task_inputs[9])
        vector = karel.embedder.transform([row])[0]
        page.reload()  # the address brings it back
        star.wait_for(state="attached", timeout=60_000)
        place = [float(star.get_attribute(f"data-{axis}")) for axis in "xy"]
        np.testing.assert_allclose(place, vector, atol=1e-5)
        fact = float(seen.text("#panel-new [data-fact=difficulty]"))
        assert fact == pytest.approx(np.linalg.norm(vector), abs=0.006)
        assert page.locator(".worlds [transform*=rotate]").count() == 12  # heroes
        page.fill("#program", "turnLeft pickMarker")
        page.wait_for_selector("#panel-new .fault")
        told = "In world 1, at action 2, the program picks up a marker where there is none."
        assert seen.text("#panel-new .fault") == told
        star.wait_for(state="detached")
        assert page.locator(".worlds [transform*=rotate]").count() == 6  # as they are before it
        seen.go("#task=task-3&tab=new&program=putMarker&like=task-9")
        page.click("#take-worlds")
        page.wait_for_selector("#panel-new .facts")
        assert page.evaluate("location.hash").endswith("program=putMarker&like=task-3")


def test_the_page_shows_programs_as_the_server_does(seen: Seen) -> None:
    rows = random_programs(100, seed=2, longest=24)
    script = (
        "async (rows) => {"
        " const { programOf } = await import('/assets/tasks/drawing-karel.js');"
        " return rows.map((row) => programOf(Uint8Array.from(row))); }"
    )
    told = seen.page.evaluate(script, rows.tolist())
    assert told == [shown(parse(decode(row))) for row in rows]


def test_the_exported_file_has_no_server_to_ask(browser: Any, karel: Run, tmp_path: Path) -> None:
    export_page(karel, tmp_path / "map.html")
    page = browser.new_page()
    page.goto(f"{(tmp_path / 'map.html').as_uri()}#tab=new&program=move&like=task-1")
    page.wait_for_selector("#panel-new:visible", timeout=60_000)
    told = "New Karel tasks need the server: open this map with taskspace explore."
    assert page.inner_text("#panel-new").endswith(told)
    page.close()


# -- 5. the address, and the rest ------------------------------------------------------------------


def test_the_address_brings_the_view_back(seen: Seen) -> None:
    page, among = seen.page, seen.data["cluster_names"][:2]
    state = (
        "#view=PCA&colour=predicted&tab=quiz&task=task-5&quiz=task-1:1&quiz=task-2:0"
        f"&range=-1,1,-1,1&filters={json.dumps([{'what': 'cluster', 'among': among}])}"
    )
    seen.go(state)
    before = seen.colours()
    page.reload()
    page.wait_for_selector(**READY)
    assert page.get_attribute("[data-view=PCA]", "aria-pressed") == "true"
    assert page.get_attribute("#tab-quiz", "aria-selected") == "true"
    assert seen.text("#question-name") == "task-5"
    assert page.locator(".answers li").count() == 2
    np.testing.assert_array_equal(seen.colours(), before)
    np.testing.assert_allclose(seen.numbers("explorer.map.camera.range.slice(2)"), [-1, 1])
    shown = seen.numbers("explorer.map.drawn.shown.length")
    assert shown == (seen.data["clusters"] < 2).sum()
    seen.go(
        "#view=nonsense&task=task-999&quiz=x:y&quiz=task-1:7&filters=%7B&lassos=3&made=1&range=a"
    )  # is ignored
    assert "A map of tasks" in seen.text("#panel-task")
    assert "no task-999 and 1 more" in seen.text("#toast")  # but what it names is told


@pytest.mark.parametrize(
    "state",
    [
        "view=axes&range=1,1.0000000000000002,1,1.0000000000000002",
        "view=axes&range=1e17,100000000000000096,0,60",
        "view=PCA&range=-1e308,1e308,-1e308,1e308",
        'filters=[{"what":"cluster","low":0,"high":1}]',
        'tab=select&filters=[{"what":"difficulty","among":[1]},{"what":"cluster","low":1,"high":2}]',
        'tab=select&groupA={"filters":[{"what":"difficulty","among":[1]}]}',
        'lassos=[{"view":"axes","axes":[99,-5],"points":[[-99,-99],[99,-99],[0,99]]}]',
        'lassos=[{"view":"nowhere","axes":[0,1],"points":[[-99,-99],[99,-99],[0,99]]}]',
    ],
)
def test_links_that_make_no_sense_do_no_harm(seen: Seen, state: str) -> None:
    seen.go(f"#{state}")
    first, last, lowest, highest = seen.numbers("explorer.map.camera.range")
    places = seen.places()
    assert first < places[:, 0].min() < places[:, 0].max() < last  # all are seen
    assert lowest < places[:, 1].min() < places[:, 1].max() < highest
    assert seen.page.evaluate("explorer.map.drawn.shown") is None


def test_back_goes_to_what_was_looked_at_before(seen: Seen) -> None:
    seen.go("#task=task-5")
    seen.page.locator("[data-list=nearest] .card").first.click()
    second = seen.text("#task-name")
    seen.page.click("#tab-quiz")
    seen.page.go_back()
    assert seen.text("#task-name") == second != "task-5"
    seen.page.go_back()
    assert seen.text("#task-name") == "task-5"


def test_the_keyboard_reaches_everything(seen: Seen) -> None:
    page = seen.page
    page.focus("#map")
    page.keyboard.press("ArrowRight")
    first = seen.text("#task-name")
    page.keyboard.press("ArrowRight")
    assert seen.text("#task-name") != first
    page.keyboard.press("Escape")
    assert "A map of tasks" in seen.text("#panel-task")
    page.focus("#tab-task")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.get_attribute("#tab-quiz", "aria-selected") == "true"
    page.fill("[aria-label='Find a task']", "task-15")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert seen.text("#task-name").startswith("task-15")
    page.click("#theme")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert dark != page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_names_are_text_and_never_html(seen: Seen) -> None:
    seen.go(f"#{urlencode({'task': NASTY})}")
    assert seen.text("#task-name") == NASTY
    seen.go(f"#{urlencode({'task': NASTY, 'tab': 'quiz', 'quiz': f'{NASTY}:1'})}")
    assert seen.text(".answers .link") == NASTY
    seen.page.fill("[aria-label='Find a task']", "<img")
    assert seen.text("#found") == NASTY
    seen.page.keyboard.press("Escape")
    assert seen.page.evaluate("document.querySelectorAll('img').length") == 0
    assert seen.page.evaluate("window.broken") is None


@pytest.mark.parametrize(
    ("environment", "values", "told"),
    [
        ("MultiKeyNavA", {"keyA": 0, "doorBit1": 1, "doorBit2": 0, "location": 0.5}, "Pick A"),
        ("CartPoleVar", {"x": 0, "theta": 0, "F": -7.25, "TaskType": 1}, "F = −7.3 N: action 0"),
        (
            "PointMass",
            {"x": 0, "y": 3, "gatePosition": -3, "gateWidth": 2, "friction": 1},
            "gate to the left",
        ),
        ("BasicKarel", {"marker3": 1, "position0": 1, "heading2": 1}, "Pick up a marker"),
    ],
)
def test_every_environment_is_drawn(
    seen: Seen, environment: str, values: dict[str, float], told: str
) -> None:
    found = drawn(seen, environment, {"values": values})
    assert told in found["caption"]
    assert found["shapes"] > 5


def test_karels_worlds_are_drawn_from_their_rows(seen: Seen) -> None:
    before = stack([stack([from_text("# . 4\n> 2 .")] * 6)])
    after = stack([stack([from_text("# . 4\n. 3 ^")] * 6)])
    program = ["DEF", "run", "m(", "REPEAT", "R=2", "r(", "move", "r)", "turnLeft", "m)"]
    tokens = encode([program])
    row = KarelTasks.pack(tokens, before, after).rows()[0].tolist()
    found = drawn(seen, "Karel", {"row": row})
    assert found["caption"] == "REPEAT R=2 { move } turnLeft"
    assert found["texts"] == ["4", "2", "4", "3"] * 2  # the top row first, two examples
    assert found["turns"] == [90, 0] * 2  # east, then north


def drawn(seen: Seen, environment: str, task: dict[str, Any]) -> dict[str, Any]:
    script = (
        "async ([chosen, task]) => {"
        " const { drawing } = await import('/assets/tasks/drawing.js');"
        " if (task.row) task.row = Uint8Array.from(task.row);"
        " const { picture, caption } = drawing({ drawing: chosen }, task);"
        " const texts = [...picture.querySelectorAll('text')].map((text) => text.textContent);"
        " const turns = [...picture.querySelectorAll('[transform*=rotate]')].map("
        "   (hero) => Number(/rotate\\((\\d+)/.exec(hero.getAttribute('transform'))[1]));"
        " return { caption, texts, turns, shapes: picture.children.length }; }"
    )
    found: dict[str, Any] = seen.page.evaluate(script, [make(environment).page_drawing, task])
    return found


# -- labels ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def marked(browser: Any, labelled: Run) -> Iterator[Seen]:
    with looked_at(browser, labelled) as seen:
        yield seen


def test_labels_colour_and_filter_the_map(marked: Seen, tmp_path: Path) -> None:
    marked.go("#")
    page, label = marked.page, marked.data["labels"]["topic"]
    page.select_option("[aria-label=Colour]", label="topic")
    np.testing.assert_array_equal(marked.colours(), label["codes"])
    chips = page.locator("#legend .chip")
    assert chips.all_inner_texts() == ["sums", "areas", "(missing)"]
    menu = page.locator("[aria-label=Colour] option").all_inner_texts()
    assert "page" in menu
    assert "prompt" not in menu  # every task has its own
    chips.nth(1).click()
    page.click("#tab-select")
    rows = saved(marked, tmp_path)
    assert {row["topic"] for row in rows} == {"areas"}
    assert len(rows) == 9
    assert rows[0]["prompt"].startswith("<b>Question</b>")
    chips.nth(1).click()
    chips.nth(2).click()
    (row,) = saved(marked, tmp_path)
    assert (row["task"], row["topic"], row["page"]) == ("algebra/1", "", "")
    marked.go('#tab=select&filters=[{"what":"column page","low":null,"high":3}]')
    assert marked.text("#count").startswith("3 of 30")  # and not the task without a page


def test_labels_are_shown_and_found(marked: Seen) -> None:
    page = marked.page
    marked.go("#task=q3")
    assert marked.text("#panel-task [data-fact=topic]") == "areas"
    prompt = marked.text("#panel-task [data-fact=prompt]")
    assert prompt.startswith("<b>Question</b> 3 of")
    assert len(prompt) <= 200
    page.evaluate("explorer.hover.show(3, 100, 100)")
    assert marked.text("#hover [data-fact=topic]") == "areas"
    page.fill("[aria-label='Find a task']", "question</B> 17")
    assert [item.get_attribute("data-key") for item in page.locator("#found li").all()] == ["17"]
    page.fill("[aria-label='Find a task']", "")


def test_labels_of_agents_group_them(marked: Seen) -> None:
    page, solved = marked.page, marked.finished.outcomes.rates
    groups = marked.data["agent_labels"]["country"]["of_agents"]
    marked.go("#task=q3")
    wanted = [*(np.nanmean(solved[groups == n, 3]) for n in range(2)), np.nanmean(solved[:, 3])]
    shown = page.locator("#panel-task .bars .value").all_inner_texts()
    assert [float(text.removesuffix(" %")) for text in shown] == pytest.approx(
        [100 * rate for rate in wanted], abs=0.6
    )
    page.select_option("[aria-label=Colour]", label="success rate of country DE")
    np.testing.assert_allclose(marked.colours(), np.nanmean(solved[groups == 1], axis=0), 1e-5)
    page.select_option("[aria-label='Groups of agents']", "school")
    assert page.locator("#panel-task .bars li").count() == 13  # twelve schools and all agents
    assert "by=school" in page.evaluate("location.hash")


# -- what may be wrong -----------------------------------------------------------------------------


def test_a_map_of_a_table_has_one_axis_and_no_form(browser: Any, course: Run) -> None:
    with looked_at(browser, course) as seen:
        assert seen.text("#title") == "course"
        assert "30 tasks" in seen.text("#counts")
        assert [tab.inner_text() for tab in seen.page.locator("[role=tab]").all()] == [
            "Task", "Quiz", "Select", "Agents", "Compare", "Redundant", "Short test", "Doctor",
        ]  # fmt: skip
        wanted = np.column_stack([course.index.vectors[:, 0], course.index.difficulty])
        np.testing.assert_allclose(seen.places(), wanted, rtol=1e-5)
        others = np.arange(30) != 9
        np.testing.assert_allclose(  # with gaps in the table
            seen.numbers(SIMILARITIES.format(9))[others], course.similarities(9)[others], atol=1e-5
        )
        seen.go("#task=q29&tab=quiz")
        assert seen.text("#question-name") == "q29"
        seen.page.click("[data-result='1']")  # who solves the hardest question solves the others
        hopeful = seen.colours()
        seen.go("#quiz=q29:0&quiz=q15:0&tab=quiz")
        assert (hopeful - seen.colours()).mean() > 0.3


def test_broken_data_gives_one_sentence(browser: Any, opened: Seen) -> None:
    nothing = {"format": "taskspace explorer", "version": 5, "tasks": []}
    cases = [
        ("no json", "The data is damaged: it is not valid JSON."),
        (json.dumps(nothing), "The data contains no tasks."),
        (json.dumps({**nothing, "version": 1}), "The data must have version 5, got version 1."),
        (json.dumps({**nothing, "tasks": ["a"]}), "The data is damaged: parts of it are missing."),
    ]
    page = browser.new_page()
    for content, sentence in cases:
        page.route("**/data.json.gz", lambda route, _, body=content: route.fulfill(body=body))
        page.goto(opened.url)
        page.wait_for_selector(".status.fault")
        assert page.inner_text("#status").startswith(sentence)
        assert not page.is_visible("#page")
        page.unroute("**/data.json.gz")
    page.close()
