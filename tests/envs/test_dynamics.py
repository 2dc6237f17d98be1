"""The rules of the environments: against the plain twins step for step, and one by one."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import taskspace as ts
from taskspace.envs.base import Environment
from taskspace.envs.lanes import FAILED, OUT_OF_TIME, RUNNING, SOLVED
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.testing.plain_envs import plain_environments
from tests.envs.twin import Batch, StreamRandom, karel_task, play

NAMES = {"running": RUNNING, "solved": SOLVED, "failed": FAILED, "out of time": OUT_OF_TIME}
EPISODES = 240
DEGREES_12 = math.radians(12.0)

# -- against the plain twins -----------------------------------------------------------------------


def steering(states: NDArray[np.float64], forces: NDArray[np.float64]) -> NDArray[np.float64]:
    """A rough controller in half of the lanes (gate, then goal), smooth random forces in all."""
    x, vx, y, vy, gate = states[:5]
    above = y > 0.3
    aim_x = np.where(above, gate, 0.0)
    ready = ~above | (np.abs(x - gate) < 0.2)
    pull = np.stack([4 * (aim_x - x) - 2 * vx, np.where(ready, -3.0, 1.0) - vy], 1)
    return np.where(np.arange(len(x))[:, None] % 2 == 0, pull + 0.3 * forces, forces)


class Player:
    """Actions that take the episodes deep: the expert's, with a different share of noise a lane."""

    def __init__(self, env: Environment, lanes: int) -> None:
        self.env, self.rng = env, np.random.default_rng(7)
        self.noise = np.linspace(0.0, 0.4, lanes)
        self.forces = np.zeros((lanes, 2))

    def actions(self, states: NDArray[np.float64]) -> NDArray[Any]:
        lanes = states.shape[1]
        if not self.env.discrete:
            self.forces = 0.9 * self.forces + self.rng.normal(0, 2, (lanes, 2))
            return steering(states, self.forces)
        chance = self.rng.integers(0, len(self.env.action_names), lanes)
        expert = self.env.expert_actions(states.T)
        return np.where(self.rng.random(lanes) < self.noise, chance, expert)


def compare_with_twin(name: str, starts: NDArray[np.float64], gamma: float) -> set[int]:
    """Play both from the same streams; every status and state must agree."""
    env, seen = ts.make(name), set()
    batch, player = Batch(env, starts, gamma=gamma, seed=11), Player(env, len(starts))
    rngs = [StreamRandom(batch.streams[:, lane]) for lane in range(len(starts))]
    twins = [plain_environments()[name] for _ in rngs]
    for twin, start in zip(twins, starts, strict=True):
        twin.gamma = gamma
        twin.reset(list(start))
    for _ in range(env.horizon):
        running = np.flatnonzero(batch.status == RUNNING)
        actions = player.actions(batch.states)
        status = batch.step(actions)
        for lane in running:
            expected, told = twins[lane].step(actions[lane], rngs[lane])
            assert status[lane] == NAMES[told]
            np.testing.assert_allclose(batch.states[:, lane], expected, rtol=0, atol=1e-12)
            twins[lane]._state = batch.states[:, lane].tolist()  # a pole that falls doubles errors
            assert (batch.streams[:, lane] == rngs[lane].stream).all()
            seen.add(int(status[lane]))
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_kernel_equals_twin_step_for_step(name: str) -> None:
    env = ts.make(name)
    seen = compare_with_twin(name, env.sample_tasks(EPISODES, seed=5), env.gamma)
    assert {RUNNING, SOLVED, FAILED} <= seen


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_kernel_equals_twin_under_frequent_random_failure(name: str) -> None:
    compare_with_twin(name, ts.make(name).sample_tasks(60, seed=6), 0.9)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_facts_equal_those_of_the_twin(name: str) -> None:
    env, twin = ts.make(name), plain_environments()[name]
    facts = (env.state_size, env.horizon, env.gamma)
    assert facts == (twin.state_size, twin.horizon, twin.gamma)


