"""The summary of a report: sentences that follow from the numbers, and none that do not."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.verdict import UNTESTED, WEAK
from tests.messages import says

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::taskspace.models.embedding.verdict.WeakMapWarning"),
]
TOPICS = ["algebra", "areas", "logic"]


def three_skills(agents: int = 200, per_skill: int = 8) -> ts.Outcomes:
    """Tasks of three topics, each of which takes a skill of its own; task q1 is a copy of q0."""
    rng = np.random.default_rng(0)
    skills = np.repeat(rng.normal(size=(agents, 3)), per_skill, axis=1)
    easy = np.tile(np.linspace(-1, 1, per_skill), 3)
    solved = rng.random((agents, 3 * per_skill)) < 1 / (1 + np.exp(-4 * skills - easy))
    solved[:, 1] = solved[:, 0]
    solved[:, -1] = False
    return ts.Outcomes(
        1 * solved, np.array(1), tasks=np.array([f"q{task}" for task in range(3 * per_skill)]),
        task_labels={"topic": np.repeat(TOPICS, per_skill)},
    )  # fmt: skip


def made(outcomes: ts.Outcomes, folder: Path, **options: Any) -> ts.Run:
    return ts.fit(outcomes, folder, log=lambda line: None, **options)


@pytest.fixture(scope="module")
def strong(tmp_path_factory: pytest.TempPathFactory) -> ts.Run:
    return made(three_skills(), tmp_path_factory.mktemp("runs") / "strong", title="A <course>")


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> ts.Run:
    solved = np.random.default_rng(0).integers(0, 2, (30, 12))
    outcomes = ts.Outcomes(solved, np.array(1))
    return made(outcomes, tmp_path_factory.mktemp("runs") / "weak", name="end_of-term.csv")


@pytest.fixture(scope="module")
def returns(tmp_path_factory: pytest.TempPathFactory) -> ts.Run:
    rng = np.random.default_rng(0)
    skills = np.repeat(rng.normal(size=(60, 2)), 6, axis=1)
    outcomes = ts.Outcomes.from_returns(100 * skills + 10 * rng.normal(size=(60, 12)), best=900)
    return made(outcomes, tmp_path_factory.mktemp("runs") / "returns")


def words(run: ts.Run) -> str:
    """The text of a report, without the interactive map."""
    page = run.report().read_text()
    page = re.sub(r"<style>.*?</style>|<iframe.*?</iframe>", "", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def has(text: str, *sentences: str) -> None:
    """Check that sentences are there, whatever words in them lead to definitions."""
    for sentence in sentences:
        assert sentence in text, sentence


def test_a_strong_map_is_summed_up(strong: ts.Run) -> None:
    assert strong.verdict.trusted
    text = words(strong)
    has(
        text,
        "This is a map of 24 tasks, learned from 4,800 attempts by 200 agents.",
        "The agents differ in 3 kinds of skill ; shuffled results would show none.",
        f"Can the map be trusted? It is {strong.verdict.level}",
        "chance: 50%",
        "1 task was solved by no agent: such tasks tell nothing about how agents differ, and where"
        " they lie on the map means nothing.",
        "q23 hardest 1.00 0%",
        "most informative",
    )


def test_clusters_are_called_after_the_label_that_prevails(strong: ts.Run) -> None:
    text = words(strong)
    for topic in TOPICS:
        assert re.search(rf"cluster \d: {topic} \d+ tasks \(\d+%\); mean success rate \d+%", text)
    has(text, "The nearest neighbour of a task has the same topic in", "(by chance 30%)")


def test_near_copies_are_named(strong: ts.Run) -> None:
    text = words(strong)
    has(text, "keep could be left out", "q0 and q1 100.0%")
    assert not re.search(r"q[01] most informative", text)  # what copies share is not ability


def test_the_title_is_given_or_a_clean_name(strong: ts.Run, weak: ts.Run) -> None:
    assert strong.title == "A <course>"
    assert "<h1>A &lt;course&gt;</h1>" in strong.report().read_text()
    assert weak.title == "A map of end of term"


def test_a_copy_may_have_another_title(weak: ts.Run, tmp_path: Path) -> None:
    weak.report(tmp_path / "copy.html", title="Noise")
    assert "<h1>Noise</h1>" in (tmp_path / "copy.html").read_text()
    with pytest.raises(ValueError, match=says("path title 'Noise'")):
        weak.report(title="Noise")
    with pytest.raises(ValueError, match=says("title text 5")):
        weak.report(tmp_path / "copy.html", title=5)  # type: ignore[arg-type]


def test_a_weak_map_claims_nothing(weak: ts.Run) -> None:
    assert weak.verdict.level == WEAK
    text = words(weak)
    has(
        text,
        "Can the map be trusted? It is weak: close to chance",
        "mostly noise; do not act on them",
        "No clusters are described, because the map is weak",
        "Informative tasks are not named, because the map is weak",
        "none of them is a near-copy",
        "taskspace doctor .",
    )
    assert "most informative" not in text
    assert "Example:" not in text


def test_too_few_agents_claim_nothing(tmp_path: Path) -> None:
    few = made(three_skills(agents=3), tmp_path / "few")
    assert few.verdict.level == UNTESTED
    text = words(few)
    has(text, "the number of kinds of skill in which agents differ cannot be said")
    has(text, "Nothing shows that it is better than chance")
    assert "Example:" not in text


def test_returns_are_not_called_successes(returns: ts.Run) -> None:
    text = words(returns)
    has(
        text,
        "Results are returns, not successes.",
        "they put the agents in the same order",
        "mean return",
        "mean difficulty",
        "returns true",
        "best 900.0",
    )
    assert "succeed" not in text


def test_settings_have_no_digests(strong: ts.Run, returns: ts.Run) -> None:
    for run in (strong, returns):
        assert run.settings["results"] not in run.report().read_text()


def test_every_term_leads_to_its_definition(strong: ts.Run, weak: ts.Run, returns: ts.Run) -> None:
    for run in (strong, weak, returns):
        page = run.report().read_text()
        links = set(re.findall(r'href="#(term-[^"]*)"', page))
        assert links
        assert links == set(re.findall(r'<dt id="(term-[^"]*)"', page))


def test_the_map_is_interactive_and_needs_no_network(strong: ts.Run) -> None:
    page = strong.report().read_text()
    (frame,) = re.findall(r"<iframe [^>]*>", page)
    assert 'sandbox="allow-scripts"' in frame
    assert "cluster 1: " in html.unescape(frame)
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)


def test_commands_are_for_the_folder_of_the_report(strong: ts.Run) -> None:
    page = strong.report().read_text()
    assert str(strong.folder) not in page  # so that equal runs have equal reports
    assert re.search(r"<code>taskspace similar \. q\d+</code>", page)
    assert " DIR" not in page
