"""The environments in plain Python, one step at a time.

They are the baseline of the speed benchmark, and an independent implementation of the
specification, against which the compiled kernels are tested step by step. For that purpose, the
order of the random draws is part of the interface: first the draw for random failure (only if
gamma < 1), then the draws of the dynamics in the order in which they are needed. Normal numbers are
drawn in pairs; one that is left over at the end of a substep is not used.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

RUNNING = "running"
SOLVED = "solved"
FAILED = "failed"
OUT_OF_TIME = "out of time"

# An int for the discrete environments, two floats for PointMass.
Action: TypeAlias = Any
Doors: TypeAlias = Mapping[tuple[int, int], tuple[int, ...]]

DOORS: Doors = {(0, 0): (0, 1), (0, 1): (0, 2), (1, 0): (1, 3), (1, 1): (2, 3)}
DOORS_AB: Doors = dict.fromkeys(DOORS, (0, 1))
DOORS_A: Doors = dict.fromkeys(DOORS, (0,))


class Rng(Protocol):
    """The methods of random.Random that the environments use."""

    def random(self) -> float:
        """Draw uniformly from [0, 1)."""

    def uniform(self, a: float, b: float, /) -> float:
        """Draw uniformly between a and b."""

    def gauss(self, mu: float, sigma: float, /) -> float:
        """Draw from a normal distribution."""


class PlainEnvironment(ABC):
    """The common parts of all environments: time, random failures and the horizon."""

    state_size: int
    horizon: int
    gamma: float

    def __init__(self) -> None:
        """Create an environment; call `reset` before the first step."""
        self._state: list[float] = []
        self._steps = 0
        self._running = False

    def reset(self, task: Sequence[float]) -> list[float]:
        """Start an episode with a task, which is the full initial state."""
        if len(task) != self.state_size:
            raise ValueError(f"a task must have {self.state_size} numbers, got {len(task)}")
        self._state = [float(value) for value in task]
        self._steps = 0
        self._running = True
        return list(self._state)

    def step(self, action: Action, rng: Rng) -> tuple[list[float], str]:
        """Take one agent step and return the new state and the status of the episode."""
        if not self._running:
            raise RuntimeError("an episode must be running; call reset first")
        self._steps += 1
        if self.gamma < 1.0 and rng.random() >= self.gamma:
            status = FAILED
        else:
            status = self._act(action, rng)
        if status == RUNNING and self._steps >= self.horizon:
            status = OUT_OF_TIME
        self._running = status == RUNNING
        return list(self._state), status

    @abstractmethod
    def _act(self, action: Action, rng: Rng) -> str:
        """Apply the action to the state and return the status."""


class MultiKeyNav(PlainEnvironment):
    """Pick the keys that the door needs along [0, 1], then unlock it at the right end."""

    state_size, horizon, gamma = 7, 40, 0.999

    KEY_SEGMENTS = ((0.0, 0.1), (0.2, 0.3), (0.4, 0.5), (0.6, 0.7))
    DOOR_START = 0.9
    STEP, STEP_NOISE = 0.075, 0.01
    MOVE_LEFT, MOVE_RIGHT, PICK_A, PICK_D, FINISH = 0, 1, 2, 5, 6

    def __init__(self, required: Doors = DOORS) -> None:
        """Take the keys (0 is A, 3 is D) that each pair of door bits requires."""
        super().__init__()
        self.required = required

    def _act(self, action: Action, rng: Rng) -> str:
        if action in (self.MOVE_LEFT, self.MOVE_RIGHT):
            return self._move(action == self.MOVE_RIGHT, rng)
        if self.PICK_A <= action <= self.PICK_D:
            return self._pick(action - self.PICK_A)
        if action == self.FINISH:
            return self._finish()
        raise ValueError(f"there is no action {action}")

    def _move(self, to_the_right: bool, rng: Rng) -> str:
        distance = self.STEP + rng.uniform(-self.STEP_NOISE, self.STEP_NOISE)
        location = self._state[0] + (distance if to_the_right else -distance)
        if 0.0 <= location <= 1.0:
            self._state[0] = location
        return RUNNING

    def _pick(self, key: int) -> str:
        left, right = self.KEY_SEGMENTS[key]
        held = self._state[1 + key] == 1.0
        if held or not left <= self._state[0] <= right:
            return FAILED
        self._state[1 + key] = 1.0
        return RUNNING

    def _finish(self) -> str:
        needed = self.required[int(self._state[5]), int(self._state[6])]
        has_keys = all(self._state[1 + key] == 1.0 for key in needed)
        return SOLVED if has_keys and self._state[0] >= self.DOOR_START else FAILED


class CartPoleVar(PlainEnvironment):
    """Gym's classic cart pole, with a force and a meaning of the actions that vary by task."""

    state_size, horizon, gamma = 7, 200, 1.0

    GRAVITY, TAU = 9.8, 0.02
    CART_MASS, POLE_MASS, HALF_LENGTH = 1.0, 0.1, 0.5
    MAX_ANGLE, MAX_POSITION = math.radians(12.0), 2.4
    STEPS_TO_SOLVE = 200

    def _act(self, action: Action, rng: Rng) -> str:
        x, v, theta, omega, strength, task_type, num_steps = self._state
        if action not in (0, 1):
            raise ValueError(f"there is no action {action}")
        force = strength * (1.0 - 2.0 * task_type)
        if action == 0:
            force = -force
        acceleration, angular_acceleration = self._accelerations(theta, omega, force)
        x += self.TAU * v
        v += self.TAU * acceleration
        theta += self.TAU * omega
        omega += self.TAU * angular_acceleration
        num_steps += 1.0
        self._state = [x, v, theta, omega, strength, task_type, num_steps]
        if abs(theta) > self.MAX_ANGLE or abs(x) > self.MAX_POSITION:
            return FAILED
        return SOLVED if num_steps >= self.STEPS_TO_SOLVE else RUNNING

    def _accelerations(self, theta: float, omega: float, force: float) -> tuple[float, float]:
        """Return the acceleration of the cart and the angular acceleration of the pole."""
        sin, cos = math.sin(theta), math.cos(theta)
        total_mass = self.CART_MASS + self.POLE_MASS
        pole_moment = self.POLE_MASS * self.HALF_LENGTH
        push = (force + pole_moment * omega**2 * sin) / total_mass
        inertia = self.HALF_LENGTH * (4.0 / 3.0 - self.POLE_MASS * cos**2 / total_mass)
        angular = (self.GRAVITY * sin - cos * push) / inertia
        return push - pole_moment * angular * cos / total_mass, angular


