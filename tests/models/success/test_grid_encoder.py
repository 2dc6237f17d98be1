"""The encoder of BasicKarel's tasks: the graph it reads, the values it computes, its codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import taskspace as ts
from taskspace.envs.basickarel import (
    CELL,
    CELLS,
    FINISH,
    MARKERS,
    POST_CELL,
    POST_MARKERS,
    SIDE,
    SIZE,
    WALLS,
)
from taskspace.envs.lanes import RUNNING, SOLVED
from taskspace.models.success.encoders import describe, restore
from taskspace.models.success.grid_encoder import (
    ACTIONS,
    FAILS,
    SEEN,
    SOLVES,
    Graph,
    GridEncoder,
    Values,
    graph_of,
    seen_by_agents,
)
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from tests.envs.test_tasks import ENCLOSED, winding
from tests.envs.twin import karel_task, play

FIRST = (WALLS, MARKERS, POST_MARKERS, CELL, POST_CELL)  # of the grids in a task


@pytest.fixture(scope="module")
def karel() -> Any:
    return ts.make("BasicKarel")


@pytest.fixture(scope="module")
def tasks(karel: Any) -> NDArray[np.float64]:
    found: NDArray[np.float64] = karel.sample_tasks(40, seed=1)
    return found


def graph(tasks: NDArray[np.float64]) -> Graph:
    return graph_of(np.atleast_2d(tasks).astype(np.uint8))


def values(policy: torch.Tensor, found: Graph) -> torch.Tensor:
    solved: torch.Tensor = Values.apply(policy, found.following)  # type: ignore[no-untyped-call]
    return solved


def encoder(size: int = 4) -> GridEncoder:
    torch.manual_seed(0)
    return GridEncoder(size, width=16)


# -- the graph -------------------------------------------------------------------------------------


def test_a_graph_has_the_tasks_and_follows_the_rules(
    karel: Any, tasks: NDArray[np.float64]
) -> None:
    found = graph(tasks)
    states = found.states.astype(np.float64)
    np.testing.assert_array_equal(states[found.starts], tasks)
    for state, row in zip(states, found.following, strict=True):
        for action, there in enumerate(row):
            after, (status,) = play(karel, state, [action])
            if there >= 0:
                assert status == RUNNING
                np.testing.assert_array_equal(after[1], states[there])
            else:
                assert (there == SOLVES) == (status == SOLVED)


def test_a_graph_has_the_states_on_shortest_solutions(
    karel: Any, tasks: NDArray[np.float64]
) -> None:
    for task in tasks:
        found = graph(task)
        states = found.states.astype(np.float64)
        expected = on_shortest_solutions(karel, task)
        assert {state.tobytes() for state in states} == expected
        assert len(states) == len(expected)
        left = karel.solution_lengths(states)
        assert (np.diff(left) >= 0).all()  # in the order of their distance to the goal


def on_shortest_solutions(karel: Any, task: NDArray[np.float64]) -> set[bytes]:
    """All states that can be reached by actions that lead closer to the goal, by playing them."""
    known, waiting = {task.tobytes()}, [task]
    while waiting:
        state = waiting.pop()
        (left,) = karel.solution_lengths(state[None])
        for action in range(ACTIONS):
            after, (status,) = play(karel, state, [action])
            if status == RUNNING and karel.solution_lengths(after[1:])[0] == left - 1:
                if after[1].tobytes() not in known:
                    waiting.append(after[1])
                known.add(after[1].tobytes())
    return known


def test_actions_of_a_graph_are_those_that_lead_closer(
    karel: Any, tasks: NDArray[np.float64]
) -> None:
    found = graph(tasks)
    states = found.states.astype(np.float64)
    left = karel.solution_lengths(states)
    best = karel.expert_actions(states)
    assert (found.following[np.arange(len(states)), best] != FAILS).all()
    for state, row in enumerate(found.following):
        assert all(there < 0 or left[there] == left[state] - 1 for there in row)


def test_the_graph_of_an_unsolvable_task_is_the_task(karel: Any) -> None:
    found = graph(ENCLOSED)
    assert found.states.shape == (1, SIZE)
    assert (found.following == FAILS).all()


def test_a_graph_may_be_large(karel: Any) -> None:
    cells = [5, 6, 9, 10]
    many = karel_task(0, 0, to=15, wanted=cells)
    found = graph(np.array([many, winding(6)]))
    assert len(found.states) > 16 * 2 + 16  # more than there is room for at first
    assert found.starts[1] > found.starts[0]


# -- the values ------------------------------------------------------------------------------------


def test_the_expert_solves_every_task(karel: Any, tasks: NDArray[np.float64]) -> None:
    found = graph(tasks)
    actions = torch.from_numpy(karel.expert_actions(found.states.astype(np.float64)))
    policy = torch.nn.functional.one_hot(actions, ACTIONS).float()[:, :, None]
    assert (values(policy, found) == 1).all()


def test_an_agent_that_never_finishes_solves_nothing(tasks: NDArray[np.float64]) -> None:
    found = graph(tasks)
    policy = torch.full((len(found.states), ACTIONS, 2), 0.2)
    policy[:, FINISH] = 0
    assert (values(policy, found) == 0).all()


def test_a_value_is_the_probability_of_a_shortest_solution(karel: Any) -> None:
    # The agent must turn around, to either side, and finish.
    found = graph(karel_task(5, 0, facing=1, walls=[1, 4, 6, 9]))
    policy = torch.zeros(len(found.states), ACTIONS, 1)
    policy[:, 1], policy[:, 2], policy[:, FINISH] = 0.1, 0.6, 0.3
    expected = (0.1**2 + 0.6**2) * 0.3
    assert abs(float(values(policy, found)[found.starts, 0]) - expected) < 1e-6


def test_gradients_of_values_are_right(tasks: NDArray[np.float64]) -> None:
    found = graph(tasks[:5])
    generator = torch.Generator().manual_seed(0)
    policy = torch.rand(len(found.states), ACTIONS, 3, generator=generator) / 3
    weights = torch.rand(len(found.states), 3, generator=generator)
    step = 1e-3 * torch.randn(policy.shape, generator=generator)
    gradient = torch.autograd.functional.jacobian(
        lambda p: (values(p, found) * weights).sum(), policy
    )
    ahead, behind = (
        (values(policy + sign * step, found) * weights).double().sum() for sign in (1, -1)
    )
    np.testing.assert_allclose(
        float((gradient * step).double().sum()), float(ahead - behind) / 2, rtol=0.02
    )


# -- the encoder -----------------------------------------------------------------------------------


def test_codes_do_not_depend_on_the_batch_or_the_type(tasks: NDArray[np.float64]) -> None:
    network, rows = encoder(), torch.from_numpy(tasks)
    with torch.no_grad():
        codes = network(rows)
        assert codes.shape == (len(tasks), network.size)
        assert codes.dtype == torch.float32
        assert codes.isfinite().all()
        torch.testing.assert_close(network(rows.flip(0)).flip(0), codes, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(network(rows[:3]), codes[:3], rtol=1e-4, atol=1e-4)
        assert torch.equal(network(rows.to(torch.uint8)), codes)


def test_untrained_codes_fall_with_the_length_of_the_solution(karel: Any) -> None:
    tasks = karel.sample_tasks(300, seed=2)
    with torch.no_grad():
        codes = encoder()(torch.from_numpy(tasks)).mean(1).numpy()
    assert np.corrcoef(codes, karel.solution_lengths(tasks))[0, 1] < -0.8


def test_all_parameters_get_gradients(tasks: NDArray[np.float64]) -> None:
    network = encoder()
    network(torch.from_numpy(tasks)).sum().backward()
    for parameter in network.parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().sum() > 0


def test_an_encoder_is_described_in_json() -> None:
    back: Any = restore(json.loads(json.dumps(describe(encoder()))))
    assert (back.size, back.width) == (4, 16)


@pytest.fixture(scope="module")
def model(karel: Any) -> SuccessModel:
    """A success model of agents that turn only left, or only right."""
    tasks = karel.sample_tasks(1500, seed=3, distribution="generated")
    solved = np.random.default_rng(0).binomial(1, one_sided(tasks))
    return SuccessModel(
        network=lambda _: encoder(), width=16, blocks=1, epochs=1, learning_rate=1e-2,
        batch_size=64, random_state=0, progress=False,
    ).fit(Outcomes(solved, np.ones_like(solved), features=tasks))  # fmt: skip


def one_sided(tasks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Agents that fail if the expert's first action is a turn to their bad side."""
    first = ts.make("BasicKarel").expert_actions(tasks)
    return np.stack([np.where(first == bad, 0.1, 0.9) for bad in (1, 2)])


