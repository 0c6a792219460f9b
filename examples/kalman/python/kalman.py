"""A Kalman filter for a vehicle that goes straight on but for small random accelerations, and the smoother to it.

The state is (x, y, velocity along x, velocity along y) in m and m/s; covariances are in products of these.

Source: Bar-Shalom, Li and Kirubarajan, Estimation with Applications to Tracking and Navigation (2001), chapters 5 and 6;
Rauch, Tung and Striebel, Maximum likelihood estimates of linear dynamic systems, AIAA J. 3 (1965).
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import cho_factor, cho_solve

SECONDS = 1.0  # from one measurement to the next
ACCELERATION = 0.5  # m/s²: standard deviation along each axis, constant from one measurement to the next
NOISE = 5.0  # m: standard deviation of a measured position along each axis

AXES = np.eye(2)
MOTION = np.kron([[1.0, SECONDS], [0.0, 1.0]], AXES)
PUSH = np.kron([[SECONDS**2 / 2], [SECONDS]], AXES)
PUSHES = ACCELERATION**2 * PUSH @ PUSH.T
MEASURED = np.kron([[1.0, 0.0]], AXES)


def predict(mean, covariance):
    """Mean and covariance of the state when the next measurement is due."""
    return MOTION @ mean, MOTION @ covariance @ MOTION.T + PUSHES


def step(mean, covariance, position):
    """Mean and covariance after the next measured position, and the logarithm of its probability density per m²."""
    mean, covariance = predict(mean, covariance)
    surprise = position - MEASURED @ mean
    spread = cho_factor(MEASURED @ covariance @ MEASURED.T + NOISE**2 * AXES, lower=True)
    gain = cho_solve(spread, MEASURED @ covariance).T
    distance = surprise @ cho_solve(spread, surprise)
    log_density = -distance / 2 - jnp.sum(jnp.log(jnp.diag(spread[0]))) - jnp.log(2 * jnp.pi)
    # Joseph's form: symmetric and positive, whatever the rounding.
    rest = jnp.eye(4) - gain @ MEASURED
    covariance = rest @ covariance @ rest.T + NOISE**2 * gain @ gain.T
    return mean + gain @ surprise, covariance, log_density


def smooth(means, covariances):
    """The mean of each state given all measurements, from those given the measurements up to it."""

    def back(later, filtered):
        mean, covariance = filtered
        predicted, uncertainty = predict(mean, covariance)
        gain = jnp.linalg.solve(uncertainty, MOTION @ covariance).T
        mean = mean + gain @ (later - predicted)
        return mean, mean

    earlier = jax.lax.scan(back, means[-1], (means[:-1], covariances[:-1]), reverse=True)[1]
    return jnp.concatenate([earlier, means[-1:]])