def test_lanes_that_have_ended_do_not_move() -> None:
    env = ts.make("MultiKeyNav")
    batch = Batch(env, [[0.5, 0, 0, 0, 0, 0, 0]] * 2)
    batch.step([6, 1])
    before = batch.states.copy()
    batch.step([1, 1])
    assert (batch.states[:, 0] == before[:, 0]).all()
    assert batch.status[0] == FAILED
    assert batch.elapsed.tolist() == [1, 2]
    assert batch.states[0, 1] > before[0, 1]


# -- random failure --------------------------------------------------------------------------------

MANY = 20_000


@pytest.mark.parametrize("gamma", [0.7, 0.95])
def test_failure_strikes_at_rate_1_minus_gamma_before_the_action(gamma: float) -> None:
    batch = Batch(ts.make("MultiKeyNav"), [[0.5, 0, 0, 0, 0, 0, 0]] * MANY, gamma=gamma)
    failed = batch.step([1]) == FAILED
    assert abs(failed.mean() - (1 - gamma)) < 4 * math.sqrt(gamma * (1 - gamma) / MANY)
    assert (batch.states[0, failed] == 0.5).all()
    assert (batch.states[0, ~failed] > 0.5).all()


def test_failure_beats_an_action_that_would_solve_the_task() -> None:
    batch = Batch(ts.make("MultiKeyNav"), [[0.95, 1, 1, 1, 1, 0, 0]] * MANY, gamma=0.7)
    solved = batch.step([6]) == SOLVED
    assert abs(solved.mean() - 0.7) < 4 * math.sqrt(0.21 / MANY)
    assert (batch.status[~solved] == FAILED).all()
    assert (batch.rewards == solved).all()


@pytest.mark.parametrize("name", ["MultiKeyNav", "MultiKeyNavAB", "MultiKeyNavA", "BasicKarel"])
def test_a_step_fails_with_probability_one_in_a_thousand(name: str) -> None:
    env = ts.make(name)
    assert env.gamma == 0.999
    start: Any = karel_task() if name == "BasicKarel" else [0.5, 0, 0, 0, 0, 0, 0]
    batch = Batch(env, [start] * MANY, gamma=env.gamma)
    for _ in range(10):
        batch.step([1])
    rate = -math.log((batch.status == RUNNING).mean()) / 10
    assert abs(rate - 0.001) < 4 * math.sqrt(0.001 / (10 * MANY))


@pytest.mark.parametrize("name", ["CartPoleVar", "PointMass"])
def test_environments_with_gamma_1_never_fail_at_random(name: str) -> None:
    env = ts.make(name)
    batch = Batch(env, env.sample_tasks(MANY, seed=0), gamma=env.gamma)
    status = batch.step([1] if env.discrete else [[0.0, 0.0]])
    assert env.gamma == 1
    assert (status == RUNNING).all()


# -- MultiKeyNav -----------------------------------------------------------------------------------

SEGMENTS = [(0.0, 0.1), (0.2, 0.3), (0.4, 0.5), (0.6, 0.7)]
DOORS = [(0, 0), (0, 1), (1, 0), (1, 1)]
REQUIRED = {
    "MultiKeyNav": {(0, 0): "AB", (0, 1): "AC", (1, 0): "BD", (1, 1): "CD"},
    "MultiKeyNavAB": dict.fromkeys(DOORS, "AB"),
    "MultiKeyNavA": dict.fromkeys(DOORS, "A"),
}
LEFT, RIGHT, FINISH = 0, 1, 6


def at(location: float, keys: str = "", door: tuple[int, int] = (0, 0)) -> list[float]:
    return [location, *(float(key in keys) for key in "ABCD"), *door]


@pytest.fixture(scope="module")
def nav() -> Environment:
    return ts.make("MultiKeyNav")


