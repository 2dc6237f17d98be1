"""The explorer's HTTP API: it agrees with the library and survives any request."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx
import numpy as np
import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance
from starlette.types import Message

import taskspace as ts
from taskspace.applications.quiz import Quiz
from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.explore import models
from taskspace.explore.api import create_app
from taskspace.explore.guards import MAX_BYTES
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import Run
from tests.explore.browser import served
from tests.messages import says
from tests.run_folders import write_run

pytestmark = pytest.mark.slow

EXAMPLES = 10  # of requests, for each path
NEW = MultiKeyNav().sample_tasks(5, seed=3).tolist()  # tasks that are not in the map


@contextlib.contextmanager
def client_of(app: FastAPI) -> Iterator[httpx.Client]:
    with served(app) as url, httpx.Client(base_url=url, timeout=30) as found:
        yield found


@pytest.fixture(scope="module")
def client(keys: Run) -> Iterator[httpx.Client]:
    with client_of(create_app(keys)) as found:
        yield found


def ask(client: httpx.Client, path: str, **request: Any) -> Any:
    answer = client.post(f"/api/{path}", json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()


def quiz_of(tasks: list[Any], results: list[Any]) -> list[dict[str, Any]]:
    return [{"task": t, "result": r} for t, r in zip(tasks, results, strict=True)]


# -- the same as the library -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quiz", "results", "tasks"),
    [
        ([3, 5, 9], [1, 0, 1], [1, 2, 3, 3]),
        ([*range(2, 140)], [n % 3 > 0 for n in range(138)], [*range(1, 160)]),
        ([3, 5, 9], [0.25, 0, 1.0], [7, 8]),
    ],
)
def test_predictions_by_name(
    client: httpx.Client, keys: Run, quiz: Any, results: Any,
    tasks: Any,
) -> None:  # fmt: skip
    names = keys.outcomes.tasks
    told = ask(
        client, "predict", quiz=quiz_of(names[quiz].tolist(), results), tasks=names[tasks].tolist()
    )
    expected = ts.predict(
        keys.predictor, np.array(quiz, int), np.array(results, float), np.array(tasks)
    )  # fmt: skip
    np.testing.assert_allclose(told["probabilities"], expected, atol=2e-6)
    assert told["low"] is told["high"] is None


def test_an_empty_quiz_leaves_the_prior(client: httpx.Client, keys: Run) -> None:
    told, posterior = ask(client, "predict", quiz=[], tasks=["task-7"]), keys.predictor.posterior_
    assert told["probabilities"] == pytest.approx(
        [posterior.profiles[7] @ posterior.prior], abs=2e-6
    )


def test_predictions_for_new_tasks_with_an_interval(client: httpx.Client, keys: Run) -> None:
    rows = keys.outcomes.task_inputs.tolist()
    quiz, results, tasks = [rows[4], NEW[0], rows[8]], [1, 0, 0], [*NEW[1:], rows[20]]
    told = ask(client, "predict", quiz=quiz_of(quiz, results), tasks=tasks, interval=0.8)
    expected = ts.predict(keys.predictor, quiz, results, tasks, interval=0.8)
    for name, values in zip(("probabilities", "low", "high"), expected, strict=True):
        np.testing.assert_allclose(told[name], values, atol=2e-6)
    mixed = ask(client, "predict", quiz=quiz_of(quiz, results), tasks=[NEW[1], "task-20"])
    np.testing.assert_allclose(mixed["probabilities"], expected[0][[0, -1]], atol=2e-6)


def test_many_ask_at_the_same_time(client: httpx.Client, keys: Run) -> None:
    rng = np.random.default_rng(0)
    quizzes = [(rng.permutation(160)[:30], rng.integers(0, 2, 8)) for _ in range(60)]

    def right(each: tuple[Any, Any]) -> bool:
        drawn, results = each
        names = keys.outcomes.tasks[drawn].tolist()
        more = {"interval": 0.9} if drawn[0] % 2 else {}  # which is worked on in threads
        quiz = quiz_of(names[:8], results.tolist())
        told = ask(client, "predict", quiz=quiz, tasks=names[8:], **more)
        expected = ts.predict(keys.predictor, drawn[:8], results, drawn[8:])
        return bool(np.allclose(told["probabilities"], expected, atol=2e-6))

    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(right, quizzes))


def test_embed(client: httpx.Client, keys: Run) -> None:
    new, known = ask(client, "embed", tasks=[NEW[0], "task-9"])["tasks"]
    vector = keys.embedder.transform([NEW[0]])[0]
    np.testing.assert_allclose(new["vector"], vector)
    assert new["difficulty"] == pytest.approx(keys.model.difficulty([NEW[0]])[0])
    assert new["information"] == pytest.approx(vector @ vector)
    assert all(np.isfinite(position).all() for position in new["positions"].values())
    for name, view in keys.layouts.items():
        np.testing.assert_allclose(known["positions"][name], view[9])
    row = ask(client, "embed", tasks=[keys.outcomes.task_inputs[9].tolist()])["tasks"][0]
    for name, position in row["positions"].items():  # lands where the task is drawn
        np.testing.assert_allclose(position, known["positions"][name], atol=1e-4)


@pytest.mark.parametrize("more", [{}, {"harder": True}, {"easier": True}])
def test_similar_and_select(client: httpx.Client, keys: Run, more: dict[str, bool]) -> None:
    names = keys.outcomes.tasks.tolist()
    best, bits = keys.similar(7, 5, **more)
    found = ask(client, "similar", task="task-7", k=5, **more)["tasks"]
    assert [each["task"] for each in found] == [names[n] for n in best]
    np.testing.assert_allclose([each["similarity"] for each in found], bits)
    assert found[0]["cluster"] in keys.clusters.names
    options = [NEW[0], "task-30", "task-31", NEW[1]]
    rows = [NEW[0], keys.outcomes.task_inputs[30], keys.outcomes.task_inputs[31], NEW[1]]
    chosen = ask(client, "select", task=NEW[2], options=options, k=3, **more)["options"]
    expected = ts.select(keys.model, NEW[2], rows, k=3, **more)
    assert [each["option"] for each in chosen] == expected.tolist()


def test_the_next_question(client: httpx.Client, keys: Run) -> None:
    quiz = Quiz(keys.predictor)
    told: list[dict[str, Any]] = []
    for result in (1, 0, 1):
        found = ask(client, "quiz/next", quiz=told)
        assert found["task"] == quiz.next()
        assert found["expected_error_rate"] == pytest.approx(quiz.expected_error_rate, abs=1e-6)
        told.append({"task": found["task"], "result": result})
        quiz.answer(result)
    some = ask(client, "quiz/next", quiz=told, pool=["task-3", "task-4"], targets=["task-5"])
    assert some["task"] in ("task-3", "task-4")
    for same in (
        "task-3",
        keys.outcomes.task_inputs[3].tolist(),
    ):  # by its name, or by its features
        left = ask(client, "quiz/next", quiz=quiz_of([same], [1]), pool=["task-3", "task-4"])
        assert left["task"] == "task-4"


def test_a_task_and_the_map(client: httpx.Client, keys: Run) -> None:
    found = client.get("/api/tasks/task-12").json()
    assert found["features"]["location"] == keys.outcomes.task_inputs[12, 0]
    assert found["success"] == pytest.approx(keys.outcomes.rates[:, 12].mean())
    assert found["subpopulations"]["no B"] == pytest.approx(keys.outcomes.rates[2::5, 12].mean())
    info = client.get("/api/info").json()
    assert (info["tasks"], info["agents"], info["dimensions"]) == (160, 25, 3)
    assert info["environment"] == "MultiKeyNav"
    assert info["columns"] == list(keys.outcomes.feature_names)
    assert info["limits"]["quiz"] == models.MAX_QUIZ


@pytest.mark.slow
def test_tasks_that_are_known_by_name(course: Run) -> None:
    with client_of(create_app(course)) as client:
        check_course(client, course)


def check_course(client: httpx.Client, course: Run) -> None:
    found = client.get("/api/tasks/algebra/1").json()
    assert (found["task"], found["features"], found["subpopulations"]) == ("algebra/1", None, None)
    told = ask(client, "predict", quiz=quiz_of(["q9"], [True]), tasks=["algebra/1", "q29"])
    expected = ts.predict(course.predictor, ["q9"], [1], ["algebra/1", "q29"])
    np.testing.assert_allclose(told["probabilities"], expected, atol=2e-6)
    positions = ask(client, "embed", tasks=["q3"])["tasks"][0]["positions"]
    assert list(positions) == ["the only axis"]
    refused = client.post("/api/embed", json={"tasks": [[1.0, 2.0]]})
    assert re.search(says("map names"), refused.json()["error"])


# -- pages -----------------------------------------------------------------------------------------


def test_every_name_of_a_map_can_be_asked_for(keys: Run, tmp_path: Path) -> None:
    odd = ["two\nlines\n", "\n", "x" * 5000, "a/../b?c#d%41", "é\u2028\t", ".."]
    known = keys.outcomes
    names = np.array([*odd, *known.tasks[len(odd) :]])
    outcomes = Outcomes(
        known.successes, known.rollouts, agents=known.agents, tasks=names, features=known.features,
        feature_names=known.feature_names,
    )  # fmt: skip
    renamed = write_run(tmp_path, {"environment": "MultiKeyNav"}, outcomes, keys.embedder)
    with client_of(create_app(renamed)) as client:
        for name in odd:
            target = f"/api/tasks/{quote(name, safe='')}".encode()  # clients tidy up dots
            told = client.get("/", extensions={"target": target})
            assert told.json()["task"] == name
            found = ask(client, "predict", quiz=[{"task": name, "result": 1}], tasks=[name])
            assert found["probabilities"][0] > 0
        assert ask(client, "quiz/next", pool=odd[:1], targets=odd)["task"] == odd[0]


def test_pages(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in page.headers
    data = client.get("/data.json.gz")
    assert data.headers["content-encoding"] == "gzip"
    assert data.json()["title"] == "MultiKeyNav"
    tag = {"if-none-match": data.headers["etag"]}
    assert client.get("/data.json.gz", headers=tag).status_code == 304
    assert client.get("/assets/map/points.js").headers["content-type"].startswith("text/javascript")
    assert client.head("/assets/style.css").status_code == 200
    manual = client.get("/docs").text
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in manual
    assert "<script" not in manual
    assert "http:" not in manual


# -- requests that are refused ---------------------------------------------------------------------

REFUSED: list[tuple[str, str, Any, int, str]] = [
    ("GET", "/nothing", None, 404, "/nothing /docs"),
    ("GET", "/api/tasks/nobody", None, 404, "task 'nobody'"),
    ("GET", "/api/tasks", None, 404, "/api/tasks /docs"),
    ("GET", "/assets/../settings.json", None, 404, "/docs"),
    ("GET", "/assets/%2e%2e/%2e%2e/outcomes.npz", None, 404, "/docs"),
    ("GET", "/assets/map/%2e%2e/%2e%2e/api.py", None, 404, "/docs"),
    ("GET", "/assets/map", None, 404, "/docs"),
    ("GET", "/assets//etc/passwd", None, 404, "/docs"),
    ("GET", "/assets/..%5c..%5csettings.json", None, 404, "/docs"),
    ("GET", "/outcomes.npz", None, 404, "/docs"),
    ("POST", "/api/karel", {"program": "move", "like": "task-1"}, 404, "/api/karel /docs"),
    ("DELETE", "/api/predict", None, 405, "/api/predict DELETE"),
    ("POST", "/", b"", 405, "/ POST"),
    ("POST", "/api/predict", b"", 422, "JSON object"),
    ("POST", "/api/predict", b"[1]", 422, "JSON object"),
    ("POST", "/api/predict", b'{"quiz":', 422, "JSON 8"),
    ("POST", "/api/predict", b"\xff\xfe", 422, "JSON"),
    ("POST", "/api/predict", b"[" * 100_000, 422, "JSON"),
    ("POST", "/api/predict", {"quiz": []}, 422, "tasks required"),
    ("POST", "/api/predict", {"quiz": [], "tasks": []}, 422, "tasks 1"),
    ("POST", "/api/predict", {"quiz": [], "tasks": ["x"] * 10_001}, 422, "tasks 10000"),
    ("POST", "/api/predict", {"quiz": [], "tasks": ["x"]}, 422, "task 'x'"),
    ("POST", "/api/predict", {"quiz": [], "tasks": [3]}, 422, "tasks[0] name"),
    ("POST", "/api/predict", {"quiz": [], "tasks": "x"}, 422, "tasks list"),
    ("POST", "/api/predict", b'{"quiz":[],"tasks":[[NaN,0,0,0,0,0,0]]}', 422, "tasks[0] name"),
    ("POST", "/api/predict", b'{"quiz":[],"tasks":[[1e999,0,0,0,0,0,0]]}', 422, "tasks[0] name"),
    ("POST", "/api/predict", {"quiz": [], "tasks": ["task-1"], "interval": 1}, 422, "interval 1"),
    ("POST", "/api/predict", {"quiz": [], "tasks": ["task-1"], "x": 1}, 422, "x extra"),
    ("POST", "/api/predict", {"quiz": [{"task": "task-1", "result": 2}], "tasks": ["task-1"]}, 422,
     "quiz[0].result true false"),
    ("POST", "/api/embed", {"tasks": [[1, 2]]}, 422, "features 7 row 1 2"),
    ("POST", "/api/embed", {"tasks": [[9, 0, 0, 0, 0, 0, 0]]}, 422, "location 9"),
    ("POST", "/api/similar", {"task": "task-1", "k": 0}, 422, "k 1"),
    ("POST", "/api/similar", {"task": "task-1", "harder": True, "easier": True}, 422,
     "harder easier"),
    ("POST", "/api/select", {"task": "task-1", "options": ["task-2"], "harder": True,
     "easier": True}, 422, "harder easier"),
    ("POST", "/api/quiz/next", {"quiz": [{"task": "nope", "result": 1}]}, 422,
     "task 'nope'"),
    ("POST", "/api/quiz/next", {"quiz": [{"task": "task-1", "result": 1}], "pool": ["task-1"]}, 422,
     "task"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "status", "tokens"), REFUSED)
def test_refused(
    client: httpx.Client, method: str, path: str, body: Any, status: int, tokens: str
) -> None:
    content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    kind = {"content-type": "application/json"}
    # The target is sent as it is: clients tidy up dots on their own.
    extensions = {"target": path.encode()}
    answer = client.request(
        method, path, content=content, headers=kind, extensions=extensions, follow_redirects=False
    )
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    assert re.search(says(tokens), answer.json()["error"]), answer.json()
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_other_kinds_of_content_are_refused(client: httpx.Client) -> None:
    """So that no form of a foreign page is taken for a request."""
    body = json.dumps({"task": "task-1"})
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = client.post("/api/similar", content=body, headers={"content-type": kind})
        assert answer.status_code == 422
        assert re.search(says("application/json"), answer.json()["error"])


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8400", "localhost.evil.example", ""]
)
def test_other_hosts_are_refused(client: httpx.Client, host: str) -> None:
    answer = client.get("/api/info", headers={"host": host})
    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]
    assert re.search(says("127.0.0.1 [::1] localhost"), answer.json()["error"])
    assert client.get("/api/info", headers={"host": "[::1]:8400"}).status_code == 200


@pytest.mark.parametrize("hosts", [["localhost"], ["*"]])
def test_a_request_names_one_host(keys: Run, hosts: list[str]) -> None:
    app = create_app(keys, hosts=hosts)
    for names in ([b"evil.example", b"localhost"], [b"localhost", b"localhost"]):
        status, answer = anyio.run(call, app, b"{}", names)
        assert (status, list(answer)) == (400, ["error"])
        assert re.search(says("hosts"), answer["error"])


def test_too_large(client: httpx.Client) -> None:
    kind = {"content-type": "application/json"}
    sized = client.post("/api/embed", content=b"x" * (MAX_BYTES + 1), headers=kind)
    parts = (b"x" * 100_000 for _ in range(20))
    unsized = client.post("/api/embed", content=parts, headers=kind)
    for answer in (sized, unsized):
        assert answer.status_code == 413
        assert re.search(says("1048576"), answer.json()["error"])


def test_too_long(keys: Run) -> None:
    app = create_app(keys, seconds=0.001)
    tasks = [f"task-{n % 159 + 1}" for n in range(10_000)]
    much = json.dumps({"quiz": [], "tasks": tasks, "interval": 0.9}).encode()
    for body, expected in ((much, 503), (None, 408)):
        status, answer = anyio.run(call, app, body)
        assert (status, list(answer)) == (expected, ["error"])
        assert re.search(says("0.001"), answer["error"])


async def call(
    app: FastAPI, body: bytes | None, hosts: Sequence[bytes] = (b"localhost",)
) -> tuple[int, Any]:
    """The answer to a prediction, without a network; None is a body that never comes."""
    scope = {
        "type": "http", "method": "POST", "path": "/api/predict", "query_string": b"",
        "headers": [*((b"host", host) for host in hosts), (b"content-type", b"application/json")],
    }  # fmt: skip
    sent: list[Message] = []

    async def receive() -> Message:
        if body is None:
            await anyio.sleep_forever()
        return {"type": "http.request", "body": body}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


# -- answers about a table -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(copies: Run) -> Iterator[httpx.Client]:
    with client_of(create_app(copies, seconds=120)) as found:
        yield found


def test_scores_are_those_of_the_predictor(table: httpx.Client, copies: Run) -> None:
    quiz, results = ["q3", "q4", "q9"], [1, 0, 1]
    told = ask(table, "score", quiz=quiz_of(quiz, results), by="topic", level=0.8)
    expected = copies.predictor.score(quiz, results, by="topic", level=0.8)
    assert told["warning"] == (expected.warning or None)
    assert [group["name"] for group in told["groups"]] == ["areas", "sums"]
    assert (told["level"], [group["tasks"] for group in told["groups"]]) == (0.8, [12, 12])
    for name, values in (("score", expected.scores), ("low", expected.low)):
        np.testing.assert_allclose([g[name] for g in told["groups"]], values, atol=1e-5)
    wrong = table.post("/api/score", json={"quiz": quiz_of(quiz, results), "by": "colour"})
    assert wrong.status_code == 422
    assert re.search(says("label 'colour' 'topic'"), wrong.json()["error"])


def test_near_copies_and_agents_are_those_of_the_run(table: httpx.Client, copies: Run) -> None:
    found = table.get("/api/redundant").json()
    assert [set(group) for group in found["groups"]] == [{"q1", "q7"}]
    assert found["pairs"][0]["agreement"] == 1
    agents = table.get("/api/agents").json()
    assert agents["by"] == "topic"
    assert len(agents["agents"]) == copies.outcomes.n_agents
    scores = [agent["score"] for agent in agents["agents"]]
    assert scores == sorted(scores, reverse=True)


def test_a_short_test_of_any_size(table: httpx.Client, copies: Run) -> None:
    stored = ask(table, "subset", k=6)
    assert stored["tasks"] == copies.short_test.tasks.tolist()  # type: ignore[union-attr]
    other = ask(table, "subset", k=4, by="topic")
    assert len(other["tasks"]) == 4
    assert [score["name"] for score in other["scores"]] == ["all tasks", "areas", "sums"]
    assert len(other["scores"][0]["weights"]) == 4
    wrong = table.post("/api/subset", json={"k": 24})
    assert (wrong.status_code, list(wrong.json())) == (422, ["error"])


# -- whatever the schema allows, and what it does not ----------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode))
def test_the_api_keeps_to_its_schema(keys: Run, mode: schemathesis.GenerationMode) -> None:
    app = create_app(keys, hosts=["*"])
    paths = schemathesis.openapi.from_asgi("/openapi.json", app).include(method="POST")
    for found in paths.get_all_operations():
        operation: Any = found

        @given(case=operation.ok().as_strategy(generation_mode=mode))
        @settings(
            max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        def check(case: Any) -> None:
            if mode is schemathesis.GenerationMode.POSITIVE:  # the schema knows no names of tasks
                case.body = of_this_map(case.body, keys)
            answer = case.call()
            # Some sense is not in the schema, such as that no task is both harder and easier, and
            # what is too large counts as accepted.
            large = [negative_data_rejection] if answer.status_code == 413 else []
            case.validate_response(answer, excluded_checks=[positive_data_acceptance, *large])

        check()


def of_this_map(value: Any, keys: Run) -> Any:
    """The same request about tasks of the map."""
    if isinstance(value, dict):
        return {name: of_this_map(inner, keys) for name, inner in value.items()}
    if isinstance(value, str):
        return f"task-{1 + len(value) % 159}"
    if isinstance(value, list) and value and isinstance(value[0], float):
        return keys.outcomes.task_inputs[len(value) % 160].tolist()
    return [of_this_map(inner, keys) for inner in value] if isinstance(value, list) else value