class PointMass(PlainEnvironment):
    """Steer a point mass with friction and noise through a gate at y = 0 to the goal below."""

    state_size, horizon, gamma = 7, 100, 1.0

    SUBSTEPS, DT = 10, 0.01
    MAX_FORCE, FORCE_GAIN, NOISE = 10.0, 1.5, 0.05
    WALL = 4.0
    GOAL_X, GOAL_Y, GOAL_RADIUS = 0.0, -3.0, 0.25

    def _act(self, action: Action, rng: Rng) -> str:
        force_x, force_y = (_clip(float(force), self.MAX_FORCE) for force in action)
        for _ in range(self.SUBSTEPS):
            status = self._substep(force_x, force_y, rng)
            if status != RUNNING:
                return status
        return RUNNING

    def _substep(self, force_x: float, force_y: float, rng: Rng) -> str:
        x, vx, y, vy, gate, width, friction = self._state
        ax = self.FORCE_GAIN * force_x - friction * vx + rng.gauss(0.0, self.NOISE)
        ay = self.FORCE_GAIN * force_y - friction * vy + rng.gauss(0.0, self.NOISE)
        new_x = _clip(x + self.DT * vx, self.WALL)
        new_y = _clip(y + self.DT * vy, self.WALL)
        new_vx = vx + self.DT * ax
        new_vy = vy + self.DT * ay
        self._state = [new_x, new_vx, new_y, new_vy, gate, width, friction]
        if y >= 0.0 > new_y or y <= 0.0 < new_y:
            crossing = x + (new_x - x) * y / (y - new_y)
            if not gate - width / 2.0 <= crossing <= gate + width / 2.0:
                return FAILED
        distance = math.hypot(new_x - self.GOAL_X, new_y - self.GOAL_Y)
        return SOLVED if distance < self.GOAL_RADIUS else RUNNING