@pytest.mark.parametrize("key", range(4))
def test_nav_picks_a_key_at_both_ends_and_inside_of_its_segment(nav: Environment, key: int) -> None:
    for location in (*SEGMENTS[key], sum(SEGMENTS[key]) / 2):
        states, statuses = play(nav, at(location), [2 + key])
        assert statuses == [RUNNING]
        assert states[1].tolist() == at(location, "ABCD"[key])


@pytest.mark.parametrize("key", range(4))
def test_nav_crashes_on_picking_outside_of_the_segment(nav: Environment, key: int) -> None:
    start, end = SEGMENTS[key]
    for location in (start - 1e-9, end + 1e-9, 0.95):
        if location >= 0:
            states, statuses = play(nav, at(location), [2 + key])
            assert statuses == [FAILED]
            assert states[1].tolist() == at(location)


@pytest.mark.parametrize("key", range(4))
def test_nav_crashes_on_picking_a_key_it_holds(nav: Environment, key: int) -> None:
    middle = sum(SEGMENTS[key]) / 2
    assert play(nav, at(middle, "ABCD"[key]), [2 + key])[1] == [FAILED]
    assert play(nav, at(middle), [2 + key, 2 + key])[1] == [RUNNING, FAILED]


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("door", DOORS)
def test_nav_door_opens_with_its_keys_and_no_fewer(name: str, door: tuple[int, int]) -> None:
    held = ["".join(k) for n in range(5) for k in itertools.combinations("ABCD", n)]
    status = Batch(ts.make(name), [at(0.95, keys, door) for keys in held]).step([FINISH])
    needed = set(REQUIRED[name][door])
    assert status.tolist() == [SOLVED if needed <= set(keys) else FAILED for keys in held]


def test_nav_door_begins_at_0_9(nav: Environment) -> None:
    assert play(nav, at(0.9, "ABCD"), [FINISH])[1] == [SOLVED]
    assert play(nav, at(1.0, "ABCD"), [FINISH])[1] == [SOLVED]


@pytest.mark.parametrize("location", [0.0, 0.5, 0.9 - 1e-9])
def test_nav_crashes_on_finishing_away_from_the_door(nav: Environment, location: float) -> None:
    assert play(nav, at(location, "ABCD"), [FINISH])[1] == [FAILED]


@pytest.mark.parametrize(("location", "action"), [(0.02, LEFT), (0.98, RIGHT)])
def test_nav_move_that_would_leave_the_line_changes_nothing(
    nav: Environment, location: float, action: int
) -> None:
    states, statuses = play(nav, at(location, "A"), [action] * 5)
    assert (states == states[0]).all()
    assert statuses == [RUNNING] * 5


@pytest.mark.parametrize(("action", "sign"), [(LEFT, -1), (RIGHT, 1)])
def test_nav_step_length_is_uniform_around_0_075(nav: Environment, action: int, sign: int) -> None:
    batch = Batch(nav, [at(0.5)] * MANY)
    batch.step([action])
    lengths = sign * (batch.states[0] - 0.5)
    assert stats.kstest(lengths, stats.uniform(0.065, 0.02).cdf).pvalue > 0.001
    assert (batch.states[1:] == 0).all()


def test_nav_finish_on_step_40_solves(nav: Environment) -> None:
    statuses = play(nav, at(0.98, "AB"), [RIGHT] * 39 + [FINISH])[1]
    assert statuses == [RUNNING] * 39 + [SOLVED]


def test_nav_crash_on_step_40_is_a_failure(nav: Environment) -> None:
    assert play(nav, at(0.98), [RIGHT] * 39 + [FINISH])[1][-1] == FAILED


def test_nav_still_running_at_step_40_is_out_of_time(nav: Environment) -> None:
    statuses = play(nav, at(0.98, "AB"), [RIGHT] * 41)[1]
    assert statuses == [RUNNING] * 39 + [OUT_OF_TIME] * 2


