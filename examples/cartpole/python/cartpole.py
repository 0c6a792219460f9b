"""A cart with a pole that stands on it: its motion, and a controller that keeps the pole upright."""
import jax
import jax.numpy as jnp
import numpy as np

GRAVITY, CART, POLE, HALF_LENGTH = 9.81, 1.0, 0.1, 0.5  # m/s², kg, kg, m
STEP = 0.01  # s


def motion(state, force):
    """The derivative of position (m), velocity (m/s), angle from upright (rad) and angular velocity (rad/s) by time."""
    _, velocity, angle, spin = state
    mass = CART + POLE
    push = (force + POLE * HALF_LENGTH * spin**2 * jnp.sin(angle)) / mass
    turn = (GRAVITY * jnp.sin(angle) - jnp.cos(angle) * push) / (
        HALF_LENGTH * (4 / 3 - POLE * jnp.cos(angle) ** 2 / mass))
    pull = push - POLE * HALF_LENGTH * turn * jnp.cos(angle) / mass
    return jnp.stack([velocity, pull, spin, turn])


def step(state, force):
    """The state one step of time later, by the classical method of Runge and Kutta."""
    a = motion(state, force)
    b = motion(state + STEP / 2 * a, force)
    c = motion(state + STEP / 2 * b, force)
    d = motion(state + STEP * c, force)
    return state + STEP / 6 * (a + 2 * b + 2 * c + d)


def gains():
    """The linear-quadratic regulator around upright: the fixed point of the Riccati equation."""
    rest, still = jnp.zeros(4), jnp.zeros(())
    a = np.asarray(jax.jacobian(step, 0)(rest, still), np.float64)
    b = np.asarray(jax.jacobian(step, 1)(rest, still), np.float64)[:, None]
    cost, effort = np.diag([1.0, 0.1, 10.0, 0.1]), np.array([[0.1]])
    value = cost
    for _ in range(2000):
        gain = np.linalg.solve(effort + b.T @ value @ b, b.T @ value @ a)
        value = cost + a.T @ value @ (a - b @ gain)
    return gain[0]


GAINS = gains()


def act(state):
    """The force (N) on the cart."""
    return -jnp.dot(jnp.asarray(GAINS, state.dtype), state)