def _clip(value: float, limit: float) -> float:
    """Clip a value to [-limit, limit]."""
    return max(-limit, min(limit, value))


class BasicKarel(PlainEnvironment):
    """Turn a 4 x 4 grid into its post grid by moving, turning, and picking and putting markers."""

    state_size, horizon, gamma = 88, 20, 0.999

    SIDE = 4
    WALLS, MARKERS, POST_MARKERS = 0, 16, 32
    POSITION, POST_POSITION, DIRECTION, POST_DIRECTION = 48, 64, 80, 84

    # Indexed by direction: north, south, east, west.
    AHEAD = ((-1, 0), (1, 0), (0, 1), (0, -1))
    LEFT = (3, 2, 0, 1)
    RIGHT = (2, 3, 1, 0)

    MOVE, TURN_LEFT, TURN_RIGHT, PICK_MARKER, PUT_MARKER, FINISH = range(6)

    def _act(self, action: Action, rng: Rng) -> str:
        cell = self._state.index(1.0, self.POSITION, self.POST_POSITION) - self.POSITION
        facing = self._state.index(1.0, self.DIRECTION, self.POST_DIRECTION) - self.DIRECTION
        if action == self.MOVE:
            return self._move(cell, facing)
        if action == self.TURN_LEFT:
            return self._turn(facing, self.LEFT[facing])
        if action == self.TURN_RIGHT:
            return self._turn(facing, self.RIGHT[facing])
        if action == self.PICK_MARKER:
            return self._set_marker(cell, 0.0)
        if action == self.PUT_MARKER:
            return self._set_marker(cell, 1.0)
        if action == self.FINISH:
            return SOLVED if self._matches() else FAILED
        raise ValueError(f"there is no action {action}")

    def _turn(self, facing: int, turned: int) -> str:
        self._state[self.DIRECTION + facing] = 0.0
        self._state[self.DIRECTION + turned] = 1.0
        return RUNNING

    def _move(self, cell: int, facing: int) -> str:
        row = cell // self.SIDE + self.AHEAD[facing][0]
        col = cell % self.SIDE + self.AHEAD[facing][1]
        target = self.SIDE * row + col
        on_grid = 0 <= row < self.SIDE and 0 <= col < self.SIDE
        if not on_grid or self._state[self.WALLS + target] == 1.0:
            return FAILED
        self._state[self.POSITION + cell] = 0.0
        self._state[self.POSITION + target] = 1.0
        return RUNNING

    def _set_marker(self, cell: int, present: float) -> str:
        if self._state[self.MARKERS + cell] == present:
            return FAILED
        self._state[self.MARKERS + cell] = present
        return RUNNING

    def _matches(self) -> bool:
        s = self._state
        return (
            s[self.MARKERS : self.POST_MARKERS] == s[self.POST_MARKERS : self.POSITION]
            and s[self.POSITION : self.POST_POSITION] == s[self.POST_POSITION : self.DIRECTION]
            and s[self.DIRECTION : self.POST_DIRECTION] == s[self.POST_DIRECTION :]
        )


def plain_environments() -> dict[str, PlainEnvironment]:
    """All environments by name, including the variants of MultiKeyNav."""
    return {
        "MultiKeyNav": MultiKeyNav(),
        "MultiKeyNavAB": MultiKeyNav(DOORS_AB),
        "MultiKeyNavA": MultiKeyNav(DOORS_A),
        "CartPoleVar": CartPoleVar(),
        "PointMass": PointMass(),
        "BasicKarel": BasicKarel(),
    }