def test_nav_sparse_reward_is_1_on_success_only(nav: Environment) -> None:
    batch = Batch(nav, [at(0.95, "AB"), at(0.95), at(0.5)])
    batch.step([FINISH, FINISH, RIGHT])
    assert batch.rewards.tolist() == [1, 0, 0]


# -- CartPoleVar -----------------------------------------------------------------------------------


def cart(**changes: float) -> list[float]:
    values = dict.fromkeys(("x", "v", "theta", "omega", "F", "type", "steps"), 0.0)
    return list((values | {"F": 10.0} | changes).values())


@pytest.fixture(scope="module")
def pole() -> Environment:
    return ts.make("CartPoleVar")


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("column", "limit"), [("theta", DEGREES_12), ("x", 2.4)])
def test_cart_crashes_beyond_each_limit_and_not_within(
    pole: Environment, column: str, limit: float, sign: int
) -> None:
    assert play(pole, cart(**{column: sign * (limit - 1e-12)}), [1])[1] == [RUNNING]
    assert play(pole, cart(**{column: sign * (limit + 1e-12)}), [1])[1] == [FAILED]


@pytest.mark.parametrize("force", [-8.0, 8.0])
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("action", [0, 1])
def test_cart_force_points_where_sign_type_and_action_say(
    pole: Environment, force: float, kind: int, action: int
) -> None:
    states, _ = play(pole, cart(F=force, type=kind), [action])
    direction = np.sign(force) * (1 if kind == 0 else -1) * (1 if action == 1 else -1)
    assert np.sign(states[1, 1]) == direction
    assert np.sign(states[1, 3]) == -direction  # the pole falls the other way


def test_cart_first_step_from_rest_is_that_of_gym(pole: Environment) -> None:
    states, _ = play(pole, cart(F=10.0), [1])
    omega = -(10 / 1.1) / (0.5 * (4 / 3 - 0.1 / 1.1))
    expected = [0, 0.02 * (10 / 1.1 - 0.05 * omega / 1.1), 0, 0.02 * omega, 10, 0, 1]
    np.testing.assert_allclose(states[1], expected, rtol=0, atol=1e-12)


def test_cart_is_solved_at_step_200_and_not_before(pole: Environment) -> None:
    batch, statuses = Batch(pole, cart()), []
    for _ in range(200):
        statuses.append(int(batch.step(pole.expert_actions(batch.states.T))[0]))
    assert statuses == [RUNNING] * 199 + [SOLVED]
    assert batch.states[6, 0] == 200


@pytest.mark.parametrize("column", ["theta", "x"])
def test_cart_crash_on_step_200_is_a_failure(pole: Environment, column: str) -> None:
    start = cart(steps=199, **{column: 3.0})
    assert play(pole, start, [1], elapsed=199)[1] == [FAILED]
    assert play(pole, cart(steps=199), [1], elapsed=199)[1] == [SOLVED]


@pytest.mark.parametrize(
    "change",
    [{"F": 7.0}, {"F": -10.0}, {"type": 1.0}, {"x": 0.03}, {"v": 0.03}, {"theta": 0.03},
     {"omega": 0.03}],
    ids=str,
)  # fmt: skip
def test_cart_each_parameter_alone_moves_the_trajectory_as_the_twin_says(
    pole: Environment, change: dict[str, float]
) -> None:
    actions = [1, 0, 0, 1, 1, 0, 0, 1]
    states, _ = play(pole, cart(**change), actions)
    twin = plain_environments()["CartPoleVar"]
    expected = [twin.reset(cart(**change))]
    expected += [twin.step(action, StreamRandom(np.ones(2, np.uint64)))[0] for action in actions]
    np.testing.assert_allclose(states, expected, rtol=0, atol=1e-12)
    assert np.abs(states - play(pole, cart(), actions)[0])[:, :4].max() > 1e-3


def test_cart_negative_force_and_other_type_cancel(pole: Environment) -> None:
    actions = [1, 0, 0, 1, 1, 0]
    one, other = play(pole, cart(), actions)[0], play(pole, cart(F=-10.0, type=1), actions)[0]
    assert (one[:, :4] == other[:, :4]).all()