@pytest.mark.slow
def test_a_success_model_learns_with_it(model: SuccessModel, karel: Any) -> None:
    fresh = karel.sample_tasks(300, seed=4, distribution="validation")
    assert np.abs(model.predict_proba(fresh) - one_sided(fresh)).mean() < 0.2


@pytest.mark.slow
def test_a_success_model_with_it_is_saved_and_loaded(
    model: SuccessModel, tasks: NDArray[np.float64], tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    loaded = SuccessModel.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(tasks), model.predict_proba(tasks))


# -- what agents see -------------------------------------------------------------------------------


def test_agents_see_the_next_thing_to_do_and_walls(tasks: NDArray[np.float64]) -> None:
    found = graph(tasks)
    seen = seen_by_agents(found).numpy()
    assert seen.shape == (len(found.states), SEEN)
    for row, state in zip(seen, found.states, strict=True):
        grids = {first: state[first : first + CELLS].reshape(SIDE, SIDE) for first in FIRST}
        (at,), (goal,) = (np.argwhere(grids[first]) for first in (CELL, POST_CELL))
        wrong = np.argwhere(grids[MARKERS] != grids[POST_MARKERS])
        down, right = (wrong[0] if len(wrong) else goal) - at
        place = row[SIZE + ACTIONS :][: (2 * SIDE - 1) ** 2].reshape(2 * SIDE - 1, -1)
        assert np.argwhere(place).tolist() == [[down + SIDE - 1, right + SIDE - 1]]
        walls = np.pad(grids[WALLS], 1, constant_values=1)
        near = [walls[at[0] + 1 + y, at[1] + 1 + x] for y, x in ((-1, 0), (1, 0), (0, 1), (0, -1))]
        assert row[-8:-4].tolist() == near
        expected = [len(wrong) > 0, down == 0, right == 0, (abs(down) + abs(right)) / 3]
        np.testing.assert_allclose(row[-4:], expected, rtol=1e-6)
