"""Tasks: how they are drawn, checked and clustered, and the data set of BasicKarel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import stats

import taskspace as ts
from taskspace.envs.basickarel import data_set
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.testing.plain_envs import BasicKarel as PlainKarel
from tests.envs.twin import StreamRandom, karel_task, new_stream
from tests.messages import says

SAMPLES = 20_000

# -- sampling --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_seed_gives_the_same_tasks_again(name: str) -> None:
    env = ts.make(name)
    assert (env.sample_tasks(100, seed=3) == ts.make(name).sample_tasks(100, seed=3)).all()
    assert (env.sample_tasks(100, seed=3) != env.sample_tasks(100, seed=4)).any()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_without_a_seed_tasks_differ_from_call_to_call(name: str) -> None:
    env = ts.make(name)
    assert (env.sample_tasks(20) != env.sample_tasks(20)).any()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_tasks_of_every_distribution_are_valid(name: str) -> None:
    env = ts.make(name)
    for distribution in env.distributions:
        tasks = env.sample_tasks(1000, seed=0, distribution=distribution)
        assert env.check_tasks(tasks).shape == (1000, env.state_size)


def test_the_first_tasks_do_not_depend_on_how_many_are_drawn() -> None:
    env = ts.make("CartPoleVar")
    assert (env.sample_tasks(5, seed=1) == env.sample_tasks(50, seed=1)[:5]).all()


def test_no_tasks_may_be_drawn_and_fewer_not() -> None:
    env = ts.make("PointMass")
    assert env.sample_tasks(0, seed=0).shape == (0, 7)
    with pytest.raises(ValueError, match=says("tasks -1")):
        env.sample_tasks(-1)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, True, "1"])
def test_a_bad_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=says(f"seed {seed!r}")):
        ts.make("MultiKeyNav").sample_tasks(1, seed=seed)


def test_an_unknown_distribution_is_refused_with_the_known_ones() -> None:
    known = "all left not-left right"
    with pytest.raises(ValueError, match=says(f"PointMass 'up' {known}")):
        ts.make("PointMass").sample_tasks(1, distribution="up")


def is_uniform(values: NDArray[np.float64], low: float, high: float) -> bool:
    return bool(stats.kstest(values, stats.uniform(low, high - low).cdf).pvalue > 0.001)


def is_fair(bits: NDArray[Any]) -> bool:
    return bool(abs(bits.mean() - 0.5) < 4 * np.sqrt(0.25 / len(bits)))


def test_nav_tasks_have_a_uniform_location_and_fair_independent_bits() -> None:
    tasks = ts.make("MultiKeyNav").sample_tasks(SAMPLES, seed=1)
    assert is_uniform(tasks[:, 0], 0, 1)
    assert all(is_fair(bits) for bits in tasks[:, 1:].T)
    together = np.corrcoef(tasks.T) - np.eye(7)
    assert np.abs(together).max() < 4.5 / np.sqrt(SAMPLES)


@pytest.mark.parametrize(("door", "bits"), [(1, (0, 0)), (2, (0, 1)), (3, (1, 0)), (4, (1, 1))])
def test_nav_distributions_fix_the_door_alone(door: int, bits: tuple[int, int]) -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(5000, seed=2, distribution=f"door-{door}")
    assert (tasks[:, 5:] == bits).all()
    assert is_uniform(tasks[:, 0], 0, 1)
    assert all(is_fair(keys) for keys in tasks[:, 1:5].T)


def test_cart_tasks_have_uniform_marginals() -> None:
    tasks = ts.make("CartPoleVar").sample_tasks(SAMPLES, seed=3)
    assert all(is_uniform(values, -0.05, 0.05) for values in tasks[:, :4].T)
    assert is_uniform(np.abs(tasks[:, 4]), 5, 15)
    assert is_fair(tasks[:, 4] > 0)
    assert is_fair(tasks[:, 5])
    assert (tasks[:, 6] == 0).all()
    together = np.corrcoef(tasks[:, :6].T) - np.eye(6)
    assert np.abs(together).max() < 4.5 / np.sqrt(SAMPLES)


@pytest.mark.parametrize("sign", ["positive", "negative"])
@pytest.mark.parametrize(("kind", "bit"), [("pull", 0), ("push", 1)])
def test_cart_distributions_fix_sign_and_type(sign: str, kind: str, bit: int) -> None:
    env = ts.make("CartPoleVar")
    tasks = env.sample_tasks(5000, seed=4, distribution=f"{sign}-{kind}")
    assert ((tasks[:, 4] > 0) == (sign == "positive")).all()
    assert (tasks[:, 5] == bit).all()
    assert is_uniform(np.abs(tasks[:, 4]), 5, 15)


def test_mass_tasks_have_uniform_marginals_and_one_start() -> None:
    tasks = ts.make("PointMass").sample_tasks(SAMPLES, seed=5)
    assert (tasks[:, :4] == (0, 0, 3, 0)).all()
    assert is_uniform(tasks[:, 4], -4, 4)
    assert is_uniform(tasks[:, 5], 0.5, 8)
    assert is_uniform(tasks[:, 6], 0, 4)


def test_mass_distributions_keep_the_gate_on_one_side() -> None:
    env = ts.make("PointMass")
    left, right = (env.sample_tasks(5000, seed=6, distribution=d) for d in ("left", "right"))
    assert (left[:, 4] + left[:, 5] / 2 < 0).all()
    assert (right[:, 4] - right[:, 5] / 2 > 0).all()
    assert is_uniform(left[:, 6], 0, 4)


def test_pointmass_not_left_has_all_other_gates() -> None:
    env = ts.make("PointMass")
    tasks = env.sample_tasks(5000, seed=6, distribution="not-left")
    everything = env.sample_tasks(5000, seed=7)
    others = everything[env.clusters(everything) != 1]
    assert (tasks[:, 4] + tasks[:, 5] / 2 >= 0).all()
    share = (env.clusters(tasks) == 2).mean() - (env.clusters(others) == 2).mean()
    assert abs(share) < 0.04  # 4 standard errors


@pytest.mark.parametrize(("side", "cluster"), [("left", 1), ("right", 2)])
def test_mass_distributions_are_the_whole_one_restricted(side: str, cluster: int) -> None:
    env = ts.make("PointMass")
    whole, part = (
        env.sample_tasks(SAMPLES, seed=7),
        env.sample_tasks(4000, seed=8, distribution=side),
    )
    expected = whole[env.clusters(whole) == cluster]
    for column in (4, 5):
        assert stats.ks_2samp(part[:, column], expected[:, column]).pvalue > 0.001


# -- checking --------------------------------------------------------------------------------------

NAV = [0.5, 0, 0, 0, 0, 0, 0]
CART = [0, 0, 0, 0, 10, 0, 0]
MASS = [0, 0, 3, 0, 1, 1, 1]
ENCLOSED = karel_task(0, 0, to=15, walls=[1, 4])


def winding(markers: int) -> NDArray[np.float64]:
    """A way of 14 moves and turns between walls, with some markers to pick on it."""
    walls, way = [4, 5, 6, 13, 14, 15], [0, 1, 2, 3, 7, 11]
    return karel_task(0, 3, to=12, facing=1, walls=walls, markers=way[:markers], wanted=[])


def changed(task: ArrayLike, column: int, value: Any) -> NDArray[np.float64]:
    values = np.array(task, np.float64)
    values[column] = value
    return values


@pytest.mark.parametrize(
    ("name", "tasks", "tokens"),
    [
        ("MultiKeyNav", [0.5, 0, 0], "7 location keyA (3,)"),
        ("MultiKeyNav", np.zeros((2, 8)), "7 location (2, 8)"),
        ("MultiKeyNav", np.zeros((2, 2, 7)), "7 location (2, 2, 7)"),
        ("MultiKeyNav", 0.5, "7 location ()"),
        ("MultiKeyNav", [], "7 location (0,)"),
        ("MultiKeyNav", [NAV, changed(NAV, 0, np.nan)], "finite row 1"),
        ("MultiKeyNav", [NAV, changed(NAV, 0, np.inf)], "finite row 1"),
        ("MultiKeyNav", changed(NAV, 0, 1.1), "task 0 location 1.1 [0, 1]"),
        ("MultiKeyNav", changed(NAV, 0, -0.1), "task 0 location -0.1 [0, 1]"),
        ("MultiKeyNav", [NAV, changed(NAV, 2, 0.5)], "task 1 keyB 0.5 0 1"),
        ("MultiKeyNav", changed(NAV, 6, 2), "doorBit2 2 0 1"),
        ("MultiKeyNav", [NAV, NAV[:3]], "MultiKeyNav numbers"),
        ("MultiKeyNav", {"location": 0.5}, "MultiKeyNav numbers"),
        ("CartPoleVar", changed(CART, 4, 4.9), "F 5 15"),
        ("CartPoleVar", changed(CART, 4, -4.9), "F 5 15"),
        ("CartPoleVar", changed(CART, 4, 15.1), "F 15.1 [-15, 15]"),
        ("CartPoleVar", changed(CART, 2, 0.06), "theta 0.06 [-0.05, 0.05]"),
        ("CartPoleVar", changed(CART, 5, 0.5), "TaskType 0.5 0 1"),
        ("CartPoleVar", changed(CART, 6, 1), "NumSteps 1 0"),
        ("PointMass", changed(MASS, 2, 2), "y 2 3"),
        ("PointMass", changed(MASS, 4, 4.5), "gatePosition 4.5 [-4, 4]"),
        ("PointMass", changed(MASS, 5, 0.4), "gateWidth 0.4 [0.5, 8]"),
        ("PointMass", changed(MASS, 6, -1), "friction -1 [0, 4]"),
        ("BasicKarel", changed(karel_task(), 48, 1), "task 0 position"),
        ("BasicKarel", changed(karel_task(), 53, 0), "task 0 position"),
        ("BasicKarel", changed(karel_task(), 64, 1), "task 0 wanted position"),
        ("BasicKarel", changed(karel_task(), 81, 1), "task 0 heading"),
        ("BasicKarel", changed(karel_task(), 85, 1), "task 0 wanted heading"),
        ("BasicKarel", karel_task(5, walls=[5]), "task 0 agent wall"),
        ("BasicKarel", karel_task(5, to=6, walls=[6]), "task 0 agent wall"),
        ("BasicKarel", karel_task(5, walls=[7], markers=[7], wanted=[]), "task 0 agent wall"),
        ("BasicKarel", karel_task(5, walls=[7], wanted=[7]), "task 0 agent wall"),
        ("BasicKarel", ENCLOSED, "task 0 solution"),
        ("BasicKarel", [karel_task(), ENCLOSED], "task 1 BasicKarel solution"),
        ("BasicKarel", winding(6), "shortest solution 20"),
        ("BasicKarel", changed(karel_task(), 3, 0.5), "wall3 0.5 0 1"),
        ("BasicKarel", ["a task"], "BasicKarel numbers"),
        ("BasicKarel", [["wall"] * 88], "BasicKarel numbers"),
    ],
)
def test_a_bad_task_is_refused_with_the_reason(name: str, tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        ts.make(name).check_tasks(tasks)


def test_nan_in_a_single_task_is_not_taken_for_a_row() -> None:
    with pytest.raises(ValueError, match=r"^(?!.*\brow\b).*finite"):
        ts.make("MultiKeyNav").check_tasks(changed(NAV, 3, np.nan))


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("MultiKeyNav", [0, 1, 1, 1, 1, 1, 1]),
        ("MultiKeyNav", [1, 0, 0, 0, 0, 0, 0]),
        ("CartPoleVar", [0.05, -0.05, 0.05, -0.05, 5, 1, 0]),
        ("CartPoleVar", [0, 0, 0, 0, -15, 1, 0]),
        ("PointMass", [0, 0, 3, 0, -4, 0.5, 0]),
        ("PointMass", [0, 0, 3, 0, 4, 8, 4]),
        ("BasicKarel", karel_task()),
        ("BasicKarel", winding(5)),
    ],
)
def test_a_task_on_the_edge_of_what_is_allowed_passes(name: str, task: ArrayLike) -> None:
    checked = ts.make(name).check_tasks(task)
    assert checked.shape == (1, np.size(task))
    assert checked.dtype == np.float64


# -- clusters and context --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count"),
    [("MultiKeyNav", 9), ("MultiKeyNavAB", 4), ("MultiKeyNavA", 2), ("CartPoleVar", 2),
     ("PointMass", 3), ("BasicKarel", 3)],
)  # fmt: skip
def test_every_cluster_has_a_name_and_tasks(name: str, count: int) -> None:
    env = ts.make(name)
    assert len(set(env.cluster_names)) == count
    assert set(env.clusters(env.sample_tasks(3000, seed=0))) == set(range(count))


@pytest.mark.parametrize(
    ("name", "task", "cluster"),
    [
        ("MultiKeyNav", [0.5, 0, 0, 1, 1, 0, 0], "A+B"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 0, 0, 1], "A+C"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 0, 1, 0], "B+D"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 0, 1, 1], "C+D"),
        ("MultiKeyNav", [0.5, 1, 0, 0, 0, 0, 0], "B"),
        ("MultiKeyNav", [0.5, 1, 0, 0, 0, 1, 0], "B+D"),
        ("MultiKeyNav", [0.5, 0, 0, 1, 0, 0, 1], "A"),
        ("MultiKeyNav", [0.5, 1, 1, 1, 0, 1, 1], "D"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 1, 1, 1], "C"),
        ("MultiKeyNav", [0.5, 1, 1, 0, 0, 0, 0], "none"),
        ("MultiKeyNavAB", [0.5, 0, 0, 0, 0, 1, 1], "A+B"),
        ("MultiKeyNavA", [0.5, 0, 0, 0, 0, 1, 1], "A"),
        ("MultiKeyNavA", [0.5, 1, 0, 0, 0, 1, 1], "none"),
        ("CartPoleVar", [0, 0, 0, 0, 10, 0, 0], "action 0 moves left"),
        ("CartPoleVar", [0, 0, 0, 0, 10, 1, 0], "action 0 moves right"),
        ("CartPoleVar", [0, 0, 0, 0, -10, 0, 0], "action 0 moves right"),
        ("CartPoleVar", [0, 0, 0, 0, -10, 1, 0], "action 0 moves left"),
        ("PointMass", [0, 0, 3, 0, -2, 3.9, 1], "steer left"),
        ("PointMass", [0, 0, 3, 0, -2, 4.0, 1], "straight"),
        ("PointMass", [0, 0, 3, 0, 2, 4.0, 1], "straight"),
        ("PointMass", [0, 0, 3, 0, 2, 3.9, 1], "steer right"),
        ("BasicKarel", karel_task(5, to=6, markers=[7]), "navigation"),
        ("BasicKarel", karel_task(5, markers=[5, 7], wanted=[7]), "pick"),
        ("BasicKarel", karel_task(5, markers=[7], wanted=[5, 7]), "put"),
    ],
)
def test_clusters_follow_the_rules(name: str, task: ArrayLike, cluster: str) -> None:
    env = ts.make(name)
    assert env.cluster_names[env.clusters(task)[0]] == cluster


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("MultiKeyNav", [5, 6]),
        ("CartPoleVar", [4, 5]),
        ("PointMass", [4, 5, 6]),
        ("BasicKarel", [*range(16), *range(32, 48), *range(64, 80), *range(84, 88)]),
    ],
)
def test_context_columns_are_those_that_never_change(name: str, columns: list[int]) -> None:
    assert ts.make(name).context_columns.tolist() == columns


# -- BasicKarel's data set -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def training() -> NDArray[np.float64]:
    return data_set()[0]


@pytest.fixture(scope="module")
def karel() -> Any:
    return ts.make("BasicKarel")


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


# -- registry --------------------------------------------------------------------------------------


def test_an_unknown_environment_is_refused_with_names_and_the_nearest() -> None:
    with pytest.raises(ValueError, match=says("'CartPole' 'CartPoleVar'")) as error:
        ts.make("CartPole")
    assert all(name in str(error.value) for name in ENVIRONMENTS)


def test_a_name_like_no_other_gets_no_hint() -> None:
    with pytest.raises(ValueError, match=says("'xyz' MultiKeyNav Karel")):
        ts.make("xyz")


@pytest.mark.parametrize("name", ["MULTIKEYNAV", "multikeynav", "MultiKeyNav"])
def test_capitals_do_not_matter(name: str) -> None:
    assert ts.make(name).name == "MultiKeyNav"