def test_cart_context_never_changes(pole: Environment) -> None:
    states, _ = play(pole, cart(F=-6.5, type=1), [1, 0] * 5)
    assert (states[:, 4] == -6.5).all()
    assert (states[:, 5] == 1).all()


# -- PointMass -------------------------------------------------------------------------------------

REST = [0.0, 0.0]


def mass(**changes: float) -> list[float]:
    values = {"x": 0.0, "vx": 0.0, "y": 3.0, "vy": 0.0, "gate": 0.0, "width": 2.0, "friction": 0.0}
    return list((values | changes).values())


@pytest.fixture(scope="module")
def point() -> Environment:
    return ts.make("PointMass")


@pytest.mark.parametrize("direction", [-1, 1], ids=["down", "up"])
@pytest.mark.parametrize("gate", [-3.0, 3.0])
def test_mass_crashes_beside_the_gate_in_both_directions(
    point: Environment, direction: int, gate: float
) -> None:
    start = mass(y=-0.05 * direction, vy=4.0 * direction, gate=gate)
    states, statuses = play(point, start, [REST])
    assert statuses == [FAILED]
    assert 0 < direction * states[1, 2] < 0.05  # it stops right behind the wall


@pytest.mark.parametrize("direction", [-1, 1], ids=["down", "up"])
@pytest.mark.parametrize("gate", [-0.9, 0.0, 0.9])
def test_mass_passes_through_the_gate_in_both_directions(
    point: Environment, direction: int, gate: float
) -> None:
    states, statuses = play(point, mass(y=-0.05 * direction, vy=4.0 * direction, gate=gate), [REST])
    assert statuses == [RUNNING]
    assert direction * states[1, 2] > 0.3


def test_mass_crossing_point_is_interpolated(point: Environment) -> None:
    # One substep goes from (0, 0.01) to (0.2, -0.03) and crosses at x = 0.05.
    start = {"x": 0.0, "vx": 20.0, "y": 0.01, "vy": -4.0, "width": 0.5}
    assert play(point, mass(gate=-0.18, **start), [REST])[1] == [RUNNING]  # ends at 0.07
    assert play(point, mass(gate=-0.22, **start), [REST])[1] == [FAILED]  # ends at 0.03


def test_mass_is_solved_within_a_quarter_of_the_goal(point: Environment) -> None:
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (0.6, 0.8)):
        near, far = (mass(x=r * dx, y=-3 + r * dy) for r in (0.249, 0.251))
        assert play(point, near, [REST])[1] == [SOLVED]
        assert play(point, far, [REST])[1] == [RUNNING]


@pytest.mark.parametrize(("column", "name"), [(0, "x"), (2, "y")])
@pytest.mark.parametrize("side", [-1, 1])
def test_mass_stops_at_the_walls_of_the_square(
    point: Environment, column: int, name: str, side: int
) -> None:
    start = mass(**({"x": 2.0, "y": 2.0} | {name: side * 3.9, f"v{name}": side * 9.0}))
    states, statuses = play(point, start, [REST])
    assert statuses == [RUNNING]
    assert states[1, column] == side * 4.0


def test_mass_forces_are_clipped_to_10(point: Environment) -> None:
    clipped, wild = (
        play(point, mass(friction=1.0), [force] * 3)[0] for force in ([10.0, -10.0], [1e6, -11.0])
    )
    assert (clipped == wild).all()


def test_mass_accelerates_by_one_and_a_half_times_the_force(point: Environment) -> None:
    states, _ = play(point, mass(), [[2.0, -4.0]])
    np.testing.assert_allclose(states[1, [1, 3]], [0.3, -0.6], atol=0.01)


@pytest.mark.parametrize("friction", [0.0, 1.0, 4.0])
def test_mass_friction_slows_in_proportion_to_speed(point: Environment, friction: float) -> None:
    states, _ = play(point, mass(vx=1.0, vy=-1.0, friction=friction), [REST])
    left = (1 - 0.01 * friction) ** 10
    np.testing.assert_allclose(states[1, [1, 3]], [left, -left], atol=0.01)


