"""BasicKarel: its rules, its expert and its data set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import taskspace as ts
from taskspace.envs.basickarel import DATA_SEED, data_set
from taskspace.envs.lanes import FAILED, OUT_OF_TIME, RUNNING, SOLVED
from taskspace.testing.plain_envs import BasicKarel as PlainKarel
from tests.envs.test_tasks import ENCLOSED, winding
from tests.envs.twin import Batch, StreamRandom, karel_task, new_stream, play
from tests.messages import says

MOVE, TURN_LEFT, TURN_RIGHT, PICK, PUT, KAREL_FINISH = range(6)
NORTH, SOUTH, EAST, WEST = range(4)
NEIGHBOUR = {NORTH: 1, SOUTH: 9, EAST: 6, WEST: 4}  # of cell 5, row 1 and column 1
CORNER = {NORTH: 3, SOUTH: 12, EAST: 15, WEST: 0}  # a cell at each edge


@pytest.fixture(scope="module")
def karel() -> Any:
    return ts.make("BasicKarel")


@pytest.mark.parametrize("heading", range(4))
def test_karel_moves_to_the_cell_it_faces(karel: Any, heading: int) -> None:
    states, statuses = play(karel, karel_task(5, heading, to=0, facing=NORTH), [MOVE])
    assert statuses == [RUNNING]
    expected = karel_task(NEIGHBOUR[heading], heading, to=0, facing=NORTH)
    assert (states[1] == expected).all()


@pytest.mark.parametrize("heading", range(4))
def test_karel_crashes_on_leaving_the_grid(karel: Any, heading: int) -> None:
    assert play(karel, karel_task(CORNER[heading], heading), [MOVE])[1] == [FAILED]


@pytest.mark.parametrize("heading", range(4))
def test_karel_crashes_into_a_wall(karel: Any, heading: int) -> None:
    start = karel_task(5, heading, walls=[NEIGHBOUR[heading]])
    states, statuses = play(karel, start, [MOVE])
    assert statuses == [FAILED]
    assert (states[1] == start).all()


@pytest.mark.parametrize(
    ("action", "heading", "turned"),
    [
        (TURN_LEFT, NORTH, WEST),
        (TURN_LEFT, WEST, SOUTH),
        (TURN_LEFT, SOUTH, EAST),
        (TURN_LEFT, EAST, NORTH),
        (TURN_RIGHT, NORTH, EAST),
        (TURN_RIGHT, EAST, SOUTH),
        (TURN_RIGHT, SOUTH, WEST),
        (TURN_RIGHT, WEST, NORTH),
    ],
)
def test_karel_turns(karel: Any, action: int, heading: int, turned: int) -> None:
    states, statuses = play(karel, karel_task(5, heading, facing=NORTH), [action])
    assert statuses == [RUNNING]
    assert (states[1] == karel_task(5, turned, facing=NORTH)).all()


def test_karel_picks_the_marker_under_it(karel: Any) -> None:
    states, statuses = play(karel, karel_task(5, markers=[5, 7], wanted=[7]), [PICK])
    assert statuses == [RUNNING]
    assert (states[1] == karel_task(5, markers=[7])).all()


def test_karel_puts_a_marker_under_it(karel: Any) -> None:
    states, statuses = play(karel, karel_task(5, markers=[7], wanted=[5, 7]), [PUT])
    assert statuses == [RUNNING]
    assert (states[1] == karel_task(5, markers=[5, 7])).all()


def test_karel_crashes_on_picking_where_there_is_no_marker(karel: Any) -> None:
    assert play(karel, karel_task(5, markers=[6]), [PICK])[1] == [FAILED]


def test_karel_crashes_on_putting_where_there_is_a_marker(karel: Any) -> None:
    assert play(karel, karel_task(5, markers=[5]), [PUT])[1] == [FAILED]


def test_karel_finish_succeeds_when_all_matches(karel: Any) -> None:
    start = karel_task(5, EAST, walls=[0, 1], markers=[7, 5])
    assert play(karel, start, [KAREL_FINISH])[1] == [SOLVED]


@pytest.mark.parametrize(
    "start",
    [
        karel_task(5, to=6),
        karel_task(5, NORTH, facing=SOUTH),
        karel_task(5, markers=[5], wanted=[]),
        karel_task(5, wanted=[15]),
        karel_task(5, markers=[7], wanted=[8]),
    ],
    ids=["position", "heading", "marker too many", "marker too few", "marker elsewhere"],
)
def test_karel_finish_crashes_when_something_differs(
    karel: Any, start: NDArray[np.float64]
) -> None:
    assert play(karel, start, [KAREL_FINISH])[1] == [FAILED]


def test_karel_solves_a_task_made_of_all_actions(karel: Any) -> None:
    start = karel_task(5, EAST, to=9, facing=WEST, markers=[5], wanted=[9])
    actions = [PICK, TURN_RIGHT, MOVE, PUT, TURN_LEFT, TURN_LEFT, TURN_LEFT, TURN_LEFT, TURN_RIGHT]
    assert play(karel, start, [*actions, KAREL_FINISH])[1][-1] == SOLVED


def test_karel_actions_never_change_walls_or_the_wanted_grid(karel: Any) -> None:
    tasks = karel.sample_tasks(500, seed=0)
    batch, rng = Batch(karel, tasks), np.random.default_rng(0)
    for _ in range(20):
        batch.step(rng.choice(5, 500, p=[0.2, 0.3, 0.3, 0.1, 0.1]))
        assert (batch.states[karel.context_columns] == tasks.T[karel.context_columns]).all()
    assert (tasks != batch.states.T).any()


def test_karel_is_out_of_time_at_step_20(karel: Any) -> None:
    assert play(karel, karel_task(), [TURN_LEFT] * 20)[1] == [RUNNING] * 19 + [OUT_OF_TIME]


def test_karel_finish_on_step_20_solves(karel: Any) -> None:
    start = karel_task(5, NORTH, facing=EAST)  # 19 turns to the left are one to the right
    statuses = play(karel, start, [TURN_LEFT] * 19 + [KAREL_FINISH])[1]
    assert statuses == [RUNNING] * 19 + [SOLVED]


def test_karel_expert_takes_a_shortest_way_then_finishes() -> None:
    karel: Any = ts.make("BasicKarel")
    tasks = karel.sample_tasks(300, seed=9)
    batch = Batch(karel, tasks)
    for _ in range(20):
        batch.step(karel.expert_actions(batch.states.T))
    assert (batch.status == SOLVED).all()
    assert (batch.elapsed == karel.solution_lengths(tasks) + 1).all()


@pytest.fixture(scope="module")
def training() -> NDArray[np.float64]:
    return data_set()[0]


def shares(values: NDArray[Any], kinds: range) -> NDArray[np.float64]:
    return np.array([(values == kind).mean() for kind in kinds])


def test_karel_has_24000_and_2400_tasks_all_different() -> None:
    training, validation = data_set()
    assert (len(training), len(validation)) == (24_000, 2_400)
    packed = np.packbits(np.vstack([training, validation]).astype(bool), axis=1)
    assert len(np.unique(packed, axis=0)) == 26_400


def test_karel_distributions_draw_from_the_data_set_without_repeats(karel: Any) -> None:
    for distribution, table in zip(("all", "validation"), data_set(), strict=True):
        drawn = karel.sample_tasks(2400, seed=0, distribution=distribution)
        known = {row.tobytes() for row in table}
        rows = {row.tobytes() for row in drawn}
        assert len(rows) == 2400
        assert rows <= known


def test_karel_refuses_to_draw_more_tasks_than_there_are(karel: Any) -> None:
    with pytest.raises(ValueError, match=says("BasicKarel 'validation' 2400 2401")):
        karel.sample_tasks(2401, distribution="validation")


def test_karel_data_set_cannot_be_overwritten(training: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="read-only"):
        training[0, 0] = 1


def test_karel_tasks_are_all_valid(karel: Any) -> None:
    for table in data_set():
        karel.check_tasks(table)


def test_karel_walls_are_uniform_on_2_to_10(training: NDArray[np.float64]) -> None:
    walls = training[:, :16].sum(1)
    assert (walls.min(), walls.max()) == (2, 10)
    assert np.abs(shares(walls, range(2, 11)) - 1 / 9).max() < 0.015


def test_karel_kinds_are_thirds_and_change_one_marker(
    karel: Any, training: NDArray[np.float64]
) -> None:
    kind, change = karel.clusters(training), training[:, 32:48] - training[:, 16:32]
    assert np.abs(shares(kind, range(3)) - 1 / 3).max() < 0.015
    assert (change.sum(1) == np.array([0, -1, 1])[kind]).all()
    assert (np.abs(change).sum(1) == (kind > 0)).all()


def test_karel_grids_have_0_to_2_markers(training: NDArray[np.float64]) -> None:
    for start in (16, 32):
        markers = training[:, start : start + 16].sum(1)
        assert set(np.unique(markers)) == {0, 1, 2}
        assert shares(markers, range(3)).min() > 0.1


@pytest.mark.parametrize("start", [80, 84], ids=["start", "end"])
def test_karel_directions_are_uniform(training: NDArray[np.float64], start: int) -> None:
    assert np.abs(training[:, start : start + 4].mean(0) - 0.25).max() < 0.015


def test_karel_start_is_the_end_cell_in_5_percent(training: NDArray[np.float64]) -> None:
    same = (training[:, 48:64] == training[:, 64:80]).all(1).mean()
    assert abs(same - 0.05) < 0.015


def test_karel_solutions_are_as_long_as_in_the_original(
    karel: Any, training: NDArray[np.float64]
) -> None:
    lengths = karel.solution_lengths(training)
    assert (lengths.min(), lengths.max()) == (1, 6)
    expected = np.array([0.06, 0.06, 0.20, 0.30, 0.28, 0.11])
    assert np.abs(shares(lengths, range(1, 7)) - expected).max() < 0.02


def test_karel_validation_tasks_are_like_the_training_tasks(karel: Any) -> None:
    lengths = [karel.solution_lengths(table) for table in data_set()]
    one, other = (shares(length, range(1, 7)) for length in lengths)
    assert np.abs(one - other).max() < 0.04


@pytest.fixture(scope="module")
def generated(karel: Any) -> NDArray[np.float64]:
    tasks: NDArray[np.float64] = karel.sample_tasks(30_000, seed=5, distribution="generated")
    return tasks


def test_karel_generates_more_tasks_than_the_data_set_has(
    karel: Any, generated: NDArray[np.float64]
) -> None:
    karel.check_tasks(generated)
    assert karel.table("generated") is None
    assert len(np.unique(np.packbits(generated.astype(bool), axis=1), axis=0)) > 29_900
    fewer = karel.sample_tasks(100, seed=5, distribution="generated")
    np.testing.assert_array_equal(fewer, generated[:100])


def test_karel_generated_tasks_are_distributed_like_the_training_tasks(
    karel: Any, training: NDArray[np.float64], generated: NDArray[np.float64]
) -> None:
    assert np.abs(generated.mean(0) - training.mean(0)).max() < 0.02  # every column
    for one, other, kinds in (
        (karel.solution_lengths(generated), karel.solution_lengths(training), range(7)),
        (karel.clusters(generated), karel.clusters(training), range(3)),
        (generated[:, :16].sum(1), training[:, :16].sum(1), range(17)),
        (generated[:, 16:32].sum(1), training[:, 16:32].sum(1), range(3)),
    ):
        assert np.abs(shares(one, kinds) - shares(other, kinds)).max() < 0.02


def test_karel_never_generates_a_validation_task(karel: Any) -> None:
    # The seed of the data set, whose first 30,000 tasks include all validation tasks.
    drawn = karel.sample_tasks(30_000, seed=DATA_SEED, distribution="generated")
    training, validation = ({row.tobytes() for row in table} for table in data_set())
    rows = {row.tobytes() for row in drawn}
    assert len(drawn) == 30_000
    assert rows >= training
    assert not rows & validation


def test_karel_refuses_an_unknown_distribution_and_lists_those_it_has(karel: Any) -> None:
    with pytest.raises(ValueError, match=says("'drawn' BasicKarel all validation generated")):
        karel.sample_tasks(3, distribution="drawn")
    with pytest.raises(ValueError, match=says("'generated' MultiKeyNav all door-1")):
        ts.make("MultiKeyNav").sample_tasks(3, distribution="generated")


def brute_force_length(task: NDArray[np.float64]) -> int:
    """Breadth-first search over whole grids with the plain twin's own rules."""
    twin, rng = PlainKarel(), StreamRandom(new_stream(0))
    twin.gamma = 1.0

    def after(state: tuple[float, ...], action: int) -> tuple[tuple[float, ...], str]:
        twin.reset(state)
        new, status = twin.step(action, rng)
        return tuple(new), status

    layer, seen = {tuple(task)}, {tuple(task)}
    for length in range(20):
        if any(after(state, PlainKarel.FINISH)[1] == "solved" for state in layer):
            return length
        steps = (after(state, action) for state in layer for action in range(5))
        layer = {state for state, status in steps if status == "running"} - seen
        seen |= layer
    raise AssertionError("no solution within 20 steps")


def test_karel_solution_lengths_agree_with_brute_force(karel: Any) -> None:
    tasks = karel.sample_tasks(40, seed=1)
    assert karel.solution_lengths(tasks).tolist() == [brute_force_length(t) for t in tasks]


@pytest.mark.parametrize(
    ("task", "length"),
    [
        (karel_task(), 0),
        (karel_task(5, 0, to=1), 1),
        (karel_task(5, 0, facing=1), 2),
        (karel_task(5, 0, to=9, facing=0), 5),
        (karel_task(0, 2, to=3), 3),
        (karel_task(0, 2, to=3, walls=[1]), 9),
        (karel_task(0, 2, to=1, markers=[0], wanted=[1]), 3),
        (winding(0), 14),
        (winding(6), 20),
        (ENCLOSED, -1),
        (karel_task(0, 0, to=1, walls=[4, 2, 5], markers=[15], wanted=[]), -1),
    ],
)
def test_karel_solution_lengths_of_tasks_made_by_hand(
    karel: Any, task: NDArray[np.float64], length: int
) -> None:
    assert karel.solution_lengths(task).tolist() == [length]
