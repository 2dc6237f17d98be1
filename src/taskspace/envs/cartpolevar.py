"""CartPoleVar: balance a pole on a cart; the force and the direction of the actions vary."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from taskspace.envs.base import Column, Environment, Tasks
from taskspace.envs.drawing import BAD, BLUE, GOOD, INK, MUTED, ORANGE, PALE, SMALL, TITLE, fit
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED
from taskspace.envs.streams import uniform

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X, V, THETA, OMEGA, FORCE, TYPE, STEPS = range(7)
HORIZON = 200
GRAVITY, CART_MASS, POLE_MASS, HALF_LENGTH, TAU = 9.8, 1.0, 0.1, 0.5, 0.02
TOTAL_MASS = CART_MASS + POLE_MASS
MAX_ANGLE, MAX_X = 12 * pi / 180, 2.4
MIN_FORCE, MAX_FORCE = 5.0, 15.0

# -- tasks -----------------------------------------------------------------------------------------


@njit
def sample(task, stream, distribution):
    """A uniform start and force, a random sign and type; distributions 1 to 4 fix the last two."""
    for column in range(FORCE):
        task[column] = -0.05 + 0.1 * uniform(stream)
    force = MIN_FORCE + (MAX_FORCE - MIN_FORCE) * uniform(stream)
    negative, push = uniform(stream) < 0.5, uniform(stream) < 0.5
    if distribution > 0:
        negative, push = distribution >= 3, distribution % 2 == 0
    task[FORCE] = -force if negative else force
    task[TYPE] = 1.0 if push else 0.0
    task[STEPS] = 0.0


# -- dynamics --------------------------------------------------------------------------------------


# Divisions by constants may become multiplications, and a product and a sum one instruction.
FAST = {"arcp", "contract"}


@njit(fastmath=FAST, forceinline=True, error_model="numpy")
def sin_cos(angle):
    """Sine and cosine by their series, exact in double precision up to 12 degrees.

    A step starts with no larger angle, and the library's functions take longer than the rest of
    the step.
    """
    z = angle * angle
    sine = 1.0 + z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 - z / 39916800))))
    cosine = -1 / 2 + z * (1 / 24 + z * (-1 / 720 + z * (1 / 40320 - z / 3628800)))
    return angle * sine, 1.0 + z * cosine


@njit(fastmath=FAST, forceinline=True, error_model="numpy")
def step(state, action, stream):
    """One Euler step of Gymnasium's cart pole, with the task's force."""
    x, v, theta, omega = state[X], state[V], state[THETA], state[OMEGA]
    force = state[FORCE] * (1.0 - 2.0 * state[TYPE]) * (1.0 if action == 1 else -1.0)
    sine, cosine = sin_cos(theta)
    push = (force + POLE_MASS * HALF_LENGTH * omega * omega * sine) / TOTAL_MASS
    inertia = HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cosine * cosine / TOTAL_MASS)
    omega_rate = (GRAVITY * sine - cosine * push) / inertia
    v_rate = push - POLE_MASS * HALF_LENGTH * omega_rate * cosine / TOTAL_MASS
    x += TAU * v
    theta += TAU * omega
    state[X], state[V] = x, v + TAU * v_rate
    state[THETA], state[OMEGA] = theta, omega + TAU * omega_rate
    state[STEPS] += 1.0
    if abs(theta) > MAX_ANGLE or abs(x) > MAX_X:
        return FAILED
    return SOLVED if state[STEPS] >= HORIZON else RUNNING


# -- expert ----------------------------------------------------------------------------------------


@njit
def expert(state):
    """Push towards the side to which the pole is falling, and slightly towards the middle."""
    lean = state[THETA] + 0.25 * state[OMEGA] + 0.02 * state[X] + 0.05 * state[V]
    action_1_pushes_right = state[FORCE] * (1.0 - 2.0 * state[TYPE]) > 0.0
    return 1 if (lean > 0.0) == action_1_pushes_right else 0


# -- drawing ---------------------------------------------------------------------------------------

EXAGGERATION = 3  # of drawn angles: the real ones are too small to see


def _draw_cart(ax: Axes, x: float, theta: float) -> None:
    """Cart and pole, and the cone in which the pole must stay."""
    from matplotlib.patches import FancyBboxPatch, Wedge

    limit = EXAGGERATION * MAX_ANGLE * 180 / pi
    ax.add_patch(Wedge((x, 0.65), 2.5, 90 - limit, 90 + limit, fc=GOOD, alpha=0.13, lw=0))
    body = "round,pad=0,rounding_size=0.1"
    ax.add_patch(FancyBboxPatch((x - 0.5, 0.15), 1.0, 0.5, body, fc=INK, lw=0, zorder=3))
    ax.plot([x - 0.28, x + 0.28], [0.12, 0.12], "o", ms=6, mfc=MUTED, mec="white", zorder=4)
    drawn = min(max(EXAGGERATION * theta, -pi / 2), pi / 2)
    tip = (x + 2.35 * np.sin(drawn), 0.65 + 2.35 * np.cos(drawn))
    colour = BAD if abs(theta) > MAX_ANGLE else INK
    ax.plot([x, tip[0]], [0.65, tip[1]], color=colour, lw=5, solid_capstyle="round", zorder=2)
    ax.plot(x, 0.65, "o", ms=7, mfc="white", mec=INK, mew=2, zorder=4)


def _draw_force(ax: Axes, x: float, action: int, force: float) -> None:
    """An arrow for an action: 0 on the left of the cart, 1 on its right."""
    side, length = (-1 if action == 0 else 1), 0.3 + 1.0 * abs(force) / MAX_FORCE
    near, far = x + 0.6 * side, x + (0.6 + length) * side
    tail, head = (near, far) if force > 0 else (far, near)
    colour = ORANGE if action == 0 else BLUE
    arrow = {"arrowstyle": "simple,head_width=1.0,head_length=0.8,tail_width=0.4", "lw": 0}
    arrow |= {"fc": colour, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (head, 0.4), (tail, 0.4), arrowprops=arrow, annotation_clip=False)
    ax.text((near + far) / 2, 0.85, f"action {action}", color=INK, **SMALL)


def _draw_curve(ax: Axes, y: float, times: Any, values: Any, limit: str, name: str) -> None:
    """Values over time around height `y`; 1 and -1 are the limits."""
    ax.fill_between([0, HORIZON], y - 1, y + 1, color=GOOD, alpha=0.1, lw=0)
    ax.hlines([y - 1, y + 1], 0, HORIZON, color=BAD, lw=1.2, ls=(0, (4, 3)))
    ax.hlines(y, 0, HORIZON, color=PALE, lw=1)
    ax.plot(times, y + values, color=INK, lw=1.8)
    ax.text(4, y + 0.78, name, color=INK, size=9, va="center")
    for sign, at in (("+", 1), ("−", -1)):
        ax.text(-4, y + at, f"{sign}{limit}", color=MUTED, size=8, ha="right", va="center")


# -- the environment -------------------------------------------------------------------------------


class CartPoleVar(Environment):
    """Keep the pole upright for 200 steps."""

    name = "CartPoleVar"
    varies_by = "dynamics"
    page_form = "force"
    columns = (
        Column("x", -0.05, 0.05, state_low=-2 * MAX_X, state_high=2 * MAX_X),
        Column("v", -0.05, 0.05, state_low=-inf, state_high=inf),
        Column("theta", -0.05, 0.05, state_low=-pi, state_high=pi),
        Column("omega", -0.05, 0.05, state_low=-inf, state_high=inf),
        Column("F", -MAX_FORCE, MAX_FORCE),
        Column("TaskType", 0, 1, integer=True),
        Column("NumSteps", 0, 0, integer=True, state_high=HORIZON),
    )
    context = ("F", "TaskType")
    action_names = ("left", "right")
    horizon = HORIZON
    gamma = 1.0
    cluster_names = ("action 0 moves left", "action 0 moves right")
    goal = "An agent pushes or pulls a cart so that the pole on it stays upright for 200 steps."
    cluster_description = "what the first action does; this was not used in learning"
    distributions = ("all", "positive-pull", "positive-push", "negative-pull", "negative-push")
    sample, step, expert = sample, step, expert

    def faults(self, tasks: Tasks) -> Iterator[tuple[NDArray[np.bool_], str]]:
        """Check that forces are strong enough."""
        yield (
            np.abs(tasks[:, FORCE]) < MIN_FORCE,
            (
                f"the absolute value of F must be in [{MIN_FORCE:g}, {MAX_FORCE:g}],"
                f" got less than {MIN_FORCE:g}"
            ),
        )

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """The direction in which action 0 moves the cart."""
        rows = self.rows(tasks)
        return (rows[:, FORCE] * (1 - 2 * rows[:, TYPE]) < 0).astype(np.int64)

    def draw_state(self, state: NDArray[np.float64], ax: Axes) -> None:
        """The cart on its track, the pole, and the effects of the two actions."""
        ax.axis("off")
        ax.set(xlim=(-4.45, 4.45), ylim=(-1.4, 4.9), aspect="equal")
        x, force = float(np.clip(state[X], -1.05 * MAX_X, 1.05 * MAX_X)), self._pull(state)
        ax.hlines(0, -MAX_X, MAX_X, color=MUTED, lw=2.5)
        ax.vlines([-MAX_X, MAX_X], -0.2, 0.2, color=BAD, lw=3)
        for edge in (-MAX_X, MAX_X):
            ax.text(edge, -0.5, f"{edge:+.1f} m".replace("-", "−"), color=MUTED, **SMALL)
        _draw_cart(ax, x, state[THETA])
        _draw_force(ax, x, 0, force)
        _draw_force(ax, x, 1, force)
        ax.text(0, 4.6, self._description(state), color=INK, **TITLE)
        sides = ("left", "right") if force > 0 else ("right", "left")
        caption = f"action 0 moves the cart {sides[0]}, action 1 {sides[1]}"
        ax.text(0, 3.98, caption, color=INK, size=9, ha="center", va="center")
        ax.text(0, -0.5, f"step {state[STEPS]:.0f} of {HORIZON}", color=INK, **SMALL)
        caption = f"keep the pole within ±12° (angles drawn ×{EXAGGERATION})"
        ax.text(0, -1.05, caption, color=MUTED, **SMALL)
        fit(ax)

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Axes) -> None:
        """Angle and position over time, between the limits beyond which the episode fails."""
        ax.axis("off")
        ax.set(xlim=(-34, HORIZON + 8), ylim=(-4.6, 2.2))
        times = states[:, STEPS]
        curves = ((THETA, MAX_ANGLE, "12°", "pole angle"), (X, MAX_X, "2.4 m", "cart position"))
        crashed, last = False, 0.0
        for y, (column, limit, caption, name) in zip((0.0, -2.6), curves, strict=True):
            values = np.clip(states[:, column] / limit, -1.15, 1.15)
            _draw_curve(ax, y, times, values, caption, name)
            if abs(states[-1, column]) > limit:
                ax.plot(times[-1], y + values[-1], "X", ms=12, mfc=BAD, mec="white", zorder=5)
                crashed, last = True, times[-1]
        solved = not crashed and times[-1] >= HORIZON
        ending = f"crashed at step {last:.0f}" if crashed else f"{times[-1]:.0f} of {HORIZON} steps"
        caption = "solved: upright for 200 steps" if solved else ending
        colour = GOOD if solved else BAD if crashed else INK
        ax.text(HORIZON / 2, 1.85, caption.capitalize(), color=colour, **TITLE)
        ax.text(HORIZON / 2, 1.32, self._description(states[0]), color=MUTED, **SMALL)
        for time in (0, HORIZON // 2, HORIZON):
            ax.text(time, -3.95, f"{time}", color=MUTED, **SMALL)
        ax.text(HORIZON / 2, -4.4, "step", color=MUTED, **SMALL)
        fit(ax)

    @property
    def page_drawing(self) -> dict[str, Any]:
        """The cart on its track."""
        return {"kind": "cart-pole"}

    def text(self, state: NDArray[np.float64]) -> str:
        """The cart on its track, the state in numbers, and the effect of action 0."""
        cart = round((float(np.clip(state[X] / MAX_X, -1, 1)) + 1) * 20)
        lean = "╱" if state[THETA] > 0.03 else "╲" if state[THETA] < -0.03 else "│"
        track = "".join("█" if abs(spot - cart) < 2 else "─" for spot in range(41))
        side = "left" if self._pull(state) > 0 else "right"
        angle, x, steps = state[THETA] * 180 / pi, state[X], state[STEPS]
        numbers = f"angle {angle:+.1f}°, x {x:+.2f} m, step {steps:.0f} of {HORIZON}"
        actions = f"{self._description(state)}: action 0 moves {side}"
        return f" {' ' * cart}{lean}\n|{track}|\n{numbers}\n{actions}"

    @staticmethod
    def _pull(state: NDArray[np.float64]) -> float:
        """The force with which each action pulls the cart to its side; negative if it pushes."""
        return float(state[FORCE] * (1.0 - 2.0 * state[TYPE]))

    @staticmethod
    def _description(state: NDArray[np.float64]) -> str:
        """The type and the force in words."""
        kind = "Push" if state[TYPE] > 0.5 else "Pull"
        return f"{kind} with F = {state[FORCE]:+.1f} N".replace("-", "−")