def test_mass_noise_has_the_stated_size_on_both_axes(point: Environment) -> None:
    batch = Batch(point, [mass()] * MANY)
    batch.step([REST])
    expected = 0.01 * 0.05 * math.sqrt(10)
    for column in (1, 3):
        assert stats.kstest(batch.states[column] / expected, "norm").pvalue > 0.001
    assert abs(np.corrcoef(batch.states[1], batch.states[3])[0, 1]) < 4 / math.sqrt(MANY)


def test_mass_is_out_of_time_at_step_100(point: Environment) -> None:
    assert play(point, mass(friction=2.0), [REST] * 100)[1] == [RUNNING] * 99 + [OUT_OF_TIME]


def test_mass_solved_on_step_100_counts(point: Environment) -> None:
    assert play(point, mass(y=-2.9), [REST], elapsed=99)[1] == [SOLVED]


@pytest.mark.parametrize(
    ("start", "status", "expected"),
    [
        ({"x": 1.0, "y": 2.0, "gate": -2.0}, RUNNING, 1e-4 * math.exp(-0.6 * math.hypot(3, 2))),
        ({"x": 1.0, "y": -1.0, "gate": -2.0}, RUNNING, 1e-3 * math.exp(-0.6 * math.hypot(1, 2))),
        ({"x": 0.0, "y": -3.1}, SOLVED, 10_000.0),
        ({"x": 1.0, "y": -1.0}, FAILED, 1e-3 * math.exp(-0.6 * math.hypot(1, 2))),
    ],
    ids=["above", "below", "solved", "crashed below"],
)
def test_mass_shaped_reward_hints_at_gate_then_goal(
    point: Environment, start: dict[str, float], status: int, expected: float
) -> None:
    reward = type(point).reward(np.array(mass(**start)), status)
    assert reward == pytest.approx(expected, rel=1e-12)


# -- BasicKarel ------------------------------------------------------------------------------------

MOVE, TURN_LEFT, TURN_RIGHT, PICK, PUT, KAREL_FINISH = range(6)
NORTH, SOUTH, EAST, WEST = range(4)
NEIGHBOUR = {NORTH: 1, SOUTH: 9, EAST: 6, WEST: 4}  # of cell 5, row 1 and column 1
CORNER = {NORTH: 3, SOUTH: 12, EAST: 15, WEST: 0}  # a cell at each edge


@pytest.fixture(scope="module")
def karel() -> Environment:
    return ts.make("BasicKarel")


@pytest.mark.parametrize("heading", range(4))
def test_karel_moves_to_the_cell_it_faces(karel: Environment, heading: int) -> None:
    states, statuses = play(karel, karel_task(5, heading, to=0, facing=NORTH), [MOVE])
    assert statuses == [RUNNING]
    expected = karel_task(NEIGHBOUR[heading], heading, to=0, facing=NORTH)
    assert (states[1] == expected).all()


@pytest.mark.parametrize("heading", range(4))
def test_karel_crashes_on_leaving_the_grid(karel: Environment, heading: int) -> None:
    assert play(karel, karel_task(CORNER[heading], heading), [MOVE])[1] == [FAILED]


@pytest.mark.parametrize("heading", range(4))
def test_karel_crashes_into_a_wall(karel: Environment, heading: int) -> None:
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
def test_karel_turns(karel: Environment, action: int, heading: int, turned: int) -> None:
    states, statuses = play(karel, karel_task(5, heading, facing=NORTH), [action])
    assert statuses == [RUNNING]
    assert (states[1] == karel_task(5, turned, facing=NORTH)).all()


def test_karel_picks_the_marker_under_it(karel: Environment) -> None:
    states, statuses = play(karel, karel_task(5, markers=[5, 7], wanted=[7]), [PICK])
    assert statuses == [RUNNING]
    assert (states[1] == karel_task(5, markers=[7])).all()


def test_karel_puts_a_marker_under_it(karel: Environment) -> None:
    states, statuses = play(karel, karel_task(5, markers=[7], wanted=[5, 7]), [PUT])
    assert statuses == [RUNNING]
    assert (states[1] == karel_task(5, markers=[5, 7])).all()


def test_karel_crashes_on_picking_where_there_is_no_marker(karel: Environment) -> None:
    assert play(karel, karel_task(5, markers=[6]), [PICK])[1] == [FAILED]


def test_karel_crashes_on_putting_where_there_is_a_marker(karel: Environment) -> None:
    assert play(karel, karel_task(5, markers=[5]), [PUT])[1] == [FAILED]


def test_karel_finish_succeeds_when_all_matches(karel: Environment) -> None:
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
    karel: Environment, start: NDArray[np.float64]
) -> None:
    assert play(karel, start, [KAREL_FINISH])[1] == [FAILED]


def test_karel_solves_a_task_made_of_all_actions(karel: Environment) -> None:
    start = karel_task(5, EAST, to=9, facing=WEST, markers=[5], wanted=[9])
    actions = [PICK, TURN_RIGHT, MOVE, PUT, TURN_LEFT, TURN_LEFT, TURN_LEFT, TURN_LEFT, TURN_RIGHT]
    assert play(karel, start, [*actions, KAREL_FINISH])[1][-1] == SOLVED


def test_karel_actions_never_change_walls_or_the_wanted_grid(karel: Environment) -> None:
    tasks = karel.sample_tasks(500, seed=0)
    batch, rng = Batch(karel, tasks), np.random.default_rng(0)
    for _ in range(20):
        batch.step(rng.choice(5, 500, p=[0.2, 0.3, 0.3, 0.1, 0.1]))
        assert (batch.states[karel.context_columns] == tasks.T[karel.context_columns]).all()
    assert (tasks != batch.states.T).any()


def test_karel_is_out_of_time_at_step_20(karel: Environment) -> None:
    assert play(karel, karel_task(), [TURN_LEFT] * 20)[1] == [RUNNING] * 19 + [OUT_OF_TIME]


def test_karel_finish_on_step_20_solves(karel: Environment) -> None:
    start = karel_task(5, NORTH, facing=EAST)  # 19 turns to the left are one to the right
    statuses = play(karel, start, [TURN_LEFT] * 19 + [KAREL_FINISH])[1]
    assert statuses == [RUNNING] * 19 + [SOLVED]


# -- experts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if name != "PointMass"])
def test_expert_solves_nearly_every_task(name: str) -> None:
    env = ts.make(name)
    batch = Batch(env, env.sample_tasks(2000, seed=8))
    for _ in range(env.horizon):
        batch.step(env.expert_actions(batch.states.T))
    assert (batch.status == SOLVED).mean() > 0.99


def test_nav_expert_fetches_the_left_key_first(nav: Environment) -> None:
    states = [at(0.45, "", (0, 1)), at(0.05, "", (0, 1)), at(0.05, "A", (0, 1)), at(0.8, "AC")]
    assert nav.expert_actions(states).tolist() == [LEFT, 2, RIGHT, LEFT]
    assert nav.expert_actions([at(0.45, "A", (0, 1)), at(0.89, "AB")]).tolist() == [4, RIGHT]
    assert nav.expert_actions([at(0.9, "AB")]).tolist() == [FINISH]


def test_karel_expert_takes_a_shortest_way_then_finishes() -> None:
    karel: Any = ts.make("BasicKarel")
    tasks = karel.sample_tasks(300, seed=9)
    batch = Batch(karel, tasks)
    for _ in range(20):
        batch.step(karel.expert_actions(batch.states.T))
    assert (batch.status == SOLVED).all()
    assert (batch.elapsed == karel.solution_lengths(tasks) + 1).all()
